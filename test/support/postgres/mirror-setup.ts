// Runs before each test file of a suite that runs on PostgreSQL: leaves out what is for SQLite
// alone, and fails where no test has read PostgreSQL, or where what is left out is not there.

import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, expect, type RunnerTask, type RunnerTestFile } from 'vitest';
import { dropMirror, openedSoFar } from './mirror-open.ts';
import { exclusionsIn } from './mirror-suites.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const openedBefore = openedSoFar();
let file: RunnerTestFile | undefined;

function nameOf(task: RunnerTask): string {
  return task.suite === undefined ? task.name : `${nameOf(task.suite)} > ${task.name}`;
}

function namesIn(task: RunnerTask): string[] {
  return task.type === 'test' ? [nameOf(task)] : task.tasks.flatMap(namesIn);
}

beforeEach(({ task, skip }) => {
  ({ file } = task);
  const exclusion = exclusionsIn(relative(root, file.filepath)).find(({ test }) => test.test(nameOf(task)));
  if (exclusion !== undefined) skip(`on SQLite alone: ${exclusion.why}`);
});

afterAll(async () => {
  await dropMirror();
  expect(openedSoFar() - openedBefore, 'catalogues that this file reads from PostgreSQL').toBeGreaterThan(0);
  const names = file === undefined ? [] : namesIn(file);
  const listed = file === undefined ? [] : exclusionsIn(relative(root, file.filepath));
  const stale = listed.filter(({ test }) => !names.some((name) => test.test(name)));
  expect(stale, 'what is left to SQLite and is not there').toEqual([]);
});
