// What `build --on-failure` and `finish --on-failure` send to the operator's command or URL.

import * as z from 'zod';
import { count, frontCode, heldReason, instantText } from './primitives.ts';

export const failureNoticeSchema = z.strictObject({
  schema: z.literal(1),
  command: z.enum(['build', 'finish']),
  /** When it failed, by the clock of the machine. */
  at: instantText,
  exitCode: count,
  /** What ended it; null if it came to its end, and only some fronts failed or are held back. */
  error: z
    .strictObject({ code: z.string(), message: z.string(), details: z.array(z.string()), hint: z.string() })
    .nullable(),
  /** Fronts that keep their snapshot, and why; not those that were not selected. */
  held: z.array(z.strictObject({ front: frontCode, reason: heldReason })),
});

export type FailureNotice = z.infer<typeof failureNoticeSchema>;
