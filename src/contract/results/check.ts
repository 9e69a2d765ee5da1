// What `verify` and `check-db` print with --json.

import * as z from 'zod';
import { count } from '../primitives.ts';
import { findingSchema } from './parts.ts';

/** `verify` and `check-db`. */
export const findingsResultSchema = z.strictObject({
  /** How many of each kind were checked. */
  checked: z.record(z.string(), count),
  /** `check-db`: the tables (`tags`) and columns (`sessions.paused`) that the catalogue lacks, and may. */
  absent: z.array(z.string()).readonly().optional(),
  errors: count,
  warnings: count,
  findings: z.array(findingSchema),
});

export type FindingsResultJson = z.infer<typeof findingsResultSchema>;
