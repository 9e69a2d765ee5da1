// The folders of servers, installed by the commands of their READMEs on a machine that has a
// configuration of its own: nothing of it is lost, however often the commands are run, its sites go
// on, and no worker of HAProxy keeps root's rights.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { once } from 'node:events';
import { beforeAll, describe, expect, test } from 'vitest';
import { keyFrom } from '../../src/client/key-file.ts';
import { signRequest } from '../../src/client/signature.ts';
import { playbill } from '../support/cli/run.ts';
import { freePort, startProgram } from '../support/edge/runtimes/runtime.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { run } from '../support/recipe.ts';
import { catalogueAt } from '../support/trees.ts';

const root = temporaryFolder();
const out = join(root, 'out');
beforeAll(() => {
  mkdirSync(join(out, 'edge'), { recursive: true });
  mkdirSync(join(out, 'public'));
  writeFileSync(join(out, 'edge/keyring.json'), '{"schema":1,"keys":{}}\n');
});

/** A folder that `edge build` writes, and its README. */
async function built(name: string, words: readonly string[]): Promise<{ folder: string; readme: string }> {
  const folder = join(root, name);
  const { status, stderr } = await playbill(['edge', 'build', '--out', out, '--to', folder, ...words]);
  expect(status, stderr).toBe(0);
  return { folder, readme: readFileSync(join(folder, 'README.md'), 'utf8') };
}

/**
 * The commands under "To install it", but for those that speak to a running system, with the
 * machine's folders below `machine`.
 */
const installing = (readme: string, machine: string): string =>
  (/^.*[Tt]o install it:\n\n((?: {4}.*\n)+)/m.exec(readme)?.[1] ?? '')
    .replaceAll(/^ {4}/gm, '')
    .replaceAll(/^systemctl .*\n/gm, '')
    .replaceAll(/^nginx -t .*\n/gm, '')
    .replaceAll(/(?<= )\/(?=etc|usr\/local)/g, `${machine}/`);

/** What an operator has on a machine, in folders that packages make. */
const OWN: Readonly<Record<string, string>> = {
  'etc/nginx/nginx.conf': 'http { include /etc/nginx/conf.d/*.conf; }\n',
  'etc/nginx/conf.d/shop.conf': 'server { listen 80; }\n',
  // Filled in for a key that was issued after this edge was built.
  'etc/nginx/playbill-secrets.json': '{"MOSCOW":"a secret"}\n',
  'etc/caddy/Caddyfile': ':80 {\n\trespond "shop"\n}\n',
  'etc/haproxy/haproxy.cfg': 'global\n  user haproxy\n',
  'etc/systemd/system/playbill-authorizer.service.d/override.conf': '[Unit]\nOnFailure=mail@%n.service\n',
};

test.each([
  ['nginx', ['--target', 'nginx'], {}],
  ['authorizer-nginx', ['--target', 'authorizer', '--proxy', 'nginx'], {}],
  [
    'authorizer-caddy',
    ['--target', 'authorizer', '--proxy', 'caddy'],
    { 'etc/caddy/Caddyfile': ':80 {\n\trespond "shop"\n}\nimport playbill.caddy\n' },
  ],
  ['authorizer-haproxy', ['--target', 'authorizer', '--proxy', 'haproxy'], {}],
] as const)('%s: the commands change no file of the operator’s, run once or again', async (name, words, changed) => {
  const { folder, readme } = await built(name, words);
  const machine = temporaryFolder();
  for (const [path, text] of Object.entries(OWN)) {
    mkdirSync(join(machine, dirname(path)), { recursive: true });
    writeFileSync(join(machine, path), text);
  }
  const script = installing(readme, machine);
  expect(script).toMatch(/^cp playbill/m);
  for (const _ of ['once', 'again']) {
    const { status, stderr } = await run(['sh', '-ec', script], { PATH: '/usr/bin:/bin' }, { cwd: folder });
    expect([status, stderr]).toEqual([0, '']);
    for (const [path, text] of Object.entries({ ...OWN, ...changed }))
      expect(readFileSync(join(machine, path), 'utf8'), path).toBe(text);
  }
  // It is there, whatever it is called.
  const added = readdirSync(machine, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !(path in OWN) && statSync(join(machine, path)).isFile(),
  );
  expect(added.length).toBeGreaterThan(0);
  for (const path of added) expect(path).toMatch(/\/(playbill[\w.-]*|authorizer\.mjs)$/);
});

