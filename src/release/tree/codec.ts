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

/** What a file of the tree turned out to be. */
export type Parsed<T> =
  | { readonly value: T; readonly problem: null }
  | { readonly value: null; readonly problem: string };

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

export function keyRingText(ring: KeyRing): string {
  return `${JSON.stringify(ring)}\n`;
}

export function parsePointer(bytes: Uint8Array, path: string): Parsed<Pointer> {
  return parseFile(bytes, path, pointerSchema);
}

export function parseManifest(bytes: Uint8Array, path: string): Parsed<Manifest> {
  return parseFile(bytes, path, manifestSchema);
}

/** What a manifest says before its fronts and files, from its first line alone: those of a large release take long to parse. */
export function parseManifestHead(bytes: Uint8Array, path: string): Parsed<ManifestHead> {
  const lineEnd = bytes.indexOf(10);
  const line = new TextDecoder().decode(bytes.subarray(0, lineEnd === -1 ? bytes.length : lineEnd));
  const head = `${line.slice(0, Math.max(0, line.indexOf(',"fronts":')))}}`;
  return parseFile(new TextEncoder().encode(head), path, manifestHeadSchema);
}

/** The files that a manifest lists, and nothing else of it: half the work of parsing it. For bytes that bear the digest of their name. */
export function parseManifestFiles(bytes: Uint8Array, path: string): Parsed<ManifestFiles> {
  return parseFile(bytes, path, manifestFilesSchema);
}

export function parseKeyRing(bytes: Uint8Array, path: string): Parsed<KeyRing> {
  return parseFile(bytes, path, keyRingSchema);
}

/** The release id in `releases/current`, or in `releases/hold`. */
export function parseCurrent(bytes: Uint8Array): Parsed<string> {
  const parsed = releaseId.safeParse(new TextDecoder().decode(bytes).replace(/\n$/, ''));
  return parsed.success
    ? { value: parsed.data, problem: null }
    : { value: null, problem: 'expected a release id of 16 hex digits' };
}

/** What is wrong with each kind of file, as a finding's code. */
export const PROBLEM_CODE = {
  pointer: 'pointer-invalid',
  manifest: 'manifest-invalid',
  current: 'current-invalid',
  'key-ring': 'key-ring-invalid',
} as const satisfies Record<string, FindingCode>;

/** @throws AppError tree-newer-schema: an older tool must not touch, or judge, a newer tree. */
function parseFile<T>(bytes: Uint8Array, path: string, schema: z.ZodType<T>): Parsed<T> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return { value: null, problem: `expected JSON in UTF-8, found ${bytes.length} bytes that are none` };
  }
  if (
    typeof json === 'object' &&
    json !== null &&
    'schema' in json &&
    typeof json.schema === 'number' &&
    json.schema > TREE_SCHEMA
  ) {
    throw new AppError(
      'tree-newer-schema',
      `expected schema ${TREE_SCHEMA} in ${path}, found ${json.schema}: a newer Playbill has written this tree`,
      'use that version, or another folder with --out',
    );
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data, problem: null };
  const [issue] = parsed.error.issues;
  return { value: null, problem: issue === undefined ? 'invalid' : `${issue.path.join('.')}: ${issue.message}` };
}
