// What a signature profile is: the way from a request's headers to what can be verified. The rule
// knows nothing of headers, so a runtime chooses the profile that it is given, or several. A
// profile parses; it checks neither time nor keys.

import type { Reason } from './refusal-codes.ts';
import type { FieldLine, RuleRequest } from './request.ts';
import type { SettingsFile } from './settings.ts';

/** The profiles that a deployment may turn on; the first is what it has otherwise. */
export const PROFILE_NAMES = ['rfc9421', 'signed-headers'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/**
 * For signature headers that are torn, repeated or ambiguous: of a profile's reasons the only one
 * that is a 400.
 */
export const MALFORMED = 'signature-malformed';
/** For a request that is not signed under a profile. */
export const MISSING = 'signature-missing';

/**
 * "The holder of this key signed this text at this instant": what a signed request says of itself,
 * before anything is verified.
 */
export interface SignedRequest {
  readonly keyid: string;
  /**
   * The algorithm that the request names, if it does. The key ring decides; this may only agree.
   */
  readonly alg: string | undefined;
  /** Seconds since 1970. */
  readonly created: number;
  /** Seconds since 1970; Infinity when the request does not shorten its own life. */
  readonly expires: number;
  /** Base64 in canonical form: of 44 characters when it is an HMAC. */
  readonly signature: string;
  /**
   * Collects what was signed; called when all of the above is known to be right, since the client
   * chooses how much that is.
   */
  readBase(): SignatureBase | Reason;
}

export interface SignatureBase {
  /** The text that was signed; ASCII. */
  readonly base: string;
}

/** How many components or headers a signature may cover (edge.md). */
export const COVERED_MAX = 32;

export interface SignatureProfile {
  /** Header lines of a 401 that tell a client how to sign. */
  challenge(settings: SettingsFile): readonly FieldLine[];
  /**
   * What was signed, or why not: `signature-missing` when nothing is meant for this profile. Never
   * throws on what a client sent.
   */
  readSignedRequest(request: RuleRequest, settings: SettingsFile): SignedRequest | Reason;
}

/**
 * Several profiles as one: what was signed, under the first of them that can read a signature. What
 * another scheme puts into a header of one profile does not spoil a signature under the next. Of
 * each header it proposes one line.
 */
export const anyOf = (profiles: readonly SignatureProfile[]): SignatureProfile => ({
  challenge: (settings) => {
    const values: { [name: string]: string } = {};
    profiles.forEach((profile) =>
      profile.challenge(settings).forEach((line) => {
        const before = values[line[0]];
        values[line[0]] = before === undefined ? line[1] : before + ', ' + line[1];
      }),
    );
    return Object.keys(values).map((name) => [name, values[name] ?? '']);
  },
  readSignedRequest: (request, settings) => {
    let found: SignedRequest | Reason = MISSING;
    profiles.some((profile) => {
      const signed = profile.readSignedRequest(request, settings);
      if (found === MISSING || typeof signed !== 'string') found = signed;
      return typeof found !== 'string';
    });
    return found;
  },
});
