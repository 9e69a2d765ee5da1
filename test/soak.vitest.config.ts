// How `npm run soak` runs: the long random walks, each in a process of its own, with the seed that
// it is given.

import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { SOAK_ONLY } from './speeds.ts';
import { SHARDS_ON_CLUSTER } from './support/postgres/mirror-suites.ts';
import { fromPostgresIntoBucket, onBucket, onPostgres, perProject, perRun } from './vitest.config.ts';

/**
 * Histories, mirrors, random catalogues on both databases, builders on a bucket, kills with readers,
 * every failure of every call and request, what a day of builds costs; and of the rest what test:all
 * samples.
 */
const WALKS = [
  'test/property/{laws,sequences,immutable,quiet-chain,shards,mirror,diff,explain,demo-instants}.test.ts',
  'test/postgres/{absent,random-mirrors,same-tree,copy,import-disturbed,bad-input,hints,native-types,one-state,throwing-views}.test.ts',
  'test/objects/{builders-meet,builders-processes,fault-requests,fault-gateway,fault-killed,fault-shards,refused-midway,same-tree}.test.ts',
  ...SOAK_ONLY,
  'test/fault/{kill,going-back-killed,shards-killed,hostile-cells,catalogue-writers,file-writers,mirror,places,system-calls,endless-queries,large-cells}.test.ts',
  'test/edge/{fuzz,boundary,timing,request-cost}.test.ts',
  'test/docs/build-costs.test.ts',
  'test/unit/undecodable-text.test.ts',
  'test/packed/packed.test.ts',
  'test/reference/plain-laws.test.ts',
  'test/preview/{access,speed}.test.ts',
];

const atLength = { PLAYBILL_THOROUGH: 'yes', PLAYBILL_SOAK: 'yes' };
const seeded = 'test/support/seed-setup.ts';

/** A project of suites on another database or another store, at length. */
function walking({ test, ...project }: TestProjectInlineConfiguration): TestProjectInlineConfiguration {
  const setupFiles = [...[test?.setupFiles ?? []].flat(), seeded];
  return { ...project, test: { ...test, setupFiles, env: { ...test?.env, ...atLength } } };
}

export default defineConfig({
  root: perProject.root,
  test: {
    ...perRun,
    globalSetup: [
      ...perRun.globalSetup,
      'test/support/machine-setup.ts',
      'test/support/objects/gateway.ts',
      'test/support/postgres/shared-cluster.ts',
    ],
    projects: [
      {
        ...perProject,
        test: {
          ...perProject.test,
          name: 'soak',
          include: WALKS,
          setupFiles: [seeded],
          isolate: true,
          env: atLength,
        },
      },
      walking(
        onPostgres(['test/property/{laws,explain,shards}.test.ts', 'test/unit/{database-check,doubtful-rows}.test.ts']),
      ),
      walking(onBucket('gateway', ['test/property/{sequences,immutable,quiet-chain}.test.ts'])),
      walking(fromPostgresIntoBucket(SHARDS_ON_CLUSTER)),
    ],
  },
});
