// Data at the ends of what a catalogue may hold: text of every kind, instants, amounts and zones at
// their limits, very many of one thing. An import refuses it, or a build gives a finding, or the
// output is right: what the plain renderer makes of it, in a tree that `verify` finds sound.

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatInstant, instantOf } from '../../src/catalogue/instant.ts';
import { buildTree, catalogueAt, documentAt, instant, temporaryFolder } from '../support/trees.ts';
import { changeDatabase } from '../support/fault/build-with.ts';
import { Command, errorCodeOf, summaryOf } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { expectRight, frontProductsOf } from '../support/fault/one-front.ts';
import { NOW } from '../support/fault/small-catalogue.ts';

const command = new Command();
const tellFault = matrixOf(import.meta.url);

interface Documents {
  readonly productCards: readonly { readonly name: string; readonly slug: string; readonly priceFrom: number | null }[];
}

function cardsIn(files: ReadonlyMap<string, string>, at = NOW): Documents['productCards'] {
  return (JSON.parse(documentAt(files, 'alpha', 'products', at)) as Documents).productCards;
}

const RIGHT = 'nothing: the output is right';

/**
 * Every control character, direction mark, separator and noncharacter, one by one; and what markup
 * and scripts trip over.
 */
const CODE_POINTS = [
  ...Array.from({ length: 0x20 }, (_, i) => i),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
  ...Array.from({ length: 5 }, (_, i) => 0x200b + i),
  ...Array.from({ length: 7 }, (_, i) => 0x2028 + i),
  ...Array.from({ length: 16 }, (_, i) => 0x2060 + i),
  0xad,
  0x61c,
  0x180e,
  0xfdd0,
  0xfeff,
  0xfff9,
  0xfffc,
  0xfffd,
  0xfffe,
  0xffff,
  0x1f3ad,
  0xe0001,
  0x1fffe,
  0x10ffff,
];
const TEXTS = [
  ...CODE_POINTS.map((point) => `a${String.fromCodePoint(point)}b`),
  '</script><script>alert(1)</script><!-- ]]>',
  '"\\\u0022\\u0022{{x}}${x}%s%n',
  '🎭👩‍👩‍👧‍👦e\u0301\u0301\u0301ﷺ',
  // As long as text may be.
  'x'.repeat(65_536),
  '🎭'.repeat(32_768),
  '"'.repeat(65_536),
  '\u0001'.repeat(65_536),
];

