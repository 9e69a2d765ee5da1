// Every test file of the folders in which trees are published runs on a bucket as well, or says why
// it does not.

import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FILES_WITH_EXCLUSIONS, FOLDERS_ONLY, ON_BUCKETS } from '../support/objects/mirror-suites.ts';

const FOLDERS = 'test/{cli,fault,golden,property,reference,unit}';

test('each test file of these folders is in one list', () => {
  const files = globSync(`${FOLDERS}/!(bucket*).test.ts`, { cwd: new URL('../..', import.meta.url) });
  const listed = [...ON_BUCKETS, ...FOLDERS_ONLY.flatMap(({ files }) => files)];
  expect(listed.sort(), 'put a new file into a list of test/support/objects/mirror-suites.ts').toEqual(files.sort());
});

test('what is left out is left out of a suite that runs', () => {
  expect(FILES_WITH_EXCLUSIONS.filter((file) => !ON_BUCKETS.includes(file))).toEqual([]);
});
