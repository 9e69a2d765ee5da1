// A small client of the API: signs, reuses a signature and an answer for as long as each lasts, revalidates what has run out.
// Web APIs only. For servers and edges: in a browser it would publish the key, which is why the API has no CORS.

import type { CategoriesDocument, ProductsDocument } from '../contract/documents.ts';
import { type ClientKey, type SignatureHeaders, signRequest } from './signature.ts';

export interface ClientOptions {
  /** Everything before `/products/`, without a slash at its end: `https://cdn.example.com/api`. */
  readonly baseUrl: string;
  readonly front: string;
  readonly key: ClientKey;
  /** False only for a deployment whose proxy rewrites Host. */
  readonly coversAuthority?: boolean;
  /** Default: the runtime's own fetch. */
  readonly fetch?: typeof fetch;
  /** Milliseconds since 1970. Default: the runtime's clock. */
  readonly clock?: () => number;
}

export interface Client {
  /** The storefront's categories. Rejects with CatalogueError when refused, with the runtime's own error when nobody answers. */
  categories(): Promise<CategoriesDocument>;
  /** Everything for the storefront's main page. Rejects like `categories`. */
  products(): Promise<ProductsDocument>;
}

/** An answer that is no document: a refusal of the edge rule (RFC 9457), or something else between it and here. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
  readonly status: number;
  /** The refusal's stable code, such as `signature-expired`; null when it was not the edge rule that answered. */
  readonly code: string | null;

  constructor(status: number, code: string | null, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** What to do about a refusal, by its code. */
const HINTS: { readonly [code: string]: string } = {
  'front-malformed': 'check the front: lower-case letters, digits, dots, hyphens, underscores',
  'signature-component-missing': 'check coversAuthority: the deployment wants more to be signed',
  'signature-expired': 'check the clock of this machine',
  'signature-from-future': 'check the clock of this machine',
  'signature-invalid':
    'check keyid and private key, whether the key is still valid, and whether a proxy changes Host or path',
  'front-not-allowed': 'the key speaks for another front: check front and keyid',
  'not-found': 'check baseUrl; if it is right, nothing is published for this front yet',
  internal: 'the catalogue could not be read just now: try again in a moment',
};

/** The rule accepts a signature for five minutes and a minute's difference of clocks; the last minute is left for the way. */
const SIGNATURE_LIFETIME_MS = 240_000;

interface Endpoint {
  readonly url: string;
  signature: { readonly headers: SignatureHeaders; readonly createdMs: number } | null;
  answer: { readonly document: unknown; readonly etag: string | null; readonly freshUntilMs: number } | null;
  /** The request under way, which everybody who asks meanwhile waits for. */
  underway: Promise<unknown> | null;
}

/** A client for one front. Throws TypeError for a base URL that is none. */
export function createClient(options: ClientOptions): Client {
  const endpointAt = (path: string): Endpoint => ({
    url: new URL(options.baseUrl + path).href,
    signature: null,
    answer: null,
    underway: null,
  });
  const categories = endpointAt('/fronts/categories/');
  const products = endpointAt('/products/');
  // The deployment's own verify and the contract's schemas check the documents; a client takes them at their word.
  return {
    categories: () => get(options, categories) as Promise<CategoriesDocument>,
    products: () => get(options, products) as Promise<ProductsDocument>,
  };
}

function get(options: ClientOptions, endpoint: Endpoint): Promise<unknown> {
  endpoint.underway ??= load(options, endpoint).finally(() => {
    endpoint.underway = null;
  });
  return endpoint.underway;
}

async function load(options: ClientOptions, endpoint: Endpoint): Promise<unknown> {
  const nowMs = (options.clock ?? Date.now)();
  const kept = endpoint.answer;
  if (kept !== null && nowMs < kept.freshUntilMs) return kept.document;

  const headers: Record<string, string> = {
    ...(await signatureFor(options, endpoint, nowMs)),
    Accept: 'application/json',
  };
  if (kept?.etag) headers['If-None-Match'] = kept.etag;
  const response = await (options.fetch ?? fetch)(endpoint.url, { headers, redirect: 'manual' });
  if (response.status !== 200 && !(response.status === 304 && kept !== null)) throw await errorOf(response);

  const document: unknown = response.status === 304 && kept !== null ? kept.document : await response.json();
  endpoint.answer = {
    document,
    etag: response.headers.get('ETag') ?? kept?.etag ?? null,
    freshUntilMs: nowMs + maxAgeOf(response) * 1000,
  };
  return document;
}

async function signatureFor(options: ClientOptions, endpoint: Endpoint, nowMs: number): Promise<SignatureHeaders> {
  const kept = endpoint.signature;
  if (kept !== null && nowMs >= kept.createdMs && nowMs < kept.createdMs + SIGNATURE_LIFETIME_MS) return kept.headers;
  const created = Math.floor(nowMs / 1000);
  const { front, key, coversAuthority = true } = options;
  const headers = await signRequest({ method: 'GET', url: endpoint.url, front, key, created, coversAuthority });
  endpoint.signature = { headers, createdMs: created * 1000 };
  return headers;
}

/** Seconds for which an answer may be used again: max-age less the Age it came with (RFC 9111, 4.2). */
function maxAgeOf(response: Response): number {
  const cacheControl = response.headers.get('Cache-Control') ?? '';
  if (/\bno-(store|cache)\b/.test(cacheControl)) return 0;
  const maxAge = Number(/\bmax-age=(\d+)/.exec(cacheControl)?.[1] ?? 0);
  return Math.max(0, maxAge - Number(response.headers.get('Age') ?? 0));
}

async function errorOf(response: Response): Promise<CatalogueError> {
  const { status } = response;
  const isProblem = /^application\/problem\+json\b/.test(response.headers.get('Content-Type') ?? '');
  const text = await response.text();
  const code = isProblem ? codeOf(text) : null;
  if (code === null)
    return new CatalogueError(
      status,
      null,
      `the server answered ${status}, and it was not the edge rule of the catalogue`,
    );
  const hint = HINTS[code];
  return new CatalogueError(status, code, `refused with ${status} ${code}${hint === undefined ? '' : `: ${hint}`}`);
}

function codeOf(text: string): string | null {
  try {
    const problem: unknown = JSON.parse(text);
    const code: unknown = typeof problem === 'object' && problem !== null && 'code' in problem ? problem.code : null;
    return typeof code === 'string' ? code : null;
  } catch {
    return null;
  }
}
