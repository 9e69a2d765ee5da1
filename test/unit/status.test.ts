// How a front is judged from its pointer at an instant, row by row.

import { describe, expect, test } from 'vitest';
import { nextChangesOf, statusOf } from '../../src/release/status/status.ts';
import type { TreeStatus } from '../../src/release/status/read-status.ts';
import { instant } from '../support/trees.ts';

const D = '0123456789abcdef';

/** A front as of 09:00, right until 15:30; the release in force was made six hours ahead. */
function tree(horizonSeconds = 6 * 3600): TreeStatus {
  const pointer = {
    schema: 1 as const,
    front: 'moscow',
    now: '2026-05-01T09:00:00Z',
    validUntil: '2026-05-01T15:30:00Z',
    today: '2026-05-01',
    timezone: 'Europe/Moscow',
    products: [`2026-05-01T09:00:00Z ${D}`, `2026-05-01T11:00:00Z ${D}`, `2026-05-01T13:00:00Z ${D}`],
    categories: [`2026-05-01T09:00:00Z ${D}`, `2026-05-01T13:00:00Z ${D}`],
  };
  const listing = {
    front: 'moscow',
    held: 'max-shrink' as const,
    pointer,
    weekendDays: '67',
    cards: 9,
    editions: { products: 3, categories: 2 },
    cardsByEdition: [9, 8, 7],
    dropped: { over: 2 },
    nextChange: '2026-05-01T11:00:00Z',
  };
  const manifest = {
    schema: 2 as const,
    tool: 'test',
    now: pointer.now,
    horizonSeconds,
    tzdata: '2025b',
    precompress: [],
    allowed: [],
    fronts: [listing],
    files: [],
  };
  const front = { code: 'moscow', pointer, asOf: pointer.now, listing };
  return {
    release: { name: '20260501T090000Z-0123456789abcdef', id: D, manifest },
    hold: null,
    fronts: [front],
    findings: [],
  };
}

const at = (time: string) => instant(`2026-05-01T${time}Z`);

describe('status', () => {
  test.each([
    ['made this second', '09:00:00', null],
    ['a quarter of the horizon is left, exactly', '14:00:00', null],
    ['a second less than a quarter is left', '14:00:01', 'expiring'],
    ['the last second in which it is right', '15:29:59', 'expiring'],
    ['validUntil itself', '15:30:00', 'expired'],
    ['a clock that is a minute behind', '08:59:00', null],
    ['made for later', '08:58:59', 'from-future'],
  ])('%s', (_, time, stale) => {
    expect(statusOf(tree(), null, at(time)).fronts[0]?.stale).toBe(stale);
  });

  test.each([
    ['as old as may be', '09:30:00', null],
    ['a second older', '09:30:01', 'too-old'],
    ['expiring goes before too-old', '14:30:00', 'expiring'],
  ])('--max-age 30m: %s', (_, time, stale) => {
    expect(statusOf(tree(), 1800, at(time)).fronts[0]?.stale).toBe(stale);
  });

  test('a horizon of 0 ends with validUntil, not before', () => {
    expect(statusOf(tree(0), null, at('15:29:59')).fronts[0]?.stale).toBeNull();
    expect(statusOf(tree(0), null, at('15:30:00')).fronts[0]?.stale).toBe('expired');
  });

  test('without a manifest the pointer tells how far it was made for', () => {
    const lost: TreeStatus = { ...tree(), release: null };
    expect(statusOf(lost, null, at('13:52:30')).fronts[0]?.stale).toBeNull();
    expect(statusOf(lost, null, at('13:52:31')).fronts[0]?.stale).toBe('expiring');
  });

  test.each([null, 0, 1800, 100_000])('staleFrom is the first second that is stale, with a max-age of %s', (maxAge) => {
    const from = instant(statusOf(tree(), maxAge, at('09:00:00')).fronts[0]?.snapshot?.staleFrom ?? '') as number;
    for (let second = at('09:00:00') as number; second < at('16:00:00'); second += 1) {
      const status = statusOf(tree(), maxAge, instant(new Date(second * 1000).toISOString().replace('.000', '')))
        .fronts[0];
      if ((status?.stale !== null) !== second >= from) expect([second, status?.stale]).toBe(from);
    }
  });

  test('what is said of a sound front, at an instant of its second edition', () => {
    expect(statusOf(tree(), null, at('12:00:00')).fronts).toEqual([
      {
        front: 'moscow',
        stale: null,
        snapshot: {
          now: '2026-05-01T09:00:00Z',
          validUntil: '2026-05-01T15:30:00Z',
          ageSeconds: 3 * 3600,
          remainingSeconds: 3.5 * 3600,
          staleFrom: '2026-05-01T14:00:01Z',
          editions: { products: 3, categories: 2 },
          cards: 8,
          dropped: { over: 2 },
          leftOut: null,
          held: 'max-shrink',
        },
      },
    ]);
  });

  test('a broken pointer is stale', () => {
    const broken: TreeStatus = { ...tree(), fronts: [{ code: 'x', pointer: null, problem: 'pointer-invalid' }] };
    expect(statusOf(broken, null, at('09:00:00')).fronts).toEqual([
      { front: 'x', stale: 'pointer-invalid', snapshot: null },
    ]);
    expect(nextChangesOf(broken, at('09:00:00')).fronts).toEqual([
      { front: 'x', kind: 'unknown', next: null, endpoints: [] },
    ]);
  });
});

describe('next', () => {
  test.each([
    ['the second products edition', '09:00:00', 'edition', '11:00:00', ['products']],
    ['an entry that begins now has begun', '11:00:00', 'edition', '13:00:00', ['products', 'categories']],
    ['no edition is left', '13:00:00', 'end', '15:30:00', ['products', 'categories']],
    ['the end is past', '15:30:00', 'expired', '15:30:00', ['products', 'categories']],
    ['before its time the first edition is served', '08:00:00', 'edition', '11:00:00', ['products']],
  ])('%s', (_, time, kind, next, endpoints) => {
    const front = { front: 'moscow', kind, next: `2026-05-01T${next}Z`, endpoints };
    expect(nextChangesOf(tree(), at(time)).fronts).toEqual([front]);
  });
});
