// Compares two products documents of one front, element by element and field by field, and
// describes the changes as data and as text. Imports only types, so that a page can bundle it.

import type { ChangeCounts, DocumentChange, FieldChange, FieldValue } from '../../contract/results/diff.ts';
import type { ProductsDocument } from '../../contract/documents.ts';

/** The lists of a products document, in document order. */
export const DOCUMENT_LISTS = ['productCards', 'categories', 'groups', 'tags', 'badges'] as const;

type ListName = (typeof DOCUMENT_LISTS)[number];
type ListElement = Pick<DocumentChange, 'list' | 'id' | 'slug' | 'name'>;

type Fields = Readonly<Record<string, FieldValue>>;

/** An element of a list, with its fields. */
interface Listed {
  readonly element: ListElement;
  readonly fields: Fields;
}

const SESSION_START = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})([+-]\d{2}:\d{2})$/;

/**
 * All differences between two documents: by list in document order, and within a list those
 * removed, added, changed and moved, in this order.
 */
export function diffDocuments(before: ProductsDocument, after: ProductsDocument): readonly DocumentChange[] {
  return DOCUMENT_LISTS.flatMap((list) => diffLists(listedOf(list, before), listedOf(list, after)));
}

function listedOf(list: ListName, document: ProductsDocument): readonly Listed[] {
  if (list === 'productCards') {
    return document.productCards.map((card) => {
      const { productId: id, slug, name } = card;
      return { element: { list, id, slug, name }, fields: card };
    });
  }
  if (list === 'categories') {
    return document.categories.map((category) => {
      const { id, slug, namePlural: name } = category;
      return { element: { list, id, slug, name }, fields: category };
    });
  }
  return document[list].map((one) => ({ element: { list, id: one.id, slug: one.slug, name: one.name }, fields: one }));
}

function diffLists(before: readonly Listed[], after: readonly Listed[]): DocumentChange[] {
  const beforeById = new Map(before.map((listed) => [listed.element.id, listed]));
  const afterIds = new Set(after.map(({ element }) => element.id));
  const removed: DocumentChange[] = before
    .filter(({ element }) => !afterIds.has(element.id))
    .map(({ element }) => ({ ...element, change: 'gone' }));
  const added: DocumentChange[] = [];
  const changed: DocumentChange[] = [];
  for (const { element, fields } of after) {
    const old = beforeById.get(element.id);
    if (old === undefined) {
      added.push({ ...element, change: 'added' });
      continue;
    }
    // The preview shares objects between documents: most need no comparison.
    const changes = old.fields === fields ? [] : diffFields(old.fields, fields);
    if (changes.length > 0) changed.push({ ...element, change: 'changed', fields: changes });
  }
  return [...removed, ...added, ...changed, ...movesOf(before, after)];
}

/** The fields in which two elements differ, in the order of the fields. */
export function diffFields(before: Fields, after: Fields): FieldChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => diffField(name, before[name] ?? null, after[name] ?? null));
}

function diffField(path: string, before: FieldValue, after: FieldValue): FieldChange[] {
  if (isSame(before, after)) return [];
  const partsBefore = typeof before === 'string' ? SESSION_START.exec(before) : null;
  const partsAfter = typeof after === 'string' ? SESSION_START.exec(after) : null;
  if (partsBefore === null || partsAfter === null) return [{ path, before, after }];
  return ['date', 'time', 'offset'].flatMap((part, i) =>
    diffField(`${path}.${part}`, partsBefore[i + 1] ?? null, partsAfter[i + 1] ?? null),
  );
}

function isSame(a: FieldValue, b: FieldValue): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

/**
 * The smallest set of elements that must have moved: those outside the longest common subsequence
 * of both lists.
 */
function movesOf(before: readonly Listed[], after: readonly Listed[]): DocumentChange[] {
  const indexBefore = new Map(before.map(({ element }, index) => [element.id, index]));
  const common = after.flatMap(({ element }, index) => {
    const old = indexBefore.get(element.id);
    return old === undefined ? [] : [{ element, old, index }];
  });
  const staying = longestAscending(common.map(({ old }) => old));
  return common
    .filter((_, i) => !staying.has(i))
    .map(({ element, old, index }) => ({ ...element, change: 'moved', placeBefore: old + 1, placeAfter: index + 1 }));
}

/**
 * The indexes of one longest ascending subsequence (patience sorting: each pile remembers what lay
 * below it).
 */
