// Quiet pointers: when a build keeps the pointer of an earlier one, when it does not, and what then
// goes by the release's own now: status, the guard on an earlier now, comparisons. Fronts alpha and
// bravo show products of their own, and one in common.

import { copyFileSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { instantOf } from '../../src/catalogue/instant.ts';
import { diff, openNamedRelease } from '../../src/operations/diff.ts';
import { resumeTree, rollBackTree } from '../../src/operations/history.ts';
import { readStatus } from '../../src/operations/status.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import {
  buildTree,
  catalogueAt,
  filesOf,
  instant,
  pointerOf,
  temporaryFolder,
  temporaryFolderOfFile,
} from '../support/trees.ts';
import { currentManifestPath, currentName, manifestIn } from '../support/manifests.ts';
import { findingsOf } from '../support/verify-tree.ts';

type Options = Parameters<typeof buildTree>[3];

const LATER = '2026-05-01T09:05:00Z';
/** After the first two changes by the clock. */
const PAST_TWO = '2026-05-01T09:30:00Z';
const ALPHA = 'public/fronts/alpha/pointer.json';
const BRAVO = 'public/fronts/bravo/pointer.json';
const FORCE: Options = { guards: { maxShrink: 0.5, maxBad: 0.05, allow: [], force: true } };

const root = temporaryFolderOfFile();

function small(path: string, sessionsPerProduct: number): string {
  return catalogueAt(
    path,
    smallCatalogue({ fronts: ['alpha', 'bravo'], productsPerFront: 1, sessionsPerProduct, edition: 'x' }),
  );
}

/** Editions within the horizon; and a catalogue in which nothing happens until Monday, 4 May. */
const busy = small(join(root, 'busy.sqlite'), 2);
const calm = small(join(root, 'calm.sqlite'), 0);

/** A tree built as of NOW, and its own copy of the catalogue. */
async function published(catalogue = busy, options: Options = {}): Promise<{ database: string; out: string }> {
  const folder = temporaryFolder();
  const [database, out] = [join(folder, 'small.sqlite'), join(folder, 'out')];
  copyFileSync(catalogue, database);
  await buildTree(database, out, instant(NOW), options);
  return { database, out };
}

