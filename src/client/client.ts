// A small client of the API: signs, reuses a signature and an answer for as long as each lasts,
// revalidates expired answers, has a timeout, and returns the kept answer when a request fails. It
// believes no document whose bytes are not those that the ETag names. Web APIs only. For servers
// and edges: in a browser it would publish the key, which is why the API has no CORS.

import { digestOfBytes } from '../edge/rule/tree.ts';
import type { CategoriesDocument, ProductsDocument } from './documents.ts';
import { type ClientKey, type ClientProfile, type SignatureHeaders, signRequest } from './signature.ts';

export type * from './documents.ts';
export { keyFrom, type IssuedKey } from './key-file.ts';
export type { ClientKey, ClientProfile } from './signature.ts';

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
  /** Everything before `/products/`, without a slash at its end: `https://cdn.example.com/api`. */
  readonly baseUrl: string;
  readonly front: string;
  readonly key: ClientKey;
  /** False only for a deployment whose proxy rewrites Host. */
  readonly coversAuthority?: boolean;
  /** How requests are signed: `rfc9421`, unless the operator says otherwise. */
  readonly profile?: ClientProfile;
  /** Default: the runtime's own fetch. */
  readonly fetch?: Fetch;
  /** Milliseconds since 1970. Default: the runtime's clock. */
  readonly clock?: () => number;
  /**
   * How long a request may take, up to the last byte of its answer: whole milliseconds. Default:
   * 10,000.
   */
  readonly timeoutMs?: number;
}

export interface CallOptions {
  /**
   * Aborts this call, which rejects with the signal's reason. The request goes on for other
   * callers; it ends by `timeoutMs`.
   */
  readonly signal?: Signal;
}

/**
 * When a request fails (no answer in time, a status other than 200, another document than its ETag
 * names), the last document is returned until its `validUntil`, and the first call after ten
 * seconds tries again. Only a 401 or 403 by the edge rule, which says that this key may not have
 * the document, always rejects, and drops it.
 */
export interface Client {
  /**
   * The storefront's categories. Rejects with CatalogueError when refused, CatalogueTimeoutError,
   * or the runtime's own network error.
   */
  categories(options?: CallOptions): Promise<CategoriesDocument>;
  /** Everything for the storefront's main page. Rejects like `categories`. */
  products(options?: CallOptions): Promise<ProductsDocument>;
  /** The categories with how timely they are. Rejects like `categories`. */
  categoriesAnswer(options?: CallOptions): Promise<Answer<CategoriesDocument>>;
  /** The main page's data with how timely they are. Rejects like `categories`. */
  productsAnswer(options?: CallOptions): Promise<Answer<ProductsDocument>>;
}

/** A document, and what its headers say about its time. */
export interface Answer<Document> {
  readonly document: Document;
  /**
   * The instant that the operator's editions were published for, UTC text; builds since then may
   * have found nothing to change. null where something in between took the header away.
   */
  readonly asOf: string | null;
  /** Until when the operator's last build is known to be right, UTC text; null like `asOf`. */
  readonly validUntil: string | null;
  /**
   * True after `validUntil`, when there has been no build for too long: the last edition is served
   * all the same.
   */
  readonly isStale: boolean;
  /**
   * The error of the last request, where this is the answer of an earlier one: by now another
   * edition may be in force, or a newer build published. null where the last request succeeded.
   */
  readonly failure: Error | null;
}

/**
 * An answer other than a document: a refusal of the edge rule (RFC 9457), or the answer of
 * something in between. With status 200, a body that is not the one its ETag names.
 */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
  readonly status: number;
  /**
   * The refusal's stable code, such as `signature-expired`; null when the answer is not the edge
   * rule's.
   */
  readonly code: string | null;

  constructor(status: number, code: string | null, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** No complete answer within the client's `timeoutMs`. The next call sends a new request. */
export class CatalogueTimeoutError extends Error {
  override readonly name = 'CatalogueTimeoutError';
  readonly url: string;
  readonly timeoutMs: number;

  constructor(url: string, timeoutMs: number) {
    super(`expected an answer within ${timeoutMs} ms from ${url}: try again, or raise timeoutMs`);
    this.url = url;
    this.timeoutMs = timeoutMs;
  }
}

/** What to do about a refusal, by its code. */
const HINTS: { readonly [code: string]: string } = {
  'front-malformed': 'check the front: lower-case letters, digits, dots, hyphens, underscores',
  'signature-missing': 'check profile: the deployment wants requests to be signed in another way',
  'signature-component-missing': 'check coversAuthority: the deployment wants more to be signed',
  'signature-expired': 'check the clock of this machine',
  'signature-from-future': 'check the clock of this machine',
  'signature-invalid':
    'check keyid and private key, whether the key is still valid, and whether a proxy changes Host or path',
  'front-not-allowed': 'the key speaks for another front: check front and keyid',
  'not-found': 'check baseUrl; if it is right, nothing is published for this front yet',
  internal: 'the catalogue could not be read just now: try again in a moment',
};

const IN_BETWEEN = 'something between the catalogue and here sent another body: "edge check" finds what';

/**
 * The rule accepts a signature for five minutes and a minute's difference of clocks; the last
 * minute is left for the network.
 */
const SIGNATURE_LIFETIME_MS = 240_000;
const TIMEOUT_MS = 10_000;
/**
 * How long calls get the kept answer before another try: otherwise each page of a storefront would
 * wait for an edge that is down.
 */
const RETRY_MS = 10_000;
/** Timers of most runtimes count in 31 bits, and fire at once beyond. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1;

interface Endpoint {
  readonly url: string;
  signature: { readonly headers: SignatureHeaders; readonly createdMs: number } | null;
  /** The last answer, which calls get without a request from `keptAtMs` until `reusedUntilMs`. */
  kept: {
    readonly answer: Answer<unknown>;
    /** What to revalidate it by; null where its bytes could not be compared with a tag. */
    readonly etag: string | null;
    readonly keptAtMs: number;
    readonly reusedUntilMs: number;
  } | null;
  /** The request under way, which all callers share. */
  underway: Promise<Answer<unknown>> | null;
}

