// The document of an instant, out of a tree's files: the right one, and a coded error where a file
// is not what it should be.

import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { showDocument } from '../../src/release/status/show.ts';
import type { Endpoint } from '../../src/render/paths.ts';
import { DirectoryReader } from '../../src/storage/folder/reader.ts';
import { documentAt, filesOf, instant, pointerOf } from '../support/trees.ts';
import { editionIn } from '../support/verify-forgery.ts';
import { copyOf, F, K, pointerPath, soundTree } from '../support/verify-tree.ts';

const sound = soundTree();
const NOW = '2026-05-01T11:00:00Z';

const show = (root: string, front: string, endpoint: Endpoint, at: string) =>
  showDocument(front, endpoint, DirectoryReader.open(root), instant(at));

describe('showDocument', () => {
  test('gives the edition in force at every first and last second of every edition', async () => {
    const files = filesOf(sound);
    let shown = 0;
    for (const front of [F, K]) {
      const pointer = pointerOf(files, front);
      for (const entry of [...pointer.products, `${pointer.validUntil} end`]) {
        for (const shift of [-1000, 0]) {
          const at = `${new Date(Date.parse(entry.slice(0, 20)) + shift).toISOString().slice(0, 19)}Z`;
          if (at < pointer.now || at >= pointer.validUntil) continue;
          const { text, timeliness } = await show(sound, front, 'products', at);
          expect(text, `${front} at ${at}`).toBe(documentAt(files, front, 'products', at));
          expect(timeliness).toBe('right');
          expect((await show(sound, front, 'categories', at)).text).toBe(documentAt(files, front, 'categories', at));
          shown += 1;
        }
      }
    }
    expect(shown).toBeGreaterThan(20);
  });

  test('before now it is the first edition and early, from validUntil on the last and stale', async () => {
    const files = filesOf(sound);
    const { validUntil, products } = pointerOf(files, F);
    const text = (index: number): string =>
      files.get(`public/fronts/${F}/products.${products.at(index)?.slice(21)}.json`) ?? '';
    expect(await show(sound, F, 'products', '2026-05-01T10:59:59Z')).toMatchObject({
      text: text(0),
      timeliness: 'early',
    });
    expect(await show(sound, F, 'products', validUntil)).toMatchObject({ text: text(-1), timeliness: 'stale' });
  });

  test.each([
    ['a front that does not exist', 'paris'],
    ['a front whose code is none', '../../edge'],
    ['a front that is a member of every object', 'constructor'],
    ['a front that is not in this tree', 'moscow'],
  ])('%s: nothing-published, and those that are', async (_name, front) => {
    await expect(show(sound, front, 'products', NOW)).rejects.toMatchObject({
      code: 'nothing-published',
      message: expect.stringContaining(`expected front ${JSON.stringify(front)} in `) as string,
      hint: `published fronts: ${F}, ${K}`,
    });
  });

  test('a hint names a score of fronts, not thousands', async () => {
    const root = copyOf(sound);
    for (let i = 0; i < 30; i += 1)
      cpSync(join(root, `public/fronts/${F}`), join(root, `public/fronts/a-${i}`), { recursive: true });
    await expect(show(root, 'paris', 'products', NOW)).rejects.toMatchObject({
      hint: expect.stringMatching(/, a-\d+ and 12 more$/) as string,
    });
  });

  test('a tree without fronts: nothing-published', async () => {
    const root = copyOf(sound);
    rmSync(join(root, 'public'), { recursive: true });
    await expect(show(root, F, 'products', NOW)).rejects.toMatchObject({
      code: 'nothing-published',
      hint: expect.stringContaining('publish with: playbill build') as string,
    });
  });

  const otherBytes = (path: string): void => {
    writeFileSync(path, readFileSync(path, 'utf8').replace('"productCards"', '"productCARDS"'));
  };
  test.each<[string, 'pointer' | 'edition', (path: string, root: string) => void]>([
    ['a torn pointer', 'pointer', (path) => truncateSync(path, 40)],
    ['the pointer of another front', 'pointer', (path, root) => cpSync(join(root, pointerPath(K)), path)],
    ['a folder in a pointer’s place', 'pointer', (path) => (rmSync(path), mkdirSync(path))],
    ['a link in a pointer’s place', 'pointer', (path) => (rmSync(path), symlinkSync('/etc/passwd', path))],
    ['an edition that is gone', 'edition', (path) => rmSync(path)],
    ['an edition that is cut short', 'edition', (path) => truncateSync(path, 100)],
    ['an edition of the same size with other bytes', 'edition', otherBytes],
  ])('%s: tree-unreadable, and which file', async (_name, which, damage) => {
    const root = copyOf(sound);
    const path = which === 'pointer' ? pointerPath(F) : editionIn(root, F, 'products', 0);
    damage(join(root, path), root);
    await expect(show(root, F, 'products', NOW)).rejects.toMatchObject({
      code: 'tree-unreadable',
      message: expect.stringContaining(`${path}: `) as string,
      hint: expect.stringContaining('playbill verify') as string,
    });
  });
});
