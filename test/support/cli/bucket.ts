// A bucket of the test's own in the environment of this process, where every command finds it.

import { afterAll, vi } from 'vitest';
import { startMemoryStore, type MemoryStore, type MemoryStoreOptions } from '../objects/memory-store.ts';

/** What may be set on the machine, and would win over the test's. */
const UNSET = {
  AWS_ENDPOINT_URL_S3: '',
  AWS_DEFAULT_REGION: '',
  AWS_PROFILE: '',
  AWS_SESSION_TOKEN: '',
  PLAYBILL_OUT: '',
};

/**
 * Sets what a client of a store finds in the environment; it waits for nothing. Restored at the end
 * of the file.
 */
export function enterEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries({ ...UNSET, PLAYBILL_S3_BACKOFF_MS: '1', ...environment }))
    vi.stubEnv(name, value);
}

/**
 * A store whose environment is that of this process; to be asked for in `beforeAll`, it is gone at
 * the end of the file.
 */
export async function bucketOfFile(options: MemoryStoreOptions = {}): Promise<MemoryStore> {
  const store = await startMemoryStore(options);
  enterEnvironment(store.environment);
  return store;
}

/** To be called at the top of a file that enters an environment. */
export function leaveEnvironmentAtEnd(): void {
  afterAll(() => vi.unstubAllEnvs());
}

/** What a bucket holds below a prefix, but for the lease and the probe: text by path. */
export async function textsOf(store: MemoryStore, prefix: string): Promise<ReadonlyMap<string, string>> {
  const objects = [...(await store.objects())].flatMap(([key, { bytes }]) => {
    const path = key.slice(prefix.length + 1);
    return key.startsWith(`${prefix}/`) && !/^\.(lock$|probe\/)/.test(path) ? [[path, bytes.toString()] as const] : [];
  });
  return new Map(objects);
}
