// What `config` and `config init` print with --json.

import * as z from 'zod';

/** `config`. */
export const configResultSchema = z.strictObject({
  /** The file that was read; null if there is none. */
  file: z.string().nullable(),
  /** Files that would have been read if that one were not there. */
  ignored: z.array(z.string()).readonly(),
  settings: z.array(
    z.strictObject({
      key: z.string(),
      flag: z.string(),
      /** As in the file, but without what may be secret; null without a default. */
      value: z.union([z.string(), z.array(z.string()), z.boolean()]).nullable(),
      /** `flag`, `default`, the name of an environment variable, or a file and a line. */
      source: z.string(),
    }),
  ),
});

/** `config init`. */
export const configInitResultSchema = z.strictObject({ file: z.string(), keys: z.array(z.string()) });

export type ConfigResultJson = z.infer<typeof configResultSchema>;
export type ConfigInitResultJson = z.infer<typeof configInitResultSchema>;