function change(path: string, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

const listingOf = (out: string, front: string) => manifestIn(out).fronts.find((one) => one.front === front);

const modifiedAt = (path: string): bigint => statSync(path, { bigint: true }).mtimeNs;

describe('a pointer is kept', () => {
  test.each<[string, string, Options]>([
    ['five minutes later', LATER, {}],
    ['when editions of it have begun', PAST_TWO, {}],
    ['a second before it is a quarter of the horizon old', '2026-05-01T10:29:59Z', {}],
    ['with another horizon that ends at the same boundary', LATER, { horizonSeconds: 7 * 3600 }],
    ['by another version of the tool', LATER, { toolVersion: 'later' }],
  ])('%s', async (_, now, options) => {
    const { database, out } = await published();
    const before = filesOf(out);
    const modified = [ALPHA, BRAVO].map((path) => modifiedAt(join(out, path)));
    const { outcomes, plan, release } = await buildTree(database, out, instant(now), options);
    expect(outcomes.map(({ code, held }) => [code, held])).toEqual([
      ['alpha', null],
      ['bravo', null],
    ]);
    const moves = plan.filter(({ action }) => action !== 'keep').map(({ path }) => path);
    // What is told of fronts and files is mostly the same, too.
    const ownPart = /^releases\/(fronts|files)-/;
    expect(moves.filter((path) => !ownPart.test(path))).toEqual([`releases/${release?.name}.json`, 'releases/current']);
    const after = filesOf(out);
    expect([...after].filter(([path]) => !path.startsWith('releases/'))).toEqual(
      [...before].filter(([path]) => !path.startsWith('releases/')),
    );
    expect([ALPHA, BRAVO].map((path) => modifiedAt(join(out, path)))).toEqual(modified);

    const { fronts, files, now: releaseNow } = manifestIn(out);
    expect(releaseNow).toBe(now);
    for (const { front, held, pointer, cardsByEdition, editions, nextChange } of fronts) {
      expect([held, pointer]).toEqual([null, pointerOf(after, front)]);
      expect(editions.products).toBe(pointer.products.length);
      expect(cardsByEdition).toHaveLength(pointer.products.length);
      const next = pointer.products.map((entry) => entry.slice(0, 20)).find((from) => from > now);
      expect(nextChange).toBe(next ?? null);
    }
    expect(files.map(({ path }) => path)).toEqual(
      [...before.keys()].filter((path) => /\.[0-9a-f]{16}\.json$/.test(path)),
    );
    expect(await findingsOf(out)).toEqual([]);
  });

  test('again and again, until it is a quarter of the horizon old', async () => {
    const { database, out } = await published();
    const nows: string[] = [];
    for (let minutes = 30; minutes <= 120; minutes += 30) {
      await buildTree(database, out, instantOf(instant(NOW) + minutes * 60));
      nows.push(pointerOf(filesOf(out), 'alpha').now);
    }
    expect(nows).toEqual([NOW, NOW, '2026-05-01T10:30:00Z', '2026-05-01T10:30:00Z']);
  });
});

describe('a pointer moves', () => {
  const front = "WHERE code = 'alpha'";
  const badge = "INSERT INTO badges (id, slug, name, color) VALUES (5, 'hit', 'Hit', '#abcdef');";
  test.each<[string, string, string]>([
    ['an answer for now is another', 'busy', 'UPDATE price_tiers SET amount_minor = 100 WHERE product_id = 1001'],
    [
      'only a later answer is another',
      'busy',
      `${badge} INSERT INTO product_badges (product_id, badge_id, valid_from) VALUES (1001, 5, '2026-05-01T12:30:00Z')`,
    ],
    ['only the days of the weekend are others', 'calm', `UPDATE fronts SET weekend_days = '56' ${front}`],
    [
      'only the currency is another',
      'calm',
      `UPDATE fronts SET currency = 'EUR' ${front};
       UPDATE front_products SET visible_until = '2020-01-01T00:00:00Z' WHERE product_id = 1;
       UPDATE price_tiers SET currency = 'EUR' WHERE product_id = 1001`,
    ],
    ['only the zone is another', 'calm', `UPDATE fronts SET timezone = 'Europe/Minsk' ${front}`],
  ])('where %s; that of another front stays', async (_, name, sql) => {
    const { database, out } = await published(name === 'busy' ? busy : calm);
    if (sql.includes('front_products')) {
      change(database, "UPDATE front_products SET visible_until = '2020-01-01T00:00:00Z' WHERE product_id = 1");
      await buildTree(database, out, instant(NOW));
    }
    const before = filesOf(out);
    change(database, sql);
    const { outcomes } = await buildTree(database, out, instant(LATER));
    expect(outcomes.map(({ held }) => held)).toEqual([null, null]);
    const after = filesOf(out);
    expect(pointerOf(after, 'alpha').now).toBe(LATER);
    expect(after.get(BRAVO)).toBe(before.get(BRAVO));
    // Where documents are the same, what moves it is the one thing in question.
    if (name === 'calm') {
      const digestsOf = (files: typeof after) => pointerOf(files, 'alpha').products.map((entry) => entry.slice(21));
      expect(digestsOf(after)).toEqual(digestsOf(before));
      expect(pointerOf(after, 'alpha').validUntil).toBe(pointerOf(before, 'alpha').validUntil);
    }
    expect(listingOf(out, 'alpha')).toMatchObject({ held: null, pointer: { now: LATER } });
    expect(await findingsOf(out)).toEqual([]);
  });

  test.each<[string, string, Options, (out: string) => void]>([
    ['it is a quarter of the horizon old', '2026-05-01T10:30:00Z', {}, () => undefined],
    ['--force', LATER, FORCE, () => undefined],
    ['the current release is lost', LATER, {}, (out) => writeFileSync(join(out, 'releases/current'), 'torn')],
    ['its manifest is lost', LATER, {}, (out) => rmSync(join(out, currentManifestPath(out)))],
    ['an edition whose time is over is missing', PAST_TWO, {}, (out) => rmSync(firstEditionOf(out))],
    ['an edition whose time is over was cut short', PAST_TWO, {}, (out) => truncateSync(firstEditionOf(out), 10)],
    ['somebody has written it otherwise', LATER, {}, (out) => rewrite(out, (text) => text.replaceAll(',"', ', "'))],
    [
      'somebody has changed its today',
      LATER,
      {},
      (out) => rewrite(out, (text) => text.replace('"today":"2026-05-01"', '"today":"2026-04-30"')),
    ],
  ])('%s', async (_, now, options, damage) => {
    const { database, out } = await published();
    damage(out);
    const { outcomes, release } = await buildTree(database, out, instant(now), options);
    const [alpha] = outcomes;
    expect(alpha?.held).toBeNull();
    const text = readFileSync(join(out, ALPHA), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ now, today: '2026-05-01' });
    const fresh = join(temporaryFolder(), 'out');
    await buildTree(database, fresh, instant(now), options);
    expect(text).toBe(readFileSync(join(fresh, ALPHA), 'utf8'));
    // What a damaged tree had is no file of the new release.
    for (const { path, bytes } of manifestIn(out).files) expect(statSync(join(out, path)).size, path).toBe(bytes);
    expect(release?.name).toBe(currentName(out));
  });

  test('where nothing but its end is another', async () => {
    const { database, out } = await published(calm);
    const before = pointerOf(filesOf(out), 'alpha');
    await buildTree(database, out, instant(LATER), { horizonSeconds: 13 * 3600 });
    const after = pointerOf(filesOf(out), 'alpha');
    const digestsOf = ({ products, categories }: typeof after) =>
      [products, categories].map((all) => all.map((one) => one.slice(21)));
    expect(digestsOf(after)).toEqual(digestsOf(before));
    expect(digestsOf(after)).toEqual([[expect.any(String)], [expect.any(String)]]);
    expect(after.now).toBe(LATER);
    expect(after.validUntil > before.validUntil).toBe(true);
  });

  test('with a horizon of 0', async () => {
    const { database, out } = await published(calm, { horizonSeconds: 0 });
    await buildTree(database, out, instant(LATER), { horizonSeconds: 0 });
    expect(pointerOf(filesOf(out), 'alpha').now).toBe(LATER);
  });
});

