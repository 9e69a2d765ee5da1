// A store that reads from another one and writes nothing, for `build --dry-run`.

import type { ReleaseStore } from '../release/tree/store.ts';
import { wrap } from '../wrap.ts';

export function dryRunStore(store: ReleaseStore): ReleaseStore {
  return wrap(store, {
    // `size` is good enough where nothing is written.
    askSize: null,
    create: async () => undefined,
    settle: async () => [],
    confirmLock: async () => undefined,
    replace: async () => undefined,
    remove: async () => undefined,
  });
}
