// How `npm run soak` runs: the long random walks, each in a process of its own, with the seed that
// it is given.

import { defineConfig } from 'vitest/config';
import { perProject, perRun } from './vitest.config.ts';

/**
 * Histories, mirrors, random catalogues on both databases, builders on a bucket, kills with
 * readers.
 */
const WALKS = [
  'test/property/{laws,sequences,immutable,quiet-chain,shards,mirror,diff,explain}.test.ts',
  'test/postgres/{random-mirrors,same-tree,copy}.test.ts',
  'test/objects/{builders-meet,builders-minute,same-tree}.test.ts',
  'test/fault/{kill,going-back-killed,shards-killed,hostile-cells}.test.ts',
  'test/edge/{fuzz,boundary}.test.ts',
];

export default defineConfig({
  root: perProject.root,
  test: {
    ...perRun,
    ...perProject.test,
    globalSetup: [
      ...perRun.globalSetup,
      'test/support/machine-setup.ts',
      'test/support/objects/gateway.ts',
      'test/support/postgres/shared-cluster.ts',
    ],
    setupFiles: ['test/support/seed-setup.ts'],
    include: WALKS,
    isolate: true,
    env: { PLAYBILL_THOROUGH: 'yes' },
  },
});
