// What a profile reads of a request, all at once.

import type { SignatureProfile } from '../../../src/edge/rule/profile.ts';
import type { RuleRequest } from '../../../src/edge/rule/request.ts';
import { DEFAULT_SETTINGS } from '../../../src/edge/rule/settings.ts';

/**
 * What a request says of itself, with the text that was signed or why there is none; or why it was
 * not read.
 */
export function readSigned(profile: SignatureProfile, request: RuleRequest) {
  const signed = profile.readSignedRequest(request, DEFAULT_SETTINGS);
  if (typeof signed === 'string') return signed;
  const { keyid, alg, created, expires, signature } = signed;
  const covered = signed.readBase();
  return { keyid, alg, created, expires, signature, base: typeof covered === 'string' ? covered : covered.base };
}
