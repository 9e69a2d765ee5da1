// Pointer, manifest, key ring and `current` as bytes and back: the one place where they are written out and parsed.

import type * as z from 'zod';
import type { FindingCode } from '../../findings.ts';
import { keyRingSchema, type KeyRing } from '../../contract/key-ring.ts';
import {
  manifestFilesSchema,
  manifestHeadSchema,
  manifestSchema,
  type Manifest,
  type ManifestFiles,
  type ManifestHead,
} from '../../contract/manifest.ts';
import { pointerSchema, type Pointer } from '../../contract/pointer.ts';
import { releaseId, TREE_SCHEMA } from '../../contract/primitives.ts';
import { AppError } from '../../errors.ts';
import { editionPath, ENDPOINTS } from '../../render/paths.ts';
import { damaged, found, type Found } from './found.ts';

/** Canonical JSON on one line, keys in the order of snapshot.md, one final newline. */
export function pointerText(pointer: Pointer): string {
  const { schema, front, now, validUntil, today, timezone, products, categories } = pointer;
  return `${JSON.stringify({ schema, front, now, validUntil, today, timezone, products, categories })}\n`;
}

/** JSON with one line per front and per file, so that two releases can be compared by eye. */
export function manifestText(manifest: Manifest): string {
  const { fronts, files, ...head } = manifest;
  const lines = (elements: readonly unknown[]): string =>
    elements.length === 0 ? '[]' : `[\n${elements.map((element) => JSON.stringify(element)).join(',\n')}\n]`;
  return `${JSON.stringify(head).slice(0, -1)},"fronts":${lines(fronts)},"files":${lines(files)}}\n`;
}

/**
 * JSON with a line for each key, in the order of keyids. Blanks give the members that every key has, and the lines, one width, and nothing is
 * beyond ASCII: an edge finds a key by halves, and its members by their places (edge/rule/key-ring-text.ts).
 */
export function keyRingText(ring: KeyRing): string {
  const keys = Object.entries(ring.keys).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const keyidWidth = widthOf(keys.map(([keyid]) => keyid));
  const frontWidth = widthOf(keys.map(([, { front }]) => front));
  const lines = keys.map(([keyid, { front, notBefore, notAfter, revokedAt, alg, ...material }], i) => {
    const [from, until, revoked] = [notBefore, notAfter, revokedAt].map((at) => padded(at, INSTANT_WIDTH));
    const facts = `"front":${padded(front, frontWidth)},"notBefore":${from},"notAfter":${until},"revokedAt":${revoked}`;
    const common = `${padded(keyid, keyidWidth)}:{${facts},"alg":${padded(alg, ALGORITHM_WIDTH)},`;
    const line = `${common}${asciiJson(material).slice(1)}${i < keys.length - 1 ? ',' : ''}`;
    // An edge looks for the name of a secret in the first half.
    return { line, width: Math.max(line.length + 1, 2 * ('secretRef' in material ? line : common).length) };
  });
  const width = LINE_WIDTH * Math.ceil(Math.max(...lines.map((line) => line.width)) / LINE_WIDTH);
  return `{"schema":${ring.schema},"keys":{\n${lines.map(({ line }) => `${line.padEnd(width - 1)}\n`).join('')}}}\n`;
}

/** Lines have a multiple of this width, the newline included. */
const LINE_WIDTH = 512;
/** Of an instant, and of the longest name of an algorithm. */
const INSTANT_WIDTH = 22;
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

export function parsePointer(bytes: Uint8Array, path: string): Found<Pointer> {
  return parseFile(bytes, path, pointerSchema);
}

export function parseManifest(bytes: Uint8Array, path: string): Found<Manifest> {
  return parseFile(bytes, path, manifestSchema);
}

/** What a manifest says before its fronts and files, from its first line alone: those of a large release take long to parse. */
export function parseManifestHead(bytes: Uint8Array, path: string): Found<ManifestHead> {
  const lineEnd = bytes.indexOf(10);
  const line = new TextDecoder().decode(bytes.subarray(0, lineEnd === -1 ? bytes.length : lineEnd));
  const head = `${line.slice(0, Math.max(0, line.indexOf(',"fronts":')))}}`;
  return parseFile(new TextEncoder().encode(head), path, manifestHeadSchema);
}

/** The files that a manifest lists, and nothing else of it: half the work of parsing it. For bytes that bear the digest of their name. */
export function parseManifestFiles(bytes: Uint8Array, path: string): Found<ManifestFiles> {
  return parseFile(bytes, path, manifestFilesSchema);
}

export function parseKeyRing(bytes: Uint8Array, path: string): Found<KeyRing> {
  return parseFile(bytes, path, keyRingSchema);
}

/** The release id that `releases/current` or `releases/hold` holds. */
export function parseReleaseId(bytes: Uint8Array, path: string): Found<string> {
  const parsed = releaseId.safeParse(new TextDecoder().decode(bytes).replace(/\n$/, ''));
  return parsed.success ? found(parsed.data) : damaged(path, 'expected a release id of 16 hex digits');
}

/** What is wrong with each kind of file, as a finding's code. */
export const PROBLEM_CODE = {
  pointer: 'pointer-invalid',
  manifest: 'manifest-invalid',
  current: 'current-invalid',
  'key-ring': 'key-ring-invalid',
} as const satisfies Record<string, FindingCode>;

/** JSON in UTF-8. */
export function parseJson(bytes: Uint8Array, path: string): Found<unknown> {
  try {
    return found(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)));
  } catch {
    return damaged(path, `expected UTF-8 JSON, found ${bytes.length} bytes that are not`);
  }
}

/** @throws AppError tree-newer-schema: an older tool must not touch, or judge, a newer tree. */
export function parseFile<T>(bytes: Uint8Array, path: string, schema: z.ZodType<T>): Found<T> {
  const json = parseJson(bytes, path);
  if (!json.ok) return json;
  const version: unknown = (json.value as { readonly schema?: unknown } | null)?.schema;
  if (typeof version === 'number' && version > TREE_SCHEMA) {
    throw new AppError(
      'tree-newer-schema',
      `expected schema ${TREE_SCHEMA} in ${path}, found ${version}: a newer Playbill has written this tree`,
      'use that version, or another folder with --out',
    );
  }
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return found(parsed.data);
  const [issue] = parsed.error.issues;
  return damaged(path, issue === undefined ? 'invalid' : `${issue.path.join('.')}: ${issue.message}`);
}

/** Whether bytes are exactly the UTF-8 of a text. */
export function isSameText(text: string, bytes: Uint8Array): boolean {
  return Buffer.compare(Buffer.from(text), bytes) === 0;
}

/** Where an entry of a pointer begins, and the digest that it names. */
export function entryOf(entry: string): { readonly from: string; readonly digest: string } {
  return { from: entry.slice(0, 20), digest: entry.slice(21) };
}

/** The paths of all editions that a pointer names, each as often as it is named. */
export function editionPathsOf(pointer: Pointer): string[] {
  return ENDPOINTS.flatMap((endpoint) =>
    pointer[endpoint].map((entry) => editionPath(pointer.front, endpoint, entryOf(entry).digest)),
  );
}
