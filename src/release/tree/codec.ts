// Encodes and parses the files of a tree: pointer, manifest, key ring, `current` and the files of
// sharded runs.

import type * as z from 'zod';
import type { FindingCode } from '../../findings.ts';
import { keyRingSchema, type KeyRing } from '../../contract/key-ring.ts';
import {
  manifestFilesSchema,
  manifestHeadSchema,
  manifestSchema,
  type Manifest,
  type ManifestHead,
} from '../../contract/manifest.ts';
import { HEAD, LINE_WIDTH, TAIL } from '../../contract/key-ring-layout.ts';
import { entryOf, INSTANT_WIDTH } from '../../contract/pointer-entry.ts';
import { pointerSchema, type Pointer } from '../../contract/pointer.ts';
import { releaseId, TREE_SCHEMA } from '../../contract/primitives.ts';
import { runSettingsSchema, shardResultSchema } from '../../contract/run.ts';
import { AppError } from '../../errors.ts';
import { editionPath, ENDPOINTS } from '../../render/paths.ts';
import { damaged, found, type Found } from './found.ts';

/** Canonical JSON: one line with a final newline, keys in the order of snapshot.md. */
export function pointerText(pointer: Pointer): string {
  const { schema, front, now, validUntil, today, timezone, products, categories } = pointer;
  return `${JSON.stringify({ schema, front, now, validUntil, today, timezone, products, categories })}\n`;
}

/** JSON with one line per front and per file, so that people can diff two manifests. */
export function manifestText(manifest: Manifest): string {
  const { fronts, files, ...head } = manifest;
  const lines = (elements: readonly unknown[]): string =>
    elements.length === 0 ? '[]' : `[\n${elements.map((element) => JSON.stringify(element)).join(',\n')}\n]`;
  return `${JSON.stringify(head).slice(0, -1)},"fronts":${lines(fronts)},"files":${lines(files)}}\n`;
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

const parserOf =
  <T>(schema: z.ZodType<T>) =>
  (bytes: Uint8Array, path: string): Found<T> =>
    parseFile(bytes, path, schema);

export const parsePointer = parserOf(pointerSchema);
export const parseManifest = parserOf(manifestSchema);
export const parseKeyRing = parserOf(keyRingSchema);
export const parseRunSettings = parserOf(runSettingsSchema);
export const parseShardResult = parserOf(shardResultSchema);
/**
 * Parses only the file list of a manifest, which takes half the time. The caller must check the
 * digest of the bytes.
 */
export const parseManifestFiles = parserOf(manifestFilesSchema);

/**
 * Parses only the first line of a manifest, before its fronts and files, which are slow to parse in
 * a large release.
 */
export function parseManifestHead(bytes: Uint8Array, path: string): Found<ManifestHead> {
  const lineEnd = bytes.indexOf(10);
  const line = new TextDecoder().decode(bytes.subarray(0, lineEnd === -1 ? bytes.length : lineEnd));
  const head = `${line.slice(0, Math.max(0, line.indexOf(',"fronts":')))}}`;
  return parseFile(new TextEncoder().encode(head), path, manifestHeadSchema);
}

/** Parses the release id in `releases/current` or `releases/hold`. */
export function parseReleaseId(bytes: Uint8Array, path: string): Found<string> {
  const parsed = releaseId.safeParse(new TextDecoder().decode(bytes).replace(/\n$/, ''));
  return parsed.success ? found(parsed.data) : damaged(path, 'expected a release id of 16 hex digits');
}

/** The finding code for a damaged file of each kind. */
export const PROBLEM_CODE = {
  pointer: 'pointer-invalid',
  manifest: 'manifest-invalid',
  current: 'current-invalid',
  'key-ring': 'key-ring-invalid',
} as const satisfies Record<string, FindingCode>;

export function parseJson(bytes: Uint8Array, path: string): Found<unknown> {
  try {
    return found(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)));
  } catch {
    return damaged(path, `expected UTF-8 JSON, found ${bytes.length} bytes that are not`);
  }
}

/** @throws AppError tree-newer-schema: an older tool must neither change nor judge a newer tree */
function parseFile<T>(bytes: Uint8Array, path: string, schema: z.ZodType<T>): Found<T> {
  const json = parseJson(bytes, path);
  if (!json.ok) return json;
  const version: unknown = (json.value as { readonly schema?: unknown } | null)?.schema;
  if (typeof version === 'number' && version > TREE_SCHEMA) {
    throw new AppError(
      'tree-newer-schema',
      `expected schema ${TREE_SCHEMA} in ${path}, found ${version}: a newer Playbill wrote this tree`,
      'use that version, or another folder with --out',
    );
  }
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return found(parsed.data);
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
