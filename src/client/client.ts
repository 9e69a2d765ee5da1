// A small client of the API: signs, reuses a signature and an answer for as long as each lasts,
// revalidates expired answers, has a timeout, and returns the kept answer when a request fails. It
// believes no document whose bytes are not those that the ETag names. Web APIs only. For servers
// and edges: in a browser it would publish the key, which is why the API has no CORS.

import { digestOfBytes } from '../edge/rule/tree.ts';
import { CorrectableClock } from './clock.ts';
import type { CategoriesDocument, ProductsDocument } from './documents.ts';
import { CatalogueError, CatalogueNetworkError, CatalogueTimeoutError, refusal } from './errors.ts';
import { checkOptions, type ClientOptions, type FetchedAnswer, type Signal, TIMEOUT_MS } from './options.ts';
import { type SignatureHeaders, signRequest } from './signature.ts';

export type * from './documents.ts';
export { CatalogueError, CatalogueNetworkError, CatalogueTimeoutError } from './errors.ts';
export { keyFrom, type IssuedKey } from './key-file.ts';
export type { ClientOptions, Fetch, FetchedAnswer, Signal } from './options.ts';
export type { ClientKey, ClientProfile } from './signature.ts';

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
   * or CatalogueNetworkError.
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
   * have found nothing to change. null where something in between took the header away, or wrote
   * no instant there.
   */
  readonly asOf: string | null;
  /** Until when the operator's last build is known to be right, UTC text; null like `asOf`. */
  readonly validUntil: string | null;
  /**
   * Whether the edge marked the answer (`Catalogue-Stale: ?1`): by its clock `validUntil` is over,
   * as there has been no build for too long, and it serves the last edition all the same. No clock
   * of this machine decides.
   */
  readonly isStale: boolean;
  /**
   * The error of the last request, where this is the answer of an earlier one: by now another
   * edition may be in force, or a newer build published. null where the last request succeeded.
   */
  readonly failure: Error | null;
}

const IN_BETWEEN = 'something between the catalogue and here sent another body: "edge check" finds what';

/**
 * The rule accepts a signature for five minutes and a minute's difference of clocks; the last
 * minute is left for the network.
 */
const SIGNATURE_LIFETIME_MS = 240_000;
/**
 * How long calls get the kept answer before another try: otherwise each page of a storefront would
 * wait for an edge that is down.
 */
const RETRY_MS = 10_000;

interface Endpoint {
  readonly url: string;
  /** The name of the array in a document; null: the document is the array. */
  readonly array: 'productCards' | null;
  signature: Signed | null;
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

/** A signature, and by which time it was made. */
interface Signed {
  readonly headers: SignatureHeaders;
  readonly createdMs: number;
  /** The correction of the clock. */
  readonly offsetMs: number;
}

/** The options of a client, and the clock of all its requests. */
interface Settings extends Omit<ClientOptions, 'baseUrl' | 'clock'> {
  readonly clock: CorrectableClock;
}

/** A client for one front. Throws TypeError for options with which no request can be sent. */
export function createClient(clientOptions: ClientOptions): Client {
  checkOptions(clientOptions);
  const { baseUrl, clock = Date.now, ...options } = clientOptions;
  const settings: Settings = { ...options, clock: new CorrectableClock(clock) };
  const answersAt = <Document>(path: string, array: Endpoint['array']) => {
    const { href: url } = new URL(baseUrl.replace(/\/+$/, '') + path);
    const endpoint: Endpoint = { url, array, signature: null, kept: null, underway: null };
    // The deployment's own verify checks the documents by the contract's schemas; the client trusts
    // them, once it has seen that it is one.
    return (call?: CallOptions) => get(settings, endpoint, call) as Promise<Answer<Document>>;
  };
  const categoriesAnswer = answersAt<CategoriesDocument>('/fronts/categories/', null);
  const productsAnswer = answersAt<ProductsDocument>('/products/', 'productCards');
  return {
    categories: async (call) => (await categoriesAnswer(call)).document,
    products: async (call) => (await productsAnswer(call)).document,
    categoriesAnswer,
    productsAnswer,
  };
}

async function get(settings: Settings, endpoint: Endpoint, { signal }: CallOptions = {}): Promise<Answer<unknown>> {
  signal?.throwIfAborted();
  const { kept } = endpoint;
  const nowMs = settings.clock.nowMs();
  // Not before: a clock that was set back must not keep an answer for longer.
  if (kept !== null && nowMs >= kept.keptAtMs && nowMs < kept.reusedUntilMs) return kept.answer;
  endpoint.underway ??= loadInTime(settings, endpoint).finally(() => {
    endpoint.underway = null;
  });
  return signal === undefined ? endpoint.underway : untilAborted(endpoint.underway, signal);
}

async function loadInTime(settings: Settings, endpoint: Endpoint): Promise<Answer<unknown>> {
  const { timeoutMs = TIMEOUT_MS } = settings;
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    // Not left to `fetch` alone: a wrapper may ignore the signal.
    return await untilAborted(load(settings, endpoint, signal), signal);
  } catch (error) {
    const failure = signal.aborted ? new CatalogueTimeoutError(endpoint.url, timeoutMs) : error;
    return keptInstead(settings, endpoint, failure);
  }
}

