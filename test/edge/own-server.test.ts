// The rule in a server of the operator's, as each README says: one with TLS, a site and settings of
// its own. `edge check` finds nothing, the site goes on, and the next `edge build` leaves it alone.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:http2';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyFrom } from '../../src/client/key-file.ts';
import { signRequest } from '../../src/client/signature.ts';
import { edgeCheckResultSchema } from '../../src/contract/results/edge.ts';
import { playbill, playbillProcess } from '../support/cli/run.ts';
import { type Certificate, makeCertificate } from '../support/edge/certificate.ts';
import { CheckedTrees, namesOf, SECRETS } from '../support/edge/checked-trees.ts';
import { secretsModule } from '../support/edge/runtimes/nginx.ts';
import { freePort, startProgram } from '../support/edge/runtimes/runtime.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';

const trees = new CheckedTrees(temporaryFolder());
let own: Certificate;
/** What HAProxy passes everything else on to. */
let shop: Server;

beforeAll(async () => {
  await trees.make();
  own = makeCertificate(trees.folder);
  shop = createServer((_, response) => response.end('the shop'));
  shop.listen(0, '127.0.0.1');
  await once(shop, 'listening');
});
afterAll(() => shop.close());

/** What an operator has in the server, all of which locations inherit that do not say otherwise. */
const SETTINGS_OF_NGINX = `
  root /srv/shop;
  default_type text/plain;
  charset utf-8;
  charset_types *;
  expires 1h;
  etag on;
  if_modified_since before;
  gzip on;
  gzip_types *;
  gzip_min_length 1;
  gzip_vary on;
  client_max_body_size 100m;
  error_page 400 401 403 404 405 413 500 503 /oops;
  proxy_intercept_errors on;
  proxy_set_header Host shop;
  add_header X-Shop yes;
  location / { return 200 "the shop"; }
  location = /oops { return 200 "oops"; }
`;

interface Operated {
  readonly words: readonly string[];
  /** The operator's configuration, from the part that the README has for it. */
  readonly configuration: (part: string, port: number, folder: string) => string;
  readonly command: (configuration: string, folder: string) => readonly string[];
}

const nginx = (words: readonly string[]): Operated => ({
  words,
  configuration: (part, port, folder) =>
    readFileSync(join(folder, 'nginx.conf'), 'utf8').replace(
      '  include playbill.conf;\n',
      part
        .replace('listen 443 ', `listen 127.0.0.1:${port} `)
        .replace('/etc/ssl/tickets.pem', own.certificate)
        .replace('/etc/ssl/private/tickets.key', own.key)
        .replace(/^( *include .*playbill-locations\.conf;)$/m, `${SETTINGS_OF_NGINX}$1`),
    ),
  command: (configuration, folder) => ['nginx', '-p', folder, '-c', configuration],
});

