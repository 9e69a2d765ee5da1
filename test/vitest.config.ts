// How `npm test` runs: two files at a time on the two cores we plan for. Limits of time are there
// for what hangs, never for a machine that is slow: real files, servers and browsers take as long
// as they take.

import { fileURLToPath } from 'node:url';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { LENGTH, SERVERS_AND_TIME, SOAK_ONLY } from './speeds.ts';
import { preferMemory } from './support/memory-folder.ts';
import type { StoreName } from './support/objects/mirror-bucket.ts';
import { treesInBucket } from './support/objects/mirror-plugin.ts';
import { BucketReporter } from './support/objects/mirror-reporter.ts';
import { BRIEF } from './support/objects/mirror-suites.ts';
import { cataloguesInPostgres } from './support/postgres/mirror-plugin.ts';
import { ON_PGLITE } from './support/postgres/mirror-suites.ts';

preferMemory();

const root = fileURLToPath(new URL('..', import.meta.url));
const report = process.env['PLAYBILL_TEST_REPORT'];

/** What every project has. */
export const perProject = {
  root,
  test: {
    testTimeout: 1_800_000 * LENGTH,
    hookTimeout: 1_800_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 2,
    // A worker keeps the modules that it has loaded: loading them again for each file takes as long
    // as most files do. Modules keep nothing that a test could see but copies of what they would
    // make again.
    isolate: false,
  },
};

/** What a run has once. */
export const perRun = {
  maxWorkers: perProject.test.maxWorkers,
  globalSetup: ['test/support/compiled.ts'],
  reporters: ['default', new BucketReporter(), ...(report === undefined ? [] : ['json'])],
  ...(report === undefined ? {} : { outputFile: { json: report } }),
};

/** Suites for folders, with their trees in a bucket of a store. */
export function onBucket(store: StoreName, files: readonly string[]): TestProjectInlineConfiguration {
  return {
    ...perProject,
    plugins: [treesInBucket()],
    test: {
      ...perProject.test,
      name: `bucket: ${store}`,
      include: [...files],
      env: { PLAYBILL_TEST_STORE: store },
      setupFiles: ['test/support/objects/mirror-setup.ts'],
    },
  };
}

/**
 * Suites for catalogues in SQLite, read from PostgreSQL: from PGlite, or the cluster of the run.
 */
export function onPostgres(files: readonly string[]): TestProjectInlineConfiguration {
  return {
    ...perProject,
    plugins: [cataloguesInPostgres()],
    test: {
      ...perProject.test,
      name: 'postgres',
      include: [...files],
      env: { PLAYBILL_ON_POSTGRES: 'yes' },
      setupFiles: ['test/support/postgres/mirror-setup.ts'],
    },
  };
}

/** Suites of both kinds: from PostgreSQL into a bucket of the store in memory. */
export function fromPostgresIntoBucket(files: readonly string[]): TestProjectInlineConfiguration {
  const [store, postgres] = [onBucket('memory', files), onPostgres(files)];
  return {
    ...store,
    plugins: [store.plugins, postgres.plugins],
    test: {
      ...store.test,
      name: 'bucket: memory, from postgres',
      env: { ...store.test?.env, ...postgres.test?.env },
      setupFiles: [store, postgres].flatMap(({ test }) => test?.setupFiles ?? []),
    },
  };
}

export default defineConfig({
  root,
  test: {
    ...perRun,
    projects: [
      {
        ...perProject,
        test: {
          ...perProject.test,
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [...SERVERS_AND_TIME, ...SOAK_ONLY],
        },
      },
      onBucket('memory', BRIEF),
      onPostgres(ON_PGLITE),
    ],
  },
});
