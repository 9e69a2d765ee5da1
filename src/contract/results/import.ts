// What `import` prints with --json.

import * as z from 'zod';
import { count } from '../primitives.ts';
import { guardSchema } from './parts.ts';

/** `import`: rows by table. */
export const rowsResultSchema = z.strictObject({
  rows: z.record(z.string(), count),
  rowsTotal: count,
});

const rowChangesSchema = z.strictObject({ inserted: count, updated: count, deleted: count, unchanged: count });

/** `import --mirror`: what happened to the rows of each table that has or had any. */
export const mirrorResultSchema = z.strictObject({
  tables: z.record(z.string(), rowChangesSchema),
  total: rowChangesSchema,
  /**
   * The number of rows in `front_keys`, which stay and are not counted above if the input has none
   * of that table.
   */
  keysLeftAlone: count,
  /** Tables that lost more than `--max-shrink` allows, which a flag let pass. */
  guards: z.array(guardSchema).readonly(),
});

export type RowsResultJson = z.infer<typeof rowsResultSchema>;
export type RowChanges = z.infer<typeof rowChangesSchema>;
export type MirrorResultJson = z.infer<typeof mirrorResultSchema>;
