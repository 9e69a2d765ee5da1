// Says at the end of a run how many tests have run on which store, and how many were left to
// folders: none of them vanishes unseen.

import type { Reporter, TestModule } from 'vitest/node';

interface Counts {
  files: number;
  onBucket: number;
  operations: number;
  leftToFolders: number;
  askNoTree: number;
}

export class BucketReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const byProject = new Map<string, Counts>();
    for (const module of modules) {
      const { name } = module.project;
      if (!name.startsWith('bucket')) continue;
      const counts = byProject.get(name) ?? { files: 0, onBucket: 0, operations: 0, leftToFolders: 0, askNoTree: 0 };
      byProject.set(name, counts);
      counts.files += 1;
      for (const test of module.children.allTests()) {
        const { bucketOperations = 0 } = test.meta();
        if (test.result().state === 'skipped') counts.leftToFolders += 1;
        else if (bucketOperations === 0) counts.askNoTree += 1;
        else counts.onBucket += 1;
        counts.operations += bucketOperations;
      }
    }
    for (const [name, { files, onBucket, operations, leftToFolders, askNoTree }] of byProject) {
      const rest = `left to folders: ${leftToFolders}, without a tree: ${askNoTree}`;
      console.log(`${name}: ${onBucket} tests of ${files} suites, ${operations} operations; ${rest}`);
    }
  }
}