describe.each([
  ['a folder', []],
  ['a bucket', ['--origin', 's3://bucket/shows', '--origin-region', 'eu-central-1']],
] as const)('over %s', (kind, origin) => {
  const behind = (proxy: string): readonly string[] => ['--target', 'authorizer', '--proxy', proxy, ...origin];

  test.each<readonly [string, readonly string[], string]>([
    ['nginx', behind('nginx'), 'nginx -t -p . -c nginx.conf'],
    ['caddy', behind('caddy'), 'caddy validate --config Caddyfile --adapter caddyfile'],
    ['haproxy', behind('haproxy'), 'haproxy -c -f playbill.cfg'],
    ...(kind === 'a folder' ? [['njs', ['--target', 'nginx'], 'nginx -t -p . -c nginx.conf'] as const] : []),
  ])('%s reads its configuration as it was written', async (name, words, command) => {
    const { folder } = await built(`checked-${name}-${origin.length}`, words);
    const environment = { PATH: '/usr/sbin:/usr/bin:/bin', HOME: root };
    const { status, stderr } = await run(command.split(' '), environment, { cwd: folder });
    expect(status, stderr).toBe(0);
    expect(stderr).not.toMatch(/\[(warn|emerg|ALERT|WARNING)\]/);
  });
});

test('nginx starts with what is installed, and the first key with a secret needs its line and a reload', async () => {
  const database = join(root, 'catalogue.sqlite');
  const tree = join(root, 'tree');
  const places = ['--db', database, '--out', tree];
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 0, edition: 'e' });
  catalogueAt(
    database,
    rows.filter(({ table }) => table !== 'front_keys'),
  );
  const typed = async (words: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await playbill([...words, ...places]);
    expect(status, stderr).toBe(0);
    return stdout;
  };
  await typed(['build', '--now', `${new Date().toISOString().slice(0, 19)}Z`]);
  const port = await freePort();
  const listen = ['--listen', `127.0.0.1:${port}`];
  const { folder, readme } = await built('nginx-runs', ['--target', 'nginx', ...listen, '--out', tree]);

  const machine = temporaryFolder();
  const own = join(machine, 'etc/nginx');
  mkdirSync(join(own, 'conf.d'), { recursive: true });
  const conf = readFileSync(join(folder, 'nginx.conf'), 'utf8');
  writeFileSync(join(own, 'nginx.conf'), conf.replace('include playbill.conf', 'include conf.d/*.conf'));
  expect(
    (await run(['sh', '-ec', installing(readme, machine)], { PATH: '/usr/bin:/bin' }, { cwd: folder })).stderr,
  ).toBe('');
  const secrets = join(own, 'playbill-secrets.json');
  expect(statSync(secrets).mode & 0o777).toBe(0o600);

  const words = ['-p', own, '-c', 'nginx.conf'];
  const options = { cwd: own, env: process.env };
  const stop = await startProgram('nginx', words, port, options);
  try {
    const hmac = ['--alg', 'hmac-sha256', '--secret-ref', 'ALPHA', '--keyid', 'alpha-1', '--json'];
    const issued = await typed(['keys', 'issue', '--front', 'alpha', ...hmac]);
    const key = keyFrom(issued, () => 'a secret');
    const url = `http://127.0.0.1:${port}/products/`;
    const status = async (): Promise<number> => {
      const headers = await signRequest({ method: 'GET', url, ...key, created: Math.floor(Date.now() / 1000) });
      return (await fetch(url, { headers: { ...headers, Connection: 'close' } })).status;
    };
    expect(await status()).toBe(401);
    writeFileSync(secrets, '{"ALPHA":"a secret"}');
    execFileSync('nginx', [...words, '-s', 'reload'], options);
    // Workers from before the reload go on until they have answered.
    await expect.poll(status, { timeout: 30_000 }).toBe(200);
  } finally {
    await stop();
  }
});

