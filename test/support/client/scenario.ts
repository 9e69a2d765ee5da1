// What the client does, as a program for any runtime: it has the client as it is installed, and Web
// APIs. It gives values that can be compared, by the names of what it tries.

import {
  CatalogueError,
  CatalogueNetworkError,
  CatalogueTimeoutError,
  type ClientOptions,
  createClient,
} from 'playbill/client';

export interface Scenario {
  /** An edge with both profiles. */
  readonly edge: string;
  /** A server that goes wrong, by path (runtimes.test.ts). */
  readonly faulty: string;
  /** Clients that the edge accepts. */
  readonly clients: Readonly<Record<string, Pick<ClientOptions, 'key' | 'profile'>>>;
}

const FRONT = 'moscow';

/** Tries everything once. */
export async function outcomesOf({ edge, faulty, clients }: Scenario): Promise<Record<string, unknown>> {
  const outcomes: Record<string, unknown> = {};
  for (const [name, options] of Object.entries(clients))
    outcomes[name] = await createClient({ baseUrl: edge, front: FRONT, ...options }).products();

  const [one] = Object.values(clients);
  if (one === undefined) throw new Error('expected a client');
  const { key } = one;
  const clientAt = (baseUrl: string, more: Partial<ClientOptions> = {}) =>
    createClient({ baseUrl, front: FRONT, key, ...more });

  let nowMs = Date.now();
  const patient = clientAt(edge, { clock: () => nowMs });
  const first = await patient.productsAnswer();
  nowMs += 61_000;
  const second = await patient.productsAnswer();
  outcomes['revalidated'] = second.document === first.document && second !== first && second.failure === null;
  outcomes['asOf'] = first.asOf;

  outcomes['a slash at the end of the base URL'] = (await clientAt(`${edge}/`).productsAnswer()).asOf;

  outcomes['refused'] = await failureOf(clientAt(edge, { front: 'kazan' }).products());
  outcomes['no connection'] = (await failureOf(clientAt('http://127.0.0.1:1').products())).kind;
  outcomes['timeout'] = await failureOf(clientAt(`${faulty}/hangs`, { timeoutMs: 300 }).products());
  const half = clientAt(`${faulty}/half`, { timeoutMs: 300 });
  outcomes['timeout in the middle of a document'] = await failureOf(half.products());
  const aborting = new AbortController();
  // The request itself goes on until its time is up, and keeps the program running.
  const aborted = clientAt(`${faulty}/hangs`, { timeoutMs: 300 }).products({ signal: aborting.signal });
  aborting.abort(new Error('the visitor is gone'));
  outcomes['aborted'] = await failureOf(aborted);
  outcomes['aborted before'] = await failureOf(clientAt(edge).products({ signal: aborting.signal }));

  const lied = clientAt(`${faulty}/lies`);
  const honest = await lied.productsAnswer();
  const doubted = await lied.productsAnswer();
  outcomes['kept when another body comes than the ETag names'] = {
    isSame: doubted.document === honest.document,
    after: await failureOf(Promise.reject(doubted.failure)),
  };

  const stale = clientAt(`${faulty}/once`);
  const whole = await stale.productsAnswer();
  const kept = await stale.productsAnswer();
  outcomes['kept when a request fails'] = {
    isSame: kept.document === whole.document,
    before: whole.failure,
    after: await failureOf(Promise.reject(kept.failure)),
  };
  return outcomes;
}

/** What is wrong, by what does not depend on a runtime. */
async function failureOf(
  asking: Promise<unknown>,
): Promise<{ readonly kind: string; readonly [detail: string]: unknown }> {
  try {
    await asking;
    return { kind: 'none' };
  } catch (error) {
    if (error instanceof CatalogueError) return { kind: error.name, status: error.status, code: error.code };
    if (error instanceof CatalogueTimeoutError) return { kind: error.name, timeoutMs: error.timeoutMs };
    if (error instanceof CatalogueNetworkError) return { kind: error.name };
    if (!(error instanceof Error)) return { kind: typeof error };
    return error.message === 'the visitor is gone' ? { kind: 'reason' } : { kind: 'error of the runtime' };
  }
}
