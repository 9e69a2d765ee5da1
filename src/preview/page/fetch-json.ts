// The page's one way to the server.

import type { Refusal } from '../messages.ts';

/**
 * What the server says at a path. The server is of the same build as this page and has checked what it read from the tree, so its
 * answer is taken at its word. Rejects with an Error that says what went wrong and what to do.
 */
export async function fetchJson<T extends object>(path: string): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: 'omit', referrerPolicy: 'no-referrer' });
  } catch {
    throw new Error('The preview does not answer. Is "playbill preview" still running?');
  }
  const body = (await response.json()) as T | Refusal;
  if ('error' in body) throw new Error(`${body.error.message} (${body.error.hint})`);
  return body;
}
