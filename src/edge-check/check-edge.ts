// Checks a deployed edge from outside, one row per check. Reads the tree only to compare, and
// changes nothing.

import type { EdgeCheck, EdgeCheckResultJson } from '../contract/results/edge.ts';
import type { KeyRing } from '../contract/key-ring.ts';
import type { Pointer } from '../contract/pointer.ts';
import { instantText } from '../edge/rule/instant.ts';
import { checkFrontsApart, checkSharedCaches, checkTreeHidden } from './caches.ts';
import { CheckedEdge, PATHS, type EdgeAddress, type FrontKey } from './checked-edge.ts';
import { checkAgainstTree, checkDocuments, checkEtag } from './documents.ts';
import { checkCompression, checkHead, checkNotModified } from './forms.ts';
import { checkKey, checkKeyRing, checkSnapshot, standingOf } from './keys.ts';
import { checkRefusalForm, checkUnsigned, checkWronglySigned } from './refusals.ts';
import { answerText, differs, notChecked, ok, rowOf } from './rows.ts';
import { checkAuthority, checkBasePath, checkClock, checkSigned, type Documents } from './signed.ts';

/** Reads the current state of the tree that an edge is compared with. */
export interface ComparedTree {
  keyRing(): Promise<KeyRing>;
  /** null if nothing is published for the front. */
  pointer(front: string): Promise<Pointer | null>;
}

export interface EdgeCheckOptions {
  readonly address: EdgeAddress;
  readonly own: FrontKey;
  readonly other: FrontKey | null;
  readonly revoked: FrontKey | null;
  /** The longest max-age that the edge was built with, in seconds. */
  readonly maxAge: number;
  readonly tree: ComparedTree | null;
}

/**
 * @throws AppError edge-unreachable if the first request gets no answer; whatever reading the tree
 * throws
 */
export async function checkEdge(options: EdgeCheckOptions): Promise<EdgeCheckResultJson> {
  const edge = new CheckedEdge(options.address);
  try {
    const at = instantText(options.address.clock());
    const { checks, next, latency } = await checkAll(edge, options, at);
    const counted = (state: EdgeCheck['state']): number => checks.filter((check) => check.state === state).length;
    const counts = { ok: counted('ok'), differs: counted('differs'), notChecked: counted('not-checked') };
    return {
      url: options.address.url.href,
      at,
      front: options.own.front,
      checks: [...checks],
      ...counts,
      next,
      latency,
    };
  } finally {
    edge.close();
  }
}

/**
 * Compares an edge with a tree, using these keys: the edge must accept exactly those that are valid
 * in the tree's key ring, and serve the tree's snapshot for the front of each.
 * @throws whatever reading the tree throws
 */
export async function compareWithTree(
  address: EdgeAddress,
  keys: readonly FrontKey[],
  tree: ComparedTree,
): Promise<readonly EdgeCheck[]> {
  const edge = new CheckedEdge(address);
  try {
    const now = instantText(address.clock());
    const ring = await tree.keyRing();
    const checks: EdgeCheck[] = [];
    const fronts = new Set<string>();
    for (const key of keys) {
      checks.push(await checkKey(edge, key, ring, now));
      if (fronts.has(key.front) || standingOf(key, ring, now) !== 'accepted') continue;
      fronts.add(key.front);
      checks.push(await checkSnapshot(edge, key, await tree.pointer(key.front)));
    }
    return checks;
  } finally {
    edge.close();
  }
}

type Checked = Pick<EdgeCheckResultJson, 'next' | 'latency'> & { readonly checks: readonly EdgeCheck[] };

async function checkAll(edge: CheckedEdge, options: EdgeCheckOptions, at: string): Promise<Checked> {
  const { own, other, revoked, tree } = options;
  const basePath = await checkBasePath(edge, own);
  // With a wrong path every other row would fail for the same reason.
  if (basePath.state === 'differs')
    return { checks: [basePath, await checkTreeHidden(edge, own, null)], next: [], latency: null };
  const unsigned = await checkUnsigned(edge, own);
  const signed = await checkSigned(edge, own);
  const { documents } = signed;
  const refusals = await checkWronglySigned(edge, own, { other, revoked }, documents === null);
  const ring = tree === null ? null : await tree.keyRing();
  const isKnownKey = ring === null ? null : standingOf(own, ring, at) === 'accepted';
  const keys = [own, other, revoked].flatMap((key) => key ?? []);
  const checks = [
    basePath,
    ...signed.checks,
    checkAuthority(edge, signed.checks, documents !== null, isKnownKey),
    await checkClock(edge, own),
    ...unsigned.checks,
    ...refusals.checks,
    ...checkRefusalForm(edge.address.profile, new Map([...unsigned.answers, ...refusals.answers])),
    await checkTreeHidden(edge, own, documents),
    await checkKeyRing(edge, keys, ring, at),
  ];
  if (documents === null) return { checks: [...checks, withoutDocuments()], next: [], latency: null };
  const { next, checks: more } = await checkGiven(edge, options, documents);
  const { check, latency } = await checkLatency(edge, own);
  return { checks: [...checks, ...more, check], next, latency };
}

/** The checks that need documents. */
async function checkGiven(
  edge: CheckedEdge,
  { own, other, maxAge, tree }: EdgeCheckOptions,
  documents: Documents,
): Promise<Pick<Checked, 'checks' | 'next'>> {
  const pointer = tree === null ? null : await tree.pointer(own.front);
  const compared = checkAgainstTree(documents, pointer, tree !== null);
  const checks = [
    await checkEtag(edge, own, documents),
    ...checkDocuments(documents, maxAge),
    ...compared.checks,
    ...(await checkCompression(edge, own)),
    await checkHead(edge, own),
    await checkNotModified(edge, own),
    await checkFrontsApart(edge, own, other, tree && ((front) => tree.pointer(front))),
    ...(await checkSharedCaches(edge, own)),
  ];
  return { checks, next: compared.next };
}

function withoutDocuments(): EdgeCheck {
  return notChecked(
    'documents',
    'headers, forms and caching of documents',
    'the edge serves no document: see the rows signed-products and signed-categories',
  );
}

const LATENCY_REQUESTS = 20;

const ENDED = 'earlier signed requests were answered: look for a rate limit, and in the log of the edge';

/** How long signed requests take over a connection that is already open. */
async function checkLatency(
  edge: CheckedEdge,
  own: FrontKey,
): Promise<{ readonly check: EdgeCheck; readonly latency: Checked['latency'] }> {
  const expected = `${LATENCY_REQUESTS} signed requests in a row are answered`;
  const times: number[] = [];
  const asking = await rowOf('latency', expected, async () => {
    while (times.length < LATENCY_REQUESTS) {
      const answer = await edge.ask({ path: PATHS.products, signer: own });
      const { status, sentAt, receivedAt } = answer;
      if (status !== 200) return differs('latency', expected, answerText(answer), ENDED);
      times.push(Math.max(0, Math.round((receivedAt - sentAt) * 1000)));
    }
    return ok('latency', expected);
  });
  if (asking.state === 'differs') return { check: asking, latency: null };
  times.sort((a, b) => a - b);
  const share = (part: number): number => times[Math.ceil(times.length * part) - 1] ?? 0;
  const latency = { requests: times.length, medianMs: share(0.5), p95Ms: share(0.95) };
  const found = `median ${latency.medianMs} ms, 95th percentile ${latency.p95Ms} ms`;
  return { check: ok('latency', expected, found), latency };
}
