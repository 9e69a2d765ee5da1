// What a signature profile is: the way from a request's headers to what can be verified. The rule knows nothing of headers, so a
// deployment turns on the profiles that it wants. A profile parses; it checks neither time nor keys.

import type { Reason } from './reasons.ts';
import type { FieldLine, RuleRequest } from './request.ts';
import type { SettingsFile } from './settings.ts';

/** "The holder of this key signed this text at this instant": what a signed request says of itself, before anything is verified. */
export interface SignedRequest {
  readonly keyid: string;
  /** The algorithm that the request names, if it does. The key ring decides; this may only agree. */
  readonly alg: string | undefined;
  /** Seconds since 1970. */
  readonly created: number;
  /** Seconds since 1970; Infinity when the request does not shorten its own life. */
  readonly expires: number;
  /** The text that was signed; ASCII. */
  readonly base: string;
  /** Base64 in canonical form: of 44 characters when it is an HMAC. */
  readonly signature: string;
}

export interface RuleSettings extends SettingsFile {
  /** The signature profiles that are on: chosen in code, since each costs bytes in a bundle. */
  readonly profiles: readonly SignatureProfile[];
}

/** Settings with these profiles; by `Object.assign`, since njs knows no spread. */
export const withProfiles = (file: SettingsFile, profiles: readonly SignatureProfile[]): RuleSettings =>
  Object.assign({ profiles }, file);

export interface SignatureProfile {
  /** Header lines of a 401 that tell a client how to sign. */
  challenge(settings: RuleSettings): readonly FieldLine[];
  /** What was signed, or why not: `signature-missing` when nothing is meant for this profile. Never throws on what a client sent. */
  readSignedRequest(request: RuleRequest, settings: RuleSettings): SignedRequest | Reason;
}

/** What was signed, under the first profile in the order of the settings that the request is signed under. */
export const readSignedRequest = (request: RuleRequest, settings: RuleSettings): SignedRequest | Reason => {
  let signed: SignedRequest | Reason = 'signature-missing';
  settings.profiles.some((profile) => (signed = profile.readSignedRequest(request, settings)) !== 'signature-missing');
  return signed;
};
