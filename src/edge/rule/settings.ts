// What an operator may set about the rule, for every runtime alike. No secret and no place of a file is among it.

/** The settings that a configuration file can hold. */
export interface SettingsFile {
  /** Path before `/products/`, without a slash at its end; empty at the root. */
  readonly base: string;
  /**
   * The longest `max-age` of an answer, seconds: availability changes without any boundary. null for `no-store`, which a server sets
   * where it serves another instant than now.
   */
  readonly maxAge: number | null;
  /** Whether `@authority` must be covered; false only where a proxy rewrites Host. */
  readonly requiresAuthority: boolean;
}

export const DEFAULT_SETTINGS: SettingsFile = { base: '', maxAge: 60, requiresAuthority: true };

/** Why settings cannot work, in words for an operator; null when they can. Asked once, where settings are written or a server starts. */
export function faultOfSettings(file: SettingsFile): string | null {
  if (!/^(\/[!-.0->@-~]+)*$/.test(file.base))
    return `base: expected "" or "/path" without a slash at its end, found "${file.base}"`;
  if (!Number.isSafeInteger(file.maxAge) || Number(file.maxAge) < 0)
    return `maxAge: expected whole seconds, found "${file.maxAge}"`;
  return null;
}
