// Encodes and parses the small files of a tree: pointer, key ring, `current`, hold and the files of
// sharded runs. Manifests are manifest.ts.

import type * as z from 'zod';
import type { FindingCode } from '../../findings.ts';
import { keyRingSchema, type KeyRing } from '../../contract/key-ring.ts';
import { HEAD, LINE_WIDTH, TAIL } from '../../contract/key-ring-layout.ts';
import { entryOf, INSTANT_WIDTH } from '../../contract/pointer-entry.ts';
import { pointerSchema, type Pointer } from '../../contract/pointer.ts';
import { TREE_SCHEMA } from '../../contract/primitives.ts';
import { parseRelease, type Release } from '../../contract/release-name.ts';
import { runSettingsSchema, shardResultSchema } from '../../contract/run.ts';
import { AppError } from '../../errors.ts';
import { editionPath, ENDPOINTS } from '../../render/paths.ts';
import { damaged, found, type Failure, type Found } from './found.ts';

/** Canonical JSON: one line with a final newline, keys in the order of snapshot.md. */
export function pointerText(pointer: Pointer): string {
  const { schema, front, now, validUntil, today, timezone, dayStartsAt, products, categories } = pointer;
  return `${JSON.stringify({ schema, front, now, validUntil, today, timezone, dayStartsAt, products, categories })}\n`;
}

/**
 * JSON in ASCII with one line per key, ordered by keyid. Lines are padded to the same width, and so
 * are the members that every key has: an edge finds a key by binary search, and its members by
 * position (edge/rule/key-ring-text.ts).
 */
export function keyRingText(ring: KeyRing): string {
  const keys = Object.entries(ring.keys).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const keyidWidth = widthOf(keys.map(([keyid]) => keyid));
  const frontWidth = widthOf(keys.map(([, { front }]) => front));
  const lines = keys.map(([keyid, { front, notBefore, notAfter, revokedAt, alg, ...material }], i) => {
    const [from, until, revoked] = [notBefore, notAfter, revokedAt].map((at) => padded(at, INSTANT_WIDTH + 2));
    const facts = `"front":${padded(front, frontWidth)},"notBefore":${from},"notAfter":${until},"revokedAt":${revoked}`;
    const common = `${padded(keyid, keyidWidth)}:{${facts},"alg":${padded(alg, ALGORITHM_WIDTH)},`;
    const line = `${common}${asciiJson(material).slice(1)}${i < keys.length - 1 ? ',' : ''}`;
    // An edge looks for the name of a secret in the first half of the line.
    return { line, width: Math.max(line.length + 1, 2 * ('secretRef' in material ? line : common).length) };
  });
  const width = LINE_WIDTH * Math.ceil(Math.max(...lines.map((line) => line.width)) / LINE_WIDTH);
  return `${HEAD}${lines.map(({ line }) => `${line.padEnd(width - 1)}\n`).join('')}${TAIL}`;
}

/** The width of the longest quoted algorithm name. */
const ALGORITHM_WIDTH = 19;

function widthOf(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => asciiJson(text).length));
}

function padded(value: string | null, width: number): string {
  return asciiJson(value).padEnd(width);
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Parses JSON of a schema; `newest` is its version, if it has any. */
export const parserOf =
  <T>(schema: z.ZodType<T>, newest: number) =>
  (bytes: Uint8Array, path: string): Found<T> =>
    parseFile(bytes, path, schema, newest);

/**
 * The same for large files, of a schema that fills in nothing: returns the JSON itself. A schema's
 * copy of it takes up to three times the memory, since its arrays grow element by element.
 */
export const checkerOf =
  <T>(schema: z.ZodType<T, T>, newest: number) =>
  (bytes: Uint8Array, path: string): Found<T> =>
    parseFile(bytes, path, schema, newest, (json) => json as T);

export const parsePointer = parserOf(pointerSchema, TREE_SCHEMA);
export const parseKeyRing = parserOf(keyRingSchema, TREE_SCHEMA);
export const parseRunSettings = parserOf(runSettingsSchema, TREE_SCHEMA);
export const parseShardResult = parserOf(shardResultSchema, TREE_SCHEMA);

/** Parses the name of a release in `releases/current`, or the id that earlier versions wrote. */
export function parseReleaseName(bytes: Uint8Array, path: string): Found<Release> {
  const release = parseRelease(new TextDecoder().decode(bytes).replace(/\n$/, ''));
  return release === undefined ? damaged(path, 'expected the name of a release') : found(release);
}

/** The finding code for a damaged file of each kind. */
export const PROBLEM_CODE = {
  pointer: 'pointer-invalid',
  manifest: 'manifest-invalid',
  current: 'current-invalid',
  'key-ring': 'key-ring-invalid',
} as const satisfies Record<string, FindingCode>;

/** The finding code for a file of which this was read. */
export function problemCode(kind: keyof typeof PROBLEM_CODE, { why }: Failure): FindingCode {
  return why === 'older' ? 'manifest-older' : PROBLEM_CODE[kind];
}

export function parseJson(bytes: Uint8Array, path: string): Found<unknown> {
  try {
    return found(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)));
  } catch {
    return damaged(path, `expected UTF-8 JSON, found ${bytes.length} bytes that are not`);
  }
}

/** @throws AppError tree-newer-schema: an older tool must neither change nor judge a newer tree */
function parseFile<T>(
  bytes: Uint8Array,
  path: string,
  schema: z.ZodType<T>,
  newest: number,
  valueOf = (_json: unknown, parsed: T) => parsed,
): Found<T> {
  const json = parseJson(bytes, path);
  if (!json.ok) return json;
  const version: unknown = (json.value as { readonly schema?: unknown } | null)?.schema;
  if (typeof version === 'number' && version > newest) {
    throw new AppError(
      'tree-newer-schema',
      `expected schema ${newest} in ${path}, found ${version}: a newer Playbill wrote this tree`,
      'use that version, or another folder with --out',
    );
  }
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return found(valueOf(json.value, parsed.data));
  const [issue] = parsed.error.issues;
  return damaged(path, issue === undefined ? 'invalid' : `${issue.path.join('.')}: ${issue.message}`);
}

/** Whether the bytes are exactly the text in UTF-8. */
export function isSameText(text: string, bytes: Uint8Array): boolean {
  return Buffer.compare(Buffer.from(text), bytes) === 0;
}

/** The paths of all editions that a pointer names, with duplicates. */
export function editionPathsOf(pointer: Pointer): string[] {
  return ENDPOINTS.flatMap((endpoint) =>
    pointer[endpoint].map((entry) => editionPath(pointer.front, endpoint, entryOf(entry).digest)),
  );
}