/** The kept answer in place of the error of a request; throws the error where none may be used. */
function keptInstead({ clock }: Settings, endpoint: Endpoint, error: unknown): Answer<unknown> {
  // A revoked key must not go on being served from memory. 404 says nothing of the key: a tree that
  // cannot be found looks the same.
  if (error instanceof CatalogueError && error.code !== null && [401, 403].includes(error.status)) endpoint.kept = null;
  const { kept } = endpoint;
  const nowMs = clock.nowMs();
  const validUntilMs = Date.parse(kept?.answer.validUntil ?? '');
  // NaN where there is none.
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

async function load(settings: Settings, endpoint: Endpoint, signal: AbortSignal): Promise<Answer<unknown>> {
  const { url, kept } = endpoint;
  const { response, sentAtMs } = await accepted(settings, endpoint, signal);
  const etag = editionTag(response);
  const unchanged = response.status === 304 && kept?.etag ? kept : null;
  const document = unchanged === null ? await documentIn(response, endpoint, etag) : unchanged.answer.document;
  // After a timeout a later request may have kept a newer answer.
  signal.throwIfAborted();
  if (unchanged !== null && etag !== null && etag !== unchanged.etag) {
    // Asked by the same tag again, it would answer the same.
    endpoint.kept = { ...unchanged, etag: null };
    const message = `expected 304 for ETag ${unchanged.etag}, found one for ${etag}: ${IN_BETWEEN}`;
    throw new CatalogueError(url, 304, null, message);
  }

  const answer: Answer<unknown> = {
    document,
    asOf: instantIn(response, 'Catalogue-As-Of'),
    validUntil: instantIn(response, 'Catalogue-Valid-Until'),
    isStale: response.headers.get('Catalogue-Stale') === '?1',
    failure: null,
  };
  const reusedUntilMs = sentAtMs + maxAgeOf(response) * 1000;
  endpoint.kept = { answer, etag: etag ?? unchanged?.etag ?? null, keptAtMs: sentAtMs, reusedUntilMs };
  return answer;
}

/** An answer with a document, or the news that the kept one has not changed. */
interface Accepted {
  readonly response: FetchedAnswer;
  readonly sentAtMs: number;
}

/**
 * Sends the request. If the rule refuses its time, and that corrects the clock, sends it once more,
 * with another signature: nothing is repeated that an edge might accept only once. Throws
 * CatalogueError for any other answer.
 */
async function accepted(
  settings: Settings,
  endpoint: Endpoint,
  signal: AbortSignal,
  isLastTry = false,
): Promise<Accepted> {
  const { url, kept } = endpoint;
  const sentAtMs = settings.clock.nowMs();
  const signature = await signatureFor(settings, endpoint, sentAtMs);
  const headers: Record<string, string> = { ...signature.headers, Accept: 'application/json' };
  if (kept?.etag) headers['If-None-Match'] = kept.etag;
  const init = { headers, redirect: 'manual', signal } as const;
  const response = await fromNetwork(url, (settings.fetch ?? fetch)(url, init));
  if (response.status === 200 || (response.status === 304 && kept?.etag)) return { response, sentAtMs };
  const error = refusal(
    url,
    response.status,
    response.headers.get('Content-Type'),
    await fromNetwork(url, response.text()),
  );
  const isOfTime = error.code === 'signature-expired' || error.code === 'signature-from-future';
  if (isLastTry || !isOfTime || !settings.clock.refused(signature.offsetMs, response.headers.get('Date'))) throw error;
  return accepted(settings, endpoint, signal, true);
}

/** What `fetch` gives; its error does not say which URL it is about. */
async function fromNetwork<T>(url: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new CatalogueNetworkError(url, error);
  }
}

