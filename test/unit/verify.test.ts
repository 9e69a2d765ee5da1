// What `verify` says of whole trees: nothing of a sound one, something of every file that is
// damaged, and a coded error where there is nothing to check.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { filesOf, temporaryFolder } from '../support/trees.ts';
import { formatAmount } from '../../src/catalogue/money.ts';
import { AppError } from '../../src/errors.ts';
import { verifyTree } from '../../src/release/verify/verify.ts';
import { DirectoryReader } from '../../src/storage/folder/reader.ts';
import { manifestIn, nameIn, otherManifestPaths } from '../support/manifests.ts';
import { editionIn, forge, sha256 } from '../support/verify-forgery.ts';
import {
  copyOf,
  F,
  findingsOf,
  FRONTS,
  K,
  lineOf,
  nothingLooked,
  pointerPath,
  read,
  remove,
  soundTree,
  write,
} from '../support/verify-tree.ts';

const sound = soundTree();

const KEY_RING = 'edge/keyring.json';

describe('verifyTree', () => {
  test('finds nothing in a tree as it was built', async () => {
    const looked = nothingLooked();
    expect(await findingsOf(sound, looked)).toEqual([]);
    // It did look.
    const files = [...filesOf(sound).keys()];
    const editions = files.filter((path) => /\/(products|categories)\.[0-9a-f]{16}\.json$/.test(path));
    expect(looked).toMatchObject({ fronts: 2, editions: editions.length, releases: 2 });
    expect(editions.length).toBeGreaterThan(15);
  });

  test('finds nothing in a front that is gone while older releases keep its editions', async () => {
    const root = copyOf(sound);
    const [older = ''] = otherManifestPaths(root);
    forge(root, {
      front: F,
      manifest: (manifest) => ({
        ...manifest,
        fronts: manifest.fronts.filter((listing) => listing.front !== K),
        files: manifest.files.filter(({ path }) => !path.includes(`/${K}/`)),
      }),
    });
    const named = new Set(manifestIn(root, older).files.map(({ path }) => path));
    for (const path of filesOf(root).keys()) if (path.includes(`/${K}/`) && !named.has(path)) remove(root, path);
    expect(existsSync(join(root, `public/fronts/${K}`))).toBe(true);
    expect(await findingsOf(root)).toEqual([]);
  });

  test('finds nothing wrong with precompressed siblings that unfold into their editions', async () => {
    const root = copyOf(sound);
    for (const front of FRONTS) {
      for (const path of [editionIn(root, front, 'products', 0), editionIn(root, front, 'categories', 0)]) {
        write(root, `${path}.gz`, gzipSync(read(root, path)));
        write(root, `${path}.br`, brotliCompressSync(read(root, path)));
      }
    }
    expect(await findingsOf(root)).toEqual([]);
  });

  test('does not mind what lies beside the tree: a lock with its journal, hidden files, other folders', async () => {
    const root = copyOf(sound);
    for (const path of ['.lock', '.lock-keyring', '.lock-journal', '.gitignore', 'lost+found/x', 'README'])
      write(root, path, 'x');
    expect(await findingsOf(root)).toEqual([]);
  });

  test('finds nothing wrong with any amount as documents print it, up to the largest and in every currency', async () => {
    const root = copyOf(sound);
    const amounts = [0, 1, 9, 10, 99, 1000, 123_410, 70_368_744_177_663, 99_999_999_999_990, 99_999_999_999_999];
    const prices = amounts.flatMap((amount) => [0, 1, 2, 3, 4].map((exponent) => formatAmount(amount, exponent)));
    for (let done = 0; done < prices.length;) {
      const priced = (text: string): string =>
        text.replaceAll(/"soldOut":false(.*?)"priceFrom":[^,]+/g, (_, between: string) => {
          const price = prices[done++] ?? '0';
          return `"soldOut":false${between}"priceFrom":${price}`;
        });
      forge(root, { front: F, products: { 0: priced } });
      expect(await findingsOf(root)).toEqual([]);
    }
  });

  test('names what cannot be read, and goes on', async () => {
    const root = copyOf(sound);
    const file = editionIn(root, F, 'products', 0);
    const folder = `public/fronts/${K}`;
    for (const path of [dirname(root), root]) spawnSync('chmod', ['755', path]);
    spawnSync('chmod', ['000', join(root, file), join(root, folder)]);
    const names = await asNobody(() => findingsOf(root));
    spawnSync('chmod', ['755', join(root, folder)]);
    expect(names.map(lineOf)).toContain(`error file-unreadable ${file}`);
    expect(names.map(lineOf)).toContain(`error file-unreadable ${folder}`);
  });

  test('says so when another release is published meanwhile', async () => {
    const root = copyOf(sound);
    write(root, 'releases/.x.tmp', '');
    const [older = ''] = otherManifestPaths(root);
    const lines: string[] = [];
    for await (const finding of verifyTree(DirectoryReader.open(root), nothingLooked(), () => undefined)) {
      lines.push(lineOf(finding));
      write(root, 'releases/current', `${nameIn(older)}\n`);
    }
    expect(lines).toEqual(['warning temporary-name releases/.x.tmp', 'warning tree-changed releases/current']);
  });

  test('tells how far it is, front by front', async () => {
    const seen: string[] = [];
    const findings = verifyTree(DirectoryReader.open(sound), nothingLooked(), (done, total) =>
      seen.push(`${done}/${total}`),
    );
    expect((await findings.next()).done).toBe(true);
    expect(seen).toEqual(['0/2', '1/2']);
  });

  test('tells a place as it is: escaping it is for whoever shows it', async () => {
    const root = copyOf(sound);
    write(root, 'public/evil\n\u001B[2Jerror bug \u202E.txt', 'x');
    const [finding] = await findingsOf(root);
    expect(finding?.place).toBe('public/evil\n\u001B[2Jerror bug \u202E.txt');
  });

  test('never shows what is in a key ring', async () => {
    const root = copyOf(sound);
    write(root, KEY_RING, read(root, KEY_RING).replace('"secretRef":', '"clientSecret":"hunter2","secretRef":'));
    expect(JSON.stringify(await findingsOf(root))).not.toContain('hunter2');
  });

  test.each(['pointer', 'manifest', 'key ring'])('refuses to judge a %s of a newer schema', async (kind) => {
    const root = copyOf(sound);
    const text = '{"schema":3}\n';
    const manifest = `releases/20260501T090000Z-${sha256(text).slice(0, 16)}.json`;
    write(root, kind === 'pointer' ? pointerPath(F) : kind === 'manifest' ? manifest : KEY_RING, text);
    await expect(findingsOf(root)).rejects.toMatchObject({ code: 'tree-newer-schema' });
  });

  test('a folder without a tree, a file, and nothing are no tree', async () => {
    const folder = temporaryFolder();
    write(folder, 'file', 'x');
    await expect(findingsOf(folder)).rejects.toMatchObject({ code: 'tree-missing' });
    for (const name of ['file', 'nothing', 'file/deeper']) {
      expect(() => DirectoryReader.open(join(folder, name)), name).toThrow(AppError);
    }
  });
});

