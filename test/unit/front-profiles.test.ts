// Which fronts share the cards of a product: those that agree in all that a card depends on.

import { expect, test } from 'vitest';
import { Zone } from '../../src/catalogue/calendar.ts';
import type { FrontProfile } from '../../src/catalogue/front.ts';
import { groupByProfile } from '../../src/render/front-profiles.ts';

const BERLIN: FrontProfile = {
  zone: new Zone('Europe/Berlin'),
  dayStartsAt: 0,
  weekendDays: '67',
  currency: 'EUR',
  currencyExponent: 2,
  channel: null,
  locale: null,
};

const OTHERS: { readonly [Name in keyof FrontProfile]: FrontProfile[Name] } = {
  zone: new Zone('Europe/Paris'),
  dayStartsAt: 5 * 3600,
  weekendDays: '56',
  currency: 'CHF',
  currencyExponent: 3,
  channel: 'partner',
  locale: 'fr',
};

test.each(Object.entries(OTHERS))('fronts that differ in %s do not', (name, value) => {
  const other: FrontProfile = { ...BERLIN, [name]: value };
  const { profiles, profileIndexOf } = groupByProfile([BERLIN, { ...BERLIN }, other]);
  expect(profiles).toEqual([BERLIN, other]);
  expect([BERLIN, other].map(profileIndexOf)).toEqual([0, 1]);
});
