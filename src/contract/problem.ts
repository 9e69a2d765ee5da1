// The body of an edge rule's refusal: a problem document (RFC 9457). edge/rule/refusal-codes.ts has
// the codes.

import * as z from 'zod';

export const problemSchema = z
  .strictObject({
    type: z
      .string()
      .regex(/^urn:playbill:[a-z-]+$/)
      .meta({ description: 'urn:playbill: and the code' }),
    title: z.string().meta({ description: 'The code as text' }),
    status: z.int().min(400).max(599).meta({ description: 'The status of the answer' }),
    code: z
      .string()
      .regex(/^[a-z-]+$/)
      .meta({ description: 'Stable: what a client matches on' }),
  })
  .meta({ id: 'Problem', description: 'A refusal (RFC 9457). It reveals nothing about fronts, keys or files' });
