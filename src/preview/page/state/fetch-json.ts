// The page's one way to the server.

import type { ApiError } from '../../messages.ts';

/** What is wrong, and what to do about it. */
export class Problem extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** The server's answer, unchecked: it is of the same build and has checked the tree. Rejects with a Problem. */
export async function fetchJson<T extends object>(path: string): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: 'omit', referrerPolicy: 'no-referrer' });
  } catch {
    throw new Problem('The preview does not answer.', 'Start it again with: playbill preview');
  }
  const body = (await response.json()) as T | ApiError;
  if ('error' in body) throw new Problem(body.error.message, body.error.hint);
  return body;
}

/** What a failed promise is shown as. */
export function problemOf(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(String(error), 'Reload the page.');
}

/** A path of parts, none of which can add another. */
export function pathOf(prefix: string, ...parts: readonly string[]): string {
  return prefix + parts.map(encodeURIComponent).join('/').replaceAll('%3A', ':');
}
