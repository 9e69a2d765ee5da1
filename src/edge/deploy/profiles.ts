// Which signature profiles a deployment can have, each set in a bundle of its own: no edge carries what it does not use.

import { PROFILE_NAMES, type ProfileName } from '../rule/profile.ts';
import type { EdgeBundle } from './origin.ts';

export const PROFILE_SETS = [[PROFILE_NAMES[0]], [PROFILE_NAMES[1]], PROFILE_NAMES] as const;

/** What a second profile may add to a worker, bytes. */
export const SECOND_PROFILE_BYTES_MAX = 2048;

/** The name of a bundle's file, in the command that is installed. */
export function bundleFile(name: EdgeBundle, profiles: readonly ProfileName[]): string {
  // On a server size does not matter, so the authorizer has both profiles and its configuration chooses. Lambda@Edge has only the
  // first: the second needs secrets.
  if (name === 'authorizer' || name === 'lambda-edge') return `${name}.js`;
  const set = PROFILE_NAMES.filter((profile) => profiles.includes(profile)).join('.');
  return set === PROFILE_NAMES[0] ? `${name}.js` : `${name}.${set}.js`;
}
