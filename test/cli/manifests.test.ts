// What a manifest says of the build that made it, what releases share of it, what heals it, and what
// a hold of fronts does.

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ManifestHead } from '../../src/contract/manifest.ts';
import { buildResultSchema } from '../../src/contract/results/build.ts';
import { playbill } from '../support/cli/run.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { currentManifestPath, currentName, manifestIn, partPathsOf, releaseNames } from '../support/manifests.ts';
import { catalogueAt, filesOf, temporaryFolder } from '../support/trees.ts';
import { findingsOf, flipBit, lineOf } from '../support/verify-tree.ts';

const FRONTS = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];
const NOW = '2026-05-01T09:00:00Z';
const LATER = '2026-05-01T09:05:00Z';

let database = '';
let out = '';

beforeEach(async () => {
  const folder = temporaryFolder();
  [database, out] = [join(folder, 'catalogue.sqlite'), join(folder, 'out')];
  catalogueAt(database, smallCatalogue({ fronts: FRONTS, productsPerFront: 9, sessionsPerProduct: 1, edition: 'one' }));
  expect((await build(NOW)).status).toBe(0);
});

async function build(now: string, ...words: readonly string[]) {
  const run = await playbill(['build', '--db', database, '--out', out, '--now', now, '--json', ...words]);
  return { status: run.status, ...buildResultSchema.parse(JSON.parse(run.stdout)) };
}

function change(sql: string): void {
  const handle = new Database(database);
  handle.pragma('foreign_keys = OFF');
  handle.exec(sql);
  handle.close();
}

const partsIn = (): readonly string[] =>
  readdirSync(join(out, 'releases'))
    .filter((name) => /^(fronts|files)-/.test(name))
    .sort();

describe('the guards that were let pass', () => {
  test('are none of a build in which none tripped, whatever its flags', async () => {
    expect(manifestIn(out).allowed).toEqual([]);
    await build(LATER, '--force', '--allow', 'keys-vanished');
    expect(manifestIn(out).allowed).toEqual([]);
  });

  test('have the fronts concerned, also those that have vanished; without a flag there are none', async () => {
    const shrunk = 'DELETE FROM front_products WHERE product_id % 1000 > 1 AND front_id IN (1, 2)';
    change(`${shrunk}; UPDATE fronts SET min_cards = 5 WHERE id = 2`);
    expect(await build(LATER)).toMatchObject({ status: 4 });
    expect(manifestIn(out)).toMatchObject({ now: LATER, allowed: [] });
    change('DELETE FROM front_keys; DELETE FROM fronts WHERE id > 2');
    const planned = await build('2026-05-01T09:10:00Z', '--force', '--dry-run');
    const { status, guards, allowed } = await build('2026-05-01T09:10:00Z', '--force');
    expect([status, guards.map(({ code }) => code)]).toEqual([0, ['keys-vanished']]);
    expect(allowed).toEqual([
      { code: 'keys-vanished', fronts: null },
      { code: 'max-shrink', fronts: FRONTS },
      { code: 'min-cards', fronts: ['bravo'] },
    ]);
    expect(planned.allowed).toEqual(allowed);
    expect(manifestIn(out).allowed).toEqual(allowed);
    // The next build has nothing to let pass.
    const words = ['build', '--db', database, '--out', out, '--now', '2026-05-01T09:15:00Z'];
    const { stdout } = await playbill([...words, '--allow', 'max-shrink', 'min-cards']);
    expect(stdout).toContain('\nLet pass: min-cards on bravo\n');
    expect(manifestIn(out).allowed).toEqual([{ code: 'min-cards', fronts: ['bravo'] }]);
    expect(await findingsOf(out)).toEqual([]);
  });
});

describe('the parts of a manifest', () => {
  test('are shared by releases that say the same, and go with the last of them', async () => {
    const [fronts = '', files = ''] = partsIn().toReversed();
    await build(LATER);
    expect(releaseNames(out)).toHaveLength(2);
    // Of fronts and files nothing is news.
    expect(partsIn()).toEqual([files, fronts]);
    const first = currentName(out);
    change("UPDATE products SET name = 'news' WHERE id = 1001");
    await build('2026-05-01T09:10:00Z');
    expect(partsIn()).toHaveLength(4);
    rmSync(join(out, `releases/${first}.json`));
    expect((await findingsOf(out)).map(lineOf)).toEqual([]);
    rmSync(join(out, `releases/${releaseNames(out)[0]}.json`));
    const orphans = (await findingsOf(out)).map(lineOf).filter((line) => line.includes('releases/'));
    expect(orphans).toEqual([`warning unexpected releases/${files}`, `warning unexpected releases/${fronts}`]);
    const pruned = await playbill(['prune', '--out', out, '--json']);
    expect(pruned.status).toBe(0);
    expect(partsIn()).toHaveLength(2);
    expect((await findingsOf(out)).map(lineOf)).toEqual([]);
  });

  test.each(['altered', 'gone'])(
    'one of the current release that is %s is written again by the next build',
    async (how) => {
      const [, files] = partPathsOf(
        JSON.parse(readFileSync(join(out, currentManifestPath(out)), 'utf8')) as ManifestHead,
      );
      const text = readFileSync(join(out, files), 'utf8');
      if (how === 'gone') rmSync(join(out, files));
      else flipBit(out, files, 0.5);
      expect((await findingsOf(out)).map(lineOf)).toEqual([`error manifest-invalid ${files}`]);
      const back = await playbill(['rollback', 'current', '--out', out]);
      expect([back.status, back.stderr]).toEqual([
        2,
        expect.stringContaining(`error release-damaged: ${out}/${files}: `),
      ]);
      const { status, findings } = await build(LATER);
      expect([status, findings.map(lineOf)]).toEqual([0, [`warning manifest-invalid ${files}`]]);
      expect(readFileSync(join(out, files), 'utf8')).toBe(text);
      expect((await findingsOf(out)).map(lineOf)).toEqual([]);
    },
  );

  test('that of the fronts is gone: nothing is pruned; a build publishes, and its release is whole', async () => {
    const path = currentManifestPath(out);
    const [fronts] = partPathsOf(JSON.parse(readFileSync(join(out, path), 'utf8')) as ManifestHead);
    rmSync(join(out, fronts));
    const before = filesOf(out);
    const pruned = await playbill(['prune', '--grace', '0', '--out', out]);
    expect([pruned.status, pruned.stderr]).toEqual([2, expect.stringContaining('error release-damaged: ')]);
    expect(filesOf(out)).toEqual(before);
    const { status, findings } = await build(LATER);
    expect(status).toBe(0);
    expect(findings.map(lineOf)).toEqual([`warning manifest-invalid ${fronts}`]);
    for (const file of before.keys()) if (file.startsWith('public/')) expect(filesOf(out).has(file)).toBe(true);
    rmSync(join(out, path));
    await playbill(['prune', '--out', out]);
    expect((await findingsOf(out)).map(lineOf)).toEqual([]);
  });
});