/**
 * The ETag of an edition. null where there is none, or one of something in between, which says
 * nothing about the document.
 */
function editionTag(response: FetchedAnswer): string | null {
  const etag = response.headers.get('ETag') ?? '';
  return /^W\/"[\da-f]{16}"$/.test(etag) ? etag : null;
}

/** The UTC text of a header that bears an instant, such as `2026-05-01T09:00:00Z`; null for another. */
function instantIn(response: FetchedAnswer, name: string): string | null {
  const text = response.headers.get(name) ?? '';
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
}

/**
 * The document of a 200. Throws CatalogueError for a body that the tag does not name, and for one
 * that is no document.
 */
async function documentIn(response: FetchedAnswer, { url, array }: Endpoint, etag: string | null): Promise<unknown> {
  const text = await fromNetwork(url, response.text());
  // Editions are well-formed UTF-8 without a byte order mark, so encoding the text gives their
  // bytes again.
  const digest = etag === null ? '' : await digestOfBytes(new TextEncoder().encode(text));
  if (etag !== null && etag !== `W/"${digest}"`)
    throw new CatalogueError(url, 200, null, `expected the document of ETag ${etag}, found ${digest}: ${IN_BETWEEN}`);
  const json = jsonIn(text);
  if (json === undefined) throw new CatalogueError(url, 200, null, `expected JSON, found another text: ${IN_BETWEEN}`);
  const list = array === null ? json : (json as { readonly [name: string]: unknown } | null)?.[array];
  if (!Array.isArray(list)) {
    const expected = array === null ? 'a JSON array' : `a JSON object with the array ${array}`;
    throw new CatalogueError(url, 200, null, `expected ${expected}, found another value: ${IN_BETWEEN}`);
  }
  return json;
}

/** The value of a JSON text; undefined for another text. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function signatureFor(settings: Settings, endpoint: Endpoint, nowMs: number): Promise<Signed> {
  const { front, key, coversAuthority = true, profile = 'rfc9421', clock } = settings;
  const { offsetMs } = clock;
  const { url, signature: kept } = endpoint;
  // One that was refused because of its time is not fresh by the corrected clock.
  if (kept !== null && nowMs >= kept.createdMs && nowMs < kept.createdMs + SIGNATURE_LIFETIME_MS) return kept;
  const created = Math.floor(nowMs / 1000);
  const headers = await signRequest({ method: 'GET', url, front, key, created, coversAuthority, profile });
  const signature = { headers, createdMs: created * 1000, offsetMs };
  endpoint.signature = signature;
  return signature;
}

/** Seconds for which an answer may be reused: max-age less the Age it came with (RFC 9111, 4.2). */
function maxAgeOf(response: FetchedAnswer): number {
  const cacheControl = response.headers.get('Cache-Control') ?? '';
  if (/\bno-(store|cache)\b/.test(cacheControl)) return 0;
  const maxAge = Number(/\bmax-age=(\d+)/.exec(cacheControl)?.[1] ?? 0);
  return Math.max(0, maxAge - Number(response.headers.get('Age') ?? 0));
}