function longestAscending(values: readonly number[]): ReadonlySet<number> {
  const piles: number[] = [];
  const below: number[] = [];
  for (const [index, value] of values.entries()) {
    let low = 0;
    let high = piles.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[piles[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    below.push(piles[low - 1] ?? -1);
    piles[low] = index;
  }
  const indexes = new Set<number>();
  for (let index = piles.at(-1) ?? -1; index >= 0; index = below[index] ?? -1) indexes.add(index);
  return indexes;
}

// Text. Names from the catalogue are not escaped here: the caller escapes them for its output.

const NOUNS: Readonly<Record<ListName, readonly [singular: string, plural: string]>> = {
  productCards: ['product', 'products'],
  categories: ['category', 'categories'],
  groups: ['group', 'groups'],
  tags: ['tag', 'tags'],
  badges: ['badge', 'badges'],
};

/** `product "Hamlet" (hamlet)`. */
export function elementText({ list, slug, name }: ListElement): string {
  return `${NOUNS[list][0]} "${name}" (${slug})`;
}

/**
 * One change in one sentence: `product "Hamlet" (hamlet): priceFrom 500 → 600; badges + last-time`.
 */
export function changeText(change: DocumentChange): string {
  const element = elementText(change);
  switch (change.change) {
    case 'added':
    case 'gone':
      return `${element} ${change.change}`;
    case 'changed':
      return `${element}: ${change.fields.map(fieldText).join('; ')}`;
    case 'moved':
      return `${element} moved from place ${change.placeBefore} to ${change.placeAfter}`;
  }
}

/**
 * One field: `todaySlot.time 19:00 → 20:00`, `soldOut false → true`, `badges + hit, - last-time`.
 */
export function fieldText({ path, before, after }: FieldChange): string {
  if (!isList(before) || !isList(after)) return `${path} ${valueText(before)} → ${valueText(after)}`;
  const old = new Map(before.map((value) => [keyOf(value), value]));
  const now = new Map(after.map((value) => [keyOf(value), value]));
  const parts = [
    ...[...now.keys()].filter((key) => !old.has(key)).map((key) => `+ ${key}`),
    ...[...old.keys()].filter((key) => !now.has(key)).map((key) => `- ${key}`),
    ...[...now].flatMap(([key, value]) => elementFieldText(key, old.get(key), value)),
  ];
  return `${path} ${parts.length > 0 ? parts.join(', ') : `in another order: ${[...now.keys()].join(', ')}`}`;
}

/**
 * The changed fields of an element that is in a card's list before and after:
 * `main.sortWeight 1 → 2`.
 */
function elementFieldText(key: string, before: FieldValue | undefined, after: FieldValue): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  return diffFields(before, after).map((change) => `${key}.${fieldText(change)}`);
}

function isList(value: FieldValue): value is readonly FieldValue[] {
  return Array.isArray(value);
}

function isObject(value: FieldValue | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function keyOf(value: FieldValue): string {
  const slug = isObject(value) ? value['slug'] : value;
  return typeof slug === 'string' ? slug : JSON.stringify(value);
}

/** One value. null is `none`; dates and times are not quoted, and zero seconds are left out. */
export function valueText(value: FieldValue): string {
  if (value === null) return 'none';
  if (typeof value !== 'string') return typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (/^(\d{4}-\d{2}-\d{2})?T?(\d{2}:\d{2}:\d{2})?([+-]\d{2}:\d{2})?$/.test(value) && value !== '') {
    return value.replace(/(\d{2}:\d{2}):00/, '$1');
  }
  return `"${value}"`;
}

/**
 * How many elements of each list were added, removed, changed or moved; lists without a change are
 * left out.
 */
export function countChanges(changes: readonly DocumentChange[]): ChangeCounts {
  const counts: ChangeCounts = {};
  for (const { list, change } of changes) (counts[list] ??= { added: 0, gone: 0, changed: 0, moved: 0 })[change] += 1;
  return counts;
}

/**
 * All changes in one line: `1 product added, 4 changed (todaySlot 3, priceFrom 1); 1 category
 * gone`; empty if nothing changed. The fields are left out if `counts` says that not all changes
 * are listed.
 */
export function summaryText(changes: readonly DocumentChange[], counts = countChanges(changes)): string {
  return DOCUMENT_LISTS.flatMap((list) => {
    const ofList = counts[list];
    if (ofList === undefined) return [];
    const kinds = (['added', 'gone', 'changed', 'moved'] as const).filter((kind) => ofList[kind] > 0);
    const parts = kinds.map((kind, i) => {
      const noun = i > 0 ? '' : ` ${NOUNS[list][ofList[kind] === 1 ? 0 : 1]}`;
      return `${ofList[kind]}${noun} ${kind}${kind === 'changed' ? fieldTally(list, changes, ofList.changed) : ''}`;
    });
    return [parts.join(', ')];
  }).join('; ');
}

/**
 * How many elements changed in each field: ` (todaySlot 3, priceFrom 1)`; empty if some changes are
 * not listed.
 */
function fieldTally(list: ListName, changes: readonly DocumentChange[], total: number): string {
  const changed = changes.filter((change) => change.list === list && change.change === 'changed');
  if (changed.length < total) return '';
  const tally = new Map<string, number>();
  for (const change of changed) {
    const fields = change.change === 'changed' ? change.fields : [];
    for (const field of new Set(fields.map(({ path }) => path.replace(/\..*$/, '')))) {
      tally.set(field, (tally.get(field) ?? 0) + 1);
    }
  }
  return ` (${[...tally].map(([field, count]) => `${field} ${count}`).join(', ')})`;
}
