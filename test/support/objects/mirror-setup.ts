// Runs before each test file of a suite that runs on a bucket: gives the program the bucket's
// address, leaves out what is for folders alone, and notes which tests have asked the bucket. A
// file none of whose tests does, and a reason for a test that is not there, fail.

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, expect, type RunnerTask, type RunnerTestFile } from 'vitest';
import { mirrorBucket } from './mirror-bucket.ts';
import { forgetRemoved, operationsSoFar } from './mirror.ts';
import { exclusionsOf } from './mirror-suites.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** How many operations the test has run on the bucket. */
    bucketOperations?: number;
  }
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
let file: RunnerTestFile | undefined;
let operationsBefore = 0;
let testsOnBucket = 0;

const { store } = await mirrorBucket();
Object.assign(process.env, store.environment);

function nameOf(task: RunnerTask): string {
  return task.suite === undefined ? task.name : `${nameOf(task.suite)} > ${task.name}`;
}

function namesIn(task: RunnerTask): string[] {
  return task.type === 'test' ? [nameOf(task)] : task.tasks.flatMap(namesIn);
}

function exclusionsIn({ filepath }: RunnerTestFile) {
  return exclusionsOf(relative(root, filepath));
}

beforeEach(({ task, skip }) => {
  ({ file } = task);
  const exclusion = exclusionsIn(file).find(({ test }) => test.test(nameOf(task)));
  operationsBefore = operationsSoFar();
  if (exclusion !== undefined) skip(`on folders alone: ${exclusion.reason}`);
});

afterEach(async ({ task }) => {
  task.meta.bucketOperations = operationsSoFar() - operationsBefore;
  if (task.meta.bucketOperations > 0) testsOnBucket += 1;
  await forgetRemoved();
});

afterAll(() => {
  expect(testsOnBucket, 'tests of this file that ask the bucket').toBeGreaterThan(0);
  const names = file === undefined ? [] : namesIn(file);
  const stale =
    file === undefined ? [] : exclusionsIn(file).filter(({ test }) => !names.some((name) => test.test(name)));
  expect(stale, 'what is left to folders and is not there').toEqual([]);
});