/**
 * A client for one front. Throws TypeError for an invalid base URL, and for a timeout that no timer
 * can wait for.
 */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, timeoutMs = TIMEOUT_MS } = options;
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > TIMEOUT_MS_MAX)
    throw new TypeError(`timeoutMs: expected whole milliseconds from 1 to ${TIMEOUT_MS_MAX}, found ${timeoutMs}`);
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol) || baseUrl.endsWith('/'))
    throw new TypeError(`baseUrl: expected http(s)://host, perhaps a path, no slash at its end; found ${baseUrl}`);
  const answersAt = <Document>(path: string) => {
    const endpoint: Endpoint = { url: new URL(baseUrl + path).href, signature: null, kept: null, underway: null };
    // The deployment's own verify checks the documents by the contract's schemas; the client trusts
    // them.
    return (call?: CallOptions) => get(options, endpoint, call) as Promise<Answer<Document>>;
  };
  const categoriesAnswer = answersAt<CategoriesDocument>('/fronts/categories/');
  const productsAnswer = answersAt<ProductsDocument>('/products/');
  return {
    categories: async (call) => (await categoriesAnswer(call)).document,
    products: async (call) => (await productsAnswer(call)).document,
    categoriesAnswer,
    productsAnswer,
  };
}

async function get(options: ClientOptions, endpoint: Endpoint, { signal }: CallOptions = {}): Promise<Answer<unknown>> {
  signal?.throwIfAborted();
  const { kept } = endpoint;
  const nowMs = (options.clock ?? Date.now)();
  // Not before: a clock that was set back must not keep an answer for longer.
  if (kept !== null && nowMs >= kept.keptAtMs && nowMs < kept.reusedUntilMs) return kept.answer;
  endpoint.underway ??= loadInTime(options, endpoint).finally(() => {
    endpoint.underway = null;
  });
  return signal === undefined ? endpoint.underway : untilAborted(endpoint.underway, signal);
}

async function loadInTime(options: ClientOptions, endpoint: Endpoint): Promise<Answer<unknown>> {
  const { timeoutMs = TIMEOUT_MS } = options;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    // Not left to `fetch` alone: a wrapper may ignore the signal.
    return await untilAborted(load(options, endpoint, signal), signal);
  } catch (error) {
    const failure = signal.aborted ? new CatalogueTimeoutError(endpoint.url, timeoutMs) : error;
    return keptInstead(options, endpoint, failure);
  }
}

/** The kept answer in place of the error of a request; throws the error where none may be used. */
function keptInstead(options: ClientOptions, endpoint: Endpoint, error: unknown): Answer<unknown> {
  // A revoked key must not go on being served from memory. 404 says nothing of the key: a tree that
  // cannot be found looks the same.
  if (error instanceof CatalogueError && error.code !== null && [401, 403].includes(error.status)) endpoint.kept = null;
  const { kept } = endpoint;
  const nowMs = (options.clock ?? Date.now)();
  const validUntilMs = Date.parse(kept?.answer.validUntil ?? '');
  // NaN for a header that is missing or not a date.
  if (kept === null || !(nowMs < validUntilMs)) throw error;
  const failure = error instanceof Error ? error : new Error(String(error), { cause: error });
  const answer = { ...kept.answer, failure };
  endpoint.kept = { ...kept, answer, keptAtMs: nowMs, reusedUntilMs: Math.min(nowMs + RETRY_MS, validUntilMs) };
  return answer;
}