const SERVERS: readonly (readonly [name: string, operated: Operated])[] = [
  ['nginx', nginx(['--target', 'nginx'])],
  ['nginx in front of the service', nginx(['--target', 'authorizer', '--proxy', 'nginx'])],
  [
    'Caddy',
    {
      words: ['--target', 'authorizer', '--proxy', 'caddy'],
      configuration: (part, port) =>
        `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${part
          .replace('tickets.example {\n', `https://127.0.0.1:${port} {\n\ttls ${own.certificate} ${own.key}\n`)
          .replace(
            '\timport playbill\n',
            '\timport playbill\n\trespond "the shop"\n\thandle_errors {\n\t\trespond "oops"\n\t}\n',
          )}`,
      command: (configuration) => ['caddy', 'run', '--config', configuration, '--adapter', 'caddyfile'],
    },
  ],
  [
    'HAProxy',
    {
      words: ['--target', 'authorizer', '--proxy', 'haproxy'],
      configuration: (part, port) => {
        const both = join(trees.folder, 'haproxy.pem');
        writeFileSync(both, readFileSync(own.certificate, 'utf8') + readFileSync(own.key, 'utf8'));
        return `global
  maxconn 100
defaults
  mode http
  timeout connect 5s
  timeout client 50s
  timeout server 50s
${part.replace('bind :443 ', `bind 127.0.0.1:${port} `).replace('/etc/haproxy/tickets.pem', both)}
  default_backend shop
backend shop
  server shop 127.0.0.1:${(shop.address() as AddressInfo).port}
`;
      },
      command: (configuration, folder) => [
        'haproxy',
        '-db',
        '-f',
        configuration,
        '-f',
        join(folder, 'playbill-backend.cfg'),
      ],
    },
  ],
];

/** The part of the README that stands in the operator's configuration. */
function partOf(readme: string): string {
  const blocks = [...readme.matchAll(/(?:^ {4}.*\n|^\n(?= {4}))+/gm)].map(([block]) => block.replaceAll(/^ {4}/gm, ''));
  return blocks.find((block) => block.includes('tickets')) ?? '';
}

describe.each(SERVERS)('%s', (_, { words, configuration, command }) => {
  let folder: string;
  let file: string;
  let url: string;
  let build: (more?: readonly string[]) => Promise<void>;
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    folder = temporaryFolder();
    const [port, servicePort] = [await freePort(), await freePort()];
    url = `https://127.0.0.1:${port}`;
    const isService = words.includes('authorizer');
    const address = isService ? ['--authorizer', `127.0.0.1:${servicePort}`] : [];
    build = async (more = []) => {
      const typed = ['edge', 'build', ...words, ...address, '--out', trees.out, '--to', folder, ...more];
      const { status, stderr } = await playbill(typed);
      expect([status, stderr]).toEqual([0, '']);
    };
    await build();
    file = join(trees.folder, `own-${port}`);
    writeFileSync(file, configuration(partOf(readFileSync(join(folder, 'README.md'), 'utf8')), port, folder));
    const env = { ...process.env, ...SECRETS, HOME: trees.folder, XDG_DATA_HOME: trees.folder };
    const options = { cwd: folder, env };
    if (isService)
      stops.push(await startProgram(process.execPath, [join(folder, 'authorizer.mjs')], servicePort, options));
    else writeFileSync(join(folder, 'playbill-secrets.js'), secretsModule(SECRETS));
    const [program = '', ...rest] = command(file, folder);
    stops.push(await startProgram(program, rest, port, options));
  });
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  const certificates = (): string => readFileSync(own.certificate, 'utf8');

  async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
    const asked = request(url + path, { headers, ca: certificates(), agent: false });
    asked.end();
    const [answer] = (await once(asked, 'response')) as [import('node:http').IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, content: await text(answer) };
  }

  const signed = (path: string) =>
    signRequest({
      method: 'GET',
      url: url + path,
      ...keyFrom(readFileSync(trees.keyFile('moscow-1'), 'utf8')),
      created: Math.floor(Date.now() / 1000),
    });

  test('edge check finds nothing, and checks everything', async () => {
    const typed = ['edge', 'check', url, ...trees.keys(), '--out', trees.out, '--json'];
    const { stdout, stderr } = await playbillProcess(typed, { ...SECRETS, NODE_EXTRA_CA_CERTS: own.certificate });
    expect(stderr).toBe('');
    const { checks } = edgeCheckResultSchema.parse(JSON.parse(stdout));
    expect(checks.filter(({ state }) => state !== 'ok')).toEqual([]);
    expect(namesOf({ checks } as never, 'ok').length).toBeGreaterThan(30);
  });

  test('has the headers of the rule, whatever the server says', async () => {
    const answer = await get('/products/', { ...(await signed('/products/')) });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': expect.stringMatching(/^private, max-age=\d+$/) as string,
      vary: 'X-Front, Accept-Encoding',
    });
    expect(answer.headers).not.toHaveProperty('expires');
    expect(answer.headers).not.toHaveProperty('last-modified');
    const refused = await get('/products/', { 'X-Front': 'moscow' });
    expect(refused).toMatchObject({
      status: 401,
      headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    });
    expect(refused.headers).not.toHaveProperty('expires');
  });

  test('over HTTP/2, too', async () => {
    const client = connect(url, { ca: certificates() });
    try {
      for (const [more, status] of [
        [await signed('/products/'), 200],
        [{ 'X-Front': 'moscow' }, 401],
      ] as const) {
        const asked = client.request({ ':path': '/products/', ...more });
        const [headers] = (await once(asked, 'response')) as [Record<string, unknown>];
        expect(headers[':status']).toBe(status);
        asked.resume();
        await once(asked, 'close');
      }
      expect(client.alpnProtocol).toBe('h2');
    } finally {
      client.destroy();
    }
  });

  test('the site goes on, and answers what the rule does not', async () => {
    for (const path of ['/', '/shop/', '/products/1', '/fronts/'])
      expect(await get(path, { 'X-Front': 'moscow' })).toMatchObject({ status: 200, content: 'the shop' });
  });

  test('the next edge build replaces its own files alone', async () => {
    const before = readFileSync(file, 'utf8');
    await build(['--max-age', '30s']);
    expect(readFileSync(file, 'utf8')).toBe(before);
    if (words.includes('nginx')) execFileSync('nginx', ['-t', '-p', folder, '-c', file], { stdio: 'pipe' });
  });
});
