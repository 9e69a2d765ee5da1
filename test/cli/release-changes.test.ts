// `playbill releases --changes`: what each kept release changed, as a person and a program read it.

import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { releasesResultSchema } from '../../src/contract/results/history.ts';
import { rollBackTree } from '../../src/operations/history.ts';
import { playbill } from '../support/cli/run.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { makeOlder } from '../support/older-trees.ts';
import { buildTree, catalogueAt, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const FRONTS = ['alpha', 'bravo'];
const root = temporaryFolderOfFile();
const database = join(root, 'catalogue.sqlite');
const out = join(root, 'out');
const guards = { maxShrink: 0.5, maxBad: 0.05, allow: ['price-jump'] as const, force: false };

const at = (time: string): string => `2026-05-01T${time}:00Z`;

async function release(time: string, sql: string, tree = out, catalogue = database): Promise<string> {
  const handle = new Database(catalogue);
  handle.exec(sql);
  handle.close();
  return (await buildTree(catalogue, tree, instant(at(time)), { guards })).releaseId ?? '';
}

function newCatalogue(path: string): string {
  return catalogueAt(
    path,
    smallCatalogue({ fronts: FRONTS, productsPerFront: 9, sessionsPerProduct: 3, edition: 'one' }),
  );
}

async function changesIn(tree: string, ...words: readonly string[]) {
  const run = await playbill(['releases', '--out', tree, '--changes', '--json', ...words]);
  const result = releasesResultSchema.parse(JSON.parse(run.stdout));
  return { status: run.status, stderr: run.stderr, releases: result.releases };
}

const NOTHING = { names: 0, prices: 0, flags: 0, seats: 0, sessions: 0, other: 0 };
const OF_NONE = { cards: { added: 0, removed: 0 }, changed: NOTHING, medianPrice: null, comparableUntil: null };
const changed = (front: string, of: object, rest: object = {}) => ({
  ...OF_NONE,
  front,
  state: 'changed',
  changed: { ...NOTHING, ...of },
  ...rest,
});

/** Ids of the releases, oldest first. */
const ids: string[] = [];

beforeAll(async () => {
  newCatalogue(database);
  ids.push(await release('09:00', ''));
  // The clock alone: sessions have begun, so that cards have changed.
  ids.push(await release('09:55', ''));
  ids.push(await release('10:00', "UPDATE products SET name = 'new', pushka = 1 WHERE id IN (1001, 1002)"));
  ids.push(
    await release('10:05', 'UPDATE price_tiers SET amount_minor = amount_minor / 100 WHERE id BETWEEN 1000 AND 1999'),
  );
  ids.push(
    await release(
      '10:10',
      `INSERT INTO price_tiers (id, product_id, name, kind, is_public, in_price_from, amount_minor, currency, valid_from)
         SELECT id + 100000, product_id, name, kind, is_public, in_price_from, 100, currency, '${at('12:00')}'
         FROM price_tiers WHERE product_id BETWEEN 2001 AND 2004`,
    ),
  );
  ids.push(
    await release(
      '10:15',
      `UPDATE products SET status = 'archived' WHERE id = 2001; UPDATE products SET age_rating = 18 WHERE id = 2002;
       UPDATE sessions SET available = 0 WHERE product_id = 2003; UPDATE sessions SET starts_at = '2026-05-06T09:00:00Z' WHERE id = 200404`,
    ),
  );
});

describe('playbill releases --changes', () => {
  test('says of each release what it changed in the data, and nothing of what the clock did', async () => {
    const { status, releases } = await changesIn(out);
    expect(status).toBe(0);
    expect(releases.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(releases.map(({ changes }) => changes?.since ?? null)).toEqual([...ids.toReversed().slice(1), null]);
    const fronts = releases.map(({ changes }) => changes?.fronts ?? null);
    expect(fronts[5]).toBeNull();
    expect(fronts[4]).toEqual([]);
    expect(fronts[3]).toEqual([changed('alpha', { names: 2, flags: 2 })]);
    const medians = { at: at('10:05'), before: 510.07, after: 5.1 };
    expect(fronts[2]).toEqual([changed('alpha', { prices: 9 }, { medianPrice: medians })]);
    // A price of noon is seen in the release of the morning that brought it.
    const [bravo] = fronts[1] ?? [];
    expect(bravo).toMatchObject({
      front: 'bravo',
      changed: { ...NOTHING, prices: 4 },
      medianPrice: { at: at('12:00') },
    });
    expect(fronts[1]).toHaveLength(1);
    // What is sold out has no price.
    const seats = { medianPrice: { at: at('10:15'), before: 520.07, after: 520.08 }, cards: { added: 0, removed: 1 } };
    expect(fronts[0]).toEqual([changed('bravo', { prices: 1, seats: 1, sessions: 1, other: 1 }, seats)]);
  });

  test('as text, a line a front', async () => {
    const { stdout } = await playbill(['releases', '--out', out, '--changes', '--last', '4']);
    expect(stdout).toContain(`  since ${ids[2]}:\n    alpha: 9 prices (median 510.07 → 5.1 from ${at('10:05')} on)\n`);
    expect(stdout).toContain(`  since ${ids[1]}:\n    alpha: 2 names, 2 flags\n`);
    expect(stdout).toContain(' seats of 1,\n    sessions of 1, 1 other\n');
    expect(stdout).not.toContain(`${ids[1]}  `);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('--last and --front limit it; the last is compared with one that is not listed', async () => {
    const { releases } = await changesIn(out, '--last', '3', '--front', 'alpha');
    expect(releases.map(({ changes }) => changes?.fronts.map(({ front }) => front))).toEqual([[], [], ['alpha']]);
    const unknown = await playbill(['releases', '--out', out, '--changes', '--front', 'nowhere']);
    expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining('published fronts: alpha, bravo')]);
    const alone = await playbill(['releases', '--out', out, '--front', 'alpha']);
    expect([alone.status, alone.stderr]).toEqual([2, expect.stringContaining('add --changes')]);
  });

  test('a front whose editions are gone cannot be compared; the others can', async () => {
    const tree = join(temporaryFolder(), 'out');
    cpSync(out, tree, { recursive: true });
    const folder = join(tree, 'public/fronts/alpha');
    for (const name of readdirSync(folder)) if (name.startsWith('products.')) rmSync(join(folder, name));
    const { status, releases } = await changesIn(tree);
    expect(status).toBe(0);
    expect(releases[2]?.changes?.fronts).toEqual([
      {
        ...OF_NONE,
        front: 'alpha',
        state: 'unknown',
        message: expect.stringContaining('public/fronts/alpha/') as string,
      },
    ]);
    expect(releases[0]?.changes?.fronts).toHaveLength(1);
    const { stdout } = await playbill(['releases', '--out', tree, '--changes']);
    expect(stdout).toContain('    alpha: cannot be compared: ');
  });

  test('a rollback of a front shows what it took back; a front that comes and goes has its cards', async () => {
    const tree = join(temporaryFolder(), 'out');
    const catalogue = newCatalogue(join(temporaryFolder(), 'c.sqlite'));
    const first = await release('09:00', '', tree, catalogue);
    await release('09:05', "UPDATE products SET name = 'new'", tree, catalogue);
    const back = await rollBackTree(tree, first, {
      isBySize: false,
      fronts: { codes: ['alpha'], now: instant(at('09:10')) },
    });
    await release(
      '09:15',
      "UPDATE products SET name = 'newer'; UPDATE fronts SET status = 'disabled' WHERE id = 2",
      tree,
      catalogue,
    );
    const { releases } = await changesIn(tree);
    expect(releases[1]?.id).toBe(back.release.id);
    expect(releases.map(({ changes }) => changes?.fronts ?? null)).toEqual([
      [{ ...OF_NONE, front: 'bravo', state: 'gone', cards: { added: 0, removed: 10 } }],
      [changed('alpha', { names: 10 })],
      [changed('alpha', { names: 10 }), changed('bravo', { names: 10 })],
      null,
    ]);
  });

  test('where an older release is right no more, the clock may have a part in it', async () => {
    const tree = join(temporaryFolder(), 'out');
    const catalogue = newCatalogue(join(temporaryFolder(), 'c.sqlite'));
    const options = { guards, horizonSeconds: 0 };
    await buildTree(catalogue, tree, instant(at('09:00')), options);
    await buildTree(catalogue, tree, instant(at('10:00')), options);
    const { releases } = await changesIn(tree);
    const { comparableUntil } = releases[0]?.changes?.fronts[0] ?? {};
    expect([comparableUntil].flat()[0] ?? '').toMatch(/^2026-05-01T09:/);
    expect((await playbill(['releases', '--out', tree, '--changes'])).stdout).toContain('in part by the clock');
  });

  test('one release, and those of an earlier version, have none to compare with', async () => {
    const tree = join(temporaryFolder(), 'out');
    const catalogue = newCatalogue(join(temporaryFolder(), 'c.sqlite'));
    await release('09:00', '', tree, catalogue);
    expect((await changesIn(tree)).releases.map(({ changes }) => changes)).toEqual([null]);
    expect((await playbill(['releases', '--out', tree, '--changes'])).stdout).toContain('no older release to compare');
    makeOlder(tree);
    expect(await changesIn(tree)).toMatchObject({ status: 0, releases: [] });
    await release('09:10', '', tree, catalogue);
    expect((await changesIn(tree)).releases.map(({ changes }) => changes)).toEqual([null]);
  });
});
