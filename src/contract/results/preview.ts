// What `preview` prints with --json.

import * as z from 'zod';

/** `preview`, printed as soon as it listens. */
export const previewResultSchema = z.strictObject({ url: z.url() });
