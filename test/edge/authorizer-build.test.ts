// `edge build --target authorizer`: what it writes for each proxy, and what it refuses to write.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { keyRingText } from '../../src/release/tree/codec.ts';
import { playbill } from '../support/cli/run.ts';
import { keyRingOf } from '../support/edge/world.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const out = join(root, 'out');
const hmac = { front: 'moscow', alg: 'hmac-sha256', notBefore: null, notAfter: null, revokedAt: null };
beforeAll(() => {
  mkdirSync(join(out, 'edge'), { recursive: true });
  mkdirSync(join(out, 'public'));
  const keys = keyRingOf({ 'key-of-moscow': { ...hmac, secretRef: 'MOSCOW_SECRET' } });
  writeFileSync(join(out, 'edge/keyring.json'), keyRingText(keys));
});

const S3 = ['--origin', 's3://bucket/shows', '--origin-region', 'eu-central-1', '--encodings', 'gzip'];

async function build(to: string, words: readonly string[]) {
  const unset = { AWS_ENDPOINT_URL_S3: '', AWS_ENDPOINT_URL: '' };
  return playbill(['edge', 'build', '--target', 'authorizer', '--out', out, '--to', join(root, to), ...words], unset);
}

const text = (to: string, name: string): string => readFileSync(join(root, to, name), 'utf8');

/** What stands in front of the bundle. */
const configuration = (to: string): unknown =>
  JSON.parse((text(to, 'authorizer.mjs').split('\n')[0] ?? '').slice('const PLAYBILL = '.length, -1));

