// Quiet pointers (objects.md): a front whose published pointer says already what a new one would keeps it. Then nothing is written for it,
// nothing is purged, and no store is paid. Whatever is wrong with the old pointer, or with a file that it names, it goes.

import { formatInstant, parseInstant, type Instant } from '../../catalogue/instant.ts';
import type { Pointer } from '../../contract/pointer.ts';
import { editionIndexAt } from '../../render/edition-choice.ts';
import { ENDPOINTS, type Endpoint } from '../../render/paths.ts';
import { entryOf } from '../tree/codec.ts';
import type { PublishedTree } from '../tree/published.ts';
import type { FrontResult } from './render-front.ts';

/** How much of the horizon a pointer may have behind it and stay: who has nothing but the pointer judges its age by its `now`. */
const AGE_SHARE = 0.25;

/** The result with the published pointer in the place of its own, where that one will do until the next build. */
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
  if (!isListedAlike || !isYoung || !saysTheSame(pointer, listing.pointer, now)) return result;
  const kept = await published.keptFront(pointer, null);
  const own = new Set(result.files.map(({ path }) => path));
  const past = kept.files.filter(({ path }) => !own.has(path));
  // The old pointer also names editions whose time is over. A new one would not, so damage to them goes with the old one.
  if (!(await published.hasFiles(past))) return result;
  return {
    ...result,
    listing: { ...kept.front, cards: listing.cards, dropped: listing.dropped, nextChange: listing.nextChange },
    files: [...result.files, ...past],
  };
}

/** Whether a pointer gives every answer from `now` on that another of that `now` gives, and as long. */
function saysTheSame(pointer: Pointer, fresh: Pointer, now: Instant): boolean {
  const { timezone, validUntil } = fresh;
  return (
    pointer.timezone === timezone &&
    pointer.validUntil === validUntil &&
    ENDPOINTS.every((endpoint) => answersFrom(pointer, endpoint, now) === answersFrom(fresh, endpoint, now))
  );
}

/** What is in force at an instant, and every later entry, as text. */
function answersFrom(pointer: Pointer, endpoint: Endpoint, at: Instant): string {
  const entries = pointer[endpoint];
  const index = editionIndexAt(entries, formatInstant(at));
  return [entryOf(entries[index] ?? '').digest, ...entries.slice(index + 1)].join();
}
