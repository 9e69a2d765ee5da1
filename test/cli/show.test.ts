// `playbill show` as a person runs it: the document of an instant, byte for byte.

import { cpSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { errorResultSchema } from '../../src/contract/results/parts.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, filesOf, instant, pointerOf, temporaryFolderOfFile } from '../support/trees.ts';
import { playbill } from '../support/cli/run.ts';

const NOW = '2026-05-01T09:00:00Z';
const root = temporaryFolderOfFile();
const sound = join(root, 'sound');

beforeAll(async () => {
  await buildTree(demoCatalogueAt(join(root, 'demo.sqlite'), NOW), sound, instant(NOW));
});

const pathOfEntry = (endpoint: string, entry: string | undefined): string =>
  `public/fronts/moscow/${endpoint}.${entry?.slice(21)}.json`;

/** The moscow edition at a place of its pointer. */
function editionText(index: number): string {
  const files = filesOf(sound);
  return files.get(pathOfEntry('products', pointerOf(files, 'moscow').products.at(index))) ?? '';
}

const show = (out: string, ...words: readonly string[]) =>
  playbill(['show', '--out', out, '--front', 'moscow', '--endpoint', 'products', ...words]);

describe('playbill show', () => {
  test('the edition in force at an instant, its last second, and the next one', async () => {
    const second = pointerOf(filesOf(sound), 'moscow').products[1]?.slice(0, 20) ?? '';
    const lastOfFirst = new Date(Date.parse(second) - 1000).toISOString();
    const first = await show(sound, '--at', lastOfFirst);
    expect(first).toMatchObject({ status: 0, stderr: '', stdout: editionText(0) });
    expect(first.stdout.startsWith('{"productCards":[{"productId":')).toBe(true);
    expect((await show(sound, '--at', second)).stdout).toBe(editionText(1));
    expect((await show(sound, '--at', second.replace('Z', '+00:00'))).stdout).toBe(editionText(1));
    expect(editionText(0)).not.toBe(editionText(1));
  });

  test('categories, and the same bytes under --json', async () => {
    const words = ['show', '--out', sound, '--front', 'moscow', '--endpoint', 'categories', '--at', NOW];
    const plain = await playbill(words);
    const files = filesOf(sound);
    expect(plain.stdout).toBe(files.get(pathOfEntry('categories', pointerOf(files, 'moscow').categories[0])));
    expect((await playbill([...words, '--json'])).stdout).toBe(plain.stdout);
  });

  test('--pretty indents the same document, every character of the catalogue as it was', async () => {
    const nasty = '"\\\u0000\u2028\u0085 </script> \u202e ё e\u0301 👩‍🚀 {"a": 1,\n}';
    const rows = smallCatalogue({ fronts: ['a'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'x' });
    for (const { table, row } of rows) if (table === 'products') Object.assign(row, { name: nasty });
    const out = join(root, 'nasty');
    await buildTree(catalogueAt(join(root, 'nasty.sqlite'), rows), out, instant(NOW));
    const words = ['show', '--out', out, '--front', 'a', '--endpoint', 'products', '--at', NOW];
    const [plain, pretty] = [await playbill(words), await playbill([...words, '--pretty'])];
    expect(pretty.stdout).toMatch(/^\{\n {2}"productCards": \[\n {4}\{\n {6}"productId": \d+,\n/);
    expect(`${JSON.stringify(JSON.parse(pretty.stdout))}\n`).toBe(plain.stdout);
    expect(JSON.parse(pretty.stdout).productCards[0].name).toBe(nasty);
    expect(pretty).toMatchObject({ status: 0, stderr: '' });
  });

  test('before the snapshot the first edition, with a warning', async () => {
    const { status, stdout, stderr } = await show(sound, '--at', '2026-05-01T08:59:59Z');
    expect(stdout).toBe(editionText(0));
    expect(stderr).toBe(
      "warning: 2026-05-01T08:59:59Z is before the snapshot's now 2026-05-01T09:00:00Z: this is its first edition\n",
    );
    expect(status).toBe(0);
  });

  test('from validUntil on the last edition, with a warning; so does the current time, years later', async () => {
    const { validUntil } = pointerOf(filesOf(sound), 'moscow');
    const stale = await show(sound, '--at', validUntil);
    expect(stale.stdout).toBe(editionText(-1));
    expect(stale.stderr).toContain(
      `warning: the snapshot was right until ${validUntil}: at ${validUntil} its last edition is stale`,
    );
    expect(stale.status).toBe(0);
    const right = await show(sound, '--at', new Date(Date.parse(validUntil) - 1000).toISOString());
    expect(right).toMatchObject({ stdout: editionText(-1), stderr: '', status: 0 });
  });

  test('--quiet keeps that warning, --strict exits 1 and prints all the same', async () => {
    const early = ['--at', '2026-05-01T08:59:59Z', '--strict', '--quiet'];
    const { status, stdout, stderr } = await show(sound, ...early);
    expect({ status, stdout }).toEqual({ status: 1, stdout: editionText(0) });
    expect(stderr).toMatch(/^warning: 2026-05-01T08:59:59Z is before /);
    expect(await show(sound, '--at', NOW, '--strict')).toMatchObject({ status: 0, stdout: editionText(0), stderr: '' });
  });

  test('without --at it is the current time', async () => {
    const now = new Date().toISOString();
    const [given, current] = await Promise.all([show(sound, '--at', now), show(sound)]);
    expect(current.stdout).toBe(given.stdout);
    expect(current.status).toBe(0);
  });

  test('a front that is not published: error nothing-published with those that are, exit 2', async () => {
    const words = ['show', '--out', sound, '--front', 'paris', '--endpoint', 'products', '--at', NOW, '--json'];
    const { status, stdout, stderr } = await playbill(words);
    const { error } = errorResultSchema.parse(JSON.parse(stdout));
    expect(error.code).toBe('nothing-published');
    expect(error.hint).toBe(
      'published fronts: berlin, fonar, kassa, kuwait, minuit-passe, montreal, moscow, mumbai, quais, rives, rives-en, riyadh, tokyo',
    );
    expect(stderr).toContain('error nothing-published: expected front "paris" in ');
    expect(status).toBe(2);
  });

  test('no tree: error tree-missing, exit 2', async () => {
    const { status, stderr } = await show(join(root, 'nowhere'));
    expect(stderr).toContain('error tree-missing');
    expect(status).toBe(2);
  });

  test('a damaged edition: error tree-unreadable that names it, exit 2, nothing on stdout', async () => {
    const out = join(root, 'damaged');
    cpSync(sound, out, { recursive: true });
    const edition = pathOfEntry('products', pointerOf(filesOf(sound), 'moscow').products[0]);
    truncateSync(join(out, edition), 100);
    const { status, stdout, stderr } = await show(out, '--at', NOW);
    expect(stderr).toContain(`error tree-unreadable: ${out}/${edition}: `);
    expect(stderr).toContain(
      `hint: to see all damage: playbill verify --out ${out}; move it away, then run: playbill build --out ${out}`,
    );
    expect(stderr).not.toContain('    at ');
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });

  test.each([
    ['no front', ['--endpoint', 'products'], 'expected --front <code>, found none'],
    ['another endpoint', ['--front', 'moscow', '--endpoint', 'groups'], 'Allowed choices are products, categories'],
  ])('%s: error usage, exit 2', async (_name, words, message) => {
    const { status, stderr } = await playbill(['show', '--out', sound, ...words]);
    expect(stderr).toContain('error usage: ');
    expect(stderr).toContain(message);
    expect(status).toBe(2);
  });

  test.each([
    ['2026-05-02T19:30:00', '2026-05-02T19:30:00'],
    ['2026-05-02 19:30', '2026-05-02T19:30:00'],
    ['2026-05-02', '2026-05-02T12:00:00'],
    ['2026-02-30', '2026-05-01T12:00:00'],
    ['the day after', '2026-05-01T12:00:00'],
  ])('an instant without an offset, %s: error instant-invalid, exit 2, and how to type it', async (typed, date) => {
    const { status, stderr } = await show(sound, '--at', typed);
    expect(stderr).toContain('error instant-invalid: --at: ');
    expect(stderr).toContain(`\n  hint: for example --at ${date}+03:00 or --at `);
    expect(status).toBe(2);
  });
});
