// keys, sign, serve and edge build as a person runs them: from issuing a key to the pasted curl
// command, and to its end.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyRingSchema } from '../../src/contract/key-ring.ts';
import { issuedKeySchema, keysResultSchema } from '../../src/contract/results/keys.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';
import { playbill, playbillProcess } from '../support/cli/run.ts';
import { compiledCommand } from '../support/compiled.ts';

const root = temporaryFolderOfFile();
const checkout = fileURLToPath(new URL('../../', import.meta.url));
const now = `${new Date().toISOString().slice(0, 19)}Z`;
const database = join(root, 'catalogue.sqlite');
const out = join(root, 'out');
const places = ['--db', database, '--out', out];
const SECRET = 'a secret of thirty-two bytes, or so';

let server: ChildProcess;
let origin = '';
let accessLog = '';

/** Starts `playbill serve` and waits for its first line. */
async function serve(words: readonly string[]): Promise<{ child: ChildProcess; url: string; said: string }> {
  const child = spawn(process.execPath, [compiledCommand(), 'serve', '--out', out, '--port', '0', ...words], {
    cwd: checkout,
    env: { ...process.env, PLAYBILL_TEST_SECRET: SECRET },
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => (accessLog += text));
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const match = /http:\/\/[\d.]+:\d+/.exec(said);
      if (match !== null) resolve(match[0]);
    });
    child.once('exit', () => reject(new Error(said)));
  });
  return { child, url, said };
}

/** Runs what `sign --curl` printed, as a shell would. */
function paste(command: string): { status: number; body: string; headers: string } {
  const { stdout } = spawnSync('bash', ['-c', command.replace('curl', 'curl -s')], { encoding: 'utf8' });
  const [head = '', ...rest] = stdout.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(head)?.[1]), headers: head, body: rest.join('\r\n\r\n') };
}

async function signed(path: string, keyFile: string, words: readonly string[] = []): Promise<string> {
  const { status, stdout, stderr } = await playbill(
    ['sign', `${origin}${path}`, '--key', keyFile, '--curl', ...words],
    { PLAYBILL_TEST_SECRET: SECRET },
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout.trimEnd();
}

const moscowKey = join(root, 'moscow.key.json');
const berlinKey = join(root, 'berlin.key.json');
const hmacKey = join(root, 'hmac.key.json');
const edKey = join(root, 'ed.key.json');

beforeAll(async () => {
  demoCatalogueAt(database, now);
  const built = await playbill(['build', ...places, '--now', now]);
  expect(built.status).toBe(0);
  for (const [file, words] of [
    [moscowKey, ['--front', 'moscow']],
    [berlinKey, ['--front', 'berlin']],
    [
      hmacKey,
      ['--front', 'moscow', '--alg', 'hmac-sha256', '--secret-ref', 'PLAYBILL_TEST_SECRET', '--keyid', 'moscow-hmac'],
    ],
    [edKey, ['--front', 'moscow', '--alg', 'ed25519', '--keyid', 'moscow-ed']],
  ] as const) {
    const issued = await playbill(['keys', 'issue', ...words, ...places, '--to', file]);
    expect(issued.status, issued.stderr).toBe(0);
  }
  const started = await serve([]);
  server = started.child;
  origin = started.url;
});

afterAll(() => {
  server.kill('SIGKILL');
});

describe('from a key to an answer', () => {
  test.each([
    ['P-256', moscowKey],
    ['hmac', hmacKey],
    ['Ed25519', edKey],
  ])('the pasted curl command gets the document that show prints: %s', async (_, key) => {
    for (const [path, endpoint] of [
      ['/products/', 'products'],
      ['/fronts/categories/', 'categories'],
    ] as const) {
      const answer = paste(await signed(path, key));
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatch(/^ETag: W\/"[0-9a-f]{16}"/m);
      const shown = await playbill(['show', '--front', 'moscow', '--endpoint', endpoint, '--out', out]);
      expect(answer.body).toBe(shown.stdout);
    }
  });

  test('with one letter of the front changed it is 401, and the same 401 for a front that does not exist', async () => {
    const command = await signed('/products/', moscowKey);
    const other = paste(command.replace("'X-Front: moscow'", "'X-Front: moscov'"));
    const existing = paste(command.replace("'X-Front: moscow'", "'X-Front: berlin'"));
    expect([other.status, existing.status]).toEqual([401, 401]);
    expect(other.body).toBe(existing.body);
    expect(JSON.parse(other.body)).toMatchObject({ status: 401, code: 'signature-invalid' });
  });

  test('another front’s key is 403, well signed as it is', async () => {
    expect(paste(await signed('/products/', berlinKey, ['--front', 'moscow'])).status).toBe(403);
  });

  test('a HEAD signed as HEAD gets the headers alone', async () => {
    const answer = paste(await signed('/products/', moscowKey, ['--method', 'HEAD']));
    expect(answer.status).toBe(200);
    expect(answer.body).toBe('');
  });

  test('a signature of ten minutes ago is 401', async () => {
    const created = `${new Date(Date.now() - 600_000).toISOString().slice(0, 19)}Z`;
    const answer = paste(await signed('/products/', moscowKey, ['--created', created]));
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'signature-expired' });
  });

  test('a revoked key is 401 at once, without a build; another key of the front goes on', async () => {
    const file = join(root, 'short.key.json');
    await playbill(['keys', 'issue', '--front', 'moscow', '--keyid', 'short-lived', ...places, '--to', file]);
    const command = await signed('/products/', file);
    expect(paste(command).status).toBe(200);
    const revoked = await playbill(['keys', 'revoke', 'short-lived', ...places]);
    expect(revoked.status).toBe(0);
    expect(paste(command).status).toBe(401);
    expect(paste(await signed('/products/', moscowKey)).status).toBe(200);
    const listed = keysResultSchema.parse(
      JSON.parse((await playbill(['keys', 'list', '--db', database, '--json'])).stdout),
    );
    expect(listed.keys.find(({ keyid }) => keyid === 'short-lived')?.state).toBe('revoked');
  });

  test('the access log has a line per request and no key', async () => {
    await expect
      .poll(() => accessLog)
      .toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ 200 GET "\/products\/" "moscow" [\d.]+ ms$/m);
    expect(accessLog).toMatch(/ 401 GET "\/products\/" "moscov" [\d.]+ ms signature-invalid$/m);
    expect(accessLog).not.toContain('moscow-hmac');
  });
});

