// `playbill explain` as a support desk runs it: the verdict first, then rule by rule.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import stringWidth from 'fast-string-width';
import { beforeAll, expect, test } from 'vitest';
import { explanationText } from '../../src/cli/output/explain.ts';
import { explainResultSchema } from '../../src/contract/results/explain.ts';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { explainProduct } from '../../src/operations/explain.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { instant, temporaryFolderOfFile } from '../support/trees.ts';
import { playbill } from '../support/cli/run.ts';

const NOW = '2026-05-01T09:00:00Z';
const root = temporaryFolderOfFile();
const database = join(root, 'demo.sqlite');

beforeAll(() => {
  demoCatalogueAt(database, NOW);
});

const explain = (front: string, product: string, ...flags: readonly string[]) =>
  playbill(['explain', '--db', database, '--at', NOW, '--front', front, '--product', product, ...flags]);

function explained(frontCode: string, slug: string, databasePath = database) {
  const tzdata = process.versions['tz'] ?? '';
  return explainProduct({ databasePath, frontCode, slug, tzdata }, instant(NOW));
}

/** What the command prints, without a process of its own. */
async function textOf(frontCode: string, slug: string, databasePath = database): Promise<string> {
  return explanationText(await explained(frontCode, slug, databasePath), databasePath);
}

const unfolded = (text: string): string => text.replaceAll(/\n +/g, ' ');

/** The demo with a change that no constraint stands in the way of. */
function changed(name: string, sql: string): string {
  const path = join(root, `${name}.sqlite`);
  cpSync(database, path);
  const handle = new Database(path);
  handle.pragma('ignore_check_constraints = ON');
  handle.pragma('foreign_keys = OFF');
  handle.exec(sql);
  handle.close();
  return path;
}

test.each<readonly [string, string, string, readonly string[]]>([
  [
    'a card',
    'moscow',
    'organ-i-duduk',
    [
      'it has a card.',
      'priceFrom is 900 RUB',
      'this is priceFrom',
      'Next change: Sat 2026-05-02 08:00: priceFrom 900 → 1500.',
    ],
  ],
  [
    'not visible yet',
    'moscow',
    'buran',
    [
      'no card: visible on this front only from Sat 2026-05-02 10:00.',
      'Next change: Sat 2026-05-02 10:00: it gets a card.',
    ],
  ],
  [
    'a draft',
    'moscow',
    'sosedi',
    ['no card: its status is draft, not published.', 'no  published: its status is draft'],
  ],
  [
    'no session scheduled',
    'moscow',
    'traviata',
    ['no card: none of 7 sessions is scheduled', 'its status is postponed'],
  ],
  [
    'a product that the front does not list',
    'fonar',
    'traviata',
    ['(no row in front_products)', 'Next change: none without a row'],
  ],
  ['paused by the front', 'kassa', 'revizor', ['paused: yes: the front has paused it']],
  [
    'sold out',
    'moscow',
    'kuhnya-na-dvoih',
    ['sold out: nothing left at any price; shown, since all are', 'no priceFrom: everything is sold out'],
  ],
  [
    'a front that is disabled',
    'neva',
    'chayka',
    ['no card: the front is disabled', 'no  front neva is active: it is disabled'],
  ],
])('explains %s in at most eighty columns', async (_, front, product, expected) => {
  const text = await textOf(front, product);
  for (const part of expected) expect(unfolded(text)).toContain(part);
  for (const line of text.split('\n')) expect(stringWidth(line), line).toBeLessThanOrEqual(80);
});

test('--json prints the explanation as its schema has it', async () => {
  const { status, stdout } = await explain('moscow', 'karmen', '--json');
  const json = explainResultSchema.parse(JSON.parse(stdout));
  expect(status).toBe(0);
  expect(json).toMatchObject({
    front: 'moscow',
    frontState: 'active',
    at: NOW,
    reason: null,
    isHeldBack: false,
    holding: [],
  });
  expect(json.rules?.sessions[0]).toMatchObject({ refusal: 'prices-expired', isInPool: false });
  expect(json.rules?.tiers.find(({ verdict }) => verdict === 'expired')?.name).toBe('Премьерный вечер');
});

