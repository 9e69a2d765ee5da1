// Judging a tree by its pointers: how old each front's snapshot is, how long it will stay right, what changes next. Pure: the
// instant is the caller's.

import { formatInstant, instantOf, parseInstant, type Instant } from '../../catalogue/instant.ts';
import type { HoldCode, ManifestFront } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { ENDPOINTS, type Endpoint } from '../../render/paths.ts';
import { entryOf } from '../tree/codec.ts';
import type { PublishedFront, TreeStatus } from './read-status.ts';

/** How far the clocks of two machines may differ before a snapshot counts as made for the future. */
const CLOCK_SKEW_SECONDS = 60;

/**
 * Why a front is stale: nothing can be served of it; its snapshot is for a later time; it is not known to be right any more; less than
 * a quarter of the horizon is left; it is older than the operator allows. The first that holds is reported.
 */
export type StaleReason = 'pointer-missing' | 'pointer-invalid' | 'from-future' | 'expired' | 'expiring' | 'too-old';

export interface FrontStatus {
  readonly code: string;
  /** null where the front is as it should be. */
  readonly stale: StaleReason | null;
  /** null where the pointer is broken. */
  readonly snapshot: SnapshotStatus | null;
}

interface SnapshotStatus {
  readonly now: Instant;
  readonly validUntil: Instant;
  /** Negative for a snapshot made for the future. */
  readonly ageSeconds: number;
  /** Until validUntil; negative after it. */
  readonly remainingSeconds: number;
  /** The first instant at which the front is stale if nothing is built until then. */
  readonly staleFrom: Instant;
  readonly editions: Readonly<Record<Endpoint, number>>;
  /** Cards of the edition in force; null where the release in force does not tell. */
  readonly cards: number | null;
  readonly dropped: ManifestFront['dropped'];
  /** Why the last build kept the snapshot that there was. */
  readonly held: HoldCode | null;
}

/** The state of every front at an instant. `maxAgeSeconds` null: as old as it may be. */
export function statusOf(tree: TreeStatus, maxAgeSeconds: number | null, at: Instant): readonly FrontStatus[] {
  return tree.fronts.map((front) => {
    if (front.pointer === null) return { code: front.code, stale: front.problem, snapshot: null };
    const { pointer, listing } = front;
    const now = instantOfText(pointer.now);
    const validUntil = instantOfText(pointer.validUntil);
    // Without a manifest the pointer itself says how far ahead it was made for.
    const horizonSeconds = tree.release?.manifest.horizonSeconds ?? validUntil - now;
    const expiringFrom = Math.min(validUntil, Math.floor(validUntil - horizonSeconds / 4) + 1);
    const tooOldFrom = maxAgeSeconds === null ? Number.POSITIVE_INFINITY : now + maxAgeSeconds + 1;
    const stale: StaleReason | null =
      now - at > CLOCK_SKEW_SECONDS
        ? 'from-future'
        : at >= validUntil
          ? 'expired'
          : at >= expiringFrom
            ? 'expiring'
            : at >= tooOldFrom
              ? 'too-old'
              : null;
    return {
      code: front.code,
      stale,
      snapshot: {
        now,
        validUntil,
        ageSeconds: at - now,
        remainingSeconds: validUntil - at,
        staleFrom: instantOf(Math.min(expiringFrom, tooOldFrom)),
        editions: { products: pointer.products.length, categories: pointer.categories.length },
        cards: listing?.cardsByEdition[editionIndexAt(pointer.products, formatInstant(at))] ?? null,
        dropped: listing?.dropped ?? {},
        held: listing?.held ?? null,
      },
    };
  });
}

export interface NextChange {
  readonly code: string;
  /**
   * `edition`: another edition comes into force. `end`: no edition is left, and the snapshot is right until then. `expired`: it was
   * right until then. `unknown`: the pointer is broken.
   */
  readonly kind: 'edition' | 'end' | 'expired' | 'unknown';
  /** null where the pointer is broken. */
  readonly instant: Instant | null;
  /** Whose edition changes; both at the end. */
  readonly endpoints: readonly Endpoint[];
}

/** What the clock brings next to every front after an instant, by the editions that are published. */
export function nextChangesOf(tree: TreeStatus, at: Instant): readonly NextChange[] {
  return tree.fronts.map((front) => nextChangeOf(front, at));
}

function nextChangeOf({ code, pointer }: PublishedFront, at: Instant): NextChange {
  if (pointer === null) return { code, kind: 'unknown', instant: null, endpoints: [] };
  const end = instantOfText(pointer.validUntil);
  if (at >= end) return { code, kind: 'expired', instant: end, endpoints: ENDPOINTS };
  const coming = ENDPOINTS.map((endpoint) => ({ endpoint, from: firstAfter(pointer, endpoint, formatInstant(at)) }));
  const [first] = coming.flatMap(({ from }) => from ?? []).sort();
  if (first === undefined) return { code, kind: 'end', instant: end, endpoints: ENDPOINTS };
  const endpoints = coming.filter(({ from }) => from === first).map(({ endpoint }) => endpoint);
  return { code, kind: 'edition', instant: instantOfText(first), endpoints };
}

/** The first edition is served before its time, too: its beginning is no change. */
function firstAfter(pointer: Pointer, endpoint: Endpoint, at: string): string | undefined {
  return pointer[endpoint]
    .slice(1)
    .map((entry) => entryOf(entry).from)
    .find((from) => from > at);
}

/** `readTreeStatus` has checked the instants of every pointer. */
function instantOfText(text: string): Instant {
  const instant = parseInstant(text);
  if (instant === undefined) throw new Error(`no instant: ${text}`);
  return instant;
}
