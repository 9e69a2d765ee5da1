// A line of stderr under `--log-format json`.

import * as z from 'zod';

export const logMessageSchema = z.strictObject({
  /** By the clock of the machine, in UTC with milliseconds. */
  at: z.iso.datetime({ precision: 3 }),
  /** `info` says what a command does; `note` that it does something else than one may think. */
  level: z.enum(['error', 'warning', 'note', 'info']),
  code: z.string().optional(),
  /** The row or file concerned: `sessions 17`. */
  place: z.string().optional(),
  message: z.string(),
  /** Further lines. */
  details: z.array(z.string()).optional(),
  /** What to do; it may have several lines. */
  hint: z.string().optional(),
});

export type LogMessage = z.infer<typeof logMessageSchema>;
