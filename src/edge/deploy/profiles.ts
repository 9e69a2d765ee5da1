// The sets of signing profiles that a deployment can have. Each set has its own bundle, so that an edge contains only the profiles it uses.

import { PROFILE_NAMES, type ProfileName } from '../rule/profile.ts';
import type { EdgeBundle } from './origin.ts';

export const PROFILE_SETS = [[PROFILE_NAMES[0]], [PROFILE_NAMES[1]], PROFILE_NAMES] as const;

/** How many bytes a second profile may add to a worker. */
export const SECOND_PROFILE_BYTES_MAX = 2048;

/** The file name of a bundle in the installed command. */
export function bundleFile(name: EdgeBundle, profiles: readonly ProfileName[]): string {
  // Size does not matter on a server: the authorizer has both profiles, and its configuration chooses. Lambda@Edge has only the first,
  // because the second needs secrets.
  if (name === 'authorizer' || name === 'lambda-edge') return `${name}.js`;
  const set = PROFILE_NAMES.filter((profile) => profiles.includes(profile)).join('.');
  return set === PROFILE_NAMES[0] ? `${name}.js` : `${name}.${set}.js`;
}
