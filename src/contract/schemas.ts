// Every schema that other programs may rely on. `openapi --schemas` writes them as JSON Schema
// 2020-12. A test checks that every command with --json is listed.

import * as z from 'zod';
import { configInitResultSchema, configResultSchema } from './results/config.ts';
import { diffResultSchema, forecastResultSchema } from './results/diff.ts';
import { categoriesDocumentSchema, productsDocumentSchema } from './documents.ts';
import { edgeCheckResultSchema } from './results/edge.ts';
import { explainResultSchema } from './results/explain.ts';
import { failureNoticeSchema } from './failure-notice.ts';
import { keyRingSchema } from './key-ring.ts';
import { logMessageSchema } from './log-message.ts';
import { manifestFilesSchema, manifestFrontsSchema, manifestSchema } from './manifest.ts';
import { pointerSchema } from './pointer.ts';
import { problemSchema } from './problem.ts';
import { count, instantText } from './primitives.ts';
import { publishNoticeSchema } from './publish-notice.ts';
import {
  notifyResultSchema,
  pruneResultSchema,
  releasesResultSchema,
  rollbackResultSchema,
} from './results/history.ts';
import { buildResultSchema } from './results/build.ts';
import { findingsResultSchema } from './results/check.ts';
import { mirrorResultSchema, rowsResultSchema } from './results/import.ts';
import { issuedKeySchema, keysResultSchema } from './results/keys.ts';
import { errorResultSchema, keysGuardSchema } from './results/parts.ts';
import { previewExportSchema, previewResultSchema } from './results/preview.ts';
import { shardSummarySchema } from './run.ts';
import { nextResultSchema, statusResultSchema } from './results/status.ts';

const writtenFiles = z.array(z.strictObject({ path: z.string(), bytes: count }));

/** One line of the access log. */
const accessLogSchema = z.strictObject({
  at: instantText,
  method: z.string(),
  target: z.string(),
  /** X-Front as received; null if there was none, or more than one. */
  front: z.string().nullable(),
  status: z.int(),
  /** The code of a refusal; null if the request was served. */
  reason: z.string().nullable(),
  durationMs: z.number().min(0),
});

/** The files of a tree, the bodies of responses, and what hooks get; a line of stderr with --log-format json. */
const FILES: Readonly<Record<string, z.ZodType>> = {
  products: productsDocumentSchema,
  categories: categoriesDocumentSchema,
  problem: problemSchema,
  pointer: pointerSchema,
  manifest: manifestSchema,
  'manifest-fronts': manifestFrontsSchema,
  'manifest-files': manifestFilesSchema,
  'key-ring': keyRingSchema,
  'publish-notice': publishNoticeSchema,
  'failure-notice': failureNoticeSchema,
  'log-message': logMessageSchema,
};

/**
 * What each command prints with --json. `any-error` is what any of them prints if it ends with an
 * error.
 */
export const RESULTS: Readonly<Record<string, z.ZodType>> = {
  build: z.union([buildResultSchema, shardSummarySchema]),
  finish: buildResultSchema,
  snapshot: z.strictObject({ snapshot: z.string() }),
  verify: findingsResultSchema,
  show: z.union([productsDocumentSchema, categoriesDocumentSchema]),
  diff: z.union([diffResultSchema, forecastResultSchema]),
  explain: explainResultSchema,
  next: nextResultSchema,
  status: statusResultSchema,
  releases: releasesResultSchema,
  rollback: rollbackResultSchema,
  notify: notifyResultSchema,
  prune: pruneResultSchema,
  'check-db': findingsResultSchema,
  import: z.union([rowsResultSchema, mirrorResultSchema]),
  /** One line of the output, in the form that `import` reads. */
  export: z.strictObject({
    table: z.string(),
    row: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
  }),
  'keys issue': issuedKeySchema,
  'keys list': keysResultSchema,
  'keys revoke': z.strictObject({ keyid: z.string(), revokedAt: instantText, guards: z.array(keysGuardSchema) }),
  config: configResultSchema,
  'config init': configInitResultSchema,
  sign: z.strictObject({ 'X-Front': z.string(), 'Signature-Input': z.string(), Signature: z.string() }),
  serve: accessLogSchema,
  preview: z.union([previewResultSchema, previewExportSchema]),
  'edge build': z.strictObject({ target: z.string(), files: writtenFiles }),
  'edge check': edgeCheckResultSchema,
  openapi: z.union([z.strictObject({ files: writtenFiles }), z.looseObject({ openapi: z.literal('3.1.0') })]),
  'any-error': errorResultSchema,
};

/** Before the name of a schema, its `$id`. */
export const SCHEMA_ID = 'urn:playbill:schema:';

/** One file for each schema; `settings` is that of playbill.json. */
export function schemaFiles(settings: z.ZodType): readonly (readonly [name: string, text: string])[] {
  const file = (name: string, title: string, schema: z.ZodType): readonly [string, string] => {
    const { $schema, ...rest } = z.toJSONSchema(schema, {
      // JSON Schema has no format base64; pattern and contentEncoding say the same.
      override: ({ jsonSchema }) => {
        if (jsonSchema.format === 'base64') delete jsonSchema.format;
      },
    });
    return [`${name}.schema.json`, `${JSON.stringify({ $schema, $id: SCHEMA_ID + name, title, ...rest }, null, 2)}\n`];
  };
  return [
    ...Object.entries(FILES).map(([name, schema]) => file(name, name, schema)),
    file('playbill', 'playbill.json', settings),
    ...Object.entries(RESULTS).map(([command, schema]) =>
      file(`result.${command.replace(' ', '-')}`, `playbill ${command} --json`, schema),
    ),
  ];
}
