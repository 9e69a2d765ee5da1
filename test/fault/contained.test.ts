// Law 7: bad data holds back the fronts it concerns and no other; and the guards, which hold back
// what is absurd. Each case runs the command over a published tree, an hour later, and looks at
// every front's pointer.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildTree, catalogueAt, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { changeDatabase } from '../support/fault/build-with.ts';
import { Command, summaryOf, type Run } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { checkAsReader, stateOf, type TreeState } from '../support/fault/readers-check.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree } from '../support/fault/tree-copy.ts';

const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);
const LATER = '2026-05-01T10:00:00Z';

/**
 * A published tree; its catalogue, with news of every front since; and the tree an hour later,
 * without anything wrong.
 */
let good = '';
let base = '';
let before: TreeState;
let after: TreeState;

beforeAll(async () => {
  const fronts = ['alpha', 'bravo', 'charlie'];
  const rows = smallCatalogue({ fronts, productsPerFront: 3, sessionsPerProduct: 5, edition: 'good' });
  good = catalogueAt(join(folder, 'good.sqlite'), rows);
  changeDatabase(
    good,
    "INSERT INTO venues VALUES (9, 'Общая', 'Europe/Moscow', NULL); UPDATE sessions SET venue_id = 9 WHERE product_id IN (2001, 3001)",
  );
  base = join(folder, 'base');
  await buildTree(good, base, instant(NOW));
  changeDatabase(good, 'UPDATE products SET age_rating = 16');
  const undisturbed = copyTree(base, join(folder, 'undisturbed'));
  await buildTree(good, undisturbed, instant(LATER));
  [before, after] = [stateOf(base), stateOf(undisturbed)];
});

interface Case {
  readonly tree: string;
  readonly database: string;
  readonly run: Run;
  /** Which fronts' pointers are new, old or gone. */
  readonly shown: Record<string, string>;
}

/** A run an hour later over a copy of the tree, with a copy of the catalogue changed. */
async function runChanged(sql: string, flags: readonly string[] = [], now = LATER): Promise<Case> {
  const root = temporaryFolder();
  const database = join(root, 'catalogue.sqlite');
  copyFileSync(good, database);
  changeDatabase(database, sql);
  const tree = copyTree(base, join(root, 'out'));
  const run = await command.run(['build', '--db', database, '--out', tree, '--now', now, ...flags]);
  return { tree, database, run, shown: shownIn(tree) };
}

function shownIn(tree: string): Record<string, string> {
  const { pointers } = stateOf(tree);
  return Object.fromEntries(
    [...before.pointers].map(([code, old]) => {
      const text = pointers.get(code);
      return [
        code,
        text === undefined ? 'gone' : text === old ? 'old' : text === after.pointers.get(code) ? 'new' : 'other',
      ];
    }),
  );
}

const HEALED_ROW = 'fix the row, and build';
const ALL_NEW = { alpha: 'new', bravo: 'new', charlie: 'new' };
const BRAVO_OLD = { ...ALL_NEW, bravo: 'old' };

test('the case without anything wrong: all fronts are new', async () => {
  const { run, shown } = await runChanged('');
  expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(shown).toEqual(ALL_NEW);
});

