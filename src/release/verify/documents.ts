// One document against itself: schema, canonical form, references between its lists, and what the fields of a card say about
// each other (spec, section 2; fields.md). Whether its dates are right depends on when it is in force: see dates.ts.

import type * as z from 'zod';
import { parseOffsetDateTimeOfAnyYear } from '../../catalogue/instant.ts';
import type { FindingCode } from '../../findings.ts';
import type { CategoriesDocument, Category, ProductCard, ProductsDocument } from '../../contract/documents.ts';
import { categoriesDocumentSchema, productsDocumentSchema } from '../../contract/documents.ts';
import { gathered, type Report } from './report.ts';

/** The card's sessions by day, as its fields call them. */
export const DAY_SLOTS = ['today', 'tomorrow', 'weekend'] as const;

/** Checks the bytes of a products edition; null where they are no such document. */
export function checkProductsDocument(bytes: Uint8Array, path: string, report: Report): ProductsDocument | null {
  const document = checkForm(bytes, path, productsDocumentSchema, report);
  if (document === null) return null;
  const { productCards, categories, groups, tags, badges } = document;
  tell('document-invalid', path, report, [
    ...repeated(
      'productCards',
      productCards.map(({ productId }) => productId),
    ),
    ...repeated(
      'productCards',
      productCards.map(({ slug }) => slug),
    ),
    ...Object.entries({ categories, groups, tags, badges }).flatMap(([name, list]) => listProblems(name, list)),
  ]);
  tell('reference-wrong', path, report, [
    ...referenceProblems('groups', productCards, (card) => card.groups.map(({ slug }) => slug), groups),
    ...referenceProblems('badges', productCards, (card) => card.badges, badges),
  ]);
  tell('card-inconsistent', path, report, productCards.flatMap(cardProblems));
  return document;
}

/** Checks the bytes of a categories edition; null where they are no such document. */
export function checkCategoriesDocument(bytes: Uint8Array, path: string, report: Report): CategoriesDocument | null {
  const document = checkForm(bytes, path, categoriesDocumentSchema, report);
  if (document !== null) tell('document-invalid', path, report, listProblems('categories', document));
  return document;
}

/** A document's categories as text, to be compared between the two endpoints. */
export function categoriesText(categories: readonly Category[]): string {
  return JSON.stringify(categories);
}

function tell(code: FindingCode, path: string, report: Report, messages: readonly string[]): void {
  if (messages.length > 0) report.error(code, path, gathered(messages));
}

/**
 * Schema and canonical form in one: the parsed document, its keys now in the schema's order, written out again gives the same
 * text. Amounts survive, since at most 15 digits are read and printed back exactly, and never small enough for an exponent.
 */
function checkForm<T>(bytes: Uint8Array, path: string, schema: z.ZodType<T>, report: Report): T | null {
  let text: string;
  let json: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    json = JSON.parse(text);
  } catch {
    report.error('document-invalid', path, `expected JSON in UTF-8, found ${bytes.length} bytes that are none`);
    return null;
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    report.error('document-invalid', path, gathered(issues));
    return null;
  }
  if (`${JSON.stringify(parsed.data)}\n` !== text) {
    report.error('document-invalid', path, 'expected the canonical form, found the same content written otherwise');
  }
  return parsed.data;
}

function listProblems(name: string, list: readonly { readonly id: number; readonly slug: string }[]): string[] {
  return [
    ...repeated(
      name,
      list.map(({ id }) => id),
    ),
    ...repeated(
      name,
      list.map(({ slug }) => slug),
    ),
  ];
}

function repeated(name: string, keys: readonly (string | number)[]): string[] {
  const seen = new Set<string | number>();
  return keys.flatMap((key) => {
    if (seen.has(key)) return [`${name}: ${key} is there twice`];
    seen.add(key);
    return [];
  });
}

/** Cards name only what the list has, in the list's order, and leave nothing in it unnamed (fields.md, top-level lists). */
function referenceProblems(
  name: 'groups' | 'badges',
  cards: readonly ProductCard[],
  slugsOf: (card: ProductCard) => readonly string[],
  list: readonly { readonly slug: string }[],
): string[] {
  const rankOf = new Map(list.map(({ slug }, rank) => [slug, rank]));
  const reached = new Set<string>();
  const problems: string[] = [];
  for (const card of cards) {
    let before = -1;
    for (const slug of slugsOf(card)) {
      const rank = rankOf.get(slug);
      if (rank === undefined) problems.push(`${card.slug}: ${name} has no ${slug}`);
      else if (rank <= before) problems.push(`${card.slug}: ${slug} is not in the order of ${name}`);
      else before = rank;
      reached.add(slug);
    }
  }
  const idle = list.filter(({ slug }) => !reached.has(slug));
  return [...problems, ...idle.map(({ slug }) => `${name}: no card has ${slug}`)];
}

/** What the fields of one card say against each other, whatever the time is (fields.md, the table of fields). */
function cardProblems(card: ProductCard): string[] {
  const problems: string[] = [];
  const wrong = (message: string): void => void problems.push(`${card.slug}: ${message}`);
  const next = card.nextScheduleSlot;
  const nextAt = parseOffsetDateTimeOfAnyYear(next);
  if (nextAt === undefined) wrong(`nextScheduleSlot ${next} is no date and time`);
  if (card.soldOut && card.priceFrom !== null) wrong(`soldOut, yet priceFrom is ${card.priceFrom}`);
  if (card.multiInventoryItems && !card.multiScheduleSlots) wrong('several venues, yet only one session');
  for (const day of DAY_SLOTS) {
    const slot = card[`${day}Slot`];
    const isMulti = card[`${day}MultiScheduleSlots`];
    if ((slot === null) !== (isMulti === null)) wrong(`${day}MultiScheduleSlots is ${isMulti}, ${day}Slot is ${slot}`);
    if (isMulti === true && !card.multiScheduleSlots) wrong(`several sessions ${day}, yet only one in all`);
    if (slot === null || slot === next) continue;
    const slotAt = parseOffsetDateTimeOfAnyYear(slot);
    if (slotAt === undefined) wrong(`${day}Slot ${slot} is no date and time`);
    else if (nextAt !== undefined && slotAt < nextAt) wrong(`${day}Slot ${slot} is before nextScheduleSlot ${next}`);
    if (!card.multiScheduleSlots)
      wrong(`${day}Slot ${slot} is another session than nextScheduleSlot ${next}, yet there is one`);
  }
  return problems;
}