describe('what it writes', () => {
  test.each([
    ['nginx', ['nginx.conf', 'playbill-http.conf', 'playbill-locations.conf', 'playbill.conf']],
    ['caddy', ['Caddyfile', 'playbill.caddy']],
    ['haproxy', ['playbill-backend.cfg', 'playbill-frontend.cfg']],
  ])('for %s', async (proxy, own) => {
    const { status, stdout } = await build(proxy, ['--proxy', proxy]);
    expect(status).toBe(0);
    const files = ['README.md', 'authorizer.mjs', 'playbill-authorizer.service', ...own];
    expect(readdirSync(join(root, proxy)).toSorted()).toEqual(files.toSorted());
    for (const name of files) expect(stdout).toContain(`${proxy}/${name} (`);
    expect(stdout).toContain(`How to deploy it: ${join(root, proxy)}/README.md`);
    expect(text(proxy, 'README.md')).toContain('The service reads these from its environment: `MOSCOW_SECRET`.');
    expect(text(proxy, 'README.md')).toMatch(/^# The edge rule of Playbill as a service behind /);
    // Keys are read from the tree.
    for (const name of files) expect(text(proxy, name)).not.toContain('key-of-moscow');
  });

  test('names the tree beside which it was built, and listens on loopback', async () => {
    await build('plain', ['--proxy', 'caddy', '--base', '/api', '--max-age', '30s', '--ring-grace', '5m']);
    expect(configuration('plain')).toEqual({
      base: '/api',
      profiles: ['rfc9421'],
      maxAge: 30,
      requiresAuthority: true,
      ringGrace: 300,
      host: '127.0.0.1',
      port: 9180,
      tree: {
        kind: 'folder',
        publicRoot: join(out, 'public'),
        keyRing: join(out, 'edge/keyring.json'),
        fileHeaders: [['X-Playbill-File', '/{file}']],
      },
    });
    expect(text('plain', 'README.md')).toContain(
      'the last one for up to\n300 s (`--ring-grace`), and then refuses every',
    );
  });

  test('goes where the flags say', async () => {
    const words = [
      '--proxy',
      'haproxy',
      '--authorizer',
      '[::1]:9999',
      '--listen',
      '127.0.0.1:80',
      '--key-ring',
      '/k.json',
    ];
    expect((await build('elsewhere', [...words, '--public-root', '/srv/shows'])).status).toBe(0);
    expect(configuration('elsewhere')).toMatchObject({
      host: '::1',
      port: 9999,
      tree: { publicRoot: '/srv/shows', keyRing: '/k.json', fileHeaders: null },
    });
    expect(text('elsewhere', 'playbill-frontend.cfg')).toContain('  bind 127.0.0.1:80\n');
    expect(text('elsewhere', 'playbill-backend.cfg')).toContain('  server authorizer [::1]:9999\n');
  });

  test('over a bucket it says which secrets read it, and the proxy reads no folder', async () => {
    expect((await build('bucket', ['--proxy', 'nginx', ...S3])).status).toBe(0);
    expect(configuration('bucket')).toMatchObject({
      tree: {
        kind: 'bucket',
        origin: 'https://bucket.s3.eu-central-1.amazonaws.com/shows',
        region: 'eu-central-1',
        encodings: ['gzip'],
      },
    });
    expect(text('bucket', 'README.md')).toContain(
      '`MOSCOW_SECRET`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`',
    );
    expect(text('bucket', 'playbill-locations.conf')).not.toContain('playbill_edition');
  });

  test('replaces what it wrote before, and nothing else', async () => {
    expect((await build('again', ['--proxy', 'caddy'])).status).toBe(0);
    expect((await build('again', ['--proxy', 'caddy', '--listen', '9000'])).status).toBe(0);
    expect(text('again', 'Caddyfile')).toContain('http://:9000 {');
    mkdirSync(join(root, 'foreign'));
    writeFileSync(join(root, 'foreign/Caddyfile'), 'of somebody else');
    const { status, stderr } = await build('foreign', ['--proxy', 'caddy']);
    expect(status).toBe(2);
    expect(stderr).toContain('found foreign files in ');
    expect(readdirSync(join(root, 'foreign'))).toEqual(['Caddyfile']);
    expect(text('foreign', 'Caddyfile')).toBe('of somebody else');
  });
});

test.each([
  ['no proxy', [], 'expected --proxy nginx|caddy|haproxy with --target authorizer, found none'],
  [
    'a name to listen on',
    ['--proxy', 'caddy', '--authorizer', 'localhost:9180'],
    '--authorizer: expected an address and a port',
  ],
  ['no port', ['--proxy', 'caddy', '--authorizer', '127.0.0.1'], '--authorizer: expected an address and a port'],
  [
    'a port there is not',
    ['--proxy', 'caddy', '--authorizer', '127.0.0.1:0'],
    '--authorizer: expected an address and a port',
  ],
  ['a second word', ['--proxy', 'haproxy', '--listen', '80 ssl'], '--listen: expected a port'],
  [
    'a certificate',
    ['--proxy', 'caddy', '--certificate', '/etc/ssl/tickets.pem'],
    'expected --server-name and --certificate only with nginx, found "/etc/ssl/tickets.pem": names and certificates belong',
  ],
  ['a base that a proxy would decode', ['--proxy', 'caddy', '--base', '/a%20b'], '--base: expected letters'],
  ['a line of its own', ['--proxy', 'nginx', '--listen', '80;\nevil'], 'listen: expected a port'],
  ['R2', ['--proxy', 'caddy', '--origin', 'r2://bucket'], 'expected s3://BUCKET/PREFIX for the authorizer'],
  ['a URL', ['--proxy', 'caddy', '--origin', 'https://a.example'], 'expected s3://BUCKET/PREFIX for the authorizer'],
  [
    'a folder and a bucket',
    ['--proxy', 'caddy', ...S3, '--public-root', '/a'],
    '--public-root: expected only without --origin',
  ],
  ['a root that is no path', ['--proxy', 'caddy', '--key-ring', '/k', '--public-root', '/a"b'], 'publicRoot: expected'],
  ['a public folder of another name', ['--proxy', 'caddy', '--public-root', '/a'], 'expected --key-ring FILE'],
])('refuses %s', async (_, words, message) => {
  const { status, stderr } = await build('never', words);
  expect(stderr).toContain('edge-option-invalid');
  expect(stderr).toContain(message);
  expect(status).toBe(2);
});
