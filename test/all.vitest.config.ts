// How `npm run test:all` runs: what `npm test` leaves out, on a machine that has what it needs.

import { defineConfig } from 'vitest/config';
import { BOTH, IS_SOAK, SERVERS_AND_TIME, SOAK_ONLY } from './speeds.ts';
import { ON_CLUSTER, SHARDS_ON_CLUSTER } from './support/postgres/mirror-suites.ts';
import { LONG, ON_GATEWAY, ON_PROXY } from './support/objects/mirror-suites.ts';
import { fromPostgresIntoBucket, onBucket, onPostgres, perProject, perRun } from './vitest.config.ts';

/** One more than there are cores: some tests wait, for clocks and servers. */
const maxWorkers = 3;

export default defineConfig({
  root: perProject.root,
  test: {
    ...perRun,
    maxWorkers,
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
          name: 'thorough',
          include: [...SERVERS_AND_TIME, ...BOTH, ...(IS_SOAK ? SOAK_ONLY : [])],
          // Servers, memory and signals: every file has a process of its own.
          isolate: true,
          env: { PLAYBILL_THOROUGH: 'yes' },
        },
      },
      // Briefly, each on its own.
      onBucket('memory', LONG),
      onBucket('gateway', ON_GATEWAY),
      onBucket('proxy', ON_PROXY),
      // Briefly, each on its own.
      onPostgres(ON_CLUSTER),
      fromPostgresIntoBucket(SHARDS_ON_CLUSTER),
    ].map((project) => ({ ...project, test: { ...project.test, maxWorkers } })),
  },
});
