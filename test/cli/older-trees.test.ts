// A tree that an earlier version wrote: it goes on being served and verified, a build publishes into
// it as into one whose manifests are lost, a hold holds, and what it lists outlasts it by the grace
// time, because edges may go on asking for it.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildResultSchema } from '../../src/contract/results/build.ts';
import { pruneResultSchema, releasesResultSchema } from '../../src/contract/results/history.ts';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { statusResultSchema } from '../../src/contract/results/status.ts';
import { openCatalogue } from '../../src/database/open.ts';
import { rollBackTree } from '../../src/operations/history.ts';
import { DirectoryStore } from '../../src/storage/folder/store.ts';
import { playbill } from '../support/cli/run.ts';
import { Breakage, BreakingStore } from '../support/fault/breaking-store.ts';
import { buildWith } from '../support/fault/build-with.ts';
import { wholeFrontsIn } from '../support/fault/readers-check.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { copyTree } from '../support/fault/tree-copy.ts';
import { currentName, manifestIn, releaseNames } from '../support/manifests.ts';
import { makeOlder } from '../support/older-trees.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolderOfFile } from '../support/trees.ts';
import { findingsOf, lineOf } from '../support/verify-tree.ts';

const folder = temporaryFolderOfFile();
const database = join(folder, 'catalogue.sqlite');
const fewer = join(folder, 'fewer.sqlite');
/** Two releases of an earlier version, and the first of them held. */
const older = join(folder, 'older');
const held = join(folder, 'held');
let ids: readonly string[] = [];

const at = (time: string): string => `2026-05-01T${time}:00Z`;

beforeAll(async () => {
  const fronts = ['alpha', 'bravo'];
  const size = { fronts, productsPerFront: 9, sessionsPerProduct: 3 };
  const first = catalogueAt(join(folder, 'first.sqlite'), smallCatalogue({ ...size, edition: 'one' }));
  catalogueAt(database, smallCatalogue({ ...size, edition: 'two' }));
  cpSync(database, fewer);
  const handle = new Database(fewer);
  handle.exec('DELETE FROM front_products WHERE product_id > 1001');
  handle.close();
  await buildTree(first, older, instant(at('09:00')), { horizonSeconds: 3600 });
  await buildTree(database, older, instant(at('09:10')), { horizonSeconds: 3600 });
  cpSync(older, held, { recursive: true });
  await rollBackTree(held, 'current~1');
  ids = makeOlder(older);
  expect(makeOlder(held)).toEqual(ids);
  expect(readFileSync(join(held, 'releases/hold'), 'utf8')).toBe(`${ids[0]}\n`);
});

const warnings = (): string[] => ids.map((id) => `warning manifest-older releases/${id}.json`);

async function linesOf(tree: string): Promise<string[]> {
  return (await findingsOf(tree)).map(lineOf).sort();
}

function copyOf(tree: string, name: string): string {
  return copyTree(tree, join(folder, name));
}

async function buildAt(tree: string, time: string, catalogue = database, words: readonly string[] = []) {
  const argv = ['build', '--db', catalogue, '--out', tree, '--now', at(time), '--horizon', '1h', '--json', ...words];
  const run = await playbill(argv);
  return { status: run.status, ...buildResultSchema.parse(JSON.parse(run.stdout)) };
}

