// The manifest of a release: every front's pointer as it was published, and every file with its size and digest
// (snapshot.md, "Manifest"). No wall-clock value is in it, so the same input gives the same id.

import * as z from 'zod';
import { pointerSchema } from './pointer.ts';
import { count, frontCode, instantText, sha256Hex, TREE_SCHEMA } from './primitives.ts';

/** Why a front kept its previous pointer. */
export const HOLD_CODES = [
  'findings',
  'not-selected',
  'min-cards',
  'max-shrink',
  'now-earlier',
  'file-size-wrong',
  'file-kind-wrong',
  'file-not-writable',
  'shard-missing',
] as const;

export type HoldCode = (typeof HOLD_CODES)[number];

/** Why a product has no card, in the order of fields.md. */
export const DROP_CODES = [
  'not-published',
  'not-visible',
  'no-sessions',
  'not-scheduled',
  'excluded',
  'over',
  'prices-expired',
] as const;

export const manifestFrontSchema = z.strictObject({
  front: frontCode,
  /** Why the pointer is the one of an earlier build; null where this build made it. */
  held: z.enum(HOLD_CODES).nullable(),
  /**
   * The pointer verbatim, so that it can be put back. A held front that was never published is not listed. Where `held` is null and the
   * pointer is older than the release, the build found that it says already what a new one would.
   */
  pointer: pointerSchema,
  /** ISO weekday digits that the front calls weekend: what `verify` needs beside the pointer. null where not known any more. */
  weekendDays: z
    .string()
    .regex(/^[1-7]{1,6}$/)
    .nullable(),
  /** What the prices of the front's documents are in (ISO 4217): they are plain numbers. Left out where not known any more. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
  /** As of which instant a held front was last found right, where that is later than its pointer's now. */
  asOf: instantText.optional(),
  /** Cards at the release's now; of a front that was held, at the instant that it was last found right. */
  cards: count,
  editions: z.strictObject({ products: count, categories: count }),
  /** Cards of each products edition, in the pointer's order: what the shrink guard of the next build compares with. */
  cardsByEdition: z.array(count),
  /** Products without a card at that instant, by reason. */
  dropped: z.partialRecord(z.enum(DROP_CODES), count),
  /** When a document of the front next really changes; null where it does not before validUntil. */
  nextChange: instantText.nullable(),
});

export const manifestFileSchema = z.strictObject({
  path: z.string(),
  bytes: count,
  sha256: sha256Hex,
  /**
   * A digest of everything that the file was made of: a build that would make it of the same keeps it without making it. Left out where
   * that is not known, and of small files.
   */
  recipe: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
});

export const manifestSchema = z.strictObject({
  schema: z.literal(TREE_SCHEMA),
  /** Version of the tool that built the release. */
  tool: z.string(),
  now: instantText,
  horizonSeconds: count,
  /** Version of the time-zone rules. */
  tzdata: z.string(),
  /** By code. */
  fronts: z.array(manifestFrontSchema),
  /** By path: every edition that the pointers name. */
  files: z.array(manifestFileSchema),
});

/** What stands before the fronts, on the first line of the file. */
export const manifestHeadSchema = manifestSchema.omit({ fronts: true, files: true });

/** The names of its files alone. */
export const manifestFilesSchema = z.object({ files: z.array(z.object({ path: z.string() })) });

export type Manifest = z.infer<typeof manifestSchema>;
export type ManifestHead = z.infer<typeof manifestHeadSchema>;
export type ManifestFiles = z.infer<typeof manifestFilesSchema>;
export type ManifestFront = z.infer<typeof manifestFrontSchema>;
export type ManifestFile = z.infer<typeof manifestFileSchema>;