describe('keys', () => {
  test('the private half is printed once and is nowhere in the catalogue or the tree', () => {
    const issued = issuedKeySchema.parse(JSON.parse(readFileSync(moscowKey, 'utf8')));
    const d = issued.privateKey?.d ?? '';
    expect(d).toMatch(/^[\w-]{43}$/);
    expect(issued.privatePem).toContain('BEGIN PRIVATE KEY');
    expect(issued.keyid).toBe(`moscow-${now.slice(0, 7)}`);
    for (const path of [database, `${database}-wal`, join(out, 'edge/keyring.json')]) {
      if (existsSync(path)) expect(readFileSync(path).includes(d)).toBe(false);
    }
    const ring = keyRingSchema.parse(JSON.parse(readFileSync(join(out, 'edge/keyring.json'), 'utf8')));
    expect(ring.keys['moscow-hmac']).toMatchObject({ alg: 'hmac-sha256', secretRef: 'PLAYBILL_TEST_SECRET' });
    expect(readFileSync(join(out, 'edge/keyring.json'), 'utf8')).not.toContain(SECRET);
  });

  test('a later revocation never takes an earlier one back', async () => {
    await playbill(['keys', 'issue', '--front', 'tokyo', '--keyid', 'twice', ...places]);
    await playbill(['keys', 'revoke', 'twice', '--at', '2098-01-01T00:00:00Z', ...places]);
    const again = await playbill(['keys', 'revoke', 'twice', '--at', '2099-01-01T00:00:00Z', ...places, '--json']);
    expect(JSON.parse(again.stdout)).toEqual({ guards: [], keyid: 'twice', revokedAt: '2098-01-01T00:00:00Z' });
    const ring = keyRingSchema.parse(JSON.parse(readFileSync(join(out, 'edge/keyring.json'), 'utf8')));
    expect(ring.keys['twice']?.revokedAt).toBe('2098-01-01T00:00:00Z');
  });

  test('where the tree cannot be written the key is still printed once, as it must be', async () => {
    const file = join(root, 'no-folder');
    writeFileSync(file, '');
    const words = ['--front', 'tokyo', '--keyid', 'kept', '--db', database, '--out', file, '--json'];
    const { status, stdout, stderr } = await playbill(['keys', 'issue', ...words]);
    expect(issuedKeySchema.parse(JSON.parse(stdout)).keyid).toBe('kept');
    expect(stderr).toMatch(/The catalogue has the change, but the key ring of .* does not: /);
    expect(status).toBe(6);
  });

  test('where there is no tree a change of keys is a warning, with what to do and what to type for each edge', async () => {
    const nowhere = join(root, 'nowhere');
    const notATree = join(root, 'not-a-tree');
    mkdirSync(notATree);
    await playbill(['keys', 'issue', '--front', 'tokyo', '--keyid', 'unseen', ...places]);
    for (const folder of [nowhere, notATree]) {
      const words = ['keys', 'revoke', 'unseen', '--db', database, '--out', folder, '--quiet'];
      const { status, stderr } = await playbill(words);
      expect(status).toBe(0);
      expect(stderr).toMatch(
        /^warning: there is no tree at .*\n {2}hint: name the tree with --out to publish it now; /,
      );
      expect(stderr).toContain(`--binding KEYRING keyring.json --path ${folder}/edge/keyring.json\n`);
    }
    expect([existsSync(nowhere), readdirSync(notATree)]).toEqual([false, []]);
  });

  test('a key with a secret says what each edge needs first', async () => {
    const hmac = ['--alg', 'hmac-sha256', '--secret-ref', 'TOKYO', '--keyid', 'tokyo-hmac'];
    const { stderr } = await playbill(['keys', 'issue', '--front', 'tokyo', ...hmac, ...places]);
    expect(stderr).toContain('nginx   add TOKYO to playbill-secrets.js, then nginx -s reload\n');
    expect(stderr).toContain('wrangler secret put TOKYO');
    const other = await playbill(['keys', 'issue', '--front', 'tokyo', '--keyid', 'tokyo-p256', ...places]);
    expect(other.stderr).not.toContain('playbill-secrets.js');
  });

  test('a newer tool’s key ring is not overwritten', async () => {
    const newer = join(root, 'newer');
    await playbill(['build', '--db', database, '--out', newer, '--now', now]);
    const path = join(newer, 'edge/keyring.json');
    writeFileSync(path, '{"schema":2,"keys":{}}\n');
    const { status, stderr } = await playbill(['keys', 'revoke', 'kept', '--db', database, '--out', newer]);
    expect(stderr).toContain('error tree-newer-schema');
    // The catalogue has the revocation.
    expect(status).toBe(6);
    expect(readFileSync(path, 'utf8')).toBe('{"schema":2,"keys":{}}\n');
  });

  test('a build afterwards keeps the key ring as it is', async () => {
    await playbill(['keys', 'issue', '--front', 'tokyo', '--keyid', 'before-build', ...places]);
    const before = readFileSync(join(out, 'edge/keyring.json'), 'utf8');
    await playbill(['build', ...places, '--now', now]);
    expect(readFileSync(join(out, 'edge/keyring.json'), 'utf8')).toBe(before);
  });

  test.each([
    ['a front that is not there', ['keys', 'issue', '--front', 'moskow', ...places], 'front-unknown'],
    [
      'a keyid that is taken',
      ['keys', 'issue', '--front', 'moscow', '--keyid', 'moscow-hmac', ...places],
      'key-exists',
    ],
    ['a keyid that cannot be one', ['keys', 'issue', '--front', 'moscow', '--keyid', 'a b', ...places], 'key-invalid'],
    [
      'hmac without the name of a secret',
      ['keys', 'issue', '--front', 'moscow', '--alg', 'hmac-sha256', ...places],
      'key-invalid',
    ],
    ['P-256 with a secret', ['keys', 'issue', '--front', 'moscow', '--secret-ref', 'X', ...places], 'key-invalid'],
    [
      'the name of a variable that holds a path',
      ['keys', 'issue', '--front', 'moscow', '--alg', 'hmac-sha256', '--secret-ref', 'PLAYBILL_OUT', ...places],
      'key-invalid',
    ],
    [
      'a secret’s name that would break out of its place',
      ['keys', 'issue', '--front', 'moscow', '--alg', 'hmac-sha256', '--secret-ref', 'a", b', ...places],
      'key-invalid',
    ],
    [
      'a key that is never valid',
      [
        'keys',
        'issue',
        '--front',
        'moscow',
        '--not-before',
        '2027-01-01T00:00:00Z',
        '--not-after',
        '2026-01-01T00:00:00Z',
        ...places,
      ],
      'key-invalid',
    ],
    ['an algorithm there is not', ['keys', 'issue', '--front', 'moscow', '--alg', 'rsa', ...places], 'usage'],
    ['a key that is not there', ['keys', 'revoke', 'nobody', ...places], 'key-unknown'],
    ['no database', ['keys', 'list', '--db', join(root, 'none.sqlite')], 'database-missing'],
    [
      'no database to issue into',
      ['keys', 'issue', '--front', 'moscow', '--db', join(root, 'none.sqlite')],
      'database-missing',
    ],
    ['no such key file', ['sign', 'http://127.0.0.1/', '--key', join(root, 'none.json')], 'key-file-unreadable'],
    [
      'another JSON as key file',
      ['sign', 'http://127.0.0.1/', '--key', join(checkout, 'package.json')],
      'key-file-unreadable',
    ],
    ['no URL', ['sign', '/products/', '--key', moscowKey], 'usage'],
    [
      'no secret in the environment',
      ['sign', 'http://127.0.0.1/', '--key', hmacKey, '--secret-env', 'NOT_SET'],
      'key-invalid',
    ],
    ['serving no tree', ['serve', '--out', join(root, 'none')], 'tree-missing'],
    [
      'unsigned where others can reach it',
      ['serve', '--out', out, '--unsigned', '--host', '0.0.0.0'],
      'address-refused',
    ],
    ['a port that is none', ['serve', '--out', out, '--port', '70000'], 'usage'],
    ['a base with a slash at its end', ['serve', '--out', out, '--base', '/api/'], 'edge-option-invalid'],
    ['an address this machine has not', ['serve', '--out', out, '--host', '192.0.2.1'], 'address-in-use'],
    ['a target there is not', ['edge', 'build', '--target', 'apache', '--out', out], 'usage'],
    ['an edge without a tree', ['edge', 'build', '--target', 'nginx', '--out', join(root, 'none')], 'tree-missing'],
    [
      'an address that is none',
      ['edge', 'build', '--target', 'nginx', '--listen', 'banana', '--out', out, '--to', join(root, 'never')],
      'edge-option-invalid',
    ],
    [
      'an origin that is none',
      ['edge', 'build', '--target', 'worker', '--origin', 'not an origin', '--out', out, '--to', join(root, 'never')],
      'edge-option-invalid',
    ],
  ])('%s: exit 2, a code and a hint', async (_, words, code) => {
    const run = words[0] === 'serve' ? playbillProcess : playbill;
    const { status, stdout, stderr } = await run(words);
    expect(stderr).toContain(`error ${code}: `);
    expect(stderr).toContain('\n  hint: ');
    expect(stdout).toBe('');
    expect(status).toBe(2);
  });
});

