// The page's one way to the server.

import type { ApiError } from '../messages.ts';

/** The server's answer, unchecked: it is of the same build and has checked the tree. Rejects with an Error that says what to do. */
export async function fetchJson<T extends object>(path: string): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: 'omit', referrerPolicy: 'no-referrer' });
  } catch {
    throw new Error('The preview does not answer. Is "playbill preview" still running?');
  }
  const body = (await response.json()) as T | ApiError;
  if ('error' in body) throw new Error(`${body.error.message} (${body.error.hint})`);
  return body;
}
