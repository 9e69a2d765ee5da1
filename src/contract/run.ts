// The files of a run of shards (scale.md), below `runs/`: what all shards of the run have in common, written by the first to begin, and
// the result of each. No wall-clock value is in them.

import * as z from 'zod';
import { HOLD_CODES, manifestFileSchema, manifestFrontSchema } from './manifest.ts';
import { count, frontCode, instantText, TREE_SCHEMA } from './primitives.ts';
import { filesAndBytes, findingSchema, guardSchema, holdSchema, planEntrySchema, requestsSchema } from './results.ts';

/** `run.json`: what every shard must be started with alike, or the same catalogue would not give the same release. */
export const runSettingsSchema = z.strictObject({
  schema: z.literal(TREE_SCHEMA),
  run: z.string(),
  /** How many shards there are. */
  shards: z.int().min(1),
  now: instantText,
  horizonSeconds: count,
  /** Version of the tool. */
  tool: z.string(),
  /** Version of the time-zone rules. */
  tzdata: z.string(),
  precompress: z.array(z.enum(['gzip', 'br'])).readonly(),
  guards: z.strictObject({ maxShrink: z.number().min(0).max(1), allowShrink: z.boolean(), force: z.boolean() }),
});

const shardFrontSchema = z.strictObject({
  code: frontCode,
  /** What the guards need when they are asked once more, by `finish`. */
  minCards: z.int(),
  held: z.enum(HOLD_CODES).nullable(),
  guards: z.array(guardSchema).readonly(),
  listing: manifestFrontSchema.nullable(),
  files: z.array(manifestFileSchema).readonly(),
  plan: z.array(planEntrySchema).readonly(),
  findings: z.array(findingSchema).readonly(),
});

/** `shard-<index>.json`: what became of the fronts of one shard. */
export const shardResultSchema = z.strictObject({
  settings: runSettingsSchema,
  /** The index, from 0. */
  shard: count,
  /** Which state of the catalogue it was rendered from: results of two states are never published together. */
  state: z.string(),
  /** What follows from the catalogue as a whole. */
  catalogue: z.strictObject({
    /** By code, which shard renders a front. */
    shardOf: z.record(frontCode, count),
    /** Fronts that no shard renders, and why. */
    held: z.record(frontCode, z.enum(HOLD_CODES)),
    removalHold: z.enum(HOLD_CODES).nullable(),
    disabledCodes: z.array(z.string()),
    isEveryFrontKnown: z.boolean(),
    findings: z.array(findingSchema),
    findingsTotal: count,
  }),
  fronts: z.array(shardFrontSchema),
});

/** The names of its files alone. */
export const shardFilesSchema = z.object({
  fronts: z.array(z.object({ files: z.array(z.object({ path: z.string() })) })),
});

/** `build --shard`. */
export const shardSummarySchema = z.strictObject({
  run: z.string(),
  shard: count,
  shards: count,
  now: instantText,
  /** The rollback that holds the tree: then nothing was rendered. */
  hold: holdSchema.nullable(),
  /** Whether the result of this shard was there already, from an earlier start: that one counts. */
  isRepeated: z.boolean(),
  /** Fronts of this shard; and how many of them are held back. */
  fronts: count,
  held: count,
  put: filesAndBytes,
  kept: filesAndBytes,
  /** Only of a run that writes into a bucket. */
  requests: requestsSchema.optional(),
});

export type RunSettings = z.infer<typeof runSettingsSchema>;
export type ShardResult = z.infer<typeof shardResultSchema>;
export type ShardFront = z.infer<typeof shardFrontSchema>;
export type ShardSummaryJson = z.infer<typeof shardSummarySchema>;
