// Quiet pointers (objects.md): if a front's published pointer says what a new one would, the front
// keeps it, so that nothing needs to be written, paid for or purged. A pointer that is damaged, or
// that names a damaged file, is always replaced.

import { formatInstant, parseInstant, type Instant } from '../../catalogue/instant.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { ENDPOINTS, type Endpoint } from '../../render/paths.ts';
import { entryOf } from '../../contract/pointer-entry.ts';
import type { PublishedTree } from '../tree/published.ts';
import type { FrontResult } from './render-front.ts';

/**
 * A pointer is replaced when it is older than this share of the horizon, because edges judge its
 * age by its `now`.
 */
const AGE_SHARE = 0.25;

/** The result, with the published pointer instead of its own if that one says the same. */
export async function withQuietPointer(
  result: FrontResult,
  published: PublishedTree,
  horizonSeconds: number,
  now: Instant,
): Promise<FrontResult> {
  const { code, listing } = result;
  const pointer = published.pointer(code);
  if (listing === null || pointer === null || published.isRewritten(code)) return result;
  const before = published.listingOf(pointer);
  const isListedAlike = before?.weekendDays === listing.weekendDays && before.currency === listing.currency;
  const age = now - (parseInstant(pointer.now) ?? Number.NEGATIVE_INFINITY);
  const isYoung = age < horizonSeconds * AGE_SHARE;
  if (!isListedAlike || !isYoung || !isEquivalent(pointer, listing.pointer, now)) return result;
  const { cards, dropped, leftOut, nextChange } = listing;
  const kept = await published.keptFront(pointer, null);
  const own = new Set(result.files.map(({ path }) => path));
  const past = kept.files.filter(({ path }) => !own.has(path));
  // The old pointer also names past editions. If one is damaged, a new pointer, which does not name
  // it, repairs the tree.
  for (const file of past) if (!(await published.hasFile(file))) return result;
  return {
    ...result,
    listing: { ...kept.front, cards, dropped, leftOut, nextChange },
    files: [...result.files, ...past],
  };
}

/**
 * Whether a pointer names the same editions from `now` on as a new one of that `now`, until the
 * same instant.
 */
function isEquivalent(pointer: Pointer, fresh: Pointer, now: Instant): boolean {
  const { timezone, dayStartsAt, validUntil } = fresh;
  return (
    pointer.timezone === timezone &&
    pointer.dayStartsAt === dayStartsAt &&
    pointer.validUntil === validUntil &&
    ENDPOINTS.every((endpoint) => editionsFrom(pointer, endpoint, now) === editionsFrom(fresh, endpoint, now))
  );
}

/** The digest in force at an instant and all later entries, as text. */
function editionsFrom(pointer: Pointer, endpoint: Endpoint, at: Instant): string {
  const entries = pointer[endpoint];
  const index = editionIndexAt(entries, formatInstant(at));
  return [entryOf(entries[index] ?? '').digest, ...entries.slice(index + 1)].join();
}