describe('text', () => {
  test('of every kind goes in by import, out by export, and through a build, unchanged', async () => {
    const root = temporaryFolder();
    const slugs = ['a', '-', '0', 'z'.repeat(100), '-'.repeat(100)];
    const rows = frontProductsOf(
      TEXTS.map((name, i) => ({ name, ...(slugs[i] === undefined ? {} : { slug: slugs[i] }) })),
    );
    const file = join(root, 'rows.ndjson');
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const [database, again] = [join(root, 'once.sqlite'), join(root, 'again.sqlite')];
    const imported = await command.run(['import', file, '--db', database, '--json']);
    expect(imported, imported.stderr).toMatchObject({ code: 0 });
    const exported = await command.run(['export', '--db', database]);
    expect(exported, exported.stderr).toMatchObject({ code: 0 });
    writeFileSync(file, exported.stdout);
    expect(await command.run(['import', file, '--db', again])).toMatchObject({ code: 0 });
    expect((await command.run(['export', '--db', again])).stdout).toBe(exported.stdout);

    const files = await expectRight(database, NOW, { horizonSeconds: 0 });
    const cards = cardsIn(files);
    expect(cards.map(({ name }) => name)).toEqual(TEXTS);
    expect(cards.slice(0, slugs.length).map(({ slug }) => slug)).toEqual(slugs);
    tellFault(
      {
        situation: 'hostile text in names: control characters, direction marks, markup, as much as there may be',
        sees: 'the new release',
        heals: RIGHT,
      },
      imported.code,
      TEXTS.length,
    );
  });

  test.each([
    ['half a pair', '{"table":"venues","row":{"id":1,"name":"a\\ud800b","timezone":"UTC"}}', 'import-row-invalid'],
    ['the other half', '{"table":"venues","row":{"id":1,"name":"\\udc00","timezone":"UTC"}}', 'import-row-invalid'],
    ['bytes that are no UTF-8', Buffer.from('7b22ff7d0a', 'hex'), 'import-line-invalid'],
    [
      'a slug of 201',
      JSON.stringify({ table: 'tags', row: { id: 1, slug: 'a'.repeat(201), name: '' } }),
      'import-row-invalid',
    ],
    [
      'a slug with a line break',
      JSON.stringify({ table: 'tags', row: { id: 1, slug: 'a\n', name: '' } }),
      'import-row-invalid',
    ],
    [
      'a slug with a NUL',
      JSON.stringify({ table: 'tags', row: { id: 1, slug: 'a\0', name: '' } }),
      'import-row-invalid',
    ],
    [
      'an integer beyond 2^53',
      '{"table":"tags","row":{"id":9007199254740993,"slug":"a","name":""}}',
      'import-row-invalid',
    ],
    ['a float for an integer', '{"table":"tags","row":{"id":1.5,"slug":"a","name":""}}', 'import-row-invalid'],
    ['a number too large for any', '{"table":"tags","row":{"id":1e999,"slug":"a","name":""}}', 'import-row-invalid'],
    [
      'a float for an amount',
      '{"table":"price_tiers","row":{"id":1,"product_id":1,"amount_minor":0.1,"currency":"RUB"}}',
      'import-row-invalid',
    ],
    [
      'an amount beyond its limit',
      '{"table":"price_tiers","row":{"id":1,"product_id":1,"amount_minor":100000000000000,"currency":"RUB"}}',
      'import-row-invalid',
    ],
    [
      'the year 10000',
      '{"table":"sessions","row":{"id":1,"product_id":1,"venue_id":1,"starts_at":"+10000-01-01T00:00:00Z"}}',
      'import-row-invalid',
    ],
    [
      'a member __proto__',
      '{"table":"tags","row":{"__proto__":{"id":1},"id":1,"slug":"a","name":""}}',
      'import-row-invalid',
    ],
    ['a table __proto__', '{"table":"__proto__","row":{"id":1}}', 'import-row-invalid'],
    ['nesting without end', `{"table":"tags","row":${'['.repeat(100_000)}`, 'import-line-invalid'],
  ])('an import refuses %s, and makes no database', async (_, line, code) => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'rows.ndjson'), line);
    const run = await command.run(['import', join(root, 'rows.ndjson'), '--db', join(root, 'c.sqlite'), '--json']);
    expect(run, run.stderr).toMatchObject({ code: 2 });
    expect(errorCodeOf(run)).toBe(code);
    expect(() => readFileSync(join(root, 'c.sqlite'))).toThrow('ENOENT');
    tellFault(
      { situation: 'an import of hostile rows', sees: 'nothing: no tree yet', heals: 'fix the rows' },
      run.code,
    );
  });

  test('that is not UTF-8, as the sqlite3 shell accepts it, is a finding for each row, and if no good one is left, holds its front back', async () => {
    const database = catalogueAt(join(temporaryFolder(), 'c.sqlite'), frontProductsOf([{}, {}, {}]));
    const sql = `UPDATE products SET name = CAST(x'41ff42' AS TEXT) WHERE id = 1;
      UPDATE products SET name = CAST(x'eda080' AS TEXT) WHERE id = 2;
      UPDATE products SET name = CAST(x'f09f8e' AS TEXT) WHERE id = 3;`;
    expect(spawnSync('sqlite3', [database, sql], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    const out = join(temporaryFolder(), 'out');
    const { outcomes, findings } = await buildTree(database, out, instant(NOW));
    expect(outcomes.map(({ held }) => held)).toEqual(['max-bad']);
    expect(findings.map(({ place }) => place)).toEqual(['products 1', 'products 2', 'products 3']);
    for (const { message } of findings) expect(message).toMatch(/^name: expected .*UTF-8/);
    tellFault(
      {
        situation: 'text in the database that is no UTF-8',
        sees: 'this front old, the others new',
        heals: 'fix the row, and build',
      },
      null,
      3,
    );
  });
});

