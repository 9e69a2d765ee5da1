// The meaning of every time-dependent field, as hand-computed rows: the ten examples of fields.md
// and some forty more on midnight, daylight saving, zones, weekends, sold out, sales and price
// windows, pauses and visibility. The answers were worked out by hand from the definitions, not
// taken from any program.

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { productsDocumentSchema } from '../../src/contract/documents.ts';
import { catalogueOf, type Case } from '../support/reference/hand-case.ts';
import { DATES, EXAMPLES } from '../support/reference/hand-dates.ts';
import { BADGES, CHANNELS, LANGUAGES, QUOTAS } from '../support/reference/hand-differences.ts';
import { DROPS, PAUSES, PRICES } from '../support/reference/hand-prices.ts';
import { buildTree, catalogueAt, documentAt, filesOf, instant, temporaryFolder } from '../support/trees.ts';

async function cardOf(one: Case) {
  const root = temporaryFolder();
  const database = catalogueAt(join(root, 'catalogue.sqlite'), catalogueOf(one));
  const { outcomes } = await buildTree(database, join(root, 'out'), instant(one.now), { horizonSeconds: 0 });
  const document = productsDocumentSchema.parse(
    JSON.parse(documentAt(filesOf(join(root, 'out')), 'here', 'products', one.now)),
  );
  const listing = outcomes.find((outcome) => outcome.code === 'here')?.listing;
  return { card: document.productCards[0], categories: document.categories, dropped: listing?.dropped };
}

describe.each([
  ['examples of fields.md', EXAMPLES],
  ['dates', DATES],
  ['prices', PRICES],
  ['pauses', PAUSES],
  ['products without a card', DROPS],
  ['channels', CHANNELS],
  ['contingents', QUOTAS],
  ['languages', LANGUAGES],
  ['badges by rule', BADGES],
] as const)('%s', (_, cases) => {
  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, one) => {
    const { card, categories, dropped } = await cardOf(one);
    const names = categories.map(({ nameSingular, namePlural }) => [nameSingular, namePlural]);
    expect(names).toEqual(one.categories ?? []);
    if (one.dropped !== undefined) {
      expect(card).toBeUndefined();
      expect(dropped).toEqual({ [one.dropped]: 1 });
    } else {
      expect(card).toMatchObject(one.card ?? {});
      expect(dropped).toEqual({});
    }
  });
});
