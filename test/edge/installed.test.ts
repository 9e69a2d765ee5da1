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
 * The README's commands that write files, with the machine's folders below `machine`: not those
 * that speak to a running system, nor the lines for a configuration.
 */
const installing = (readme: string, machine: string): string =>
  [...readme.matchAll(/^ {4}((?:cp|ln|mv|install|mkdir|test|tee|echo|grep|sed) .*\n)/gm)]
    .map(([, command = '']) => command.replaceAll(/(?<= )\/(?=etc|usr\/local)/g, `${machine}/`))
    .join('');

/** What an operator has on a machine, in folders that packages make. */
const OWN: Readonly<Record<string, string>> = {
  'etc/nginx/nginx.conf': 'http { include /etc/nginx/conf.d/*.conf; }\n',
  'etc/nginx/conf.d/shop.conf': 'server { listen 80; }\n',
  'etc/caddy/Caddyfile': ':80 {\n\trespond "shop"\n}\n',
  'etc/haproxy/haproxy.cfg': 'global\n  user haproxy\n',
  'etc/systemd/system/playbill-authorizer.service.d/override.conf': '[Unit]\nOnFailure=mail@%n.service\n',
};

test.each([
  ['nginx', ['--target', 'nginx'], ['etc/nginx/conf.d/playbill.conf']],
  ['authorizer-nginx', ['--target', 'authorizer', '--proxy', 'nginx'], ['etc/nginx/conf.d/playbill.conf']],
  // An operator adds lines to a configuration of theirs: own-server.test.ts.
  ['authorizer-caddy', ['--target', 'authorizer', '--proxy', 'caddy'], []],
  ['authorizer-haproxy', ['--target', 'authorizer', '--proxy', 'haproxy'], []],
] as const)('%s: the commands change no file of the operator’s, run once or again', async (name, words, added) => {
  const { folder, readme } = await built(name, words);
  const machine = temporaryFolder();
  for (const [path, text] of Object.entries(OWN)) {
    mkdirSync(join(machine, dirname(path)), { recursive: true });
    writeFileSync(join(machine, path), text);
  }
  const script = installing(readme, machine);
  for (const _ of ['once', 'again']) {
    const { status, stderr } = await run(['sh', '-ec', script], { PATH: '/usr/bin:/bin' }, { cwd: folder });
    expect([status, stderr]).toEqual([0, '']);
    for (const [path, text] of Object.entries(OWN)) expect(readFileSync(join(machine, path), 'utf8'), path).toBe(text);
  }
  const all = readdirSync(machine, { recursive: true, encoding: 'utf8' });
  expect(all.filter((path) => !(path in OWN) && statSync(join(machine, path)).isFile())).toEqual(added);
});

