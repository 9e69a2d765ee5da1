// The texts of one language: what was put in comes out, whatever its characters and its id.

import { expect, test } from 'vitest';
import { LanguageTexts, Texts } from '../../src/catalogue/texts.ts';

test.each([
  'Der Kirschgarten',
  'Вишнёвый сад',
  '\uFEFFa mark at the beginning',
  'two\uFEFF\uFEFFmarks',
  '🎭\u2028\u0000«»',
  'x'.repeat(10_000),
])('%j comes out as it was put in, between others', (text) => {
  const texts = new LanguageTexts();
  texts.set('product', 'name', '1', 'before');
  texts.set('product', 'name', '2', text);
  texts.set('product', 'name', '3', 'after');
  expect(['1', '2', '3'].map((id) => texts.get('product', 'name', id))).toEqual(['before', text, 'after']);
});

test('ids are compared as text', () => {
  const ids = [
    '7',
    '07',
    '7.0',
    ' 7',
    '-7',
    '0',
    '-0',
    '',
    '1e3',
    '1000',
    '9007199254740993',
    '9007199254740992',
    'NaN',
  ];
  const texts = new LanguageTexts();
  for (const id of ids) texts.set('venue', 'name', id, `text of ${id}`);
  for (const id of ids) expect(texts.get('venue', 'name', id)).toBe(`text of ${id}`);
  expect(texts.get('venue', 'name', '7.00')).toBeUndefined();
});

test('kinds and fields are apart, and what is deleted is gone', () => {
  const texts = new LanguageTexts();
  texts.set('image', 'alt_text', '1', 'alt');
  texts.set('image', 'copyright', '1', 'credit');
  expect(texts.has('image', 'alt_text', '1')).toBe(true);
  expect(texts.has('product', 'name', '1')).toBe(false);
  texts.delete('image', 'alt_text', '1');
  expect(texts.get('image', 'alt_text', '1')).toBeUndefined();
  expect(texts.get('image', 'copyright', '1')).toBe('credit');
});

test('locales that lead to the same texts share them', () => {
  const german = new LanguageTexts();
  german.set('product', 'name', '1', 'Möwe');
  const texts = new Texts(new Map([['de', german]]));
  expect(texts.in('de-AT')).toBe(texts.in('DE'));
  expect(texts.in('de-AT').of('product', 'name', 1, 'Seagull')).toBe('Möwe');
  expect(texts.in('fr')).toBe(texts.in(null));
  expect(texts.in('fr').of('product', 'name', 1, 'Seagull')).toBe('Seagull');
});
