// How `npm run test:all` runs: what `npm test` leaves out, on a machine that has what it needs.

import { defineConfig } from 'vitest/config';
import { BOTH, SERVERS_AND_TIME } from './speeds.ts';
import { ON_CLUSTER, SHARDS_ON_CLUSTER } from './support/postgres/mirror-suites.ts';
import { ABOUT_DOCUMENTS, ON_GATEWAY, ON_PROXY } from './support/objects/mirror-suites.ts';
import { onBucket, onPostgres, perProject, perRun } from './vitest.config.ts';

const fromPostgres = onPostgres(SHARDS_ON_CLUSTER);
const intoBucket = onBucket('memory', SHARDS_ON_CLUSTER);
const atLength = { PLAYBILL_THOROUGH: 'yes' };

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
          name: 'thorough',
          include: [...SERVERS_AND_TIME, ...BOTH],
          // Servers, memory and signals: every file has a process of its own.
          isolate: true,
          env: { PLAYBILL_THOROUGH: 'yes' },
        },
      },
      // Briefly, each on its own.
      onBucket('memory', ABOUT_DOCUMENTS),
      onBucket('gateway', ON_GATEWAY),
      onBucket('proxy', ON_PROXY),
      // Briefly, each on its own.
      onPostgres(ON_CLUSTER),
      // At length, from PostgreSQL into folders, and into a bucket.
      { ...fromPostgres, test: { ...fromPostgres.test, name: 'postgres: shards', env: atLength } },
      {
        ...intoBucket,
        plugins: [intoBucket.plugins, fromPostgres.plugins],
        test: {
          ...intoBucket.test,
          name: 'bucket: memory, from postgres',
          env: { ...intoBucket.test?.env, ...atLength },
          setupFiles: [intoBucket, fromPostgres].flatMap(({ test }) => test?.setupFiles ?? []),
        },
      },
    ],
  },
});