describe.each([
  ['a folder', []],
  ['a bucket', ['--origin', 's3://bucket/shows', '--origin-region', 'eu-central-1']],
] as const)('over %s', (kind, origin) => {
  const behind = (proxy: string): readonly string[] => ['--target', 'authorizer', '--proxy', proxy, ...origin];

  test.each<readonly [string, readonly string[], string]>([
    ['nginx', behind('nginx'), 'nginx -t -p . -c nginx.conf'],
    ['caddy', behind('caddy'), 'caddy validate --config Caddyfile --adapter caddyfile'],
    ['haproxy', behind('haproxy'), 'haproxy -c -f playbill-backend.cfg -f playbill-frontend.cfg'],
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
  const secrets = join(folder, 'playbill-secrets.js');
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
    const filledIn = readFileSync(secrets, 'utf8').replace('({})', '({ "ALPHA": "a secret" })');
    writeFileSync(secrets, filledIn);
    execFileSync('nginx', [...words, '-s', 'reload'], options);
    // Workers from before the reload go on until they have answered.
    await expect.poll(status, { timeout: 30_000 }).toBe(200);
    // What was filled in stays, with its permissions; it may be there before the rest.
    await built('nginx-runs', ['--target', 'nginx', ...listen, '--out', tree]);
    expect([readFileSync(secrets, 'utf8'), statSync(secrets).mode & 0o777]).toEqual([filledIn, 0o600]);
    mkdirSync(join(root, 'prepared'));
    writeFileSync(join(root, 'prepared/playbill-secrets.js'), 'export default () => ({});\n');
    await built('prepared', ['--target', 'nginx', '--out', tree]);
  } finally {
    await stop();
  }
});

describe('what nginx -t says when a part is missing, or there twice', () => {
  const words = ['--target', 'nginx'];
  const said = (readme: string): readonly string[] =>
    Array.from(
      (/^\| `nginx -t` says[^]*?\n\n/m.exec(readme)?.[0] ?? '').matchAll(/^\| (.*?) \|/gm),
      ([, cell = '']) => cell,
    );

  type Case = readonly [message: string, http: string, server: string, removed: RegExp];
  const NOTHING = /^nothing$/;
  const cases: readonly Case[] = [
    ['duplicate location "/fronts/categories"', 'HTTP', 'LOCATIONS LOCATIONS', NOTHING],
    ['duplicate location "/products/"', 'HTTP', 'location = /products/ { return 204; } LOCATIONS', NOTHING],
    ['"playbill" has already been declared', 'HTTP HTTP', 'LOCATIONS', NOTHING],
    ['"playbill" has already been declared', 'HTTP WHOLE', 'LOCATIONS', NOTHING],
    ['"location" directive is not allowed here', 'HTTP LOCATIONS', '', NOTHING],
    ['"map" directive is not allowed here', '', 'HTTP LOCATIONS', NOTHING],
    ['unknown "playbill_file" variable', '', 'LOCATIONS', NOTHING],
    ['unknown directive "js_import"', 'HTTP', 'LOCATIONS', /^load_module .*$/m],
  ];
  test.each(cases)('%s: %s, and in the server %s', async (message, http, server, removed) => {
    const { folder, readme } = await built('said', words);
    const include = (text: string): string =>
      text
        .replaceAll('HTTP', `include ${folder}/playbill-http.conf;`)
        .replaceAll('LOCATIONS', `include ${folder}/playbill-locations.conf;`)
        .replaceAll('WHOLE', `include ${folder}/playbill.conf;`);
    const conf = readFileSync(join(folder, 'nginx.conf'), 'utf8')
      .replace('include playbill.conf;', `${include(http)} server { listen 127.0.0.1:1; ${include(server)} }`)
      .replace(removed, '');
    writeFileSync(join(folder, 'said.conf'), conf);
    const ran = await run(
      ['nginx', '-t', '-p', folder, '-c', 'said.conf'],
      { PATH: '/usr/sbin:/usr/bin' },
      { cwd: folder },
    );
    expect(ran.status).toBe(1);
    expect(ran.stderr).toContain(message);
    const general = message.replace('/fronts/categories"', '/products/"');
    expect(said(readme).filter((cell) => cell.includes(general))).toHaveLength(1);
  });

  test('two servers may have the rule', async () => {
    const { folder } = await built('two', words);
    const server = (port: number): string =>
      `server { listen 127.0.0.1:${port}; include ${folder}/playbill-locations.conf; }`;
    const conf = readFileSync(join(folder, 'nginx.conf'), 'utf8').replace(
      'include playbill.conf;',
      `include playbill.conf; ${server(1)} ${server(2)}`,
    );
    writeFileSync(join(folder, 'two.conf'), conf);
    const ran = await run(
      ['nginx', '-t', '-p', folder, '-c', 'two.conf'],
      { PATH: '/usr/sbin:/usr/bin' },
      { cwd: folder },
    );
    expect([ran.status, ran.stderr]).toEqual([0, expect.not.stringMatching(/\[(warn|emerg)\]/)]);
  });
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
    const words = ['-f', ...typed.split(' ')].map((word) => word.replace('/etc/haproxy/haproxy.cfg', own));
    expect(words).toEqual(['-f', own, '-f', join(folder, 'playbill-backend.cfg')]);
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
    const parts = ['playbill-backend.cfg', 'playbill-frontend.cfg'].flatMap((name) => ['-f', join(folder, name)]);
    const files = ['-f', own, ...parts];
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
    const sections = ['playbill-frontend.cfg', 'playbill-backend.cfg'].flatMap(
      (name) => readFileSync(join(folder, name), 'utf8').match(/^\w.*$/gm) ?? [],
    );
    expect(sections).toEqual(['frontend playbill', 'backend playbill_authorizer']);
    expect(readdirSync(folder)).not.toContain('haproxy.cfg');
  });
});

test('the times that Caddy’s README adds to an operator’s Caddyfile are those of our own', async () => {
  const { folder, readme } = await built('caddy', ['--target', 'authorizer', '--proxy', 'caddy']);
  const [, added = ''] = /^ {4}\{\n((?: {4}.*\n)+?) {4}\}\n/m.exec(readme) ?? [];
  const own = join(root, 'Caddyfile');
  const site = readFileSync(join(folder, 'Caddyfile'), 'utf8').replace(/^[^]*?^import playbill\.caddy$/m, '');
  writeFileSync(own, `{\n\tadmin off\n\tauto_https off\n${added}}\nimport ${folder}/playbill.caddy\n${site}`);
  const adapted = async (file: string): Promise<unknown> => {
    const words = ['caddy', 'adapt', '--config', file, '--adapter', 'caddyfile'];
    const { status, stdout, stderr } = await run(words, { PATH: '/usr/bin:/bin', HOME: root });
    expect(status, stderr).toBe(0);
    // Caddy sends nobody its own configuration.
    return JSON.parse(stdout.replaceAll(/"hide":\[[^\]]*\]/g, '"hide":[]')) as unknown;
  };
  expect(added).toContain('read_header 10s');
  expect(await adapted(own)).toEqual(await adapted(join(folder, 'Caddyfile')));
});
