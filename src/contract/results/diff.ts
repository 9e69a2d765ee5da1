// What `diff --json` prints, and the differences in the result of `build --dry-run --json`.

import * as z from 'zod';
import { count, frontCode, instantText, releaseId } from '../primitives.ts';

export type FieldValue =
  | string
  | number
  | boolean
  | null
  | readonly FieldValue[]
  | { readonly [key: string]: FieldValue };

const fieldValue: z.ZodType<FieldValue> = z
  .union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.lazy(() => z.array(fieldValue)),
    z.lazy(() => z.record(z.string(), fieldValue)),
  ])
  .meta({ id: 'FieldValue', description: 'Any value that a field of a document may have' });

/**
 * A session start that changes to another one is compared in parts: `todaySlot.date`, `.time`,
 * `.offset`.
 */
const fieldChangeSchema = z.strictObject({ path: z.string(), before: fieldValue, after: fieldValue });

/**
 * An element of a list in the products document. If it is in both documents, slug and name are the
 * new ones.
 */
const element = {
  list: z.enum(['productCards', 'categories', 'groups', 'tags', 'badges']),
  /** For a card, its `productId`. */
  id: z.int(),
  slug: z.string(),
  name: z.string(),
};

export const documentChangeSchema = z
  .discriminatedUnion('change', [
    z.strictObject({ ...element, change: z.enum(['added', 'gone']) }),
    z.strictObject({ ...element, change: z.literal('changed'), fields: z.array(fieldChangeSchema).readonly() }),
    /** Places count from 1. Elements that others move past do not count as moved. */
    z.strictObject({ ...element, change: z.literal('moved'), placeBefore: count, placeAfter: count }),
  ])
  .meta({ id: 'DocumentChange' });

const changes = z.array(documentChangeSchema).readonly();

/** What differs between two snapshots of one front. */
const frontDifferenceSchema = z.strictObject({
  front: frontCode,
  timezone: z.string(),
  cardsBefore: count,
  cardsAfter: count,
  /** What time alone changed, given the data of the older snapshot. */
  clock: changes,
  /** What changed in the data, compared at the same instant. */
  data: changes,
  /**
   * Changes that may be of either kind, because the older snapshot is known to be right only until
   * `comparableUntil`; else empty.
   */
  ambiguous: changes,
  comparableUntil: instantText.nullable(),
  /**
   * With `comparableUntil`: the horizon with which the older snapshot would have reached the newer
   * one's instant.
   */
  horizonNeededSeconds: count.nullable(),
  /** Changes in the data that show only later, each at the instant at which it first shows. */
  upcoming: z.array(z.strictObject({ from: instantText, changes })).readonly(),
});

const frontCards = z.strictObject({ front: frontCode, cards: count });

/** Fronts grouped by what differs; each list is sorted by code. */
const differences = {
  isDifferent: z.boolean(),
  /** Fronts that were compared and do not differ. */
  same: z.array(frontCode),
  /** Fronts on one side only, with their cards. */
  added: z.array(frontCards),
  gone: z.array(frontCards),
  changed: z.array(frontDifferenceSchema),
};

const releaseSchema = z.strictObject({ release: releaseId, now: instantText, horizonSeconds: count });

/** `diff A B`. */
export const diffResultSchema = z.strictObject({ before: releaseSchema, after: releaseSchema, ...differences });

/** By list; lists without changes are left out. */
const changeCounts = z.partialRecord(
  element.list,
  z.strictObject({ added: count, gone: count, changed: count, moved: count }),
);

/**
 * `differences` of `build --dry-run`: compares what is published with what would be, as `diff`
 * compares two releases.
 */
export const plannedDiffSchema = z.strictObject({
  ...differences,
  changed: z.array(
    frontDifferenceSchema.extend({
      /**
       * null if the data differs now, since later editions mostly differ in the same way, or if
       * there is too much to compare.
       */
      upcoming: frontDifferenceSchema.shape.upcoming.nullable(),
      /**
       * The number of changes of each kind. Only the first twenty of each kind are listed, and a
       * thousand in all.
       */
      counts: z.strictObject({
        clock: changeCounts,
        data: changeCounts,
        ambiguous: changeCounts,
        upcoming: changeCounts,
      }),
    }),
  ),
  /** Fronts that cannot be compared because what is published is damaged. */
  unknown: z.array(frontCode),
});

/** `diff --until`. */
export const forecastResultSchema = z.strictObject({
  release: releaseId,
  from: instantText,
  until: instantText,
  fronts: z.array(
    z.strictObject({
      front: frontCode,
      timezone: z.string(),
      /** The end of what is known; it may be before `until`. */
      validUntil: instantText,
      cards: count,
      /**
       * By time; `wallTime` is in the front's zone, `cards` is the number of cards from then on.
       */
      steps: z.array(z.strictObject({ at: instantText, wallTime: z.string(), cards: count, changes })),
    }),
  ),
});

export type FieldChange = z.infer<typeof fieldChangeSchema>;
export type DocumentChange = z.infer<typeof documentChangeSchema>;
export type ChangeCounts = z.infer<typeof changeCounts>;
export type FrontDifference = z.infer<typeof frontDifferenceSchema>;
export type DiffResultJson = z.infer<typeof diffResultSchema>;
export type PlannedDiffJson = z.infer<typeof plannedDiffSchema>;
export type ForecastResultJson = z.infer<typeof forecastResultSchema>;
