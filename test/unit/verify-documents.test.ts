// Documents that bear the right digest and are wrong all the same: schemas, dates, references
// between files. Everything that refers to them is forged along, so that no other check could
// notice.

import { expect } from 'vitest';
import { cardChange, documentChange, editionIn, forge, pointerIn } from '../support/verify-forgery.ts';
import { describeDamages, F, K, pointerPath, soundTree } from '../support/verify-tree.ts';

const sound = soundTree();

describeDamages('damaged documents', sound, {
  'a document is no JSON': (root) => {
    forge(root, { front: F, categories: { 0: () => '[\n' } });
    return [`error document-invalid ${editionIn(root, F, 'categories', 0)}`];
  },
  'a document is empty': (root) => {
    forge(root, { front: F, categories: { 0: () => '' } });
    return [`error document-invalid ${editionIn(root, F, 'categories', 0)}`];
  },
  'a document begins with a byte order mark': (root) => {
    forge(root, { front: F, categories: { 0: (text) => `\uFEFF${text}` } });
    return [`error document-invalid ${editionIn(root, F, 'categories', 0)}`];
  },
  'a field is missing': (root) => {
    forge(root, { front: F, products: { 0: (text) => text.replace(/,"weekendMultiScheduleSlots":\w+/, '') } });
    return [`error document-invalid ${editionIn(root, F, 'products', 0)}`];
  },
  'a field is there that the spec does not know': (root) => {
    forge(root, { front: F, products: { 0: (text) => text.replace('"saleSchema"', '"price":1,"saleSchema"') } });
    return [`error document-invalid ${editionIn(root, F, 'products', 0)}`];
  },
  'the categories of both endpoints differ': (root) => {
    forge(root, {
      front: F,
      products: { 1: documentChange(({ categories }) => ({ categories: categories.toReversed() })) },
    });
    return [`error endpoints-disagree ${editionIn(root, F, 'products', 1)}`];
  },
  'the categories of both endpoints change at different instants': (root) => {
    forge(root, {
      front: F,
      categories: { 0: (text) => `${JSON.stringify((JSON.parse(text) as unknown[]).slice(0, 1))}\n` },
      pointer: (pointer) => ({
        ...pointer,
        categories: [
          pointer.categories[0] ?? '',
          `${pointer.products[1]?.slice(0, 20)}${pointerIn(root, F).categories[0]?.slice(20)}`,
        ],
      }),
    });
    return [`error endpoints-disagree ${editionIn(root, F, 'products', 0)}`];
  },
});

describeDamages('dates that are not those of the time', sound, {
  'todaySlot is tomorrow': (root) => {
    const moved = cardChange(({ tomorrowSlot, nextScheduleSlot }) =>
      tomorrowSlot === null || tomorrowSlot !== nextScheduleSlot
        ? null
        : { todaySlot: tomorrowSlot, todayMultiScheduleSlots: false },
    );
    forge(root, { front: F, products: { 0: moved } });
    return [`error slot-date-wrong ${editionIn(root, F, 'products', 0)}`];
  },
  'todaySlot is forgotten': (root) => {
    const lost = cardChange(({ todaySlot }) =>
      todaySlot === null ? null : { todaySlot: null, todayMultiScheduleSlots: null },
    );
    forge(root, { front: F, products: { 0: lost } });
    return [`error slot-date-wrong ${editionIn(root, F, 'products', 0)}`];
  },
  'tomorrowSlot is the day after': (root) => {
    const moved = cardChange(({ tomorrowSlot, nextScheduleSlot }) =>
      tomorrowSlot !== null || nextScheduleSlot.slice(0, 10) <= '2026-05-02'
        ? null
        : { tomorrowSlot: nextScheduleSlot, tomorrowMultiScheduleSlots: true },
    );
    forge(root, { front: F, products: { 0: moved } });
    return [`error slot-date-wrong ${editionIn(root, F, 'products', 0)}`];
  },
  'weekendSlot is a Sunday where the weekend ends on Saturday': (root) => {
    const moved = cardChange(({ nextScheduleSlot, weekendSlot }) =>
      weekendSlot !== null || nextScheduleSlot.slice(0, 10) !== '2026-05-03'
        ? null
        : { weekendSlot: nextScheduleSlot, weekendMultiScheduleSlots: false },
    );
    forge(root, { front: K, products: { 0: moved } });
    return [`error slot-date-wrong ${editionIn(root, K, 'products', 0)}`];
  },
  'a manifest calls other days weekend': (root) => {
    forge(root, { front: K, listing: (listing) => ({ ...listing, weekendDays: '67' }) });
    // There is a session on Sunday in every one of them, and it is no weekendSlot.
    return pointerIn(root, K).products.map((_, i) => `error slot-date-wrong ${editionIn(root, K, 'products', i)}`);
  },
  'an edition is in force past midnight': (root) => {
    const isMidnight = (entry: string): boolean => entry.startsWith('2026-05-01T21:00:00Z');
    const index = pointerIn(root, F).products.findIndex(isMidnight) - 1;
    expect(index).toBeGreaterThanOrEqual(0);
    forge(root, {
      front: F,
      pointer: (pointer) => ({ ...pointer, products: pointer.products.filter((entry) => !isMidnight(entry)) }),
    });
    return [`error slot-date-wrong ${editionIn(root, F, 'products', index)}`];
  },
  'the last edition is in force past midnight': (root) => {
    forge(root, { front: F, pointer: (pointer) => ({ ...pointer, validUntil: '2026-05-02T21:00:01Z' }) });
    return [`error slot-date-wrong ${editionIn(root, F, 'products', -1)}`];
  },
  'the weekend days are not known any more': (root) => {
    forge(root, { front: F, listing: (listing) => ({ ...listing, weekendDays: null }) });
    return [`warning weekend-unchecked ${pointerPath(F)}`];
  },
  'the weekend days are not known, and today is wrong': (root) => {
    const lost = cardChange(({ todaySlot }) =>
      todaySlot === null ? null : { todaySlot: null, todayMultiScheduleSlots: null },
    );
    forge(root, { front: F, products: { 0: lost }, listing: (listing) => ({ ...listing, weekendDays: null }) });
    return [
      `warning weekend-unchecked ${pointerPath(F)}`,
      `error slot-date-wrong ${editionIn(root, F, 'products', 0)}`,
    ];
  },
});
