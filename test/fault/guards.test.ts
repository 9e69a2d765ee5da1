// Guards hold back what is absurd and nothing else; what overrides them says so; and a front that
// is gone, not selected or damaged on the disk is treated as what it is. Each case runs the command
// over a published tree.

import Database from 'better-sqlite3';
import { copyFileSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildTree, catalogueAt, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { changeDatabase } from '../support/fault/build-with.ts';
import { Command, errorCodeOf, summaryOf, type Run } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { checkAsReader, stateOf, type TreeState } from '../support/fault/readers-check.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree, stampsOf } from '../support/fault/tree-copy.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);
const EARLIER = '2026-05-01T08:59:59Z';
const LATER = '2026-05-01T10:00:00Z';
const NEWS = 'UPDATE products SET age_rating = 16';
const NO_NEWS = 'UPDATE products SET age_rating = 12';

/**
 * A published tree: fronts alpha, bravo and charlie, five cards each; and its catalogue, with news
 * of every front since.
 */
let good = '';
let base = '';
let before: TreeState;

beforeAll(async () => {
  const fronts = ['alpha', 'bravo', 'charlie'];
  good = catalogueAt(
    join(folder, 'good.sqlite'),
    smallCatalogue({ fronts, productsPerFront: 4, sessionsPerProduct: 5, edition: 'good' }),
  );
  base = join(folder, 'base');
  await buildTree(good, base, instant(NOW));
  before = stateOf(base);
  changeDatabase(good, NEWS);
});

interface Place {
  readonly database: string;
  readonly tree: string;
}

/** A copy of the tree, and of the catalogue with changes. */
function locationOf(sql: string): Place {
  const root = temporaryFolder();
  const database = join(root, 'catalogue.sqlite');
  copyFileSync(good, database);
  const handle = new Database(database);
  handle.pragma('ignore_check_constraints = ON');
  handle.exec(sql);
  handle.close();
  return { database, tree: copyTree(base, join(root, 'out')) };
}

function run({ database, tree }: Place, now: string, ...flags: string[]): Promise<Run> {
  return command.run(['build', '--db', database, '--out', tree, '--now', now, ...flags]);
}

/** Fronts whose pointers are not what they were: moved, or gone. */
function movedIn({ tree }: Place): string[] {
  const { pointers } = stateOf(tree);
  return [...before.pointers].flatMap(([code, text]) =>
    pointers.get(code) === text ? [] : pointers.has(code) ? [code] : [`-${code}`],
  );
}

const FEWER_THAN_WANTED = "UPDATE fronts SET min_cards = 6 WHERE code = 'bravo'";
const MOST_SHOWS_GONE = "UPDATE products SET status = 'archived' WHERE id IN (2001, 2002, 2003, 2004)";