function firstEditionOf(out: string): string {
  return join(out, `public/fronts/alpha/products.${pointerOf(filesOf(out), 'alpha').products[0]?.slice(21)}.json`);
}

function rewrite(out: string, edit: (text: string) => string): void {
  const before = readFileSync(join(out, ALPHA), 'utf8');
  const after = edit(before);
  expect(after).not.toBe(before);
  writeFileSync(join(out, ALPHA), after);
}

describe('a front is as old as the release that kept its pointer', () => {
  const ages = async (out: string, at: string) =>
    Object.fromEntries(
      (await readStatus(out, null, instant(at))).fronts.map(({ front, snapshot }) => [front, snapshot?.ageSeconds]),
    );

  test('in status: after a quiet build, after a build of another front, when it is held back, after a rollback', async () => {
    const { database, out } = await published();
    const first = currentName(out);
    await buildTree(database, out, instant(LATER));
    expect(await ages(out, LATER)).toEqual({ alpha: 0, bravo: 0 });
    expect((await readStatus(out, 299, instantOf(instant(LATER) + 299))).isStale).toBe(false);
    expect((await readStatus(out, 299, instantOf(instant(LATER) + 300))).fronts).toMatchObject([
      { stale: 'too-old' },
      { stale: 'too-old' },
    ]);

    const half = '2026-05-01T09:15:00Z';
    await buildTree(database, out, instant(half), { frontCodes: ['bravo'] });
    expect(await ages(out, half)).toEqual({ alpha: 600, bravo: 0 });
    expect(listingOf(out, 'alpha')).toMatchObject({ held: 'not-selected', asOf: LATER });
    change(database, 'UPDATE fronts SET min_cards = 99 WHERE id = 1');
    await buildTree(database, out, instant('2026-05-01T09:20:00Z'));
    expect(listingOf(out, 'alpha')).toMatchObject({ held: 'min-cards', asOf: LATER });
    expect(await ages(out, '2026-05-01T09:20:00Z')).toEqual({ alpha: 900, bravo: 0 });
    change(database, 'UPDATE fronts SET min_cards = 0 WHERE id = 1');
    await buildTree(database, out, instant('2026-05-01T09:25:00Z'));
    expect(listingOf(out, 'alpha')).not.toHaveProperty('asOf');
    expect(await ages(out, '2026-05-01T09:25:00Z')).toEqual({ alpha: 0, bravo: 0 });
    expect(pointerOf(filesOf(out), 'alpha').now).toBe(NOW);

    await rollBackTree(out, first);
    expect(await ages(out, '2026-05-01T09:25:00Z')).toEqual({ alpha: 1500, bravo: 1500 });
    await resumeTree(out);
    await buildTree(database, out, instant('2026-05-01T09:26:00Z'));
    expect(await ages(out, '2026-05-01T09:26:00Z')).toEqual({ alpha: 0, bravo: 0 });
  });

  test('for the guard: a now between that of the pointer and that of the release is earlier', async () => {
    const { database, out } = await published();
    await buildTree(database, out, instant(LATER));
    const before = filesOf(out);
    expect(pointerOf(before, 'alpha').now).toBe(NOW);
    const { outcomes } = await buildTree(database, out, instant('2026-05-01T09:03:00Z'));
    expect(outcomes.map(({ held }) => held)).toEqual(['now-earlier', 'now-earlier']);
    expect(outcomes[0]?.guards).toMatchObject([
      { message: 'now 2026-05-01T09:03:00Z is earlier than the published 2026-05-01T09:05:00Z' },
    ]);
    expect(filesOf(out)).toEqual(before);
    await buildTree(database, out, instant('2026-05-01T09:10:00Z'), { frontCodes: ['bravo'] });
    const again = await buildTree(database, out, instant('2026-05-01T09:03:00Z'));
    expect(again.outcomes.map(({ held }) => held)).toEqual(['now-earlier', 'now-earlier']);
    const forced = await buildTree(database, out, instant('2026-05-01T09:03:00Z'), FORCE);
    expect(forced.outcomes.map(({ held, listing }) => [held, listing?.pointer.now])).toEqual([
      [null, '2026-05-01T09:03:00Z'],
      [null, '2026-05-01T09:03:00Z'],
    ]);
  });

  test('for a comparison: how far the older release would have had to reach counts from its own now', async () => {
    const { database, out } = await published();
    await buildTree(database, out, instant(LATER));
    const nextDay = `${out}-next-day`;
    await buildTree(database, nextDay, instant('2026-05-02T09:05:00Z'));
    const [before, after] = [await openNamedRelease('current', out), await openNamedRelease(nextDay, out)];
    const needed = { horizonNeededSeconds: 24 * 3600 };
    expect((await diff(before, after, null)).changed).toMatchObject([needed, needed]);
    expect((await diff(after, before, null)).changed).toMatchObject([needed, needed]);
    const dry = await buildTree(database, out, instant('2026-05-02T09:05:00Z'), { isDryRun: true });
    expect(dry.differences?.changed).toMatchObject([needed, needed]);
    const same = await buildTree(database, out, instant('2026-05-01T09:10:00Z'), { isDryRun: true });
    expect(same.differences).toMatchObject({ isDifferent: false, same: ['alpha', 'bravo'] });
    expect(same.plan.map(({ action, path }) => `${action} ${path}`)).toContain(`keep ${ALPHA}`);
  });
});
