// What `verify` and `check-db` print with --json.

import * as z from 'zod';
import { count } from '../primitives.ts';
import { findingSchema } from './parts.ts';

/** `verify` and `check-db`. */
export const findingsResultSchema = z.strictObject({
  /** How many of each kind were checked. */
  checked: z.record(z.string(), count),
  errors: count,
  warnings: count,
  findings: z.array(findingSchema),
});

export type FindingsResultJson = z.infer<typeof findingsResultSchema>;
