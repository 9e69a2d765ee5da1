// The errors of the client. Each says which URL was asked.

/**
 * An answer other than a document: a refusal of the edge rule (RFC 9457), or the answer of
 * something in between. With status 200, a body that is not JSON, or not the one its ETag names.
 */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
  readonly url: string;
  readonly status: number;
  /**
   * The refusal's stable code, such as `signature-expired`; null when the answer is not the edge
   * rule's.
   */
  readonly code: string | null;

  constructor(url: string, status: number, code: string | null, message: string) {
    super(`${url}: ${message}`);
    this.url = url;
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
    super(`${url}: expected an answer within ${timeoutMs} ms: try again, or raise timeoutMs`);
    this.url = url;
    this.timeoutMs = timeoutMs;
  }
}

/** No connection, or one that broke; `cause` is the error of `fetch`, which names no URL. */
export class CatalogueNetworkError extends Error {
  override readonly name = 'CatalogueNetworkError';
  readonly url: string;

  constructor(url: string, cause: unknown) {
    const why = [cause, cause instanceof Error ? cause.cause : undefined].map(messageOf).filter((text) => text !== '');
    super(`${url}: no complete answer: ${why.join(': ')}`, { cause });
    this.url = url;
  }
}

/** A fetch of somebody else's may reject with a text. */
function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : '';
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

/** The error for an answer of this status, content type and text, which is no document. */
export function refusal(url: string, status: number, type: string | null, text: string): CatalogueError {
  const code = /^application\/problem\+json\b/.test(type ?? '') ? codeOf(text) : null;
  const message =
    code === null
      ? `the server answered ${status}, and it was not the edge rule of the catalogue`
      : [`refused with ${status} ${code}`, HINTS[code] ?? []].flat().join(': ');
  return new CatalogueError(url, status, code, message);
}

function codeOf(text: string): string | null {
  try {
    const problem = JSON.parse(text) as { readonly code?: unknown } | null;
    return typeof problem?.code === 'string' ? problem.code : null;
  } catch {
    return null;
  }
}