describe('every file of a tree', () => {
  const garbage: Readonly<Record<string, (bytes: Buffer, path: string) => Uint8Array>> = {
    'random bytes': (_bytes, path) => Buffer.from(sha256(path).repeat(20), 'hex'),
    'its first half': (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)),
    'JSON that is something else': () => Buffer.from('{"schema":1,"front":null,"keys":[]}\n'),
    'one bit turned near its end': (bytes) => {
      const turned = Buffer.from(bytes);
      turned[bytes.length - 4] = (turned[bytes.length - 4] ?? 0) ^ 1;
      return turned;
    },
  };
  test.each(Object.entries(garbage))('replaced by %s is an error there', async (_name, damaged) => {
    const root = copyOf(sound);
    for (const path of filesOf(root).keys()) {
      const bytes = readFileSync(join(root, path));
      writeFileSync(join(root, path), damaged(bytes, path));
      const errors = (await findingsOf(root)).filter(({ severity }) => severity === 'error');
      writeFileSync(join(root, path), bytes);
      expect(errors.length, path).toBeGreaterThan(0);
      expect(
        errors.map(({ place }) => place),
        path,
      ).toContain(path);
    }
    expect(await findingsOf(root)).toEqual([]);
  });
});

/** Runs as a user whom permissions concern: for root there is no file that cannot be read. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const { geteuid, seteuid } = process;
  if (geteuid === undefined || seteuid === undefined || geteuid() !== 0) return work();
  seteuid(65_534);
  try {
    return await work();
  } finally {
    seteuid(0);
  }
}