describe('guards', () => {
  test.each([
    ['min-cards', FEWER_THAN_WANTED, '5 cards, fewer than min_cards 6'],
    ['max-shrink', MOST_SHOWS_GONE, '1 cards where 5 are published, a loss of more than 50%'],
  ])(
    '%s holds back that front alone, until it is overridden, and then the summary says so',
    async (code, sql, message) => {
      const place = locationOf(sql);
      const held = await run(place, LATER);
      expect(held, held.stderr).toMatchObject({ code: 4 });
      expect(held.stdout).toContain(
        `bravo: held back by ${code}: ${message} (build --dry-run shows what goes; --allow ${code} --front bravo overrides it)\n`,
      );
      expect(movedIn(place)).toEqual(['alpha', 'charlie']);
      checkAsReader(place.tree, before, stateOf(place.tree));
      const situation = `a front trips the guard ${code}`;
      const heals = `fix the rows, and build; or \`--allow ${code}\`, or \`--force\``;
      tellFault({ situation, sees: 'this front old, the others new', heals }, held.code);

      for (const flags of [['--allow', code], ['--force']]) {
        const again = locationOf(sql);
        const overridden = await run(again, LATER, ...flags);
        expect(overridden, overridden.stderr).toMatchObject({ code: 0 });
        expect(overridden.stdout).toContain(`bravo: overridden ${code}: ${message}\n`);
        expect(movedIn(again)).toEqual(['alpha', 'bravo', 'charlie']);
      }
    },
  );

  const HUNDREDTH = 'UPDATE price_tiers SET amount_minor = amount_minor / 100';
  const HUNDREDTH_LATER = `INSERT INTO price_tiers (id, product_id, session_id, name, kind, is_public, in_price_from, amount_minor, currency, valid_from)
      SELECT id + 1000000, product_id, session_id, name, kind, is_public, in_price_from, amount_minor / 100, currency, '2026-05-01T12:00:00Z'
      FROM price_tiers`;

  test.each([
    ['now', HUNDREDTH, LATER],
    ['within the horizon', HUNDREDTH_LATER, '2026-05-01T12:00:00Z'],
  ])(
    'price-jump: prices divided by a hundred, %s, hold back every front, until that is allowed',
    async (_, sql, from) => {
      const place = locationOf(sql);
      const held = await run(place, LATER);
      expect(held, held.stderr).toMatchObject({ code: 4 });
      expect(held.stdout).toMatch(
        new RegExp(
          `^bravo: held back by price-jump: from ${from} on, \\d of \\d prices would be a quarter or less of what is published .*--allow price-jump --front bravo overrides it\\)$`,
          'm',
        ),
      );
      expect(movedIn(place)).toEqual([]);
      checkAsReader(place.tree, before, stateOf(place.tree));
      const heals = 'correct the prices, and build; or `--allow price-jump`, or `--force`';
      tellFault({ situation: 'a front trips the guard price-jump', sees: 'the old release', heals }, held.code);
      const one = await run(place, LATER, '--allow', 'price-jump', '--front', 'bravo');
      expect(one, one.stdout).toMatchObject({ code: 0 });
      expect(one.stdout).toContain('bravo: overridden price-jump: ');
      expect(movedIn(place)).toEqual(['bravo']);
      // What is published now is what the next build compares with.
      expect(await run(place, LATER, '--front', 'bravo')).toMatchObject({ code: 0 });
      const verified = await command.run(['verify', '--out', place.tree]);
      expect(verified.stdout).toContain(' 0 errors, 0 warnings');
    },
  );

  test('three cards may go, and more where --max-shrink says so', async () => {
    const three = locationOf("UPDATE products SET status = 'archived' WHERE id IN (2001, 2002, 2003)");
    expect(await run(three, LATER)).toMatchObject({ code: 0 });
    expect(movedIn(three)).toEqual(['alpha', 'bravo', 'charlie']);
    const most = locationOf(MOST_SHOWS_GONE);
    expect(await run(most, LATER, '--max-shrink', '80%')).toMatchObject({ code: 0 });
    expect(movedIn(most)).toEqual(['alpha', 'bravo', 'charlie']);
  });

  test('the clock alone never trips them: cards that are over by now are compared with the edition of now', async () => {
    // Everything of bravo's but the shared show ends within the hour that passes.
    const sql = "DELETE FROM sessions WHERE product_id BETWEEN 2001 AND 2004 AND starts_at > '2026-05-01T10:00:00Z'";
    const place = locationOf(sql);
    const published = await run(place, NOW);
    expect(published, published.stderr).toMatchObject({ code: 0 });
    const later = await run(place, LATER, '--json');
    expect(later, later.stderr).toMatchObject({ code: 0 });
    expect(summaryOf(later).fronts[1]).toMatchObject({ front: 'bravo', held: null, snapshot: { cards: 1 } });
  });

  test('an earlier now holds back every front; --allow max-shrink does not go back', async () => {
    const place = locationOf('');
    for (const flags of [[], ['--allow', 'max-shrink', 'min-cards']]) {
      const held = await run(place, EARLIER, '--json', ...flags);
      expect(held, held.stderr).toMatchObject({ code: 4 });
      expect(summaryOf(held).fronts.map((front) => front.held)).toEqual(['now-earlier', 'now-earlier', 'now-earlier']);
      expect(stateOf(place.tree)).toEqual(before);
      const heals = 'a clock put right, and a build; or `--force`';
      tellFault({ situation: '`--now` is earlier than what is published', sees: 'the old release', heals }, held.code);
    }
    const forced = await run(place, EARLIER, '--force');
    expect(forced, forced.stderr).toMatchObject({ code: 0 });
    expect(forced.stdout.match(/: overridden now-earlier: /g)).toHaveLength(3);
    expect(movedIn(place)).toEqual(['alpha', 'bravo', 'charlie']);
  });

  test('a clock that was set back holds back every front, until it has caught up', async () => {
    const place = locationOf('');
    // The clock of this machine is behind what was published while it was ahead: by a day, or by
    // ten years.
    for (const days of [1, 3650]) {
      const ahead = new Date(Date.now() + days * 86_400_000).toISOString();
      expect(await run(place, ahead, '--allow', 'max-shrink')).toMatchObject({ code: 0 });
      const published = stateOf(place.tree);
      const words = ['build', '--db', place.database, '--out', place.tree, '--json'];
      const held = await command.run(words);
      expect(held, held.stderr).toMatchObject({ code: 4 });
      expect(summaryOf(held).fronts.map((front) => front.held)).toEqual(['now-earlier', 'now-earlier', 'now-earlier']);
      expect(stateOf(place.tree)).toEqual(published);
      const heals = 'a clock put right, and a build; or `--force`';
      tellFault({ situation: 'the clock is set back', sees: 'the old release', heals }, held.code);
    }
    const words = ['build', '--db', place.database, '--out', place.tree];
    expect(await command.run([...words, '--force'])).toMatchObject({ code: 0 });
    expect(await command.run(words)).toMatchObject({ code: 0 });
  });

  test('a revoked key leaves the key ring although every front is held back', async () => {
    const place = locationOf("DELETE FROM front_keys WHERE keyid = 'bravo-site'");
    expect(await run(place, EARLIER)).toMatchObject({ code: 4 });
    expect(stateOf(place.tree)).toEqual({ ...before, keyRing: expect.not.stringContaining('bravo-site') });
  });

  test('bad data outranks a guard', async () => {
    const place = locationOf(
      `${FEWER_THAN_WANTED}; UPDATE fronts SET timezone = 'Mars/Olympus' WHERE code = 'charlie'`,
    );
    const held = await run(place, LATER, '--json');
    expect(held, held.stderr).toMatchObject({ code: 3 });
    expect(summaryOf(held).fronts.map((front) => front.held)).toEqual([null, 'min-cards', 'findings']);
    expect(movedIn(place)).toEqual(['alpha']);
  });
});