describe('what reads a tree of an earlier version', () => {
  test('verify, status and releases say so, as a warning, and what is served is checked as ever', async () => {
    expect(await linesOf(older)).toEqual(warnings().sort());
    const status = await playbill(['status', '--out', older, '--at', at('09:11'), '--json']);
    expect(status.status).toBe(0);
    const { release, hold, fronts, findings } = statusResultSchema.parse(JSON.parse(status.stdout));
    expect([release, hold, fronts.map(({ stale }) => stale)]).toEqual([null, null, [null, null]]);
    expect(findings.map(lineOf)).toContain(`warning manifest-older releases/${ids[1]}.json`);
    const listed = await playbill(['releases', '--out', older, '--json']);
    expect(listed.status).toBe(0);
    const releases = releasesResultSchema.parse(JSON.parse(listed.stdout));
    expect(releases).toMatchObject({ releases: [], hold: null });
    expect(releases.findings.map(lineOf).sort()).toEqual(warnings().sort());
    const shown = await playbill(['show', '--front', 'alpha', '--endpoint', 'products', '--out', older]);
    expect(shown.stdout).toContain('\\"two\\"');

    const damaged = copyOf(older, 'damaged');
    const [path = ''] = [...filesOf(damaged).keys()].filter((one) => one.includes('/alpha/products.'));
    rmSync(join(damaged, path));
    expect(await linesOf(damaged)).toEqual([`error file-missing ${path}`, ...warnings().sort()]);
  });

  test('no command looks into such a release', async () => {
    for (const argv of [
      ['rollback', ids[0] ?? ''],
      ['rollback', 'current'],
      ['diff', ids[0]?.slice(0, 6) ?? '', 'current'],
    ]) {
      const tree = copyOf(older, `refused-${argv.join('-')}`);
      const run = await playbill([...argv, '--out', tree, '--json']);
      expect(run.status).toBe(2);
      const { error } = errorResultSchema.parse(JSON.parse(run.stdout));
      expect(error).toMatchObject({ code: 'release-older', hint: expect.stringContaining('playbill build') });
      expect(filesOf(tree)).toEqual(filesOf(older));
    }
  });

  test('one that is altered or torn is damaged, and prunes nothing', async () => {
    const tree = copyOf(older, 'torn');
    const path = join(tree, `releases/${ids[0]}.json`);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"tool":"', '"tool":"x'));
    expect(await linesOf(tree)).toEqual([`error file-digest-wrong releases/${ids[0]}.json`, warnings()[1]]);
    const { status, findings } = await buildAt(tree, '11:00');
    expect(status).toBe(0);
    expect(findings.map(({ code }) => code).sort()).toEqual(['manifest-older', 'not-pruned']);
    for (const path of filesOf(older).keys()) expect(existsSync(join(tree, path)), path).toBe(true);
  });
});

