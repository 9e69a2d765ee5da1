// What commands print under --json: one schema each, as stable as any other part of the contract.

import * as z from 'zod';
import { plannedDiffSchema } from './diff-results.ts';
import { DROP_CODES, HOLD_CODES } from './manifest.ts';
import { count, frontCode, instantText, releaseId } from './primitives.ts';

export const filesAndBytes = z.strictObject({ files: count, bytes: count });

export const findingSchema = z.strictObject({
  severity: z.enum(['error', 'warning']),
  code: z.string(),
  /** A table and key, or a path of the tree. */
  place: z.string(),
  message: z.string(),
  /** The column that is meant, where there is one. */
  column: z.string().optional(),
  /** What to type, where that is clear. */
  hint: z.string().optional(),
});

/** The release that a rollback holds the tree at; its id is null where `releases/hold` is damaged. */
export const holdSchema = z.strictObject({ release: releaseId.nullable() });

export const prunedSchema = z.strictObject({ releases: count, files: count, bytes: count });

/** What a run asked of a bucket: its bill. */
export const requestsSchema = z.strictObject({
  puts: count,
  gets: count,
  lists: count,
  deletes: count,
  /** Requests that were made again; counted above as well. */
  retries: count,
  /** Bytes of the bodies that were sent. */
  bytesSent: count,
});

/** Any command that ends with an error. */
export const errorResultSchema = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    /** Further faults, where there are several. */
    details: z.array(z.string()),
    hint: z.string(),
  }),
});

/** What publishing does to a file, and why (product.md, Words). */
export const planEntrySchema = z.strictObject({
  action: z.enum(['put', 'keep', 'remove']),
  path: z.string(),
  bytes: count,
  reason: z.enum([
    /** No such file yet. */
    'new-content',
    /** The same bytes are published already. */
    'same-content',
    /** Likewise, and known before they were assembled: what they would be made of is the same. */
    'same-recipe',
    /** A damaged file, replaced under --force. */
    'repaired',
    /** Key ring, manifest or current with other bytes than before. */
    'changed-content',
    'new-pointer',
    'pointer-moves',
    /** The front is no longer in the catalogue, or disabled; or the release that becomes current does not have it. */
    'front-gone',
    /** The manifest of a release that is not kept any longer. */
    'not-kept',
    /** An edition that no pointer and no kept release names. */
    'not-named',
    /** A file of a run of shards that is over. */
    'run-over',
  ]),
});

/** A guard that a front trips; one that is overridden does not hold it. */
export const guardSchema = z.strictObject({ code: z.enum(HOLD_CODES), message: z.string(), isOverridden: z.boolean() });

/** What went wrong after the publish, which stands. */
export const publishWarningsSchema = z.array(
  z.strictObject({ code: z.literal('on-publish-failed'), message: z.string() }),
);

/** `build`. */
export const buildResultSchema = z.strictObject({
  /** null where nothing has ever been published. */
  release: releaseId.nullable(),
  /** The rollback that holds the tree: then nothing was published, whatever `fronts` has. null where none does. */
  hold: holdSchema.nullable(),
  now: instantText,
  horizonSeconds: count,
  isDryRun: z.boolean(),
  fronts: z.array(
    z.strictObject({
      front: frontCode,
      /** Why the old snapshot stays; null where the new one is published. */
      held: z.enum(HOLD_CODES).nullable(),
      /** The front's snapshot after the build; null where there is none. */
      snapshot: z
        .strictObject({
          cards: count,
          dropped: z.partialRecord(z.enum(DROP_CODES), count),
          editions: z.strictObject({ products: count, categories: count }),
          nextChange: instantText.nullable(),
          validUntil: instantText,
        })
        .nullable(),
      put: filesAndBytes,
      kept: filesAndBytes,
      guards: z.array(guardSchema).readonly(),
    }),
  ),
  put: filesAndBytes,
  kept: filesAndBytes,
  removed: filesAndBytes,
  /** Of what was removed: manifests of releases that are no longer kept, and editions that no release names. */
  pruned: prunedSchema,
  /** What happens to every file, and why; only of a dry run. */
  plan: z.array(planEntrySchema).optional(),
  /** What publishing would change on each front; only of a dry run. */
  differences: plannedDiffSchema.optional(),
  /** Only of a run that writes into a bucket. */
  requests: requestsSchema.optional(),
  /** False where the code of some front cannot be read: that front is not built and not listed. */
  isEveryFrontKnown: z.boolean(),
  /** At most a thousand; the total counts all. */
  findings: z.array(findingSchema),
  findingsTotal: count,
  warnings: publishWarningsSchema,
});

/** `verify` and `check-db`. */
export const findingsResultSchema = z.strictObject({
  /** How many of each kind were checked. */
  checked: z.record(z.string(), count),
  errors: count,
  warnings: count,
  findings: z.array(findingSchema),
});

/** `import`: rows by table. */
export const rowsResultSchema = z.strictObject({
  rows: z.record(z.string(), count),
  rowsTotal: count,
});

const rowChangesSchema = z.strictObject({ inserted: count, updated: count, deleted: count, unchanged: count });

/** `import --mirror`: what became of the rows of each table that has or had any. */
export const mirrorResultSchema = z.strictObject({
  tables: z.record(z.string(), rowChangesSchema),
  total: rowChangesSchema,
  /** Rows of `front_keys`, where the input has none: they stay, and are not counted above. */
  keysLeftAlone: count,
});

/** `keys issue`, and what `sign --key` reads. The private key is printed this once. */
export const issuedKeySchema = z.strictObject({
  keyid: z.string(),
  front: frontCode,
  alg: z.enum(['ecdsa-p256-sha256', 'ed25519', 'hmac-sha256']),
  /** JWK with `d`; null for hmac. */
  privateKey: z
    .strictObject({ kty: z.string(), crv: z.string(), x: z.string(), y: z.string().optional(), d: z.string() })
    .nullable(),
  privatePem: z.string().nullable(),
  /** hmac: the name of the secret. */
  secretRef: z.string().nullable(),
});

/** `preview`, as soon as it listens. */
export const previewResultSchema = z.strictObject({ url: z.url() });

/** `keys list`. */
export const keysResultSchema = z.strictObject({
  keys: z.array(
    z.strictObject({
      keyid: z.string(),
      front: z.string(),
      alg: z.string(),
      secretRef: z.string().nullable(),
      notBefore: z.string().nullable(),
      notAfter: z.string().nullable(),
      revokedAt: z.string().nullable(),
      state: z.enum(['valid', 'not-yet-valid', 'expired', 'revoked']),
    }),
  ),
});

export type FindingJson = z.infer<typeof findingSchema>;
export type RequestsJson = z.infer<typeof requestsSchema>;
export type Hold = z.infer<typeof holdSchema>;
export type PlanEntry = z.infer<typeof planEntrySchema>;
export type Guard = z.infer<typeof guardSchema>;
export type IssuedKeyJson = z.infer<typeof issuedKeySchema>;
export type KeysResultJson = z.infer<typeof keysResultSchema>;
export type BuildResultJson = z.infer<typeof buildResultSchema>;
export type FindingsResultJson = z.infer<typeof findingsResultSchema>;
export type RowsResultJson = z.infer<typeof rowsResultSchema>;
export type RowChanges = z.infer<typeof rowChangesSchema>;
export type MirrorResultJson = z.infer<typeof mirrorResultSchema>;