describe('serve', () => {
  test('--unsigned answers anyone on loopback, --at as of another instant under no-store, and Ctrl-C ends it well', async () => {
    const at = `${new Date(Date.now() + 3 * 3600_000).toISOString().slice(0, 19)}Z`;
    const { child, url } = await serve(['--unsigned', '--at', at]);
    const answer = await fetch(`${url}/products/`, { headers: { 'X-Front': 'moscow' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const shown = await playbill(['show', '--front', 'moscow', '--endpoint', 'products', '--out', out, '--at', at]);
    expect(await answer.text()).toBe(shown.stdout);
    const ended = new Promise((resolve) => child.once('exit', (status, signal) => resolve([status, signal])));
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });

  test('it warns of valid hmac keys whose secret it has not', async () => {
    const warnings = (said: string): string[] => said.split('\n').filter((line) => line.startsWith('warning'));
    const signedOnly = await serve([]);
    const text =
      'warning secret-missing: fonar-site needs the environment variable FONAR_SITE_SECRET, which is not set';
    expect(warnings(signedOnly.said)).toContain(`${text}: restart serve with it`);
    // This one it has.
    expect(signedOnly.said).not.toContain('PLAYBILL_TEST_SECRET');
    // Here no key is needed.
    const unsigned = await serve(['--unsigned']);
    expect(warnings(unsigned.said)).toEqual([]);
    for (const { child } of [signedOnly, unsigned]) child.kill('SIGINT');
  });

  test('it follows the pointer as a build moves it', async () => {
    const command = await signed('/products/', moscowKey);
    const before = paste(command).headers;
    const later = `${new Date(Date.now() + 120_000).toISOString().slice(0, 19)}Z`;
    // Without --force a build moves no pointer whose front has not changed.
    expect((await playbill(['build', ...places, '--now', later, '--force'])).status).toBe(0);
    const after = paste(command).headers;
    expect(before).toContain(`Catalogue-As-Of: ${now}`);
    expect(after).toContain(`Catalogue-As-Of: ${later}`);
  });
});

test('edge build takes the key ring from beside the public folder, or from where --key-ring says', async () => {
  const words = ['edge', 'build', '--target', 'nginx', '--out', out, '--to', join(root, 'edge-elsewhere')];
  const ringRead = async (more: readonly string[]): Promise<string | undefined> => {
    const { status, stderr } = await playbill([...words, ...more]);
    expect(status, stderr).toBe(0);
    return /"keyRing":"(.*?)"/.exec(readFileSync(join(root, 'edge-elsewhere/playbill.js'), 'utf8'))?.[1];
  };
  expect(await ringRead([])).toBe(join(out, 'edge/keyring.json'));
  expect(await ringRead(['--public-root', '/srv/playbill/public'])).toBe('/srv/playbill/edge/keyring.json');
  const elsewhere = ['--public-root', '/srv/www'];
  expect(await ringRead([...elsewhere, '--key-ring', '/etc/keyring.json'])).toBe('/etc/keyring.json');
  const { status, stderr } = await playbill([...words, ...elsewhere]);
  expect(stderr).toContain('error edge-option-invalid: expected --key-ring FILE');
  expect(status).toBe(2);
});

describe('edge build --to', () => {
  const built = (to: string, more: readonly string[] = []) =>
    playbill(['edge', 'build', '--target', 'nginx', '--out', out, '--to', to, ...more]);
  /** A copy of the tree, which only the edge reads. */
  const copy = ['--public-root', join(root, 'copy/public')];
  const www = ['--public-root', join(root, 'www'), '--key-ring', '/k.json'];

  beforeAll(() => {
    for (const folder of ['linked/public', 'linked-tree', 'copy', 'in/the'])
      mkdirSync(join(root, folder), { recursive: true });
    symlinkSync(join(out, 'public'), join(root, 'link'));
    symlinkSync(root, join(root, 'in/the/parent'));
    symlinkSync(join(root, 'linked/public'), join(root, 'in/link'));
    symlinkSync(join(out, 'not-yet'), join(root, 'dangling'));
    // A tree whose files are on another disk.
    cpSync(join(out, 'edge'), join(root, 'linked-tree/edge'), { recursive: true });
    symlinkSync(join(root, 'linked/public'), join(root, 'linked-tree/public'));
  });

  test.each([
    ['the tree', out],
    ['the tree’s public folder', join(out, 'public')],
    ['a folder of the tree that is there', join(out, 'edge')],
    ['a new folder in the tree', join(out, 'edge-nginx')],
    ['a new folder in the public folder', join(out, 'public/fronts/edge')],
    ['a folder beside it, and back', join(root, 'nowhere/../out/edge-nginx')],
    ['a relative path into the tree', relative(checkout, join(out, 'edge-nginx'))],
    ['a link into the tree', join(root, 'link/edge')],
    ['a link to where the tree is, and down again', join(root, 'in/the/parent/out/edge-nginx')],
    ['the folder of the tree', root],
    ['a link to the folder of the tree', join(root, 'in/the/parent')],
    ['what the tree links to', join(root, 'linked/public/edge'), ['--out', join(root, 'linked-tree')]],
    ['the public folder of a copy', join(root, 'copy/public/edge'), copy],
    ['the copy', join(root, 'copy'), copy],
    ['the folder of the key ring in a copy', join(root, 'copy/edge'), copy],
    ['a folder that is served', join(root, 'www/edge'), www],
    ['any folder where everything is served', join(root, 'anywhere'), ['--public-root', '/', '--key-ring', '/k.json']],
  ])('refuses %s', async (_, to, more: readonly string[] = []) => {
    const { status, stderr } = await built(to, more);
    expect(stderr).toContain(
      'error edge-option-invalid: --to: expected a folder outside the tree that does not contain it',
    );
    expect(stderr).toContain('hint: name one beside the tree: --to edge-nginx\n');
    expect(status).toBe(2);
    expect(existsSync(join(to, 'playbill.js'))).toBe(false);
  });

  test('takes a folder beside the tree, whatever it is called, and writes through no link that leads nowhere', async () => {
    for (const name of ['out-edge', '..edge', 'in/link/../beside'])
      expect((await built(`${root}/${name}`)).status).toBe(0);
    // As `join` reads it, so that what is written is what was looked at.
    expect([existsSync(join(root, 'in/beside/playbill.js')), existsSync(join(root, 'linked/beside'))]).toEqual([
      true,
      false,
    ]);
    expect((await built(join(root, 'copy/nginx'), www)).status).toBe(0);
    const { status, stderr } = await built(join(root, 'dangling'));
    expect([status, stderr]).toEqual([6, expect.stringContaining('error tree-not-writable: ')]);
    expect(existsSync(join(out, 'not-yet'))).toBe(false);
  });
});

test('edge build replaces no file that it did not write', async () => {
  const build = (to: string, ...more: readonly string[]) =>
    playbill(['edge', 'build', '--target', 'nginx', '--out', out, '--to', to, ...more]);
  const project = join(root, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'README.md'), '# Mine\n');
  writeFileSync(join(project, 'notes'), 'mine');
  const { status, stderr } = await build(project);
  expect(stderr).toContain(
    `--to: expected a new folder or one that edge build wrote, found foreign files in ${project}: README.md\n`,
  );
  expect(status).toBe(2);
  expect(readdirSync(project)).toEqual(['README.md', 'notes']);
  // Beside other files there is room, and what it wrote it may write again.
  const shared = join(root, 'shared');
  mkdirSync(shared);
  writeFileSync(join(shared, 'notes'), 'mine');
  for (const listen of ['8080', '8081']) expect((await build(shared, '--listen', listen)).status).toBe(0);
  expect(readFileSync(join(shared, 'playbill.conf'), 'utf8')).toContain('listen 8081;');
  expect(readFileSync(join(shared, 'README.md'), 'utf8')).toContain('touches no other');
});

test.each([
  ['nginx', []],
  ['worker', []],
  ['cloudflare', []],
  ['deno', []],
  ['bun', []],
  ['netlify', ['--origin', 'https://tree.example/public']],
  ['vercel', ['--origin', 'https://tree.example/public']],
] as const)('edge build --target %s writes a folder with a README and no secret', async (target, more) => {
  const folder = join(root, `edge-${target}`);
  const words = ['edge', 'build', '--target', target, '--out', out, '--to', folder, ...more];
  const { status, stdout } = await playbill(words);
  expect(status).toBe(0);
  // Again over what it wrote.
  expect((await playbill(words)).status).toBe(0);
  expect(stdout).toContain('Size of the rule: ');
  for (const [, path = ''] of stdout.matchAll(/^(\S+) \([\d.,]+ k?B\)$/gm))
    expect(readFileSync(path, 'utf8')).not.toContain(SECRET);
  expect(stdout).toContain(`${folder}/README.md`);
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  expect(readme).toContain('PLAYBILL_TEST_SECRET');
  expect(readme).not.toContain(SECRET);
});