/**
 * Settles like the work, or with the signal's reason as soon as it is aborted; the work itself then
 * goes on.
 */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function load(options: ClientOptions, endpoint: Endpoint, signal: AbortSignal): Promise<Answer<unknown>> {
  const nowMs = (options.clock ?? Date.now)();
  const { kept } = endpoint;
  const signature = await signatureFor(options, endpoint, nowMs);
  const headers: Record<string, string> = { ...signature, Accept: 'application/json' };
  if (kept?.etag) headers['If-None-Match'] = kept.etag;
  const response = await (options.fetch ?? fetch)(endpoint.url, { headers, redirect: 'manual', signal });
  const etag = editionTag(response);
  const unchanged = response.status === 304 && kept?.etag ? kept : null;
  if (response.status !== 200 && unchanged === null) throw await errorOf(response);
  const document = unchanged === null ? await documentIn(response, etag) : unchanged.answer.document;
  // After a timeout a later request may have kept a newer answer.
  signal.throwIfAborted();
  if (unchanged !== null && etag !== null && etag !== unchanged.etag) {
    // Asked by the same tag again, it would answer the same.
    endpoint.kept = { ...unchanged, etag: null };
    throw new CatalogueError(
      304,
      null,
      `expected 304 for ETag ${unchanged.etag}, found one for ${etag}: ${IN_BETWEEN}`,
    );
  }

  const answer: Answer<unknown> = {
    document,
    asOf: response.headers.get('Catalogue-As-Of'),
    validUntil: response.headers.get('Catalogue-Valid-Until'),
    isStale: response.headers.get('Catalogue-Stale') === '?1',
    failure: null,
  };
  const reusedUntilMs = nowMs + maxAgeOf(response) * 1000;
  endpoint.kept = { answer, etag: etag ?? unchanged?.etag ?? null, keptAtMs: nowMs, reusedUntilMs };
  return answer;
}

/**
 * The ETag of an edition. null where there is none, or one of something in between, which says
 * nothing about the document.
 */
function editionTag(response: FetchedAnswer): string | null {
  const etag = response.headers.get('ETag') ?? '';
  return /^W\/"[\da-f]{16}"$/.test(etag) ? etag : null;
}

/**
 * The document of a 200. Throws CatalogueError where the body is not the one that the tag names,
 * and SyntaxError for one that is not JSON.
 */
async function documentIn(response: FetchedAnswer, etag: string | null): Promise<unknown> {
  const text = await response.text();
  // Editions are well-formed UTF-8 without a byte order mark, so encoding the text gives their
  // bytes again.
  const digest = etag === null ? '' : await digestOfBytes(new TextEncoder().encode(text));
  if (etag !== null && etag !== `W/"${digest}"`)
    throw new CatalogueError(200, null, `expected the document of ETag ${etag}, found ${digest}: ${IN_BETWEEN}`);
  return JSON.parse(text);
}

async function signatureFor(options: ClientOptions, endpoint: Endpoint, nowMs: number): Promise<SignatureHeaders> {
  const kept = endpoint.signature;
  if (kept !== null && nowMs >= kept.createdMs && nowMs < kept.createdMs + SIGNATURE_LIFETIME_MS) return kept.headers;
  const created = Math.floor(nowMs / 1000);
  const { front, key, coversAuthority = true, profile = 'rfc9421' } = options;
  const signing = { front, key, created, coversAuthority, profile };
  const headers = await signRequest({ method: 'GET', url: endpoint.url, ...signing });
  endpoint.signature = { headers, createdMs: created * 1000 };
  return headers;
}

/** Seconds for which an answer may be reused: max-age less the Age it came with (RFC 9111, 4.2). */
function maxAgeOf(response: FetchedAnswer): number {
  const cacheControl = response.headers.get('Cache-Control') ?? '';
  if (/\bno-(store|cache)\b/.test(cacheControl)) return 0;
  const maxAge = Number(/\bmax-age=(\d+)/.exec(cacheControl)?.[1] ?? 0);
  return Math.max(0, maxAge - Number(response.headers.get('Age') ?? 0));
}

async function errorOf(response: FetchedAnswer): Promise<CatalogueError> {
  const { status } = response;
  const isProblem = /^application\/problem\+json\b/.test(response.headers.get('Content-Type') ?? '');
  const text = await response.text();
  const code = isProblem ? codeOf(text) : null;
  const message =
    code === null
      ? `the server answered ${status}, and it was not the edge rule of the catalogue`
      : [`refused with ${status} ${code}`, HINTS[code] ?? []].flat().join(': ');
  return new CatalogueError(status, code, message);
}

function codeOf(text: string): string | null {
  try {
    const problem = JSON.parse(text) as { readonly code?: unknown } | null;
    return typeof problem?.code === 'string' ? problem.code : null;
  } catch {
    return null;
  }
}