test('a finding that leaves out the product, or holds the front back, is named', async () => {
  const other = changed('other', "UPDATE products SET age_rating = 99 WHERE slug = 'gamlet'");
  const text = unfolded(await textOf('moscow', 'chayka', other));
  expect(text).toContain('it has a card.\nRules');
  expect(unfolded(await textOf('moscow', 'gamlet', other))).toMatch(
    /no card: an error in its rows leaves it out\.\nErrors leave the product out\.[^]*error value-invalid products 10: age_rating/,
  );
  const own = changed(
    'own',
    "UPDATE sessions SET sales_end_at = 'soon' WHERE product_id = (SELECT id FROM products WHERE slug = 'chayka')",
  );
  const bad = await explain('moscow', 'chayka', '--db', own, '--json');
  const json = explainResultSchema.parse(JSON.parse(bad.stdout));
  expect(json).toMatchObject({ reason: 'bad-data', isHeldBack: false, holding: [] });
  expect(json.leftOut.length).toBeGreaterThan(0);
  expect(await textOf('berlin', 'chayka', own)).not.toContain('held back');
  const twins = changed(
    'twins',
    `PRAGMA legacy_alter_table = ON;
     ALTER TABLE products RENAME TO own_products;
     CREATE VIEW products AS SELECT * FROM own_products UNION ALL SELECT -1, slug, name, age_rating, sale_schema, pushka,
       paused, paused_until, image_id, status FROM own_products WHERE slug = 'chayka'`,
  );
  expect(unfolded(await textOf('moscow', 'chayka', twins))).toContain('duplicate-key');
  const nameless = changed(
    'nameless',
    `PRAGMA legacy_alter_table = ON;
     ALTER TABLE price_tiers RENAME TO own_tiers;
     CREATE VIEW price_tiers AS SELECT id, product_id, session_id, NULL AS name, kind, is_public, in_price_from, amount_minor,
       currency, available, valid_from, valid_until FROM own_tiers`,
  );
  expect((await explain('moscow', 'chayka', '--db', nameless)).status).toBe(0);
  const status = changed('status', "UPDATE products SET status = 'live' WHERE slug = 'chayka'");
  const live = unfolded(await textOf('moscow', 'chayka', status));
  expect(live).toContain('no card: an error in its rows leaves it out');
  expect(live).toContain('no  published: its status is live');
  const zone = changed('zone', "UPDATE fronts SET timezone = 'Mars/Base' WHERE code = 'moscow'");
  const unreadable = unfolded(await textOf('moscow', 'chayka', zone));
  expect(unreadable).toContain("no card: the front's own row cannot be read");
  expect(unreadable).toContain('error zone-unknown fronts');
});

test('names from the catalogue cannot steer the terminal', async () => {
  const nasty = changed(
    'nasty',
    "UPDATE products SET name = char(27) || '[2J' || char(10) || char(8238) || 'x' WHERE slug = 'chayka'",
  );
  const { status, stdout } = await explain('moscow', 'chayka', '--db', nasty);
  expect(status).toBe(0);
  expect(stdout).toContain('[2J');
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]/u);
});

test.each([
  ['a front', 'moskow', 'chayka', 'front-unknown', 'did you mean moscow?'],
  ['a slug', 'moscow', 'chaika', 'product-unknown', 'did you mean chayka ("Чайка")?'],
  ['a name in the place of a slug', 'moscow', 'чайка', 'product-unknown', 'did you mean chayka ("Чайка")?'],
])('%s that is mistyped gets near names as a hint, and exit 2', async (_, front, product, code, hint) => {
  const { status, stdout } = await explain(front, product, '--json');
  const { error } = errorResultSchema.parse(JSON.parse(stdout));
  expect([status, error.code, error.hint]).toEqual([2, code, hint]);
});

test('a product whose id cannot be read is no mistyped slug', async () => {
  const id = '1152735103331642317';
  const large = changed('large-id', `PRAGMA foreign_keys = OFF; UPDATE products SET id = ${id} WHERE slug = 'chayka'`);
  const { status, stdout } = await explain('moscow', 'chayka', '--db', large, '--json');
  const { error } = errorResultSchema.parse(JSON.parse(stdout));
  expect([status, error.code]).toEqual([2, 'product-unknown']);
  expect(error.message).toContain(`expected a product "chayka" that can be read, found products ${id}: id: `);
  expect(error.hint).toContain('a table of their own');
});

test('a daily session is said once, with its span and the dates that matter now', async () => {
  const text = unfolded(await textOf('rives', 'soie'));
  expect(text).toContain(
    'daily Sat 2026-04-04 to Thu 2026-07-02, 10:00 to 18:00, session 3826, "Halle aux Soies": 90 dates, 27 of them over; ' +
      'offered; sales end Thu 2026-07-02 18:00; next and today: Fri 2026-05-01 10:00 +02:00; ' +
      'tomorrow and weekend: Sat 2026-05-02 10:00 +02:00; weekend: Sun 2026-05-03 10:00 +02:00\n',
  );
  expect(text.split('session 3826')).toHaveLength(2);
  expect(text).toContain('offered: 1 of 1 session\n');
});

test('one that a front does not sell, and one that is over, as well', async () => {
  const path = changed(
    'daily',
    `INSERT INTO front_session_exclusions (front_id, session_id) SELECT id, 3826 FROM fronts WHERE code = 'rives';
     UPDATE sessions SET ends_at = '2026-04-25T16:00:00Z' WHERE id = 3827`,
  );
  const excluded = await explained('rives', 'soie', path);
  expect(unfolded(explanationText(excluded, path))).toContain('not offered: this front does not sell it');
  expect(excluded.rules?.dailySessions).toEqual([
    {
      session: 3826,
      opens: '2026-04-04T10:00:00',
      closes: '2026-07-02T18:00:00',
      dates: 90,
      offered: 0,
      refused: [
        { refusal: 'over', dates: 27 },
        { refusal: 'excluded', dates: 63 },
      ],
      shown: [],
    },
  ]);
  // What there was of each date is still there.
  expect(excluded.rules?.sessions).toHaveLength(63);
  const over = await explained('rives', 'cartes-des-fleuves', path);
  expect(unfolded(explanationText(over, path))).toContain(
    '1 session over, the last of them Sat 2026-04-25 10:00 +02:00',
  );
  expect(over.rules?.dailySessions.map(({ dates, refused }) => ({ dates, refused }))).toEqual([
    { dates: 8, refused: [{ refusal: 'over', dates: 8 }] },
  ]);
});
