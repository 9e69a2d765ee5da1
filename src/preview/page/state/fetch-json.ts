// All requests of the page to its server.

import type { ApiError } from '../../messages.ts';

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

/** A path with each part encoded, so that no part can add another. */
export function pathOf(prefix: string, ...parts: readonly string[]): string {
  return prefix + parts.map(encodeURIComponent).join('/').replaceAll('%3A', ':');
}
