// The sessions of a day, as the preview's map shows them: each stands at every instant as explain
// says, on fronts of the demo and in a catalogue in which sessions are of every kind.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { verdictOf, untitledExplanation, sessionExplanation } from '../../src/cli/output/explain.ts';
import { parseOffsetDateTime } from '../../src/catalogue/instant.ts';
import type { ExplainedRules, ExplainedSession } from '../../src/contract/results/explain.ts';
import { explainProduct } from '../../src/operations/explain.ts';
import { previewCatalogue } from '../../src/operations/preview/preview-catalogue.ts';
import type { DaySessions, SessionState } from '../../src/preview/messages.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { catalogueAt, instant, temporaryFolder, type Rows } from '../support/trees.ts';

const ANYBODY = new AbortController().signal;
const TZDATA = process.versions['tz'] ?? '';

const catalogueOf = (path: string) =>
  previewCatalogue(path, TZDATA, { verdictOf, untitledExplanation, sessionExplanation });

/** The state that an explanation amounts to. */
function stateOf({ refusal, soldOut, isPaused, isOnSale }: ExplainedSession, rules: ExplainedRules): SessionState {
  if (refusal !== null) return refusal;
  if (rules.listing.hidden !== null) return 'not-visible';
  if (soldOut !== null) return 'sold-out';
  if (isPaused || rules.pausedUntil !== null || rules.listing.paused) return 'paused';
  return isOnSale ? 'on-sale' : 'not-on-sale';
}

const keyOf = (id: unknown, start: string): string => `${String(id)} ${start}`;

const statesAt = (day: DaySessions, at: string): Map<string, SessionState | undefined> =>
  new Map(
    day.products.flatMap(({ slug, sessions }) =>
      sessions.map(({ id, start, states }) => [
        `${slug} ${keyOf(id, start)}`,
        states.findLast(({ from }) => from <= at)?.state,
      ]),
    ),
  );

test.each(['kassa', 'minuit-passe', 'tokyo'])('%s: as explain says', async (front) => {
  const path = demoCatalogueAt(join(temporaryFolder(), 'demo.sqlite'), '2026-05-01T09:00:00Z');
  const day = await catalogueOf(path).day(front, instant('2026-05-01T12:00:00Z'), ANYBODY);
  expect(day.products.length).toBeGreaterThan(0);
  const closed = (key: string, at: string): Promise<string> => {
    const [slug = '', id = '', start = ''] = key.split(' ');
    const startsAt = parseOffsetDateTime(start) ?? instant(at);
    return catalogueOf(path).explain(front, slug, instant(at), { id, startsAt });
  };
  for (const at of [day.from, '2026-05-01T12:00:00Z', '2026-05-01T16:15:00Z']) {
    const expected = new Map<string, SessionState>();
    for (const { slug } of day.products) {
      const { rules } = await explainProduct(
        { databasePath: path, frontCode: front, slug, tzdata: TZDATA },
        instant(at),
      );
      for (const session of rules?.sessions ?? []) {
        const startsAt = parseOffsetDateTime(session.start) ?? 0;
        if (startsAt < instant(day.from) || startsAt >= instant(day.until) || rules === null) continue;
        expected.set(`${slug} ${keyOf(session.session, session.start)}`, stateOf(session, rules));
      }
    }
    const states = statesAt(day, at);
    // Of a daily session, explain leaves out the date that is over, unless it is asked for that
    // one.
    for (const [key, state] of states) {
      if (expected.has(key)) expect(`${key} ${state}`).toBe(`${key} ${expected.get(key)}`);
      else
        expect([key, state, await closed(key, at)]).toEqual([key, 'over', expect.stringMatching(/^Rules:\n {2}over/)]);
    }
    expect([...expected.keys()].filter((key) => !states.has(key))).toEqual([]);
    expect(states.size).toBeGreaterThanOrEqual(expected.size);
  }
});