describe('HAProxy', () => {
  const IS_ROOT = process.getuid?.() === 0;
  /** A site of the operator's, of which HAProxy only passes on what comes. */
  const operators = (port: number, server: number): string => `global
  ${IS_ROOT ? 'user haproxy\n  group haproxy' : 'maxconn 100'}

defaults
  mode tcp
  timeout connect 5s
  timeout client 50s
  timeout server 50s

frontend shop
  bind 127.0.0.1:${port}
  default_backend shop

backend shop
  server shop 127.0.0.1:${server}
`;

  test('loads both files, in either order, as its README says', async () => {
    const { folder, readme } = await built('haproxy', ['--target', 'authorizer', '--proxy', 'haproxy']);
    const own = join(root, 'haproxy.cfg');
    writeFileSync(own, operators(await freePort(), 1));
    const [, typed = ''] = /^ {4}CONFIG="(.*)"$/m.exec(readme) ?? [];
    const words = ['-f', ...typed.split(' ')].map((word) =>
      word.replace('/etc/haproxy/haproxy.cfg', own).replace('/etc/haproxy', folder),
    );
    expect(words).toEqual(['-f', own, '-f', join(folder, 'playbill.cfg')]);
    for (const files of [words, words.toReversed().flatMap((word) => (word === '-f' ? [] : ['-f', word]))]) {
      const { status, stderr } = await run(['haproxy', '-c', ...files], { PATH: '/usr/sbin:/usr/bin:/bin' });
      expect([status, stderr]).toEqual([0, expect.not.stringMatching(/WARNING|ALERT/)]);
    }
  });

  test('goes on with the sites that it has, and no worker is root', async () => {
    const [port, shopPort] = [await freePort(), await freePort()];
    const shop = createServer((_, response) => response.end('shop'));
    shop.listen(0, '127.0.0.1');
    await once(shop, 'listening');
    const words = ['--target', 'authorizer', '--proxy', 'haproxy', '--listen', `127.0.0.1:${port}`];
    const { folder } = await built('haproxy-runs', words);
    const own = join(root, 'haproxy-runs.cfg');
    writeFileSync(own, operators(shopPort, (shop.address() as AddressInfo).port));
    const pid = join(root, 'haproxy.pid');
    const files = ['-f', own, '-f', join(folder, 'playbill.cfg')];
    const stop = await startProgram('haproxy', ['-W', '-p', pid, ...files], port, { cwd: root, env: process.env });
    try {
      expect(await (await fetch(`http://127.0.0.1:${shopPort}/`)).text()).toBe('shop');
      // Nobody has started the service.
      const answer = await fetch(`http://127.0.0.1:${port}/products/`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([503, 'application/problem+json']);
      const master = readFileSync(pid, 'utf8').trim();
      const workers = execFileSync('ps', ['-o', 'uid=', '--ppid', master], { encoding: 'utf8' }).trim().split(/\s+/);
      expect(workers).not.toEqual(['']);
      expect(workers).not.toContain('0');
    } finally {
      await stop();
      shop.close();
      shop.closeAllConnections();
    }
  });

  test('gets no file that could take the place of its own', async () => {
    const { folder } = await built('haproxy', ['--target', 'authorizer', '--proxy', 'haproxy']);
    const text = readFileSync(join(folder, 'playbill.cfg'), 'utf8');
    const sections = text.match(/^\w.*$/gm);
    expect(sections).toEqual(['frontend playbill', 'backend playbill_authorizer']);
    expect(readdirSync(folder)).not.toContain('haproxy.cfg');
  });
});

test('the times that Caddy’s README adds to an operator’s Caddyfile are those of our own', async () => {
  const { folder, readme } = await built('caddy', ['--target', 'authorizer', '--proxy', 'caddy']);
  const [, added = ''] = /^ {4}\{\n((?: {4}.*\n)+?) {4}\}\n/m.exec(readme) ?? [];
  const own = join(root, 'Caddyfile');
  writeFileSync(own, `{\n\tadmin off\n\tauto_https off\n${added}}\nimport ${folder}/playbill.caddy\n`);
  const adapted = async (file: string): Promise<unknown> => {
    const words = ['caddy', 'adapt', '--config', file, '--adapter', 'caddyfile'];
    const { status, stdout, stderr } = await run(words, { PATH: '/usr/bin:/bin', HOME: root });
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout) as unknown;
  };
  expect(added).toContain('read_header 10s');
  expect(await adapted(own)).toEqual(await adapted(join(folder, 'Caddyfile')));
});
