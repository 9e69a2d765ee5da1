// How `npm run test:all` runs: what `npm test` leaves out, on a machine that has what it needs.

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { BEGUN_FIRST, BOTH, IS_SOAK, SERVERS_AND_TIME, SOAK_ONLY } from './speeds.ts';
import { ON_CLUSTER, SHARDS_ON_CLUSTER } from './support/postgres/mirror-suites.ts';
import { LONG, ON_GATEWAY, ON_PROXY } from './support/objects/mirror-suites.ts';
import { fromPostgresIntoBucket, onBucket, onPostgres, perProject, perRun } from './vitest.config.ts';

/** Two more than there are cores: about half of the time tests wait, for clocks, servers and files. */
const maxWorkers = 4;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isFirst = ({ moduleId }: TestSpecification): boolean => BEGUN_FIRST.some((path) => moduleId.endsWith(path));
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))];
  }
}

export default defineConfig({
  root: perProject.root,
  test: {
    ...perRun,
    maxWorkers,
    sequence: { sequencer: LongestFirst },
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
