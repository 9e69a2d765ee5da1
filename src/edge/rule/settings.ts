// What an operator may set about the rule, for every runtime alike: no secrets, no paths of files.

/** The settings that a configuration file can hold. */
export interface SettingsFile {
  /** Path before `/products/`, without a slash at its end; empty at the root. */
  readonly base: string;
  /** The longest `max-age` of an answer, seconds: availability changes without any boundary. */
  readonly maxAge: number;
  /** Whether `@authority` must be covered; false only where a proxy rewrites Host. */
  readonly requiresAuthority: boolean;
  /**
   * For how long an edge that keeps its key ring goes on with the last one while it cannot read it
   * again, seconds. nginx keeps none: it reads the key ring for every request.
   */
  readonly ringGrace: number;
}

/** An edge rereads its key ring after this time, seconds. */
export const RING_KEPT = 10;

export const DEFAULT_SETTINGS: SettingsFile = { base: '', maxAge: 60, requiresAuthority: true, ringGrace: 60 };

/**
 * Why settings cannot work, as a message for an operator; null when they can. Checked once, where
 * they are written or a server starts.
 */
export function faultOfSettings(file: SettingsFile): string | null {
  if (!/^(\/[!-.0->@-~]+)*$/.test(file.base))
    return `base: expected "" or "/path" without a slash at its end, found "${file.base}"`;
  if (!Number.isSafeInteger(file.maxAge) || file.maxAge < 0)
    return `maxAge: expected whole seconds, found "${file.maxAge}"`;
  if (!Number.isSafeInteger(file.ringGrace) || file.ringGrace < RING_KEPT)
    return `ringGrace: expected ${RING_KEPT} seconds or more, for which a key ring is kept anyway, found "${file.ringGrace}"`;
  return null;
}
