// The signing profiles that a deployment has turned on, as one. Every bundle contains all of them,
// and its configuration chooses.

import { anyOf, type ProfileName, type SignatureProfile } from './profile.ts';
import { signedHeaders } from './signed-headers.ts';

/** Combines profiles, in their order. `own`: how this runtime reads `rfc9421`. */
export const profileOf = (names: readonly ProfileName[], own: SignatureProfile): SignatureProfile => {
  const profiles = names.map((name) => (name === 'signed-headers' ? signedHeaders : own));
  // njs reads this for every request: a layer around one profile would only cost time.
  return profiles.length > 1 ? anyOf(profiles) : (profiles[0] ?? own);
};
