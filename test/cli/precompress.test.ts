// `build --precompress`: siblings of every new edition, which unfold to it; the release lists the
// same files and fronts as without, and says which siblings there are.

import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { currentName, manifestIn } from '../support/manifests.ts';
import { temporaryFolder } from '../support/trees.ts';
import { playbill } from '../support/cli/run.ts';

const NOW = '2026-05-01T09:00:00Z';

test('siblings stand beside new editions and unfold to them', async () => {
  const root = temporaryFolder();
  const database = demoCatalogueAt(join(root, 'demo.sqlite'), NOW);
  const build = async (name: string, ...words: string[]): Promise<string> => {
    const out = join(root, name);
    const { status } = await playbill(['build', '--db', database, '--out', out, '--now', NOW, '--json', ...words]);
    expect(status).toBe(0);
    return out;
  };
  const plain = await build('plain');
  const one = await build('one', '--precompress', 'gzip,br');
  const two = await build('two', '--precompress', 'br,gzip');
  const gzip = await build('gzip', '--precompress', 'gzip');
  const manifests = [plain, one, two, gzip].map((out) => manifestIn(out));
  expect(manifests.map(({ precompress }) => precompress)).toEqual([[], ['br', 'gzip'], ['br', 'gzip'], ['gzip']]);
  expect(new Set(manifests.map((manifest) => JSON.stringify({ ...manifest, precompress: [] }))).size).toBe(1);
  // Whatever the order in which they were asked for, it is one release.
  expect(currentName(one)).toBe(currentName(two));

  const filesOf = (out: string): string[] =>
    readdirSync(join(out, 'public'), { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(out, 'public', path)).isFile())
      .sort();
  const editions = filesOf(plain).filter((path) => !path.endsWith('pointer.json'));
  expect(filesOf(one)).toEqual([...filesOf(plain), ...editions.flatMap((path) => [`${path}.gz`, `${path}.br`])].sort());
  expect(filesOf(gzip)).toEqual([...filesOf(plain), ...editions.map((path) => `${path}.gz`)].sort());
  for (const path of editions) {
    const bytes = readFileSync(join(plain, 'public', path));
    expect(gunzipSync(readFileSync(join(one, 'public', `${path}.gz`))).equals(bytes)).toBe(true);
    expect(brotliDecompressSync(readFileSync(join(one, 'public', `${path}.br`))).equals(bytes)).toBe(true);
  }
  for (const path of filesOf(one)) {
    expect(readFileSync(join(two, 'public', path)).equals(readFileSync(join(one, 'public', path))), path).toBe(true);
  }
  const verified = await playbill(['verify', '--out', one]);
  expect(verified.stdout).toContain('0 errors, 0 warnings');

  // What is there already gets none.
  await build('plain', '--precompress', 'gzip,br');
  expect(filesOf(plain).filter((path) => /\.(gz|br)$/.test(path))).toEqual([]);
  const wrong = await playbill(['build', '--db', database, '--out', plain, '--precompress', 'zip']);
  expect(wrong.status).toBe(2);
  expect(wrong.stderr).toContain('--precompress gzip,br');
});
