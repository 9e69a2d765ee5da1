// A store that reads from another one and writes nothing, for `build --dry-run`.

import type { ReleaseStore } from '../release/tree/store.ts';

export function dryRunStore(store: ReleaseStore): ReleaseStore {
  return {
    root: store.root,
    knownDates: store.knownDates,
    read: (path) => store.read(path),
    size: (path) => store.size(path),
    // Good enough where nothing is written.
    askSize: null,
    list: (folder) => store.list(folder),
    create: async () => undefined,
    settle: async () => [],
    confirmLock: async () => undefined,
    replace: async () => undefined,
    remove: async () => undefined,
  };
}