describe('a build into it', () => {
  test('publishes; what the older releases list stays for the grace time, and then goes with them', async () => {
    const tree = copyOf(older, 'built');
    const before = [...filesOf(older).keys()].filter(
      (path) => path.startsWith('public/') && !path.endsWith('pointer.json'),
    );
    const first = await buildAt(tree, '09:15');
    expect([first.status, first.removed.files]).toEqual([0, 0]);
    expect(first.findings.map(lineOf)).toEqual([`warning manifest-older releases/${ids[1]}.json`]);
    expect(await linesOf(tree)).toEqual(warnings().sort());
    // Without a release to compare with, no pointer is quiet.
    expect(manifestIn(tree).fronts.map(({ pointer }) => pointer.now)).toEqual([at('09:15'), at('09:15')]);

    expect((await buildAt(tree, '10:14')).removed.files).toBe(0);
    expect(before.filter((path) => !existsSync(join(tree, path)))).toEqual([]);
    const dry = await playbill(['prune', '--out', tree, '--dry-run', '--json']);
    const kept = pruneResultSchema.parse(JSON.parse(dry.stdout)).releases.map((one) => `${one.now} ${one.kept}`);
    expect(kept).toEqual([
      at('10:14') + ' current',
      at('09:15') + ' recent',
      at('09:10') + ' grace',
      at('09:00') + ' grace',
    ]);

    const last = await buildAt(tree, '10:15');
    expect(last.pruned.releases).toBe(2);
    expect(releaseNames(tree).map((name) => name.slice(0, 16))).toEqual(
      ['09:15', '10:14', '10:15'].map((time) => at(time).replaceAll(/[-:]/g, '')),
    );
    expect(before.filter((path) => !existsSync(join(tree, path))).length).toBeGreaterThan(0);
    expect(await linesOf(tree)).toEqual([]);
    // Nothing in it tells any more what there was before.
    const fresh = join(folder, 'fresh');
    for (const time of ['09:15', '10:14', '10:15']) await buildAt(fresh, time);
    expect(filesOf(tree)).toEqual(filesOf(fresh));
  });

  test('without grace they go at once; a release for an earlier time does not supersede them', async () => {
    const prunedOf = async (tree: string): Promise<number> => {
      const { stdout } = await playbill(['prune', '--grace', '0', '--out', tree, '--json']);
      return pruneResultSchema.parse(JSON.parse(stdout)).pruned.releases;
    };
    const tree = copyOf(older, 'no-grace');
    await buildAt(tree, '09:15');
    expect(await prunedOf(tree)).toBe(2);
    expect(await linesOf(tree)).toEqual([]);
    const early = copyOf(older, 'early');
    expect((await buildAt(early, '08:00', database, ['--force'])).status).toBe(0);
    expect(await prunedOf(early)).toBe(0);
    expect(await linesOf(early)).toEqual(warnings().sort());
  });

  test('is guarded by what pointers name', async () => {
    const tree = copyOf(older, 'guarded');
    const { status, fronts } = await buildAt(tree, '09:15', fewer);
    expect([status, fronts.map(({ held: why }) => why)]).toEqual([4, ['max-shrink', 'max-shrink']]);
    expect(filesOf(tree)).toEqual(filesOf(older));
    const one = await buildAt(tree, '09:05');
    expect([one.status, one.fronts.map(({ held: why }) => why)]).toEqual([4, ['now-earlier', 'now-earlier']]);
    const allowed = await buildAt(tree, '09:15', fewer, ['--allow', 'max-shrink', 'min-cards']);
    expect(allowed.status).toBe(0);
    expect(manifestIn(tree).allowed).toEqual([{ code: 'max-shrink', fronts: ['alpha', 'bravo'] }]);
  });

  test('stops at a hold of an earlier version, which is lifted as any', async () => {
    const tree = copyOf(held, 'lifted');
    const status = await playbill(['status', '--out', tree, '--at', at('09:11')]);
    expect(status.stdout.split('\n').slice(0, 2)).toEqual([
      `Held at release ${ids[0]}: builds publish nothing until: playbill rollback --resume`,
      '',
    ]);
    expect(await linesOf(tree)).toEqual(warnings().sort());
    const refused = await buildAt(tree, '09:15', database, ['--force']);
    expect(refused).toMatchObject({ status: 4, release: ids[0], hold: { release: ids[0] } });
    expect(filesOf(tree)).toEqual(filesOf(held));
    expect((await playbill(['prune', '--grace', '0', '--out', tree])).stdout).toContain('Pruned: 0 releases, 0 files');
    const resumed = await playbill(['rollback', '--resume', '--out', tree]);
    expect(resumed.stdout).toBe(`Resumed: the next build publishes again; release ${ids[0]} is current\n`);
    expect((await buildAt(tree, '09:15')).status).toBe(0);
    expect(await linesOf(tree)).toEqual(warnings().sort());
    await buildAt(tree, '10:14');
    expect(await linesOf(tree)).toEqual(warnings().sort());
    await buildAt(tree, '10:15');
    expect(await linesOf(tree)).toEqual([]);
    expect(readdirSync(join(tree, 'releases'))).not.toContain('grace');
  });

  test('names all of it to a hook that was notified by an earlier version', async () => {
    const tree = copyOf(older, 'notified');
    writeFileSync(join(tree, 'releases/notified'), `${ids[1]}\n`);
    const heard = join(folder, 'heard.json');
    const { notice } = await buildAt(tree, '09:15', database, ['--on-publish', `cat > ${heard}`]);
    expect(notice).toMatchObject({ changed: ['/fronts/alpha/pointer.json', '/fronts/bravo/pointer.json'] });
    expect(JSON.parse(readFileSync(heard, 'utf8'))).toEqual(notice);
    expect(readFileSync(join(tree, 'releases/notified'), 'utf8').split('\n')[0]).toBe(currentName(tree));
  });
});

test('a build into it whose store breaks: each front is whole, and the next build finishes', async () => {
  const now = instant(at('09:15'));
  const built = async (store: DirectoryStore | BreakingStore): Promise<unknown> => {
    await using reader = await openCatalogue(database);
    try {
      await buildWith(reader, store, now);
      return null;
    } catch (error) {
      return error;
    }
  };
  const undisturbed = copyOf(older, 'undisturbed');
  await built(new DirectoryStore(undisturbed));
  const expected = filesOf(undisturbed);
  let stops = 0;
  for (let breakAt = 1; ; breakAt += 1) {
    const tree = copyOf(older, `broken-${breakAt}`);
    const thrown = await built(new BreakingStore(new DirectoryStore(tree), new DirectoryStore(tree), breakAt));
    expect(wholeFrontsIn(tree), `${breakAt}`).toEqual(['alpha', 'bravo']);
    expect((await findingsOf(tree)).filter(({ severity }) => severity === 'error')).toEqual([]);
    await built(new DirectoryStore(tree));
    expect(filesOf(tree), `${breakAt}`).toEqual(expected);
    rmSync(tree, { recursive: true });
    if (!(thrown instanceof Breakage)) break;
    stops += 1;
  }
  expect(stops).toBeGreaterThan(10);
});