describe('bad data takes out what it concerns', () => {
  /** Everything of bravo's: its front 2, venue 2, category 2, products 2001 to 2003. */
  test.each([
    ['a session on 31 June', `UPDATE sessions SET starts_at = '2026-06-31T10:00:00Z' WHERE id = 200104`, 7],
    ['a session at a venue that is not there', `UPDATE sessions SET venue_id = 77 WHERE id = 200104`, 7],
    ['a session of no known status', `UPDATE sessions SET status = 'maybe' WHERE id = 200104`, 7],
    ['a price below zero', `UPDATE price_tiers SET amount_minor = -1 WHERE product_id = 2001`, 7],
    ['a product with a mistyped slug', `UPDATE products SET slug = 'Not a slug' WHERE id = 2001`, 7],
    ['a product with the id of an image that is not there', `UPDATE products SET image_id = 77 WHERE id = 2001`, 7],
    ['a listed product that is not there', `INSERT INTO front_products (front_id, product_id) VALUES (2, 77)`, 0],
    [
      'a badge of no colour',
      `INSERT INTO badges (id, slug, name, color) VALUES (1, 'b', 'B', 'red'); INSERT INTO product_badges VALUES (2001, 1, NULL, NULL)`,
      7,
    ],
    [
      'a category with a mistyped slug',
      `INSERT INTO categories VALUES (22, 'UP PER', '', ''); INSERT INTO front_categories (front_id, category_id) VALUES (2, 22);
       INSERT INTO product_categories VALUES (2001, 22)`,
      7,
    ],
    ['a front in a zone that is not there', `UPDATE fronts SET timezone = 'Mars/Olympus' WHERE id = 2`, 3],
    ['a front without weekend days', `UPDATE fronts SET weekend_days = '' WHERE id = 2`, 3],
    ['a venue in a zone that is not there', `UPDATE venues SET timezone = '+03:00' WHERE id = 2`, 7],
    [
      'a view with text where a number belongs',
      `ALTER TABLE price_tiers RENAME TO their_prices;
       CREATE VIEW price_tiers AS SELECT id, product_id, session_id, name, kind, is_public, in_price_from,
         CASE product_id WHEN 2001 THEN '500.00' ELSE amount_minor END AS amount_minor, currency, available, valid_from, valid_until
       FROM their_prices`,
      7,
    ],
    [
      'a view with a session of a product that is not there',
      `ALTER TABLE front_products RENAME TO their_shelves;
       CREATE VIEW front_products AS SELECT front_id, CASE product_id WHEN 2001 THEN NULL ELSE product_id END AS product_id,
         featured, banner, paused, sort_weight, visible_from, visible_until FROM their_shelves`,
      0,
    ],
  ])('%s: that alone, and the exit code says so', async (_, sql, code) => {
    const { tree, run, shown } = await runChanged(sql, ['--json']);
    expect(run, run.stderr).toMatchObject({ code });
    expect({ ...shown, bravo: shown['bravo'] === 'old' }).toEqual({ ...ALL_NEW, bravo: code === 3 });
    checkAsReader(tree, before, { ...after, ...stateOf(tree) });
    const summary = summaryOf(run);
    expect(summary.fronts.map(({ front, held }) => [front, held])).toEqual([
      ['alpha', null],
      ['bravo', code === 3 ? 'findings' : null],
      ['charlie', null],
    ]);
    const leftOut = summary.fronts.filter(({ snapshot }) => snapshot !== null && snapshot.leftOut !== null);
    expect(leftOut.map(({ front }) => front)).toEqual(code === 7 ? ['bravo'] : []);
    expect(summary.findings.some(({ severity }) => severity === 'error')).toBe(true);

    // Once the row is fixed, the front comes back.
    await buildTree(good, tree, instant(LATER));
    expect(shownIn(tree)).toEqual(ALL_NEW);
    const situations: Readonly<Record<number, string>> = {
      0: 'a link of one front that leads nowhere',
      3: 'an error in the row of a front',
      7: 'an error in a row of one front’s catalogue',
    };
    const sees = code === 3 ? 'this front old, the others new' : 'the new release';
    tellFault({ situation: situations[code] ?? '', sees, heals: HEALED_ROW }, run.code);
  });

  test('a venue that two fronts share takes out its sessions on both', async () => {
    const { run, shown } = await runChanged(`UPDATE venues SET timezone = 'Mars/Olympus' WHERE id = 9`);
    expect(run, run.stderr).toMatchObject({ code: 7 });
    expect(shown).toEqual({ alpha: 'new', bravo: 'other', charlie: 'other' });
    const situation = 'a bad row of a venue that two of three fronts share';
    tellFault({ situation, sees: 'the new release', heals: HEALED_ROW }, run.code);
  });

  test('a product that all share is left out on all', async () => {
    const { tree, run, shown } = await runChanged('UPDATE products SET age_rating = 99 WHERE id = 1');
    expect(run, run.stderr).toMatchObject({ code: 7 });
    expect(shown).toEqual({ alpha: 'other', bravo: 'other', charlie: 'other' });
    expect(stateOf(tree).current).not.toBe(before.current);
    tellFault(
      { situation: 'a bad product that all fronts share', sees: 'the new release', heals: HEALED_ROW },
      run.code,
    );
  });

  test('a front whose code cannot be read keeps its snapshot too, and is no front that is gone', async () => {
    const { run, shown } = await runChanged(`UPDATE fronts SET code = 'BRAVO' WHERE id = 2`);
    expect(shown).toEqual(BRAVO_OLD);
    expect(run, run.stdout).toMatchObject({ code: 3 });
    const situation = 'the code of a front cannot be read';
    tellFault({ situation, sees: 'this front old, the others new', heals: HEALED_ROW }, run.code);
  });

  const ringOf = (tree: string) => {
    const { keys } = JSON.parse(stateOf(tree).keyRing ?? '') as {
      keys: Record<string, { front: string; revokedAt: string | null }>;
    };
    return Object.entries(keys).map(([keyid, { front, revokedAt }]) => [keyid, front, revokedAt]);
  };
  const RING = ['alpha', 'bravo', 'charlie'].map((code) => [`${code}-site`, code, null]);
  const without = (keyid: string) => RING.filter(([one]) => one !== keyid);

  test.each([
    ['its code', `UPDATE fronts SET code = 'BRAVO' WHERE id = 2`, RING],
    [
      'its code, which is no text',
      `CREATE TABLE theirs AS SELECT * FROM fronts; UPDATE theirs SET code = x'ff' WHERE id = 2; DROP TABLE fronts; ALTER TABLE theirs RENAME TO fronts`,
      RING,
    ],
    [
      'its code, and a key of its is revoked',
      `UPDATE fronts SET code = 'BRAVO' WHERE id = 2; UPDATE front_keys SET revoked_at = '2026-05-01T09:30:00Z' WHERE front_id = 2`,
      [RING[0], ['bravo-site', 'bravo', '2026-05-01T09:30:00Z'], RING[2]],
    ],
    [
      'its code, and a key of its is removed',
      `UPDATE fronts SET code = 'BRAVO' WHERE id = 2; DELETE FROM front_keys WHERE front_id = 2`,
      without('bravo-site'),
    ],
    [
      'its code, and a key of another front was given to it',
      `UPDATE fronts SET code = 'BRAVO' WHERE id = 2; UPDATE front_keys SET front_id = 2 WHERE front_id = 3`,
      without('charlie-site'),
    ],
    [
      'its code, and a key of its is mistyped',
      `UPDATE fronts SET code = 'BRAVO' WHERE id = 2; UPDATE front_keys SET revoked_at = 'yesterday' WHERE front_id = 2`,
      [RING[0], ['bravo-site', 'bravo', LATER], RING[2]],
    ],
    [
      'its id, which another has',
      `CREATE TABLE theirs AS SELECT * FROM fronts; UPDATE theirs SET id = 1 WHERE code = 'bravo';
       DROP TABLE fronts; ALTER TABLE theirs RENAME TO fronts`,
      RING,
    ],
    [
      'its row altogether: then it is gone, and its keys with it',
      `CREATE TABLE theirs AS SELECT * FROM fronts WHERE id <> 2; DROP TABLE fronts; ALTER TABLE theirs RENAME TO fronts`,
      without('bravo-site'),
    ],
  ])('the keys of a front go on speaking for it where what cannot be read is %s', async (_, sql, ring) => {
    const { tree, run } = await runChanged(sql);
    expect([0, 3], run.stderr).toContain(run.code);
    expect(ringOf(tree)).toEqual(ring);
    const situation = 'the row of a front cannot be read, and keys are changed: revoked, removed, moved, mistyped';
    if (run.code === 3)
      tellFault(
        { situation, sees: 'this front old, the others new', heals: `nothing in the key ring; ${HEALED_ROW}` },
        run.code,
      );
  });

  test('a revocation by hand does not wait either, nor take other keys along', async () => {
    const { tree, database } = await runChanged(`UPDATE fronts SET code = 'BRAVO' WHERE id = 2`);
    const run = await command.run(['keys', 'revoke', 'bravo-site', '--db', database, '--out', tree, '--json']);
    expect(run, run.stderr).toMatchObject({ code: 0 });
    expect(ringOf(tree)).toEqual([RING[0], ['bravo-site', 'bravo', expect.any(String)], RING[2]]);
  });

  test('a bad row of a product that no front shows, or of a disabled front, holds back nothing', async () => {
    const { run, shown } = await runChanged(
      `INSERT INTO products (id, slug, name, age_rating, sale_schema) VALUES (77, 'Not a slug', '', 0, 0);
       INSERT INTO fronts (id, code, name, timezone, currency, status) VALUES (77, 'old-town', '', 'Mars/Olympus', 'EUR', 'disabled')`,
    );
    expect(run, run.stdout).toMatchObject({ code: 0 });
    expect(shown).toEqual(ALL_NEW);
    const situation = 'a bad row that no front shows';
    tellFault({ situation, sees: 'the new release', heals: 'nothing' }, run.code, 2);
  });
});
