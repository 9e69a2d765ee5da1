// The only copy of a private key: into a file of its owner's alone, never over another one, never
// without its key in the catalogue or the other way round; and what signs with it.

import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { issuedKeySchema } from '../../src/contract/results/keys.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { catalogueAt, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { playbill, type Run } from '../support/cli/run.ts';

const folder = temporaryFolderOfFile();
const database = join(folder, 'catalogue.sqlite');
const places = ['--db', database, '--out', join(folder, 'no-tree')];
const URL = 'http://127.0.0.1:8080/products/';

beforeAll(() => {
  const size = { fronts: ['alpha', 'bravo'], productsPerFront: 1, sessionsPerProduct: 0, edition: 'e' };
  catalogueAt(database, smallCatalogue(size));
});

const issue = (words: readonly string[]): Promise<Run> => playbill(['keys', 'issue', ...places, ...words]);

function keyids(): readonly unknown[] {
  const handle = new Database(database, { readonly: true });
  try {
    return handle.prepare('SELECT keyid FROM front_keys ORDER BY keyid').pluck().all();
  } finally {
    handle.close();
  }
}

function keyIn(path: string): ReturnType<typeof issuedKeySchema.parse> {
  return issuedKeySchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

describe('keys issue --to', () => {
  test.each(['ecdsa-p256-sha256', 'ed25519'])('%s: the file is its owner’s alone, and signs', async (alg) => {
    const file = join(temporaryFolder(), 'a key.json');
    const { status, stdout, stderr } = await issue(['--front', 'alpha', '--alg', alg, '--to', file]);
    expect(status, stderr).toBe(0);
    const { keyid, privateKey, privatePem } = keyIn(file);
    expect(stdout).toBe(`Issued ${keyid} (${alg}) for alpha: ${file}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(privateKey?.d).toMatch(/^[\w-]{43}$/);
    expect(privatePem).toContain('BEGIN PRIVATE KEY');
    expect(stdout + stderr).not.toContain(privateKey?.d);
    expect(keyids()).toContain(keyid);
    const signed = await playbill(['sign', URL, '--key', file]);
    expect(signed, signed.stderr).toMatchObject({ status: 0, stderr: '' });
  });

  test('under --json the private half is in the file alone', async () => {
    const file = join(temporaryFolder(), 'key.json');
    const { status, stdout } = await issue(['--front', 'alpha', '--to', file, '--json']);
    expect(status).toBe(0);
    const printed = issuedKeySchema.parse(JSON.parse(stdout));
    expect(printed).toEqual({ ...keyIn(file), privateKey: null, privatePem: null });
  });

  test('the file of an hmac key holds the name of the secret', async () => {
    const file = join(temporaryFolder(), 'key.json');
    const words = ['--front', 'alpha', '--keyid', 'alpha-hmac', '--alg', 'hmac-sha256', '--secret-ref', 'ALPHA'];
    expect(await issue([...words, '--to', file])).toMatchObject({ status: 0 });
    expect(keyIn(file)).toMatchObject({ keyid: 'alpha-hmac', secretRef: 'ALPHA', privateKey: null });
  });

  test.each([
    ['a key', (path: string) => writeFileSync(path, 'the only copy')],
    ['a link to nowhere', (path: string) => symlinkSync(`${path}-elsewhere`, path)],
  ])('never over what is there: %s', async (_, make) => {
    const place = temporaryFolder();
    const file = join(place, 'key.json');
    make(file);
    const before = keyids();
    const names = readdirSync(place);
    const { status, stdout, stderr } = await issue(['--front', 'alpha', '--to', file]);
    expect(stderr).toContain(`error key-file-exists: expected no file at ${file}`);
    expect(stderr).toContain('\n  hint: name another file with --to');
    expect([status, stdout]).toEqual([2, '']);
    expect(keyids()).toEqual(before);
    expect(readdirSync(place)).toEqual(names);
    if (existsSync(file)) expect(readFileSync(file, 'utf8')).toBe('the only copy');
  });

  test('what an interrupted run has left is said to be that, and how to go on', async () => {
    const file = join(temporaryFolder(), 'a key.json');
    const hint = (): Promise<string> => issue(['--front', 'alpha', '--to', file]).then(({ stderr }) => stderr);
    writeFileSync(file, '');
    const again = `as an interrupted keys issue leaves it: rm '${file}' and run the same command again\n`;
    expect(await hint()).toContain(`\n  hint: the file is empty, ${again}`);
    rmSync(file);
    await issue(['--front', 'alpha', '--keyid', 'alpha-cut', '--to', file]);
    expect(await hint()).toContain('\n  hint: name another file with --to\n');
    const key = readFileSync(file, 'utf8');
    new Database(database).exec("DELETE FROM front_keys WHERE keyid = 'alpha-cut'").close();
    expect(await hint()).toContain(
      `\n  hint: the file has the key alpha-cut, which this catalogue does not have, ${again}`,
    );
    // It may be that of another catalogue: only its owner can tell.
    expect(readFileSync(file, 'utf8')).toBe(key);
  });

  test.each([
    ['a folder that is not there', join(folder, 'none/key.json')],
    ['a file in the place of its folder', join(database, 'key.json')],
  ])('no key is stored where the file cannot be made: %s', async (_, file) => {
    const before = keyids();
    const { status, stderr } = await issue(['--front', 'alpha', '--to', file]);
    expect(stderr).toContain('error key-file-not-writable: ');
    expect(status).toBe(2);
    expect(keyids()).toEqual(before);
  });

  test.each([
    ['front-unknown', ['--front', 'nobody']],
    ['key-exists', ['--front', 'alpha', '--keyid', 'alpha-site']],
    ['key-invalid', ['--front', 'alpha', '--keyid', 'a b']],
  ])('no file is left where the catalogue refuses the key: %s', async (code, words) => {
    const place = temporaryFolder();
    const { status, stderr } = await issue([...words, '--to', join(place, 'key.json')]);
    expect(stderr).toContain(`error ${code}: `);
    expect(status).toBe(2);
    expect(readdirSync(place)).toEqual([]);
  });
});

test('the default keyid counts up: keys of one month do not get into each other’s way', async () => {
  const issued: string[] = [];
  for (let i = 0; i < 3; i++) {
    const { status, stdout, stderr } = await issue(['--front', 'bravo', '--json']);
    expect(status, stderr).toBe(0);
    issued.push(issuedKeySchema.parse(JSON.parse(stdout)).keyid);
  }
  const [first = ''] = issued;
  expect(first).toMatch(/^bravo-\d{4}-\d\d$/);
  expect(issued).toEqual([first, `${first}-2`, `${first}-3`]);
  expect(keyids().filter((keyid) => String(keyid).startsWith(first))).toEqual(issued);
});

test('what is printed without --json and --to is what sign takes; the rest is said beside it', async () => {
  const { status, stdout, stderr } = await issue(['--front', 'alpha', '--keyid', 'alpha-printed']);
  expect(status).toBe(0);
  expect(stderr).toContain('Issued alpha-printed (ecdsa-p256-sha256) for alpha.');
  const file = join(temporaryFolder(), 'printed.json');
  writeFileSync(file, stdout, { mode: 0o600 });
  expect(await playbill(['sign', URL, '--key', file])).toMatchObject({ status: 0, stderr: '' });
});

test('sign warns of a private key that others can read, and signs', async () => {
  const file = join(temporaryFolder(), 'alpha key.json');
  await issue(['--front', 'alpha', '--keyid', 'alpha-open', '--to', file]);
  for (const mode of [0o640, 0o604]) {
    chmodSync(file, mode);
    const { status, stdout, stderr } = await playbill(['sign', URL, '--key', file, '--json']);
    expect(stderr).toBe(`warning: others can read the private key in ${file}: chmod 600 '${file}'\n`);
    expect(Object.keys(JSON.parse(stdout) as object)).toEqual(['X-Front', 'Signature-Input', 'Signature']);
    expect(status).toBe(0);
  }
});
