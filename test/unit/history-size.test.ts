// What history costs: the editions that only other releases than the current one name; and the list of
// a long one.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatInstant, instantOf } from '../../src/catalogue/instant.ts';
import { releasesOfTree } from '../../src/operations/history.ts';
import { readStatus } from '../../src/operations/status.ts';
import { outputOf } from '../support/cli/run.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { manifestOf, writeManifest } from '../support/manifests.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder } from '../support/trees.ts';

const size = { fronts: ['alpha', 'bravo'], productsPerFront: 2, sessionsPerProduct: 3 };

test('build, releases and status agree on it', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const builds = [];
  for (const [i, edition] of ['one', 'two', 'three', 'three'].entries()) {
    const database = catalogueAt(join(folder, `${i}.sqlite`), smallCatalogue({ ...size, edition }));
    builds.push(await buildTree(database, out, instant(`2026-05-01T09:0${i}:00Z`), { precompress: ['gzip'] }));
  }
  const files = filesOf(out);
  const named = new Set(manifestOf(files, builds.at(-1)?.releaseId ?? '').files.map(({ path }) => path));
  const others = [...files.keys()].filter(
    (path) => path.startsWith('public/') && !path.endsWith('/pointer.json') && !named.has(path.replace(/\.gz$/, '')),
  );
  const bytes = others.reduce((sum, path) => sum + statSync(join(out, path)).size, 0);
  const history = { releases: 3, files: others.length, bytes };
  expect(others.length).toBeGreaterThan(8);
  expect(builds.map((one) => one.history?.releases)).toEqual([0, 1, 2, 3]);
  expect(builds.at(-1)?.history).toEqual(history);
  expect((await releasesOfTree(out)).history).toEqual(history);
  expect((await readStatus(out, null, instant('2026-05-01T09:04:00Z'))).history).toEqual(history);
});

test('of more than a hundred releases the newest hundred are listed, and how many there are', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const database = catalogueAt(join(folder, 'c.sqlite'), smallCatalogue({ ...size, edition: 'one' }));
  const { releaseId } = await buildTree(database, out, instant('2026-05-01T09:00:00Z'));
  const manifest = manifestOf(filesOf(out), releaseId ?? '');
  for (let minute = 1; minute <= 101; minute++) {
    const now = formatInstant(instantOf(instant('2026-05-01T09:00:00Z') - 60 * minute));
    writeManifest(out, { ...manifest, now });
  }
  const listed = async (...words: string[]) => (await outputOf(['releases', '--out', out, ...words])).printed;
  const short = await listed();
  expect(short.match(/^[0-9a-f]{16} /gm)).toHaveLength(100);
  expect(short).toContain('… and 2 older ones: --last 102');
  const whole = await listed('--last', '102');
  expect(whole.match(/^[0-9a-f]{16} /gm)).toHaveLength(102);
  expect(whole).not.toContain('older');
  const { total, releases } = await releasesOfTree(out, { last: 3, changesOf: null });
  expect([total, releases.length]).toEqual([102, 3]);
});