describe('fronts that come and go', () => {
  test.each([
    ['disabled', "UPDATE fronts SET status = 'disabled' WHERE code = 'bravo'"],
    ['deleted', "PRAGMA foreign_keys = ON; DELETE FROM fronts WHERE code = 'bravo'"],
  ])('a front that is %s loses its pointer and nothing else', async (_, sql) => {
    const place = locationOf(sql);
    const editions = [...stampsOf(place.tree).keys()].filter((path) =>
      /fronts\/bravo\/.*\.[0-9a-f]{16}\.json$/.test(path),
    );
    const gone = await run(place, LATER, '--json');
    expect(gone, gone.stderr).toMatchObject({ code: 0 });
    expect(movedIn(place)).toEqual(['alpha', '-bravo', 'charlie']);
    const situation = 'a front is disabled, or deleted';
    const heals = 'the front being there again, and a build';
    tellFault({ situation, sees: 'this front nothing whole, the others new', heals }, gone.code);
    expect(summaryOf(gone).removed.files).toBe(1);
    // Law 5: the older release still names its files.
    expect([...stampsOf(place.tree).keys()]).toEqual(expect.arrayContaining(editions));
    checkAsReader(place.tree, before, stateOf(place.tree));
    // And it comes back with the next build that has it.
    await buildTree(good, place.tree, instant(LATER));
    expect(movedIn(place)).toEqual(['alpha', 'bravo', 'charlie']);
  });

  test('--front leaves the others untouched, be they changed, bad or gone', async () => {
    const place = locationOf(
      `UPDATE products SET name = 'changed'; UPDATE fronts SET status = 'disabled' WHERE code = 'bravo';
       UPDATE fronts SET timezone = 'Mars/Olympus' WHERE code = 'charlie'`,
    );
    const stamps = stampsOf(place.tree);
    const selected = await run(place, LATER, '--front', 'alpha', '--json');
    expect(selected, selected.stderr).toMatchObject({ code: 0 });
    expect(movedIn(place)).toEqual(['alpha']);
    const others = [...stamps].filter(([path]) => /fronts\/(?:bravo|charlie)\//.test(path));
    const found = stampsOf(place.tree);
    expect(others.length).toBeGreaterThan(10);
    for (const [path, stamp] of others) expect(found.get(path), path).toEqual(stamp);
    checkAsReader(place.tree, before, stateOf(place.tree));
    expect(await run(place, LATER, '--front', 'nowhere', '--json')).toMatchObject({ code: 2 });
  });

  test('a front that no active front bears is a wrong word, and nothing is written', async () => {
    const place = locationOf("UPDATE products SET name = 'changed'; DELETE FROM front_keys");
    const stamps = stampsOf(place.tree);
    const refused = await run(place, LATER, '--front', 'alpha', 'nowhere', '--json');
    expect(refused, refused.stderr).toMatchObject({ code: 2 });
    expect(errorCodeOf(refused)).toBe('front-unknown');
    expect(stampsOf(place.tree)).toEqual(stamps);
  });
});

test('a published edition of the wrong size holds back its front until --force writes it again', async () => {
  // The editions that are published are needed again, by pointers that a quarter of the horizon
  // lets grow no older.
  const place = locationOf(NO_NEWS);
  const now = '2026-05-01T10:30:00Z';
  const [entry = ''] = /"2026-05-01T10:[345][^"]+"/.exec(before.pointers.get('bravo') ?? '') ?? [];
  const damaged = join(place.tree, `public/fronts/bravo/products.${entry.slice(22, 38)}.json`);
  const whole = readFileSync(damaged, 'utf8');
  truncateSync(damaged, 100);

  const held = await run(place, now, '--json');
  expect(held, held.stderr).toMatchObject({ code: 3 });
  const summary = summaryOf(held);
  expect(summary.fronts.map((front) => front.held)).toEqual([null, 'file-size-wrong', null]);
  expect(summary.findings).toContainEqual(expect.objectContaining({ severity: 'error', code: 'file-size-wrong' }));
  expect(movedIn(place)).toEqual(['alpha', 'charlie']);
  expect(readFileSync(damaged, 'utf8')).toBe(whole.slice(0, 100));

  const repaired = await run(place, now, '--force');
  expect(repaired, repaired.stderr).toMatchObject({ code: 0 });
  expect(readFileSync(damaged, 'utf8')).toBe(whole);
  expect(movedIn(place)).toEqual(['alpha', 'bravo', 'charlie']);
  checkAsReader(place.tree, before, stateOf(place.tree));
});
