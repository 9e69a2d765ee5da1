// The manifest of a release: every front's pointer as published, and every file with its size and
// digest (snapshot.md, "Manifest"). The two long lists are files of their own, which the manifest
// names by digest. They contain no wall-clock time, so the same input gives the same id.

import * as z from 'zod';
import { DROP_REASONS } from '../catalogue/offer.ts';
import { ALLOWABLE_GUARDS } from './allowable-guards.ts';
import { pointerSchema } from './pointer.ts';
import { count, frontCode, heldReason, instantText, rowId, sha256Hex } from './primitives.ts';

/** The schema version of manifests; other files of a tree have `TREE_SCHEMA`. */
export const MANIFEST_SCHEMA = 2;

/** What errors take out of a front's documents (render/left-out.ts). */
export const leftOutSchema = z.strictObject({
  /** Products without a card because of an error. */
  products: count,
  /** Sessions that other products lack. */
  sessions: count,
  /** Published products that are left out or lack a session, and all that the front lists. */
  affected: count,
  published: count,
  /** The first hundred left-out products and sessions, each with the code of a finding. */
  rows: z
    .array(z.strictObject({ product: z.int(), session: rowId.nullable().optional(), code: z.string() }))
    .readonly(),
});

/** The prices of an edition's cards (render/edition-prices.ts). */
export const priceSummarySchema = z.strictObject({
  /** Cards with a price, free ones included. */
  count,
  /** Least, lower quartile, median, upper quartile, greatest, by nearest rank; empty without any. */
  prices: z.array(z.number()).readonly(),
});

export const manifestFrontSchema = z.strictObject({
  front: frontCode,
  /** Why the front kept the pointer of an earlier build; null if it is not held. */
  held: heldReason.nullable(),
  /**
   * The pointer verbatim, so that a rollback can restore it. A held front that was never published
   * is not listed. If `held` is null and the pointer is older than the release, the build kept it
   * because a new one would have said the same.
   */
  pointer: pointerSchema,
  /** The front's weekend as ISO weekday digits, which `verify` needs; null if no longer known. */
  weekendDays: z
    .string()
    .regex(/^[1-7]{1,6}$/)
    .nullable(),
  /**
   * The currency of the prices in the front's documents (ISO 4217); left out if no longer known.
   */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
  /** The last instant for which a held front was found right, if later than its pointer's `now`. */
  asOf: instantText.optional(),
  /**
   * Cards at the release's `now`; for a held front, at the last instant for which it was found
   * right.
   */
  cards: count,
  editions: z.strictObject({ products: count, categories: count }),
  /**
   * Cards of each products edition, in the pointer's order. The shrink guard of the next build
   * compares with these.
   */
  cardsByEdition: z.array(count),
  /** The prices of the cards of each products edition, likewise; left out if not known. */
  prices: z.array(priceSummarySchema).readonly().optional(),
  /** Products without a card at the instant of `cards`, by reason. */
  dropped: z.partialRecord(z.enum(DROP_REASONS), count),
  /** What errors in rows take out of the documents at the same instant; left out if nothing. */
  leftOut: leftOutSchema.optional(),
  /** When a document of the front next changes; null if none does before validUntil. */
  nextChange: instantText.nullable(),
});

export const manifestFileSchema = z.strictObject({
  path: z.string(),
  bytes: count,
  sha256: sha256Hex,
  /**
   * A digest of everything that the file was made from. A build with the same recipe keeps the file
   * without rendering it. Left out for small files, and if not known.
   */
  recipe: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
});

/** The fronts' listings, by code. */
export const manifestFrontsSchema = z.array(manifestFrontSchema);
/** Every edition that the pointers name, by path. */
export const manifestFilesSchema = z.array(manifestFileSchema);

/** The first digits of a part's SHA-256, which are in its name. */
const partDigest = z.string().regex(/^[0-9a-f]{16}$/);

/** Guards that tripped and were let pass, because a flag said so; by code. */
export const allowedSchema = z.array(
  z.strictObject({
    code: z.union([heldReason, z.enum(ALLOWABLE_GUARDS)]),
    /** The fronts concerned, sorted; null for the release as a whole. */
    fronts: z.array(frontCode).nullable(),
  }),
);

export const manifestSchema = z.strictObject({
  schema: z.literal(MANIFEST_SCHEMA),
  /** Version of the tool that built the release. */
  tool: z.string(),
  now: instantText,
  horizonSeconds: count,
  /** Version of the time-zone rules. */
  tzdata: z.string(),
  /** The encodings in which the build wrote copies of new editions; sorted. */
  precompress: z.array(z.enum(['br', 'gzip'])),
  allowed: allowedSchema,
  /** The tables and columns of the first contract that the catalogue lacked; left out if it had all. */
  absent: z.array(z.string()).readonly().optional(),
  /** Of what came after the first contract, the tables and columns in which a row says something. */
  uses: z.array(z.string()).readonly().optional(),
  fronts: partDigest,
  files: partDigest,
});

/** The manifest itself, without its parts. */
export type ManifestHead = z.infer<typeof manifestSchema>;

export type Allowed = z.infer<typeof allowedSchema>;
export type ManifestFront = z.infer<typeof manifestFrontSchema>;
export type ManifestFile = z.infer<typeof manifestFileSchema>;

/** A manifest with its parts. */
export interface Manifest extends Omit<ManifestHead, 'fronts' | 'files'> {
  readonly fronts: readonly ManifestFront[];
  readonly files: readonly ManifestFile[];
}
