// Instants and their text: what is canonical, what a person may type, and that the two directions
// agree everywhere.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatInstant, instantOf, parseInstant, parseOffsetDateTime } from '../../src/catalogue/instant.ts';

describe('canonical instants', () => {
  test.each([
    '1970-01-01T00:00:00Z',
    '2000-02-29T23:59:59Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ])('%s is one, and is printed as it was read', (text) => {
    const parsed = parseInstant(text);
    expect(parsed).toBeDefined();
    expect(formatInstant(parsed ?? instantOf(0))).toBe(text);
  });

  test.each([
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00z',
    '2026-01-01T00:00:00.0Z',
    '2026-01-01T00:00:00+00:00',
    '２026-01-01T00:00:00Z',
    '',
  ])('%j is none', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  test('they agree with the runtime’s own calendar at every instant from year 0 to 9999', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }), (seconds) => {
        const text = new Date(seconds * 1000).toISOString().replace('.000', '');
        expect(formatInstant(instantOf(seconds))).toBe(text);
        expect(parseInstant(text)).toBe(seconds);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('instants as a person types them', () => {
  test.each([
    ['2026-05-01T12:00:00+03:00', '2026-05-01T09:00:00Z'],
    ['2026-05-01T09:00:00Z', '2026-05-01T09:00:00Z'],
    ['2026-05-01T09:00Z', '2026-05-01T09:00:00Z'],
    ['2026-05-01T09:00:00.999Z', '2026-05-01T09:00:00Z'],
    ['2026-05-01T00:00:00-09:30', '2026-05-01T09:30:00Z'],
    ['2026-01-01T05:00:00+14:00', '2025-12-31T15:00:00Z'],
  ])('%s is %s', (text, expected) => {
    const parsed = parseOffsetDateTime(text);
    expect(parsed === undefined ? undefined : formatInstant(parsed)).toBe(expected);
  });

  test.each([
    '2026-05-01',
    '2026-05-01T09:00:00',
    'now',
    '1777626000',
    '2026-05-01T09:00:00+3',
    '2026-05-01T09:00:00+25:00',
    '2026-02-30T00:00:00Z',
    '',
  ])('%j is refused', (text) => {
    expect(parseOffsetDateTime(text)).toBeUndefined();
  });
});
