// The files of a sharded run (scale.md) below `runs/`: the settings that all its shards share,
// written by the first one to begin, and the result of each shard. What is published of them has no
// wall-clock time.

import * as z from 'zod';
import { ALLOWABLE_GUARDS } from './allowable-guards.ts';
import { manifestFileSchema, manifestFrontSchema } from './manifest.ts';
import { count, frontCode, heldReason, instantText, TREE_SCHEMA } from './primitives.ts';
import {
  filesAndBytes,
  findingSchema,
  guardSchema,
  holdSchema,
  keysGuardSchema,
  planEntrySchema,
  requestsSchema,
} from './results/parts.ts';

/** `run.json`: the settings that must be the same for every shard of a run. */
export const runSettingsSchema = z.strictObject({
  schema: z.literal(TREE_SCHEMA),
  run: z.string(),
  /** The number of shards. */
  shards: z.int().min(1),
  now: instantText,
  /** The host of the shard that began the run, and when: for messages alone. Earlier versions wrote none. */
  begun: z.string().default('by an earlier version'),
  horizonSeconds: count,
  /** Version of the tool. */
  tool: z.string(),
  /** Version of the time-zone rules. */
  tzdata: z.string(),
  precompress: z.array(z.enum(['gzip', 'br'])).readonly(),
  guards: z.strictObject({
    maxShrink: z.number().min(0).max(1),
    maxBad: z.number().min(0).max(1),
    allow: z.array(z.enum(ALLOWABLE_GUARDS)).readonly(),
    force: z.boolean(),
  }),
});

const shardFrontSchema = z.strictObject({
  code: frontCode,
  /** Needed by `finish`, which checks the guards again. */
  minCards: z.int(),
  held: heldReason.nullable(),
  guards: z.array(guardSchema).readonly(),
  listing: manifestFrontSchema.nullable(),
  files: z.array(manifestFileSchema).readonly(),
  plan: z.array(planEntrySchema).readonly(),
  findings: z.array(findingSchema).readonly(),
});

/** `shard-<index>.json`: the results of one shard's fronts. */
export const shardResultSchema = z.strictObject({
  settings: runSettingsSchema,
  /** The shard's index, from 0. */
  shard: count,
  /**
   * The state of the catalogue it was rendered from. Results of different states are never
   * published together.
   */
  state: z.string(),
  /** What concerns the catalogue as a whole: the same in every shard. */
  catalogue: z.strictObject({
    /** Which shard renders a front, by code. */
    shardOf: z.record(frontCode, count),
    /** Fronts that no shard renders, and why. */
    held: z.record(frontCode, heldReason),
    removalGuard: heldReason.nullable(),
    disabledCodes: z.array(z.string()),
    isEveryFrontKnown: z.boolean(),
    /** What the catalogue lacks of the contract, and may lack. */
    absent: z.array(z.string()).readonly(),
    findings: z.array(findingSchema),
    findingsTotal: count,
  }),
  /** Tables and columns in which a row says something, of the rows that the shard has read. */
  uses: z.array(z.string()).readonly().default([]),
  /** What is wrong with products of its fronts, unless a shard before it reports that. */
  findings: z.array(findingSchema).default([]),
  findingsTotal: count.default(0),
  /** The guards on the key ring, which each shard publishes. */
  keyGuards: z.array(keysGuardSchema).readonly(),
  fronts: z.array(shardFrontSchema),
});

/** `build --shard`. */
export const shardSummarySchema = z.strictObject({
  run: z.string(),
  shard: count,
  shards: count,
  now: instantText,
  /** The rollback that holds the tree, so that nothing was rendered; null if there is none. */
  hold: holdSchema.nullable(),
  /**
   * Whether an earlier start of this shard had left a result already. The earlier result counts.
   */
  isRepeated: z.boolean(),
  /** The number of fronts in this shard, and how many of them are held back. */
  fronts: count,
  held: count,
  /** Guards on the key ring; `finish` reports them again. */
  guards: z.array(keysGuardSchema).readonly(),
  put: filesAndBytes,
  kept: filesAndBytes,
  /** Present only if the run writes into a bucket. */
  requests: requestsSchema.optional(),
});

export type RunSettings = z.infer<typeof runSettingsSchema>;
export type ShardResult = z.infer<typeof shardResultSchema>;
export type ShardFront = z.infer<typeof shardFrontSchema>;
export type ShardSummaryJson = z.infer<typeof shardSummarySchema>;
