// All requests of the page to its server, or in an export to what it embeds.

import type { ApiError } from '../../messages.ts';
import { embedded, EXPORTED } from './exported.ts';

/** What is wrong, and what to do about it. */
export class Problem extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * The response body, not validated: the server comes from the same build and has checked the tree.
 * Rejects with a Problem.
 */
export async function fetchJson<T extends object>(path: string, signal: AbortSignal | null = null): Promise<T> {
  if (EXPORTED !== null) {
    const answer = embedded(EXPORTED, path);
    if (answer === null) throw new Problem('This export does not have it.', 'See it in the preview: playbill preview');
    return answer as T;
  }
  let response: Response;
  try {
    response = await fetch(path, { credentials: 'omit', referrerPolicy: 'no-referrer', signal });
  } catch {
    throw new Problem('The preview does not answer.', 'Start it again with: playbill preview');
  }
  const body = (await response.json()) as T | ApiError;
  if ('error' in body) throw new Problem(body.error.message, body.error.hint);
  return body;
}

/** Any rejection as a Problem. */
export function problemOf(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(String(error), 'Reload the page.');
}