describe('numbers and instants at their limits', () => {
  test('amounts with every exponent', async () => {
    const amounts = [0, 1, 9, 10, 99_999, 100_000, 12_345_678_901_234, 99_999_999_999_999];
    for (const exponent of [0, 1, 2, 3, 4]) {
      const database = catalogueAt(join(temporaryFolder(), 'c.sqlite'), frontProductsOf(amounts.map(() => ({}))));
      const change = amounts.map((amount, i) => `UPDATE price_tiers SET amount_minor = ${amount} WHERE id = ${i + 1};`);
      changeDatabase(database, `UPDATE fronts SET currency_exponent = ${exponent}; ${change.join(' ')}`);
      const files = await expectRight(database, NOW, { horizonSeconds: 0 });
      expect(cardsIn(files).map(({ priceFrom }) => priceFrom)).toEqual(
        amounts.map((amount) => Number(`${amount}e-${exponent}`)),
      );
      // To the last digit, as text.
      if (exponent === 4) expect(documentAt(files, 'alpha', 'products', NOW)).toContain('"priceFrom":9999999999.9999');
    }
    tellFault({ situation: 'amounts at their limits', sees: 'the new release', heals: RIGHT }, null, 40);
  });

  test('windows and sessions in the years 0000, 0001 and 9999, and counts at the ends of integers', async () => {
    const rows = frontProductsOf([{}, {}, {}, {}, { paused: 1, paused_until: '9999-12-31T23:59:59Z' }], 'UTC');
    const database = catalogueAt(join(temporaryFolder(), 'c.sqlite'), rows);
    changeDatabase(
      database,
      `UPDATE sessions SET starts_at = '9999-12-31T23:59:59Z' WHERE id = 1;
       UPDATE sessions SET starts_at = '0001-01-01T00:00:00Z', sales_end_at = '9999-12-31T23:59:59Z' WHERE id = 2;
       UPDATE sessions SET starts_at = '0000-01-01T00:00:00Z', sales_start_at = '0000-01-01T00:00:00Z' WHERE id = 3;
       UPDATE sessions SET available = 9007199254740991 WHERE id = 1;
       UPDATE sessions SET available = -9007199254740991 WHERE id = 2;
       UPDATE price_tiers SET valid_from = '0001-01-01T00:00:00Z', valid_until = '9999-12-31T23:59:59Z';
       UPDATE front_products SET visible_from = '0000-01-01T00:00:00Z', visible_until = '9999-12-31T23:59:59Z', sort_weight = -9007199254740991 WHERE product_id = 4`,
    );
    const files = await expectRight(database, NOW);
    expect(cardsIn(files).map(({ slug }) => slug)).toEqual(['p-3', 'p-0', 'p-1', 'p-4']);
    for (const now of ['0002-01-01T00:00:00Z', '9997-12-31T00:00:00Z']) await expectRight(database, now);
    tellFault(
      { situation: 'instants in the years 0000, 0001 and 9999', sees: 'the new release', heals: RIGHT },
      null,
      3,
    );
  });

  test('a session whose wall time is in the year 10000 is a finding', async () => {
    const root = temporaryFolder();
    const database = catalogueAt(join(root, 'c.sqlite'), frontProductsOf([{}], 'Pacific/Kiritimati'));
    changeDatabase(database, "UPDATE sessions SET starts_at = '9999-12-31T23:59:59Z'");
    const run = await command.run(['build', '--db', database, '--out', join(root, 'out'), '--now', NOW, '--json']);
    expect(run, run.stderr).toMatchObject({ code: 4 });
    expect(summaryOf(run).findings.map(({ code }) => code)).toEqual(['year-unprintable']);
    const heals = 'fix the row, and build';
    tellFault({ situation: 'a session in the year 10000 of its venue', sees: 'nothing: no tree yet', heals }, run.code);
  });

  test.each([
    ['Asia/Kathmandu', '1985-12-31T10:00:00Z', 'a quarter of an hour is skipped'],
    ['Pacific/Chatham', '2026-04-04T10:00:00Z', 'quarters of an hour, and summer time ends'],
    ['Africa/Monrovia', '1972-01-06T10:00:00Z', 'an offset of 44 minutes 30 seconds ends'],
    ['Africa/Monrovia', '1950-06-01T10:00:00Z', 'an offset with seconds'],
    ['Pacific/Apia', '2011-12-29T08:00:00Z', '30 December is skipped'],
    ['Pacific/Apia', '2011-12-30T09:59:59Z', 'the last second before a day is skipped'],
    ['Pacific/Kwajalein', '1993-08-20T10:00:00Z', 'a Saturday is skipped'],
    ['Antarctica/Troll', '2026-03-28T20:00:00Z', 'two hours are skipped'],
    ['Antarctica/Troll', '2026-10-24T20:00:00Z', 'two hours come twice'],
    ['Australia/Lord_Howe', '2026-04-04T10:00:00Z', 'half an hour comes twice'],
    ['America/Sao_Paulo', '2018-11-03T12:00:00Z', 'midnight is skipped'],
    ['Europe/Dublin', '2026-03-28T12:00:00Z', 'winter time is the exception'],
    ['Africa/Casablanca', '2026-02-14T12:00:00Z', 'summer time stops for Ramadan'],
    ['Asia/Manila', '1844-12-30T00:00:00Z', 'a day is skipped, before zones'],
    ['America/Juneau', '1867-10-17T00:00:00Z', 'a day comes twice'],
    ['Pacific/Kiritimati', '2026-01-01T00:00:00Z', 'fourteen hours ahead'],
    ['Etc/GMT+12', '2026-01-01T00:00:00Z', 'twelve hours behind'],
  ])('%s at %s: %s', async (zone, now) => {
    const rows = frontProductsOf([{}, {}, {}, {}], zone);
    const others = ['Europe/Moscow', 'Pacific/Honolulu'];
    for (const [i, timezone] of others.entries())
      rows.push({ table: 'venues', row: { id: i + 2, name: timezone, timezone } });
    // Every five hours and forty minutes, from two days before to eight days ahead, at venues in
    // turn.
    for (let i = 0; i < 42; i++) {
      const starts_at = formatInstant(instantOf(instant(now) + (i - 8) * 20_400));
      rows.push({ table: 'sessions', row: { id: 100 + i, product_id: (i % 4) + 1, venue_id: (i % 3) + 1, starts_at } });
    }
    const database = catalogueAt(join(temporaryFolder(), 'c.sqlite'), rows);
    const hours = Array.from({ length: 40 }, (_, i) => formatInstant(instantOf(instant(now) + i * 3600 + (i % 7))));
    await expectRight(database, now, { horizonSeconds: 48 * 3600 }, ['alpha'], hours);
    tellFault({ situation: 'zones with odd offsets, at odd instants', sees: 'the new release', heals: RIGHT }, null);
  });
});
