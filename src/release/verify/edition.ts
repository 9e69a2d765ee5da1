// One edition file: the bytes that its name promises, the size and digest that manifests list, its document, and the dates in
// it over the time it is in force. Precompressed siblings unfold into the edition they belong to.

import { digestOf, type TreeFile } from '../../render/paths.ts';
import { sha256Of } from '../tree/digest.ts';
import type { Compression, TreeReader } from '../tree/reader.ts';
import { slotDateProblems } from './dates.ts';
import { categoriesText, checkCategoriesDocument, checkProductsDocument } from './documents.ts';
import { identityPathOf } from './manifest.ts';
import type { SoundPointer } from './pointer.ts';
import type { FileClaim } from './releases.ts';
import { gathered, type Report } from './report.ts';

export type EditionFile = Extract<TreeFile, { readonly kind: 'edition' }>;

/** What is known of a front before its editions are read. */
export interface EditionContext {
  /** null where the pointer is missing or damaged: then nothing is known to be in force. */
  readonly sound: SoundPointer | null;
  /** ISO weekday digits; null where not known. */
  readonly weekendDays: string | null;
  readonly reader: TreeReader;
  readonly report: Report;
}

/** What is kept of a front's editions, by path, to be compared with each other and with what manifests say. */
export class EditionFacts {
  readonly bytes = new Map<string, number>();
  readonly cards = new Map<string, number>();
  readonly categories = new Map<string, string>();
}

export function checkEdition(
  path: string,
  file: EditionFile,
  bytes: Uint8Array,
  claims: readonly FileClaim[],
  facts: EditionFacts,
  context: EditionContext,
): void {
  const { report } = context;
  const sha256 = sha256Of(bytes);
  const digest = file.encoding === 'identity' ? sha256 : innerDigest(path, file.encoding, bytes, facts, context);
  if (digest === 'not-known') return;
  if (digestOf(digest) !== file.digest) {
    const [claim] = claims;
    if (claim !== undefined && claim.bytes !== bytes.length) {
      report.error('file-size-wrong', path, `expected ${claim.bytes} bytes, found ${bytes.length}`);
      return;
    }
    const what = file.encoding === 'identity' ? 'a SHA-256 that begins with' : `${file.encoding} of edition`;
    report.error('file-digest-wrong', path, `expected ${what} ${file.digest}, found SHA-256 ${sha256}`);
    return;
  }
  for (const claim of claims) {
    if (claim.bytes === bytes.length && claim.sha256 === sha256) continue;
    const told = `${claim.bytes} bytes, SHA-256 ${claim.sha256}`;
    report.error('manifest-invalid', claim.manifest, `files: ${path}: lists ${told}; found ${bytes.length}, ${sha256}`);
  }
  if (file.encoding !== 'identity') return;
  facts.bytes.set(path, bytes.length);
  if (file.endpoint === 'products') checkProducts(path, bytes, facts, context);
  else checkCategories(path, bytes, facts, report);
}

/** The digest of what a sibling unfolds to, '' where it does not unfold. */
function innerDigest(
  path: string,
  compression: Compression,
  bytes: Uint8Array,
  facts: EditionFacts,
  { reader }: EditionContext,
): string {
  const size = facts.bytes.get(identityPathOf(path));
  // Where the edition that a sibling belongs to is missing or damaged, that is the finding.
  if (size === undefined) return 'not-known';
  const inner = reader.unfold(bytes, compression, size);
  return inner === null ? '' : sha256Of(inner);
}

function checkProducts(path: string, bytes: Uint8Array, facts: EditionFacts, context: EditionContext): void {
  const { sound, weekendDays, report } = context;
  const document = checkProductsDocument(bytes, path, report);
  if (document === null) return;
  facts.cards.set(path, document.productCards.length);
  facts.categories.set(path, categoriesText(document.categories));
  const uses = sound?.uses.products.filter((use) => use.path === path) ?? [];
  const problems = uses.flatMap((use) =>
    sound === null ? [] : slotDateProblems(document, use, sound.zone, weekendDays),
  );
  if (problems.length > 0) report.error('slot-date-wrong', path, gathered(problems));
}

function checkCategories(path: string, bytes: Uint8Array, facts: EditionFacts, report: Report): void {
  const document = checkCategoriesDocument(bytes, path, report);
  if (document !== null) facts.categories.set(path, categoriesText(document));
}
