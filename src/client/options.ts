// What a client is made with, and which of it is refused.

import { isFrontCode } from '../contract/front-code.ts';
import type { ClientKey, ClientProfile } from './signature.ts';

/** The runtime's AbortSignal; unknown where its types are. */
export type Signal = typeof globalThis extends { readonly AbortSignal: { readonly prototype: infer S } } ? S : unknown;

/**
 * What the client needs of `fetch`: the runtime's own, or a wrapper that times requests or goes
 * through a proxy.
 */
export type Fetch = (
  url: string,
  init: { readonly headers: Record<string, string>; readonly redirect: 'manual'; readonly signal: Signal },
) => Promise<FetchedAnswer>;

/** What the client needs of a Response. */
export interface FetchedAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface ClientOptions {
  /** Everything before `/products/`: `https://cdn.example.com/api`, or with a slash at its end. */
  readonly baseUrl: string;
  readonly front: string;
  readonly key: ClientKey;
  /** False only for a deployment whose proxy rewrites Host. */
  readonly coversAuthority?: boolean;
  /** How requests are signed: `rfc9421`, unless the operator says otherwise. */
  readonly profile?: ClientProfile;
  /** Default: the runtime's own fetch. */
  readonly fetch?: Fetch;
  /**
   * Milliseconds since 1970. Default: the runtime's clock. If an edge refuses a signature because of
   * its time, the client follows the `Date` of that refusal, once.
   */
  readonly clock?: () => number;
  /**
   * How long a request may take, up to the last byte of its answer: whole milliseconds. Default:
   * 10,000.
   */
  readonly timeoutMs?: number;
}

export const TIMEOUT_MS = 10_000;
/** Timers of most runtimes count in 31 bits, and fire at once beyond. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

/**
 * Throws TypeError for options that cannot be right: those who call from JavaScript, or take them
 * from the environment, may pass anything.
 */
export function checkOptions({ baseUrl, front, key, timeoutMs = TIMEOUT_MS }: ClientOptions): void {
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > TIMEOUT_MS_MAX)
    throw new TypeError(`timeoutMs: expected whole milliseconds from 1 to ${TIMEOUT_MS_MAX}, found ${timeoutMs}`);
  // Without what was found: it may have a password.
  if (typeof baseUrl !== 'string' || !isBaseUrl(baseUrl))
    throw new TypeError('baseUrl: expected a string, http(s)://host, perhaps with a path, without user, ? and #');
  if (typeof front !== 'string' || !isFrontCode(front))
    throw new TypeError(
      `front: expected a code, lower-case letters, digits, dots, hyphens, underscores, as in the key file; found ${front}`,
    );
  const { keyid, secret, privateKey } = (key ?? {}) as { readonly [name: string]: unknown };
  const isPair = typeof privateKey === 'object' && privateKey !== null;
  // Without what was found: it may be a secret.
  if (typeof keyid !== 'string' || (!isPair && (typeof secret !== 'string' || secret === '')))
    throw new TypeError(
      'key: expected a keyid with a secret or a private key, as keyFrom gives it; found something else',
    );
}

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text) || /[?#]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
