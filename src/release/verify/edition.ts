// Checks one edition file: the digest in its name, the size and digest in manifests, the schema of
// its document, and its dates over the time it is in force. A precompressed sibling must unpack to
// its edition.

import { priceSummaryOf, type PriceSummary } from '../../render/edition-prices.ts';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type * as z from 'zod';
import { categoriesDocumentSchema, productsDocumentSchema } from '../../contract/documents.ts';
import { digestOf, pathOf, type TreeFile } from '../../render/paths.ts';
import { parseJson } from '../tree/codec.ts';
import { sha256Of } from '../tree/digest.ts';
import type { Compression } from '../tree/files.ts';
import { slotDateProblems } from './dates.ts';
import { summary, type FindingSink } from './finding-sink.ts';
import type { CheckedPointer } from './pointer.ts';
import type { ListedFile } from './releases.ts';

export type EditionFile = Extract<TreeFile, { readonly kind: 'edition' }>;

/** What is known about a front before its editions are read. */
export interface EditionContext {
  /**
   * null if the pointer is missing or damaged, so that it is not known which editions are in force
   * when.
   */
  readonly checked: CheckedPointer | null;
  /** ISO weekday digits; null if not known. */
  readonly weekendDays: string | null;
  readonly sink: FindingSink;
}

/** Facts about a front's editions, by path, to compare with each other and with manifests. */
export class EditionFacts {
  /** The size of each edition. */
  readonly bytes = new Map<string, number>();
  /** The number of its cards. */
  readonly cards = new Map<string, number>();
  /** Their prices. */
  readonly prices = new Map<string, PriceSummary>();
  /** Its categories, as text. */
  readonly categories = new Map<string, string>();
}

/** Checks only the size of an edition against manifests. */
export function checkSize(path: string, size: number, listed: readonly ListedFile[], sink: FindingSink): void {
  const wrong = listed.find(({ bytes }) => bytes !== size);
  if (wrong !== undefined) sink.error('file-size-wrong', path, `expected ${wrong.bytes} bytes, found ${size}`);
}

export function checkEdition(
  path: string,
  file: EditionFile,
  bytes: Uint8Array,
  listed: readonly ListedFile[],
  facts: EditionFacts,
  context: EditionContext,
): void {
  const { sink } = context;
  const sha256 = sha256Of(bytes);
  const digest = file.encoding === 'identity' ? sha256 : innerDigest(file, file.encoding, bytes, facts);
  // A sibling of a missing or damaged edition: there is a finding for the edition.
  if (digest === undefined) return;
  if (digestOf(digest) !== file.digest) {
    const [first] = listed;
    if (first !== undefined && first.bytes !== bytes.length) {
      sink.error('file-size-wrong', path, `expected ${first.bytes} bytes, found ${bytes.length}`);
      return;
    }
    const what = file.encoding === 'identity' ? 'a SHA-256 that begins with' : `${file.encoding} of edition`;
    sink.error('file-digest-wrong', path, `expected ${what} ${file.digest}, found SHA-256 ${sha256}`);
    return;
  }
  for (const { manifest, bytes: size, sha256: sum } of listed) {
    if (size === bytes.length && sum === sha256) continue;
    const message = `files: ${path}: lists ${size} bytes, SHA-256 ${sum}; found ${bytes.length}, ${sha256}`;
    sink.error('manifest-invalid', manifest, message);
  }
  if (file.encoding !== 'identity') return;
  facts.bytes.set(path, bytes.length);
  if (file.endpoint === 'products') checkProducts(path, bytes, facts, context);
  else {
    const document = checkSchema(bytes, path, categoriesDocumentSchema, sink);
    if (document !== null) facts.categories.set(path, JSON.stringify(document));
  }
}

/**
 * The path of the edition that a precompressed sibling belongs to, or its own if it is not
 * compressed.
 */
export function identityPathOf(file: EditionFile): string {
  return pathOf({ ...file, encoding: 'identity' });
}

/**
 * The digest of a sibling's unpacked content, '' if it cannot be unpacked; undefined if its edition
 * is missing or damaged.
 */
function innerDigest(
  file: EditionFile,
  compression: Compression,
  bytes: Uint8Array,
  facts: EditionFacts,
): string | undefined {
  const size = facts.bytes.get(identityPathOf(file));
  if (size === undefined) return undefined;
  // Limited, so that a hostile file does not unpack to gigabytes.
  const options = { maxOutputLength: Math.max(1, size) };
  try {
    return sha256Of(compression === 'gzip' ? gunzipSync(bytes, options) : brotliDecompressSync(bytes, options));
  } catch {
    return '';
  }
}

function checkProducts(path: string, bytes: Uint8Array, facts: EditionFacts, context: EditionContext): void {
  const { checked, weekendDays, sink } = context;
  const document = checkSchema(bytes, path, productsDocumentSchema, sink);
  if (document === null) return;
  facts.cards.set(path, document.productCards.length);
  const prices = document.productCards.flatMap(({ priceFrom }) => priceFrom ?? []);
  facts.prices.set(path, priceSummaryOf(Float64Array.from(prices).sort()));
  facts.categories.set(path, JSON.stringify(document.categories));
  if (checked === null) return;
  const uses = checked.uses.products.filter((use) => use.path === path);
  const problems = uses.flatMap((use) => slotDateProblems(document, use, checked.days, weekendDays));
  if (problems.length > 0) sink.error('slot-date-wrong', path, summary(problems));
}

function checkSchema<T>(bytes: Uint8Array, path: string, schema: z.ZodType<T>, sink: FindingSink): T | null {
  const json = parseJson(bytes, path);
  if (!json.ok) {
    sink.error('document-invalid', path, json.message);
    return null;
  }
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  sink.error('document-invalid', path, summary(issues));
  return null;
}
