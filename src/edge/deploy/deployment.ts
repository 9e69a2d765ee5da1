// What `edge build` writes, as texts by file name; the caller writes them. The folder of each target deploys as it is, has a README of
// its own, and holds no secret, only the names of secrets.

import type { KeyRing } from '../../contract/key-ring.ts';
import { HMAC } from '../rule/key-store.ts';
import type { SettingsFile } from '../rule/settings.ts';

/** The largest worker bundles allowed, bytes: the rule must start anywhere at once. Buckets need more than a fetch, and bring the key ring. */
export const WORKER_BUNDLE_BYTES_MAX = {
  worker: 8192,
  'worker-live': 9984,
  'worker-s3': 11_392,
  'worker-r2': 9216,
} as const;

/** A deployable folder: names and contents, sorted by name. */
export type DeploymentFiles = readonly (readonly [name: string, text: string])[];

/** What both targets need to know. */
export interface Deployment {
  /** The bundle of the target, as text. */
  readonly bundle: string;
  readonly keyRing: KeyRing;
  readonly settings: SettingsFile;
}

/**
 * The names of the secrets that the key ring's hmac keys refer to, sorted, each once. Throws Error for a name that no environment
 * or configuration can carry.
 */
export function secretNames(keyRing: KeyRing): readonly string[] {
  const names = new Set(Object.values(keyRing.keys).flatMap((key) => (key.alg === HMAC ? key.secretRef : [])));
  for (const name of names) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new Error(`secret_ref: expected a name as of an environment variable, found ${JSON.stringify(name)}`);
  }
  return [...names].toSorted();
}

/** How the README of each folder begins: by it `edge build` knows a folder of its own. */
export const README_TITLE = '# The edge rule of Playbill';

/** What the README of each folder says of the next `edge build`. */
export const OWN_FILES =
  'The next `edge build` replaces the files that it wrote here, with what you changed in them, and touches no other.';

/** Names as a README lists them. */
export const codeList = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
