// Documents that bear the right digest and are wrong all the same: form, references, dates, contradictions. Everything that
// refers to them is forged along, so that no other check could notice.

import { expect } from 'vitest';
import { cardChange, documentChange, editionIn, forge, pointerIn } from '../support/verify-forgery.ts';
import { describeDamages, F, K, pointerPath, soundTree, type Damage } from '../support/verify-tree.ts';

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
  'a document ends without a newline': (root) => {
    forge(root, { front: F, categories: { 0: (text) => text.trimEnd() } });
    return [`error document-invalid ${editionIn(root, F, 'categories', 0)}`];
  },
  'a document begins with a byte order mark': (root) => {
    forge(root, { front: F, categories: { 0: (text) => `\uFEFF${text}` } });
    return [`error document-invalid ${editionIn(root, F, 'categories', 0)}`];
  },
  'a document has a blank in it': (root) => {
    forge(root, { front: F, categories: { 0: (text) => text.replace(',', ', ') } });
    return [`error document-invalid ${editionIn(root, F, 'categories', 0)}`];
  },
  'a price ends in a zero': (root) => {
    forge(root, { front: F, products: { 0: (text) => text.replace('"priceFrom":900,', '"priceFrom":900.0,') } });
    return [`error document-invalid ${editionIn(root, F, 'products', 0)}`];
  },
  'keys are not in the order of the spec': (root) => {
    const swapped = (text: string): string => text.replace(/("featured":\w+),("banner":\w+)/, '$2,$1');
    forge(root, { front: F, products: { 0: swapped } });
    return [`error document-invalid ${editionIn(root, F, 'products', 0)}`];
  },
  'a field is missing': (root) => {
    forge(root, { front: F, products: { 0: (text) => text.replace(/,"weekendMultiScheduleSlots":\w+/, '') } });
    return [`error document-invalid ${editionIn(root, F, 'products', 0)}`];
  },
  'a field is there that the spec does not know': (root) => {
    forge(root, { front: F, products: { 0: (text) => text.replace('"saleSchema"', '"price":1,"saleSchema"') } });
    return [`error document-invalid ${editionIn(root, F, 'products', 0)}`];
  },
  'a card is there twice': (root) => {
    const twice = documentChange(({ productCards }) => ({
      productCards: [...productCards, ...productCards.slice(0, 1)],
    }));
    forge(root, { front: F, products: { 0: twice } });
    return [`error document-invalid ${editionIn(root, F, 'products', 0)}`];
  },
  'two cards have one productId': (root) => {
    const alike = documentChange(({ productCards }) => ({
      productCards: productCards.map((card, i) =>
        i === 1 ? { ...card, productId: productCards[0]?.productId ?? 0 } : card,
      ),
    }));
    forge(root, { front: F, products: { 0: alike } });
    return [`error document-invalid ${editionIn(root, F, 'products', 0)}`];
  },
  'two cards have one slug': (root) => {
    const alike = documentChange(({ productCards }) => ({
      productCards: productCards.map((card, i) => (i === 1 ? { ...card, slug: productCards[0]?.slug ?? '' } : card)),
    }));
    forge(root, { front: F, products: { 0: alike } });
    return [`error document-invalid ${editionIn(root, F, 'products', 0)}`];
  },
  'two groups have one id': (root) => {
    const alike = documentChange(({ groups }) => ({ groups: groups.map((group) => ({ ...group, id: 1 })) }));
    forge(root, { front: F, products: { 0: alike } });
    return [`error document-invalid ${editionIn(root, F, 'products', 0)}`];
  },
  'two tags have one slug': (root) => {
    const alike = documentChange(({ tags }) => ({ tags: tags.map((tag) => ({ ...tag, slug: 'one' })) }));
    forge(root, { front: F, products: { 0: alike } });
    return [`error document-invalid ${editionIn(root, F, 'products', 0)}`];
  },
  'a category is there twice': (root) => {
    const twice = (text: string): string => text.replace(/^\[(\{[^}]*\})/, '[$1,$1');
    forge(root, {
      front: F,
      categories: { 0: twice },
      products: Object.fromEntries(
        pointerIn(root, F).products.map((_, i) => [
          i,
          (text: string) => text.replace(/"categories":\[(\{[^}]*\})/, '"categories":[$1,$1'),
        ]),
      ),
    });
    return [
      `error document-invalid ${editionIn(root, F, 'categories', 0)}`,
      ...pointerIn(root, F).products.map((_, i) => `error document-invalid ${editionIn(root, F, 'products', i)}`),
    ];
  },
  'a card names a group that is not there': (root) => {
    const forged = cardChange(({ groups }) =>
      groups.length > 0 ? { groups: [...groups, { slug: 'x', sortWeight: 1 }] } : null,
    );
    forge(root, { front: F, products: { 0: forged } });
    return [`error reference-wrong ${editionIn(root, F, 'products', 0)}`];
  },
  'a card names a badge that is not there': (root) => {
    forge(root, { front: F, products: { 0: cardChange(() => ({ badges: ['x'] })) } });
    return [`error reference-wrong ${editionIn(root, F, 'products', 0)}`];
  },
  'no card has a group that is there': (root) => {
    const idle = documentChange(({ groups }) => ({
      groups: [...groups, { id: 9, slug: 'x', name: 'x', cardType: 1 }],
    }));
    forge(root, { front: F, products: { 0: idle } });
    return [`error reference-wrong ${editionIn(root, F, 'products', 0)}`];
  },
  'no card has a badge that is there': (root) => {
    const idle = documentChange(({ badges }) => ({
      badges: [...badges, { id: 99, slug: 'x', name: 'x', color: '#000000' }],
    }));
    forge(root, { front: F, products: { 0: idle } });
    return [`error reference-wrong ${editionIn(root, F, 'products', 0)}`];
  },
  'the badges of a card are not in the order of all badges': (root) => {
    const turned = cardChange(({ badges }) => (badges.length > 1 ? { badges: badges.toReversed() } : null));
    forge(root, { front: F, products: { 0: turned } });
    return [`error reference-wrong ${editionIn(root, F, 'products', 0)}`];
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

/** Forges one card of the first products edition so that its fields contradict each other. */
function inconsistent(change: Parameters<typeof cardChange>[0]): Damage {
  return (root) => {
    forge(root, { front: F, products: { 0: cardChange(change) } });
    return [`error card-inconsistent ${editionIn(root, F, 'products', 0)}`];
  };
}

describeDamages('cards that contradict themselves', sound, {
  'todayMultiScheduleSlots without todaySlot': inconsistent(({ todaySlot }) =>
    todaySlot === null ? { todayMultiScheduleSlots: false } : null,
  ),
  'todaySlot without todayMultiScheduleSlots': inconsistent(({ todaySlot }) =>
    todaySlot === null ? null : { todayMultiScheduleSlots: null },
  ),
  'several sessions today, one in all': inconsistent(({ todaySlot }) =>
    todaySlot === null ? null : { todayMultiScheduleSlots: true, multiScheduleSlots: false },
  ),
  'weekendSlot is another session than the only one': inconsistent(({ nextScheduleSlot, weekendSlot }) =>
    weekendSlot === null && nextScheduleSlot < '2026-05-02'
      ? { weekendSlot: '2026-05-02T19:00:00+03:00', weekendMultiScheduleSlots: false, multiScheduleSlots: false }
      : null,
  ),
  'weekendSlot is before nextScheduleSlot': inconsistent(({ nextScheduleSlot }) =>
    nextScheduleSlot > '2026-05-04'
      ? { weekendSlot: '2026-05-02T10:00:00+03:00', weekendMultiScheduleSlots: false }
      : null,
  ),
  'nextScheduleSlot is on 30 February': inconsistent(({ todaySlot, tomorrowSlot, weekendSlot }) =>
    todaySlot === null && tomorrowSlot === null && weekendSlot === null
      ? { nextScheduleSlot: '2027-02-30T19:00:00+03:00' }
      : null,
  ),
  'nextScheduleSlot has an offset that is none': inconsistent(({ todaySlot, tomorrowSlot, weekendSlot }) =>
    todaySlot === null && tomorrowSlot === null && weekendSlot === null
      ? { nextScheduleSlot: '2027-02-27T19:00:00+24:00' }
      : null,
  ),
  'weekendSlot is at 25 o’clock': inconsistent(({ nextScheduleSlot, weekendSlot }) =>
    nextScheduleSlot < '2026-05-02' && weekendSlot === null
      ? { weekendSlot: '2026-05-02T25:00:00+03:00', weekendMultiScheduleSlots: false }
      : null,
  ),
  'sold out with a price': inconsistent(({ soldOut }) => (soldOut ? null : { soldOut: true })),
  'several venues, one session': inconsistent(({ multiScheduleSlots }) =>
    multiScheduleSlots ? { multiScheduleSlots: false, multiInventoryItems: true } : null,
  ),
});
