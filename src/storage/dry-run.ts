// A store that reads through and writes nothing: what `build --dry-run` publishes to.

import type { ReleaseStore } from '../release/tree/store.ts';

export function dryRunStore(store: ReleaseStore): ReleaseStore {
  return {
    root: store.root,
    knownDates: store.knownDates,
    read: (path) => store.read(path),
    size: (path) => store.size(path),
    list: (folder) => store.list(folder),
    create: async () => undefined,
    settle: async () => [],
    confirmLock: async () => undefined,
    replace: async () => undefined,
    remove: async () => undefined,
  };
}