describe('one of each kind', () => {
  const row = (table: string, values: Readonly<Record<string, unknown>>) => ({ table, row: values });
  const session = (id: number, hour: number, more: Readonly<Record<string, unknown>> = {}) =>
    row('sessions', { id, product_id: 1, venue_id: 1, starts_at: `2026-05-01T${hour}:00:00Z`, ...more });
  const tier = (id: number, amount: number, more: Readonly<Record<string, unknown>> = {}) =>
    row('price_tiers', { id, product_id: 1, amount_minor: amount, currency: 'EUR', name: `tier ${id}`, ...more });
  const rows = [
    row('fronts', { id: 1, code: 'a', name: 'a', timezone: 'UTC', currency: 'EUR', day_starts_at: '05:00' }),
    row('venues', { id: 1, name: 'Hall', timezone: 'UTC' }),
    row('products', { id: 1, slug: 'play', name: 'Play' }),
    row('front_products', { front_id: 1, product_id: 1 }),
    session(1, 10, { ends_at: '2026-05-01T12:30:00Z' }),
    session(2, 11, { available: 0 }),
    session(3, 12, { available: 0 }),
    row('front_allocations', { front_id: 1, session_id: 3, available: 4 }),
    session(4, 13, { paused: 1 }),
    session(5, 14, { status: 'cancelled' }),
    session(6, 15, { visible_from: '2026-05-01T08:00:00Z' }),
    session(7, 16, { sales_start_at: '2026-05-01T09:00:00Z' }),
    session(8, 17),
    row('front_session_exclusions', { front_id: 1, session_id: 8 }),
    session(9, 18),
    // Its own price replaces the default one.
    tier(90, 900, { session_id: 9, valid_until: '2026-05-01T10:00:00Z' }),
    // Of the evening before, by the day of the front.
    row('sessions', { id: 10, product_id: 1, venue_id: 1, starts_at: '2026-05-01T04:59:59Z' }),
    row('sessions', { id: 11, product_id: 1, venue_id: 1, starts_at: '2026-05-02T04:00:00Z' }),
    tier(1, 1000, { valid_until: '2026-05-01T11:00:00Z' }),
    tier(2, 1500),
    tier(3, 200, { kind: 'addon' }),
  ];
  const catalogue = () => catalogueOf(catalogueAt(join(temporaryFolder(), 'kinds.sqlite'), rows as Rows));
  const noon = instant('2026-05-01T12:00:00Z');

  test('changes when the rules say so', async () => {
    const day = await catalogue().day('a', noon, ANYBODY);
    expect([day.from, day.until, day.leftOut]).toEqual(['2026-05-01T05:00:00Z', '2026-05-02T05:00:00Z', 0]);
    const told = day.products.flatMap(({ sessions }) =>
      sessions.map(({ id, end, available, isAllocated, states }) => [
        id,
        end?.slice(11, 16) ?? null,
        isAllocated ? available : null,
        states.map(({ from, state, priceFrom }) => `${from.slice(11, 16)} ${state} ${priceFrom}`).join(', '),
      ]),
    );
    expect(told).toEqual([
      ['1', '12:30', null, '05:00 on-sale 10, 10:00 over null'],
      ['2', null, null, '05:00 sold-out null, 11:00 over null'],
      ['3', null, 4, '05:00 on-sale 10, 11:00 on-sale 15, 12:00 over null'],
      ['4', null, null, '05:00 paused 10, 11:00 paused 15, 13:00 over null'],
      ['5', null, null, '05:00 not-scheduled null'],
      ['6', null, null, '05:00 not-announced null, 08:00 on-sale 10, 11:00 on-sale 15, 15:00 over null'],
      ['7', null, null, '05:00 not-on-sale null, 09:00 on-sale 10, 11:00 on-sale 15, 16:00 over null'],
      ['8', null, null, '05:00 excluded null'],
      ['9', null, null, '05:00 on-sale 9, 10:00 prices-expired null, 18:00 over null'],
      ['11', null, null, '05:00 on-sale 10, 11:00 on-sale 15, 04:00 over null'],
    ]);
  });

  test('is explained alone, with its own prices', async () => {
    const explain = (id: string, start: string, at: string) =>
      catalogue().explain('a', 'play', instant(at), { id, startsAt: instant(start) });
    const [own, quota, none] = await Promise.all([
      explain('9', '2026-05-01T18:00:00Z', '2026-05-01T09:00:00Z'),
      explain('3', '2026-05-01T12:00:00Z', '2026-05-01T09:00:00Z'),
      explain('3', '2026-05-01T13:00:00Z', '2026-05-01T09:00:00Z'),
    ]);
    expect(own).toMatch(/^Rules:\n {2}offered\n {2}seats are not limited\nPrices:\n/);
    expect(own).toContain('9 EUR, tier 90 "tier 90", of session 9: can be bought');
    expect(own).toContain('an add-on, which never counts');
    // The default prices are not those of this session.
    expect(own).not.toContain('tier 1 ');
    expect(quota).toContain('4 seats left of the contingent of this front');
    expect(quota).toContain('10 EUR, tier 1 "tier 1", default: can be bought, and is the least');
    expect(none).toBe('The catalogue does not have this session, or it has errors.');
  });

  test('two products of one slug take each other out, also where one has no session on the day', async () => {
    const twin = [
      row('products', { id: 2, slug: 'twin', name: 'Twin' }),
      row('front_products', { front_id: 1, product_id: 2 }),
    ];
    const path = catalogueAt(join(temporaryFolder(), 'twins.sqlite'), [...rows, ...twin] as Rows);
    const database = new Database(path);
    database.pragma('legacy_alter_table = ON');
    database.exec(
      `ALTER TABLE products RENAME TO own; CREATE VIEW products AS SELECT id, 'play' AS slug, name, age_rating, sale_schema, pushka, paused, paused_until, image_id, status FROM own`,
    );
    database.close();
    const { products, leftOut } = await catalogueOf(path).day('a', noon, ANYBODY);
    expect([products, leftOut]).toEqual([[], 1]);
  });

  test('a front that is disabled says so', async () => {
    const path = catalogueAt(join(temporaryFolder(), 'disabled.sqlite'), rows as Rows);
    const database = new Database(path);
    database.exec(`UPDATE fronts SET status = 'disabled'`);
    database.close();
    expect(await catalogueOf(path).day('a', noon, ANYBODY)).toMatchObject({ frontState: 'disabled', products: [] });
  });

  test('what errors leave out is counted', async () => {
    const path = catalogueAt(join(temporaryFolder(), 'bad.sqlite'), rows as Rows);
    const database = new Database(path);
    database.pragma('ignore_check_constraints = ON');
    database.exec(`UPDATE price_tiers SET currency = 'euros' WHERE id = 90`);
    database.close();
    const day = await catalogueOf(path).day('a', noon, ANYBODY);
    expect(day.leftOut).toBe(1);
    expect(day.products[0]?.sessions.map(({ id }) => id)).not.toContain('9');
  });
});
