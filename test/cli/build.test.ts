// `playbill build` as a person runs it: words in; stdout, exit code and files out.

import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildResultSchema } from '../../src/contract/results/build.ts';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { filesOf, temporaryFolderOfFile } from '../support/trees.ts';
import { playbill, playbillProcess } from '../support/cli/run.ts';

const NOW = '2026-05-01T09:00:00Z';
const root = temporaryFolderOfFile();
const database = join(root, 'demo.sqlite');

beforeAll(() => {
  demoCatalogueAt(database, NOW);
});

let serial = 0;

/** Nothing was written but, at most, the lock. */
function expectNothingIn(out: string): void {
  if (existsSync(out)) expect([...filesOf(out).keys()]).toEqual([]);
}

/** A copy of the demo that a test may spoil. */
function copyOfDemo(name: string): string {
  const path = join(root, name);
  cpSync(database, path);
  return path;
}

describe('what a build prints and leaves', () => {
  test('a table of fronts and two closing lines; --json validates; the second build writes nothing', async () => {
    const out = join(root, 'plain');
    const first = await playbill(['build', '--db', database, '--out', out, '--now', NOW]);
    expect(first.stderr).toBe('');
    expect(first.status).toBe(0);
    expect(first.stdout).toContain('Published 13 of 13 fronts as of 2026-05-01T09:00:00Z, horizon 6h; release ');
    expect(first.stdout).toMatch(/^moscow +\d+ +\d+\+1 +2026-05-01 \d\d:\d\dZ/m);
    for (const line of first.stdout.split('\n').slice(0, 10)) expect(line.length, line).toBeLessThanOrEqual(120);
    const times = new Map([...filesOf(out).keys()].map((path) => [path, statSync(join(out, path)).mtimeMs]));

    const second = await playbill(['build', '--db', database, '--out', out, '--now', NOW, '--json']);
    const result = buildResultSchema.parse(JSON.parse(second.stdout));
    expect(second.status).toBe(0);
    expect(result.put).toEqual({ files: 0, bytes: 0 });
    expect(result.removed.files).toBe(0);
    for (const [path, time] of times) expect(statSync(join(out, path)).mtimeMs, path).toBe(time);
  });

  test('tables and triggers that are not of the contract change nothing', async () => {
    const database = copyOfDemo('with-triggers.sqlite');
    const handle = new Database(database);
    handle.exec(`
      CREATE TABLE revisions (scope TEXT NOT NULL, id INTEGER NOT NULL, token INTEGER NOT NULL, PRIMARY KEY (scope, id)) STRICT, WITHOUT ROWID;
      CREATE TRIGGER revisions_tags_after_insert AFTER INSERT ON tags BEGIN
        UPDATE revisions SET token = abs(random()) WHERE scope = 'catalogue';
      END`);
    handle.close();
    const [out, plain] = [join(root, 'with-triggers'), join(root, 'without-triggers')];
    expect((await playbill(['build', '--db', database, '--out', out, '--now', NOW])).status).toBe(0);
    expect((await playbill(['build', '--db', copyOfDemo('plain.sqlite'), '--out', plain, '--now', NOW])).status).toBe(
      0,
    );
    expect(filesOf(out)).toEqual(filesOf(plain));
  });

  test('law 1: the same bytes in another folder, time zone and locale', async () => {
    const runs = [
      { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' },
      { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
      { TZ: 'America/St_Johns', LANG: 'ar_EG.UTF-8', LC_ALL: 'ar_EG.UTF-8' },
    ];
    const trees = [];
    for (const [i, environment] of runs.entries()) {
      const out = join(root, `law-1-${'deeper/'.repeat(i)}out`);
      mkdirSync(out, { recursive: true });
      const { status } = await playbillProcess(['build', '--db', database, '--out', out, '--now', NOW], environment);
      expect(status).toBe(0);
      trees.push(filesOf(out));
    }
    expect(trees[0]?.size).toBeGreaterThan(30);
    expect(trees[1]).toEqual(trees[0]);
    expect(trees[2]).toEqual(trees[0]);
  });

  test('a dry run names every file and its reason, and writes nothing, not even a folder', async () => {
    const out = join(root, 'dry');
    const { status, stdout } = await playbill([
      'build',
      '--db',
      database,
      '--out',
      out,
      '--now',
      NOW,
      '--dry-run',
      '--json',
    ]);
    const result = buildResultSchema.parse(JSON.parse(stdout));
    expect(status).toBe(0);
    expect(result.isDryRun).toBe(true);
    expect(result.plan?.length).toBe(result.put.files);
    expect(existsSync(out)).toBe(false);
    await playbill(['build', '--db', database, '--out', out, '--now', NOW]);
    expect([...filesOf(out).keys()]).toEqual(result.plan?.map(({ path }) => path).toSorted());
  });

  test('no file of the tree bears a secret, a wall-clock time or another front', async () => {
    const out = join(root, 'leaks');
    await playbill(['build', '--db', database, '--out', out, '--now', NOW]);
    const files = filesOf(out);
    const year = new Date().getFullYear();
    for (const [path, text] of files) {
      if (path.startsWith('public/')) expect(text, path).not.toMatch(/secret|public_key|keyid/i);
      const front = /^public\/fronts\/([^/]+)\/pointer/.exec(path)?.[1];
      if (front !== undefined)
        expect(text).not.toMatch(new RegExp(`"(?!${front}")(moscow|berlin|riyadh|kuwait|tokyo)"`));
    }
    // The demo is made for 2026; this test says something once that year is over, and today by the
    // hour.
    const hour = new Date().toISOString().slice(0, 13);
    if (!NOW.startsWith(String(year))) for (const text of files.values()) expect(text).not.toContain(hour);
    expect(files.get('edge/keyring.json')).toContain('"secretRef"');
  });
});

describe('wrong usage and unreadable input: exit 2, one coded line, a hint, nothing written', () => {
  test.each([
    ['an unknown flag', ['build', '--nwo', NOW], 'usage', "unknown option '--nwo' (Did you mean --now?)"],
    ['an unknown command', ['bulid'], 'usage', "unknown command 'bulid' (Did you mean build?)"],
    ['a flag without its value', ['build', '--now'], 'instant-invalid', 'found "--db"'],
    [
      '--now without an offset',
      ['build', '--now', '2026-05-01T09:00:00'],
      'instant-invalid',
      'expected a date and time with Z or an offset',
    ],
    [
      '--now that is no date',
      ['build', '--now', '2026-02-30T09:00:00Z'],
      'instant-invalid',
      'found "2026-02-30T09:00:00Z"',
    ],
    ['--now at the end of the calendar', ['build', '--now', '9999-12-31T12:00:00Z'], 'instant-invalid', 'found "9999'],
    ['--now with a blank for the T', ['build', '--now', '2026-11-22 12:00:00Z'], 'instant-invalid', 'with T between'],
    ['--now with a date alone', ['build', '--now', '2026-05-01'], 'instant-invalid', 'found "2026-05-01"'],
    ['--horizon that is no duration', ['build', '--horizon', '6 hours'], 'duration-invalid', 'found "6 hours"'],
    [
      'a unit that there is not',
      ['build', '--horizon', '5min'],
      'duration-invalid',
      'a duration such as 30s, 5m, 6h or 2d',
    ],
    ['--horizon beyond all bounds', ['build', '--horizon', '400d'], 'duration-invalid', 'at most 366d'],
    ['--max-shrink without a percent sign', ['build', '--max-shrink', '0.5'], 'percentage-invalid', 'found "0.5"'],
    ['a front that is not there', ['build', '--front', 'moskow'], 'front-unknown', 'did you mean moscow?'],
    ['a front that is disabled', ['build', '--front', 'neva'], 'front-unknown', 'found "neva"'],
    ['a word too many', ['build', 'now'], 'usage', 'too many arguments'],
  ])('%s', async (_, words, code, message) => {
    const out = join(root, `never-${++serial}`);
    const { status, stdout, stderr } = await playbill([
      ...words,
      ...(words[0] === 'build' ? ['--db', database, '--out', out] : []),
    ]);
    expect(stderr).toContain(`error ${code}: `);
    expect(stderr).toContain(message);
    expect(stderr).toContain('\n  hint: ');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).toBe('');
    expect(status).toBe(2);
    expectNothingIn(out);
  });

  test('an instant is refused before the database is opened', async () => {
    const { stderr } = await playbill(['build', '--db', join(root, 'none.sqlite'), '--now', 'today']);
    expect(stderr).toContain('error instant-invalid');
  });

  test('under --json the error is on stdout for machines, too', async () => {
    const { status, stdout } = await playbill(['build', '--db', join(root, 'none.sqlite'), '--json']);
    expect(errorResultSchema.parse(JSON.parse(stdout)).error.code).toBe('database-missing');
    expect(status).toBe(2);
  });

  test.each([
    ['nothing there', () => join(root, 'none.sqlite'), 'database-missing'],
    ['a folder', () => root, 'database-unreadable'],
    [
      'a text file',
      () => {
        const path = join(root, 'text.sqlite');
        writeFileSync(path, 'no database, only words'.repeat(100));
        return path;
      },
      'database-unreadable',
    ],
    [
      'half a database',
      () => {
        const path = copyOfDemo('half.sqlite');
        writeFileSync(path, readFileSync(path).subarray(0, 200_000));
        return path;
      },
      'database-unreadable',
    ],
    [
      'an empty file',
      () => {
        const path = join(root, 'empty.sqlite');
        writeFileSync(path, '');
        return path;
      },
      'contract-table-missing',
    ],
    ['a table missing', () => spoilt('no-tags.sqlite', 'DROP TABLE front_products'), 'contract-table-missing'],
    [
      'a column missing',
      // The index names the column that goes.
      () => spoilt('no-name.sqlite', 'DROP INDEX sessions_load; ALTER TABLE sessions DROP COLUMN available'),
      'contract-column-missing',
    ],
    [
      'a column of the wrong type',
      () =>
        spoilt(
          'blob.sqlite',
          'ALTER TABLE badges RENAME TO b; CREATE TABLE badges (id INTEGER, slug TEXT, name TEXT, color BLOB, sort_weight INTEGER)',
        ),
      'contract-column-type',
    ],
  ])('the database is %s', async (_, make, code) => {
    const out = join(root, `never-${++serial}`);
    const { status, stderr } = await playbill(['build', '--db', make(), '--out', out, '--now', NOW]);
    expect(stderr).toContain(`error ${code}: `);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(status).toBe(2);
    expectNothingIn(out);
  });
});

/** A copy of the demo, changed by SQL with every check off. */
function spoilt(name: string, sql: string): string {
  const path = copyOfDemo(name);
  const handle = new Database(path);
  handle.pragma('foreign_keys = OFF');
  handle.pragma('ignore_check_constraints = ON');
  handle.exec(sql);
  handle.close();
  return path;
}

/** Puts a view in the place of a table, as an operator with a schema of their own does. */
function withView(name: string, table: string, select: string): string {
  return spoilt(
    name,
    `PRAGMA legacy_alter_table = ON; ALTER TABLE ${table} RENAME TO own_${table}; CREATE VIEW ${table} AS ${select}`,
  );
}

describe('errors in rows take out what they concern, with a finding that names table and key', () => {
  test.each([
    [
      'an unknown zone',
      () => spoilt('mars.sqlite', "UPDATE fronts SET timezone = 'Mars/Olympus' WHERE code = 'tokyo'"),
      'zone-unknown fronts ',
      ['tokyo'],
    ],
    [
      'an offset as zone',
      () => spoilt('offset.sqlite', "UPDATE fronts SET timezone = '+09:00' WHERE code = 'tokyo'"),
      'zone-unknown fronts ',
      ['tokyo'],
    ],
    [
      'a weekend that is none',
      () => spoilt('weekend.sqlite', "UPDATE fronts SET weekend_days = '76' WHERE code = 'kuwait'"),
      'value-invalid fronts ',
      ['kuwait'],
    ],
  ])('a front, which keeps its snapshot, exit 3: %s', async (name, make, finding, expected) => {
    const out = join(root, `bad-${name.replaceAll(/\W+/g, '-')}`);
    // With a horizon of 0 no pointer stays but that of a front which is held back.
    const words = ['--out', out, '--horizon', '0', '--now'];
    await playbill(['build', '--db', database, ...words, NOW]);
    const before = filesOf(out);
    const { status, stdout } = await playbill(['build', '--db', make(), ...words, '2026-05-01T09:05:00Z']);
    expect(stdout).toContain(finding);
    expect(status).toBe(3);
    const after = filesOf(out);
    for (const code of ['moscow', 'fonar', 'kassa', 'berlin', 'riyadh', 'kuwait', 'tokyo', 'mumbai', 'montreal']) {
      const path = `public/fronts/${code}/pointer.json`;
      if (expected.includes(code)) {
        expect(after.get(path), code).toBe(before.get(path));
        expect(stdout).toContain(`${code}: held back by findings`);
      } else if (!stdout.includes(`${code}: held back`)) expect(after.get(path), code).not.toBe(before.get(path));
    }
    expect(stdout).toContain('fronts as of 2026-05-01T09:05:00Z');
  });

  test.each([
    [
      'a badge colour that is none, in a view',
      () =>
        withView(
          'red.sqlite',
          'badges',
          "SELECT id, slug, name, iif(slug = (SELECT b.slug FROM own_badges b JOIN product_badges pb ON pb.badge_id = b.id JOIN front_products fp ON fp.product_id = pb.product_id JOIN fronts f ON f.id = fp.front_id WHERE f.code = 'tokyo' ORDER BY b.id LIMIT 1), 'red', color) AS color, sort_weight FROM own_badges",
        ),
      'expected a colour as #RRGGBB, found "red"',
      7,
    ],
    [
      'a non-canonical instant, in a view',
      () =>
        withView(
          'space.sqlite',
          'sessions',
          "SELECT id, product_id, venue_id, iif(id = (SELECT max(s.id) FROM own_sessions s JOIN front_products fp ON fp.product_id = s.product_id JOIN fronts f ON f.id = fp.front_id WHERE f.code = 'tokyo' AND s.status = 'scheduled'), replace(starts_at, 'T', ' '), starts_at) AS starts_at, starts_local, ends_at, sales_start_at, sales_end_at, status, previous_starts_at, paused, available FROM own_sessions",
        ),
      'expected an instant as YYYY-MM-DDTHH:MM:SSZ',
      7,
    ],
    [
      'a value out of range, in a view',
      () =>
        withView(
          'old.sqlite',
          'products',
          "SELECT id, slug, name, iif(id = (SELECT min(product_id) FROM front_products fp JOIN fronts f ON f.id = fp.front_id WHERE f.code = 'tokyo'), 99, age_rating) AS age_rating, sale_schema, pushka, paused, paused_until, image_id, status FROM own_products",
        ),
      'age_rating: expected an integer from 0 to 21, found 99',
      7,
    ],
    [
      'a dangling image',
      () =>
        spoilt(
          'dangling.sqlite',
          "UPDATE products SET image_id = 999999 WHERE id = (SELECT min(product_id) FROM front_products fp JOIN fronts f ON f.id = fp.front_id WHERE f.code = 'tokyo')",
        ),
      'dangling-id products ',
      7,
    ],
    [
      'a front’s entry without a product',
      () =>
        spoilt(
          'shelf.sqlite',
          "INSERT INTO front_products (front_id, product_id) SELECT id, 999999 FROM fronts WHERE code = 'tokyo'",
        ),
      'dangling-id front_products ',
      0,
    ],
    [
      'a flag of a front’s entry that is none, in a view',
      () =>
        withView(
          'flag.sqlite',
          'front_products',
          "SELECT front_id, product_id, iif(front_id = (SELECT id FROM fronts WHERE code = 'tokyo'), 2, featured) AS featured, banner, paused, sort_weight, visible_from, visible_until FROM own_front_products",
        ),
      'value-invalid front_products ',
      7,
    ],
    [
      'a mistyped front id, in a view',
      () =>
        withView(
          'typed.sqlite',
          'front_groups',
          "SELECT iif(front_id = (SELECT id FROM fronts WHERE code = 'tokyo'), cast(front_id AS TEXT), front_id) AS front_id, group_id, sort_weight FROM own_front_groups",
        ),
      'dangling-id front_groups ',
      0,
    ],
    [
      'what no constraint holds in a view of front_products, duplicate-key',
      () =>
        withView(
          `view-${++serial}.sqlite`,
          'front_products',
          "SELECT * FROM own_front_products UNION ALL SELECT * FROM own_front_products WHERE front_id = (SELECT id FROM fronts WHERE code = 'tokyo')",
        ),
      'duplicate-key front_products ',
      7,
    ],
    [
      'what no constraint holds in a view of sessions, duplicate-key',
      () =>
        withView(
          `view-${++serial}.sqlite`,
          'sessions',
          "SELECT * FROM own_sessions UNION ALL SELECT * FROM own_sessions WHERE product_id IN (SELECT product_id FROM front_products fp JOIN fronts f ON f.id = fp.front_id WHERE f.code = 'tokyo')",
        ),
      'duplicate-key sessions ',
      7,
    ],
    [
      'what no constraint holds in a view of price_tiers, duplicate-key',
      () =>
        withView(
          `view-${++serial}.sqlite`,
          'price_tiers',
          "SELECT * FROM own_price_tiers UNION ALL SELECT * FROM own_price_tiers WHERE product_id IN (SELECT product_id FROM front_products fp JOIN fronts f ON f.id = fp.front_id WHERE f.code = 'tokyo')",
        ),
      'duplicate-key price_tiers ',
      7,
    ],
    [
      'what no constraint holds in a view of product_groups, duplicate-key',
      () =>
        withView(
          `view-${++serial}.sqlite`,
          'product_groups',
          "SELECT * FROM own_product_groups UNION ALL SELECT * FROM own_product_groups WHERE product_id IN (SELECT product_id FROM front_products fp JOIN fronts f ON f.id = fp.front_id WHERE f.code = 'tokyo')",
        ),
      'duplicate-key product_groups ',
      7,
    ],
    [
      'what no constraint holds in a view of front_categories, duplicate-key',
      () =>
        withView(
          `view-${++serial}.sqlite`,
          'front_categories',
          "SELECT * FROM own_front_categories UNION ALL SELECT * FROM own_front_categories WHERE front_id = (SELECT id FROM fronts WHERE code = 'tokyo')",
        ),
      'duplicate-key front_categories ',
      0,
    ],
    [
      'what no constraint holds in a view of front_session_exclusions, dangling-id',
      () =>
        withView(
          `view-${++serial}.sqlite`,
          'front_session_exclusions',
          "SELECT * FROM own_front_session_exclusions UNION ALL SELECT id, 9999999 FROM fronts WHERE code = 'tokyo'",
        ),
      'dangling-id front_session_exclusions ',
      0,
    ],
    [
      'what no constraint holds in a view of price_tiers, dangling-id',
      () =>
        withView(
          `view-${++serial}.sqlite`,
          'price_tiers',
          "SELECT id, product_id, iif(session_id IS NULL OR product_id NOT IN (SELECT product_id FROM front_products fp JOIN fronts f ON f.id = fp.front_id WHERE f.code = 'tokyo'), session_id, session_id + 9000000) AS session_id, name, kind, is_public, in_price_from, amount_minor, currency, available, valid_from, valid_until FROM own_price_tiers UNION ALL SELECT 8888888, (SELECT min(product_id) FROM front_products fp JOIN fronts f ON f.id = fp.front_id WHERE f.code = 'tokyo'), 9999999, '', 'ticket', 1, 1, 100, 'JPY', NULL, NULL, NULL",
        ),
      'dangling-id price_tiers ',
      0,
    ],
  ])('a product or session, exit 7, or nothing, exit 0: %s', async (name, make, finding, expected) => {
    const out = join(root, `left-${name.replaceAll(/\W+/g, '-')}`);
    const allow = ['--allow', 'max-bad', 'min-cards'];
    const { status, stdout } = await playbill(['build', '--db', make(), '--out', out, '--now', NOW, ...allow]);
    expect(stdout).toContain(finding);
    expect(status, stdout).toBe(expected);
    expect(stdout).toContain('Published 13 of 13 fronts');
    if (expected === 7) expect(stdout).toMatch(/^tokyo: \d.* left out: bad data \(see: playbill check-db --db /m);
    else expect(stdout).toMatch(/^(\d+ errors? leaves?|The errors leave) out no product and no session$/m);
  });

  test('a front whose own code cannot be read is built under no name, and the exit code says so', async () => {
    const db = spoilt('code.sqlite', "UPDATE fronts SET code = 'Tokyo!' WHERE code = 'tokyo'");
    const { status, stdout } = await playbill(['build', '--db', db, '--out', join(root, 'code'), '--now', NOW]);
    expect(stdout).toContain('value-invalid fronts ');
    expect(stdout).toContain('Published 12 of 12 fronts');
    expect(status).toBe(3);
  });

  test('a disabled front may be as bad as it likes: it is not built, and loses its pointer', async () => {
    const out = join(root, 'disabled');
    await playbill(['build', '--db', database, '--out', out, '--now', NOW]);
    const db = spoilt('disabled.sqlite', "UPDATE fronts SET status = 'disabled', currency = '?' WHERE code = 'tokyo'");
    const { status, stdout } = await playbill(['build', '--db', db, '--out', out, '--now', NOW]);
    expect(stdout).not.toContain('value-invalid');
    expect(existsSync(join(out, 'public/fronts/tokyo/pointer.json'))).toBe(false);
    expect(status).toBe(0);
  });

  test('a bad category takes out the products that name it', async () => {
    const db = withView(
      'category.sqlite',
      'categories',
      "SELECT id, iif(id = (SELECT c.id FROM own_categories c JOIN front_categories fc ON fc.category_id = c.id JOIN fronts f ON f.id = fc.front_id WHERE f.code = 'kassa' ORDER BY c.id LIMIT 1), 'No Slug!', slug) AS slug, name_singular, name_plural FROM own_categories",
    );
    const handle = new Database(db);
    const expected = handle
      .prepare(
        `SELECT DISTINCT p.id FROM products p JOIN product_categories pc ON pc.product_id = p.id
         JOIN categories c ON c.id = pc.category_id JOIN front_products fp ON fp.product_id = p.id JOIN fronts f ON f.id = fp.front_id
         WHERE c.slug = 'No Slug!' AND p.status = 'published' AND f.status = 'active' ORDER BY p.id`,
      )
      .pluck()
      .all();
    handle.close();
    const words = ['--out', join(root, 'category'), '--now', NOW, '--json', '--allow', 'max-bad', 'min-cards'];
    const { stdout, status } = await playbill(['build', '--db', db, ...words]);
    const { fronts } = buildResultSchema.parse(JSON.parse(stdout));
    const leftOut = fronts.flatMap(({ snapshot }) => snapshot?.leftOut?.rows ?? []);
    expect([...new Set(leftOut.map(({ product }) => product))].sort((a, b) => a - b)).toEqual(expected);
    expect(new Set(leftOut.map(({ code }) => code))).toEqual(new Set(['value-invalid']));
    expect(status).toBe(7);
    expect(expected.length).toBeGreaterThan(0);
  });

  test('a front whose id another front has keeps its snapshot', async () => {
    const out = join(root, 'same-id');
    await playbill(['build', '--db', database, '--out', out, '--now', NOW]);
    const before = filesOf(out);
    const db = withView(
      'same-id.sqlite',
      'fronts',
      "SELECT iif(code = 'moscow', (SELECT id FROM own_fronts WHERE code = 'berlin'), id) AS id, code, name, timezone, locale, channel, day_starts_at, currency, currency_exponent, weekend_days, status, min_cards FROM own_fronts",
    );
    const { status, stdout } = await playbill(['build', '--db', db, '--out', out, '--now', NOW]);
    expect(stdout).toContain('duplicate-key fronts ');
    expect(status).toBe(3);
    for (const code of ['moscow', 'berlin']) {
      expect(filesOf(out).get(`public/fronts/${code}/pointer.json`)).toBe(
        before.get(`public/fronts/${code}/pointer.json`),
      );
    }
  });

  test('a catalogue from which most fronts have vanished takes nothing off the air, until it may', async () => {
    const out = join(root, 'vanished');
    await playbill(['build', '--db', database, '--out', out, '--now', NOW]);
    const db = spoilt('vanished.sqlite', 'DELETE FROM fronts');
    const held = await playbill(['build', '--db', db, '--out', out, '--now', NOW]);
    expect(held.stdout).toContain('13 of 13 published fronts have vanished from the catalogue');
    expect(held.status).toBe(4);
    expect([...filesOf(out).keys()].filter((path) => path.endsWith('pointer.json'))).toHaveLength(13);
    const allowed = await playbill([
      'build',
      '--db',
      db,
      '--out',
      out,
      '--now',
      NOW,
      '--allow',
      'max-shrink',
      'min-cards',
      '--allow',
      'keys-vanished',
    ]);
    expect(allowed.status).toBe(0);
    expect([...filesOf(out).keys()].filter((path) => path.endsWith('pointer.json'))).toHaveLength(0);
  });

  test('fronts that are disabled go, however many', async () => {
    const out = join(root, 'all-disabled');
    await playbill(['build', '--db', database, '--out', out, '--now', NOW]);
    const db = spoilt('all-disabled.sqlite', "UPDATE fronts SET status = 'disabled'");
    const { status } = await playbill(['build', '--db', db, '--out', out, '--now', NOW]);
    expect(status).toBe(0);
    expect([...filesOf(out).keys()].filter((path) => path.endsWith('pointer.json'))).toHaveLength(0);
  });

  test('a pointer that somebody has reformatted is written again, though it means the same', async () => {
    const out = join(root, 'reformatted');
    await playbill(['build', '--db', database, '--out', out, '--now', NOW]);
    const path = join(out, 'public/fronts/tokyo/pointer.json');
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, JSON.stringify(JSON.parse(before), null, 2));
    await playbill(['build', '--db', database, '--out', out, '--now', NOW]);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  test('a drifted wall time is a warning: reported, and published', async () => {
    const db = spoilt(
      'drift.sqlite',
      "UPDATE sessions SET starts_local = '2030-01-01T00:00:00' WHERE id = (SELECT max(id) FROM sessions WHERE status = 'scheduled')",
    );
    const { status, stdout } = await playbill(['build', '--db', db, '--out', join(root, 'drift'), '--now', NOW]);
    expect(stdout).toMatch(
      /warning zone-drift sessions \d+: time-zone drift: starts_local says 2030-01-01T00:00:00, but /,
    );
    expect(status).toBe(0);
  });

  test('errors of what no front shows hold nothing back, and the summary says so', async () => {
    const db = spoilt('unused.sqlite', "INSERT INTO venues (id, name, timezone) VALUES (999, 'V', 'Mars/Base')");
    const { status, stdout } = await playbill(['build', '--db', db, '--out', join(root, 'unused'), '--now', NOW]);
    expect(stdout).toContain('error zone-unknown venues 999: ');
    expect(stdout).toContain('\n1 error leaves out no product and no session\n');
    expect(status).toBe(0);
  });

  test('where findings are many, the command for every one prints every one', async () => {
    const db = spoilt('many.sqlite', "UPDATE sessions SET starts_local = '2030-01-01T00:00:00'");
    const { stdout } = await playbill(['build', '--db', db, '--out', join(root, 'many'), '--now', NOW]);
    expect(stdout).toMatch(/ findings in all; list them with: playbill check-db --db \S+ --all\n/);
    expect(stdout).not.toContain('leaves out no product');
  });

  test('a journal that blocks writers is a warning', async () => {
    const db = spoilt('delete.sqlite', 'PRAGMA journal_mode = DELETE');
    const { status, stdout } = await playbill(['build', '--db', db, '--out', join(root, 'journal'), '--now', NOW]);
    expect(stdout).toContain('warning journal-mode-not-wal database: expected WAL, found delete');
    expect(status).toBe(0);
  });
});
