// data/upkeep.md: its blocks, typed; what it says of keys after a restore, and of another version;
// its figures are those of the benchmarks.

import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { keyRingSchema } from '../../src/contract/key-ring.ts';
import { outputOf } from '../support/cli/run.ts';
import { Command } from '../support/fault/command.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { type Ran, run } from '../support/recipe.ts';
import { catalogueAt, filesOf, temporaryFolderOfFile } from '../support/trees.ts';

const guide = readFileSync(new URL('../../data/upkeep.md', import.meta.url), 'utf8');
const [backup = '', restore = ''] = Array.from(guide.matchAll(/^```sh\n([^]*?)^```$/gm), ([, block]) => block);

const work = temporaryFolderOfFile();
const path = `${new Command().folderForPath}:${process.env['PATH'] ?? ''}`;
const type = async (script: string): Promise<Ran> => {
  const words = ['bash', '-e', '-o', 'pipefail', '-c', script];
  const ran = await run(words, { PATH: path, HOME: work, PLAYBILL_DB: 'catalogue.sqlite' }, { cwd: work });
  expect(ran.status, ran.stdout + ran.stderr).toBe(0);
  return ran;
};

/** The keys that edges refuse. */
function revoked(tree = 'out'): readonly string[] {
  const { keys } = keyRingSchema.parse(JSON.parse(readFileSync(join(work, tree, 'edge/keyring.json'), 'utf8')));
  return Object.entries(keys).flatMap(([keyid, { revokedAt }]) => (revokedAt === null ? [] : [keyid]));
}

const documents = (): ReadonlyMap<string, string> =>
  new Map([...filesOf(join(work, 'out'))].filter(([name]) => /\/(products|categories)\.\w+\.json$/.test(name)));

beforeAll(async () => {
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 2, sessionsPerProduct: 2, edition: 'one' });
  catalogueAt(
    join(work, 'catalogue.sqlite'),
    rows.filter(({ table }) => table !== 'front_keys'),
  );
  await type(`playbill build\nplaybill keys issue --front alpha --keyid leaked --to leaked.key.json`);
});

test('a restored catalogue gives the same documents; a key revoked since stays so while the tree is there', async () => {
  const before = documents();
  await type(backup);
  await type('playbill keys revoke leaked');
  expect(revoked()).toEqual(['leaked']);

  const { stdout, stderr } = await type(restore);
  expect(stdout).toMatch(/: 0 errors, /);
  expect(stdout + stderr).toContain('keys-revived');
  expect(revoked()).toEqual(['leaked']);
  expect(documents()).toEqual(before);

  // And without it: what the guide warns of, and what it says to do.
  renameSync(join(work, 'out'), join(work, 'lost'));
  await type('playbill build');
  expect(revoked()).toEqual([]);
  expect(documents()).toEqual(before);
  renameSync(join(work, 'out'), join(work, 'without'));
  await type('playbill keys revoke leaked\nplaybill build');
  expect(revoked()).toEqual(['leaked']);
});

test('an old tree that is put back admits a revoked key until the next build, as SECURITY.md says', async () => {
  const order = `
playbill build --out tree
playbill keys issue --front alpha --keyid stolen --to stolen.key.json --out tree
cp -r tree old
playbill keys revoke stolen --out tree
rm -r tree
mv old tree
`;
  await type(order);
  expect(revoked('tree')).not.toContain('stolen');
  await type('playbill build --out tree');
  expect(revoked('tree')).toContain('stolen');
});

test('another version renders everything again, and writes no edition whose bytes are the same', async () => {
  const database = join(work, 'catalogue.sqlite');
  const build = async (toolVersion: string, now: string, horizon: string) => {
    const words = ['build', '--db', database, '--out', join(work, 'versions'), '--now', now, '--horizon', horizon];
    const { code, printed } = await outputOf([...words, '--json'], { toolVersion });
    expect(code).toBe(0);
    return JSON.parse(printed) as { readonly fronts: readonly { put: { files: number }; kept: { files: number } }[] };
  };
  const first = await build('1.0.0', NOW, '0');
  const again = await build('2.0.0', NOW, '0');
  const [one, other] = [first.fronts[0], again.fronts[0]];
  expect(one?.put.files).toBeGreaterThan(0);
  expect(other).toMatchObject({ put: { files: 0 }, kept: { files: one?.put.files } });
});

test('the figures are those of the benchmarks', () => {
  const figuresOf = (size: string): ReadonlyMap<string, string> => {
    const text = readFileSync(new URL(`../bench/${size}.md`, import.meta.url), 'utf8');
    return new Map(
      [...text.matchAll(/^\| (.*?) \| (.*?) \| .* \|$/gm)].map(([, what = '', measured = '']) => [what, measured]),
    );
  };
  const [, table = ''] = /^\| catalogue [^]*?\n((?:\|.*\n)+)/m.exec(guide.replace(/^\| ---.*\n/gm, '')) ?? [];
  const rows = table
    .trim()
    .split('\n')
    .map((row) => row.split('|').map((cell) => cell.trim()));
  expect(rows).toHaveLength(3);
  for (const [i, size] of ['S', 'M', 'L'].entries()) {
    const [, , seconds = '', share = '', bytes = ''] = rows[i] ?? [];
    const figures = figuresOf(size);
    expect(figures.get('full build, default horizon')).toBe(seconds);
    expect(figures.get('the run that cron makes, against it, from tables')).toBe(share);
    const total = Number.parseInt(figures.get('its tree') ?? '');
    expect(bytes).toBe(total < 1000 ? `${total} MB` : `${Number((total / 1000).toPrecision(2))} GB`);
  }
});
