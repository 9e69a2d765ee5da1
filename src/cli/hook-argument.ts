// The value of a hook's flag, such as --on-publish: a command or a URL.

import { AppError, withoutUser } from '../errors.ts';

export type Hook =
  /** `folder`: where the command runs, if not in the current folder. */
  | { readonly kind: 'command'; readonly command: string; readonly folder?: string }
  | { readonly kind: 'url'; readonly url: URL };

/**
 * A text that starts with a scheme is a URL, any other a command for `sh`.
 * @throws AppError on-publish-invalid, on-failure-invalid, on-change-invalid
 */
export function hookArgument(text: string, flag: string): Hook {
  const invalid = (found: string): AppError =>
    new AppError(
      `${flag.slice(2) as 'on-publish' | 'on-failure' | 'on-change'}-invalid`,
      `${flag}: expected a command or a URL, found ${found}`,
      `for example ${flag} https://cdn.example/purge or ${flag} ./purge.sh; if a user and password are needed, use a command`,
    );
  if (text.trim() === '') throw invalid('nothing');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1];
  if (scheme === undefined) return { kind: 'command', command: text };
  if (!/^https?$/i.test(scheme)) throw invalid(`a URL with the scheme ${scheme}, not http or https`);
  if (!URL.canParse(text)) throw invalid('an invalid URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw invalid('a URL with a user or password in it');
  return { kind: 'url', url };
}

/** A hook as it may be shown: a command, and what follows the host of a URL, may hold a token. */
export function shownHook(text: string): string {
  const [origin] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(text) ?? [];
  return origin === undefined ? 'a command' : `${withoutUser(origin)}${origin === text ? '' : '/…'}`;
}

/** Whether the value of any setting is a hook that runs a command. */
export const isCommand = (value: unknown): boolean => kindOf(value) === 'command';

export const isUrl = (value: unknown): boolean => kindOf(value) === 'url';

function kindOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'kind' in value ? value.kind : null;
}
