// Judges a tree by its pointers: how old each front's snapshot is, how long it stays right, and
// what changes next. Reads no clock.

import { formatInstant, instantOf, instantOfText, type Instant } from '../../catalogue/instant.ts';
import type { Pointer } from '../../contract/pointer.ts';
import type { NextResultJson, StatusResultJson } from '../../contract/results/status.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { ENDPOINTS, type Endpoint } from '../../render/paths.ts';
import { entryOf } from '../../contract/pointer-entry.ts';
import { heldFrontsJson, holdJson } from '../tree/hold.ts';
import type { TreeFolders } from '../tree/files.ts';
import { readKeyStatus, readTreeStatus, type PublishedFront, type TreeStatus } from './read-status.ts';

/**
 * How far the clocks of two machines may differ before a snapshot counts as one from the future.
 */
const CLOCK_SKEW_SECONDS = 60;

type FrontStatus = StatusResultJson['fronts'][number];

/**
 * The state of a tree at an instant, without that of its keys. If `maxAgeSeconds` is null, a
 * snapshot may have any age.
 */
export function statusOf(
  tree: TreeStatus,
  maxAgeSeconds: number | null,
  at: Instant,
): Omit<StatusResultJson, 'validKeys' | 'history'> {
  const { hold, release, findings } = tree;
  const { horizonSeconds } = release?.manifest ?? {};
  const fronts = tree.fronts.map((front) => frontStatus(front, horizonSeconds, maxAgeSeconds, at));
  return {
    at: formatInstant(at),
    isStale: fronts.length === 0 || fronts.some(({ stale }) => stale !== null),
    hold: holdJson(hold),
    heldFronts: heldFrontsJson(hold),
    release: release && releaseOf(release),
    fronts,
    findings: [...findings],
  };
}

function releaseOf({ id, manifest }: NonNullable<TreeStatus['release']>): StatusResultJson['release'] {
  const { now, horizonSeconds, tool, tzdata } = manifest;
  return { id, now, horizonSeconds, tool, tzdata };
}

/**
 * A front is stale if it cannot be served, if its snapshot is from the future or expired, if less
 * than a quarter of the horizon is left, or if the snapshot is older than the operator allows. The
 * first of these that applies is reported.
 */
function frontStatus(
  front: PublishedFront,
  releaseHorizonSeconds: number | undefined,
  maxAgeSeconds: number | null,
  at: Instant,
): FrontStatus {
  if (front.pointer === null) return { front: front.code, stale: front.problem, snapshot: null };
  const { pointer, listing } = front;
  const now = instantOfText(front.asOf);
  const validUntil = instantOfText(pointer.validUntil);
  // Without a manifest, the pointer's own span is the best estimate.
  const horizonSeconds = releaseHorizonSeconds ?? validUntil - now;
  const expiringFrom = expiringFromOf(validUntil, horizonSeconds);
  const tooOldFrom = maxAgeSeconds === null ? Number.POSITIVE_INFINITY : now + maxAgeSeconds + 1;
  const reasons = [
    ['from-future', now - at > CLOCK_SKEW_SECONDS],
    ['expired', at >= validUntil],
    ['expiring', at >= expiringFrom],
    ['too-old', at >= tooOldFrom],
  ] as const;
  return {
    front: front.code,
    stale: reasons.find(([, holds]) => holds)?.[0] ?? null,
    snapshot: {
      now: front.asOf,
      validUntil: pointer.validUntil,
      ageSeconds: at - now,
      remainingSeconds: validUntil - at,
      staleFrom: formatInstant(instantOf(Math.min(expiringFrom, tooOldFrom))),
      editions: { products: pointer.products.length, categories: pointer.categories.length },
      cards: listing?.cardsByEdition[editionIndexAt(pointer.products, formatInstant(at))] ?? null,
      dropped: listing?.dropped ?? {},
      leftOut: listing?.leftOut ?? null,
      held: listing?.held ?? null,
    },
  };
}

/**
 * The state of a tree at an instant, its keys included, and what it was read from. If
 * `maxAgeSeconds` is null, a snapshot may have any age.
 * @throws AppError tree-newer-schema, tree-unreadable
 */
export async function readStatusAt(files: TreeFolders, maxAgeSeconds: number | null, at: Instant) {
  const tree = await readTreeStatus(files);
  const status = statusOf(tree, maxAgeSeconds, at);
  const fronts = status.fronts.flatMap(({ front, snapshot }) => (snapshot === null ? [] : [front]));
  const keys = await readKeyStatus(fronts, files, at);
  return {
    tree,
    status: { ...status, validKeys: keys.validKeys, findings: [...status.findings, ...keys.findings] },
  };
}

/** Whether something must be done about a tree now: then `status` exits 1. */
export function isAlarming({ isStale, findings }: Pick<StatusResultJson, 'isStale' | 'findings'>): boolean {
  return isStale || findings.some(({ severity }) => severity === 'error');
}

/** The instant from which less than a quarter of the horizon is left. */
export function expiringFromOf(validUntil: number, horizonSeconds: number): Instant {
  return instantOf(Math.min(validUntil, Math.floor(validUntil - horizonSeconds / 4) + 1));
}

/** The next change of each front after an instant, according to the published editions. */
export function nextChangesOf(tree: TreeStatus, at: Instant): NextResultJson {
  const fronts = tree.fronts.map((front) => nextChangeOf(front, formatInstant(at)));
  // Canonical instants sort as text.
  const [next = null] = fronts.flatMap((front) => front.next ?? []).sort();
  return { at: formatInstant(at), next, fronts };
}

function nextChangeOf({ code: front, pointer }: PublishedFront, at: string): NextResultJson['fronts'][number] {
  if (pointer === null) return { front, kind: 'unknown', next: null, endpoints: [] };
  const end = pointer.validUntil;
  if (at >= end) return { front, kind: 'expired', next: end, endpoints: [...ENDPOINTS] };
  const coming = ENDPOINTS.map((endpoint) => ({ endpoint, from: firstAfter(pointer, endpoint, at) }));
  const [next] = coming.flatMap(({ from }) => from ?? []).sort();
  if (next === undefined) return { front, kind: 'end', next: end, endpoints: [...ENDPOINTS] };
  const endpoints = coming.filter(({ from }) => from === next).map(({ endpoint }) => endpoint);
  return { front, kind: 'edition', next, endpoints };
}

/**
 * The start of the next edition. The first edition is also served before its instant, so its start
 * is not a change.
 */
function firstAfter(pointer: Pointer, endpoint: Endpoint, at: string): string | undefined {
  return pointer[endpoint]
    .slice(1)
    .map((entry) => entryOf(entry).from)
    .find((from) => from > at);
}
