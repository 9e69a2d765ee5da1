// What `diff` prints under --json, and the differences in the result of `build --dry-run --json`.

import * as z from 'zod';
import { count, frontCode, instantText, releaseId } from './primitives.ts';

type FieldValueJson =
  | string
  | number
  | boolean
  | null
  | readonly FieldValueJson[]
  | { readonly [key: string]: FieldValueJson };

const fieldValue: z.ZodType<FieldValueJson> = z
  .union([
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.lazy(() => z.array(fieldValue)),
    z.lazy(() => z.record(z.string(), fieldValue)),
  ])
  .meta({ id: 'FieldValue', description: 'Any value that a field of a document may have' });

const element = {
  /** The list of the products document; of a card, `id` is its `productId`. */
  list: z.enum(['productCards', 'categories', 'groups', 'tags', 'badges']),
  id: z.int(),
  slug: z.string(),
  name: z.string(),
};

export const documentChangeSchema = z
  .discriminatedUnion('change', [
    z.strictObject({ ...element, change: z.enum(['added', 'gone']) }),
    z.strictObject({
      ...element,
      change: z.literal('changed'),
      /** A session's start that stays one is told in parts: `todaySlot.date`, `.time`, `.offset`. */
      fields: z.array(z.strictObject({ path: z.string(), before: fieldValue, after: fieldValue })).readonly(),
    }),
    z.strictObject({ ...element, change: z.literal('moved'), placeBefore: count, placeAfter: count }),
  ])
  .meta({ id: 'DocumentChange' });

const changes = z.array(documentChangeSchema).readonly();

const releaseSchema = z.strictObject({ release: releaseId, now: instantText });

/** `diff A B`. */
export const diffResultSchema = z.strictObject({
  before: releaseSchema,
  after: releaseSchema,
  isDifferent: z.boolean(),
  /** Fronts that were compared and differ in nothing. */
  same: z.array(frontCode),
  /** Fronts that only the one or only the other release has, with their cards. */
  added: z.array(z.strictObject({ front: frontCode, cards: count })),
  gone: z.array(z.strictObject({ front: frontCode, cards: count })),
  changed: z.array(
    z.strictObject({
      front: frontCode,
      timezone: z.string(),
      cardsBefore: count,
      cardsAfter: count,
      /** What time alone changed. */
      clock: changes,
      /** What other data changed. */
      data: changes,
      /** What cannot be told apart, because the older snapshot was only known to be right until `comparableUntil`. */
      ambiguous: changes,
      comparableUntil: instantText.nullable(),
      /** What other data will change later on, from the instant at which each change first shows. */
      upcoming: z.array(z.strictObject({ from: instantText, changes })).readonly(),
    }),
  ),
});

const changeCounts = z.strictObject({ added: count, gone: count, changed: count, moved: count });

const plannedChanges = z.strictObject({
  /** By list; lists without a change are left out. */
  counts: z.partialRecord(element.list, changeCounts),
  total: count,
  /** The first of them: twenty at most, and a thousand in the whole result. */
  named: changes,
});

/** One front in `differences` of `build --dry-run`: what publishing would change. */
export const plannedDiffSchema = z.strictObject({
  front: frontCode,
  /** `unknown`: what is published is damaged. */
  state: z.enum(['added', 'gone', 'same', 'changed', 'unknown']),
  /** null where nothing is published, or it is not known. */
  cardsBefore: count.nullable(),
  cardsAfter: count.nullable(),
  clock: plannedChanges,
  data: plannedChanges,
  ambiguous: plannedChanges,
  comparableUntil: instantText.nullable(),
  /** Whether other data shows in later editions. */
  isLaterDifferent: z.boolean(),
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
      /** From here on nothing is known; earlier than `until`, perhaps. */
      validUntil: instantText,
      cards: count,
      /** By time, each with the wall time in the front's zone and the cards from then on. */
      steps: z.array(z.strictObject({ at: instantText, wallTime: z.string(), cards: count, changes })).readonly(),
    }),
  ),
});

export type DiffResultJson = z.infer<typeof diffResultSchema>;
export type ForecastResultJson = z.infer<typeof forecastResultSchema>;
