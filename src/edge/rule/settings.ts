// What an operator may set about the rule, for every runtime alike: no secrets, no paths of files.

/** The settings that a configuration file can hold. */
export interface SettingsFile {
  /** Path before `/products/`, without a slash at its end; empty at the root. */
  readonly base: string;
  /** The longest `max-age` of an answer, seconds: availability changes without any boundary. */
  readonly maxAge: number;
  /** Whether `@authority` must be covered; false only where a proxy rewrites Host. */
  readonly requiresAuthority: boolean;
}

export const DEFAULT_SETTINGS: SettingsFile = { base: '', maxAge: 60, requiresAuthority: true };

/** Why settings cannot work, as a message for an operator; null when they can. Checked once, where they are written or a server starts. */
export function faultOfSettings(file: SettingsFile): string | null {
  if (!/^(\/[!-.0->@-~]+)*$/.test(file.base))
    return `base: expected "" or "/path" without a slash at its end, found "${file.base}"`;
  if (!Number.isSafeInteger(file.maxAge) || file.maxAge < 0)
    return `maxAge: expected whole seconds, found "${file.maxAge}"`;
  return null;
}
