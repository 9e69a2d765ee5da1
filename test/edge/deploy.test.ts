// The deployable folders and the bundles in them: their size, what they must not contain, and that
// no secret gets into them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleEdge, bundleModule } from '../../src/edge/targets/bundle.ts';
import type { DeploymentFiles } from '../../src/edge/targets/target.ts';
import type { KeyRing } from '../../src/contract/key-ring.ts';
import { PROFILE_NAMES } from '../../src/edge/rule/profile.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import { type WorkerDeployment, nginxFiles, workerFiles } from '../support/edge/target-files.ts';

const open = { notBefore: null, notAfter: null, revokedAt: null };
const KEY_RING: KeyRing = {
  schema: 1,
  keys: {
    a: { front: 'moscow', alg: 'hmac-sha256', secretRef: 'B_SECRET', ...open },
    b: { front: 'kazan', alg: 'hmac-sha256', secretRef: 'A_SECRET', ...open },
    c: { front: 'kazan', alg: 'hmac-sha256', secretRef: 'A_SECRET', ...open },
  },
};
const NO_SECRETS: KeyRing = { schema: 1, keys: {} };
const NGINX = {
  profiles: ['rfc9421'],
  settings: DEFAULT_SETTINGS,
  publicRoot: '/srv/playbill/public',
  keyRingPath: '/srv/playbill/edge/keyring.json',
  listen: '8080',
  folder: '/etc/nginx/playbill',
} as const;
const WORKER: Omit<WorkerDeployment, 'keyRing' | 'bundle'> = {
  target: 'worker',
  profiles: ['rfc9421'],
  keyRingAt: null,
  settings: DEFAULT_SETTINGS,
  publicRoot: '/srv/playbill/public',
  origin: 'TREE',
  originEndpoint: null,
  originRegion: null,
  encodings: [],
  pointerSeconds: 5,
};

function textOf(files: DeploymentFiles, name: string): string {
  return files.find(([key]) => key === name)?.[1] ?? '';
}

describe('bundles', () => {
  let worker: string;
  let nginx: string;
  beforeAll(async () => {
    worker = await bundleEdge('worker');
    nginx = await bundleEdge('nginx');
  });

  test('know one kind of origin alone', async () => {
    const signs = /AWS4-HMAC-SHA256/;
    expect(worker).not.toMatch(signs);
    expect(await bundleEdge('worker-r2')).not.toMatch(signs);
    expect(await bundleEdge('worker-s3')).toMatch(signs);
  });

  test("contain no imports but two modules of njs, and the operator's secrets", () => {
    expect(worker).not.toMatch(/\b(import|require)\b *[({"'\w]/);
    expect(nginx.match(/^import .*$/gm)).toEqual([
      'import njsCrypto from "crypto";',
      'import fs from "fs";',
      'import secrets from "playbill-secrets.js";',
    ]);
  });

  test('are the same from the same sources', async () => {
    expect(await bundleEdge('worker')).toBe(worker);
  });

  test('contain nothing of serve --unsigned', () => {
    for (const bundle of [worker, nginx]) expect(bundle).not.toMatch(/unsigned/i);
  });

  async function bundleText(form: 'njs' | 'fetch', text: string): Promise<string> {
    const entry = join(temporaryFolder(), 'entry.ts');
    writeFileSync(entry, text);
    return (await bundleModule(form, entry)).code;
  }

  test.each([
    ['node:fs', 'fetch', "import { readFileSync } from 'node:fs'; export default readFileSync;"],
    ['fs', 'fetch', "import fs from 'fs'; export default fs;"],
    ['node:fs', 'njs', "import fs from 'node:fs'; export default fs;"],
    ['http', 'njs', "import http from 'http'; export default http;"],
  ] as const)('an import of %s fails a bundle in the form %s', async (_, form, text) => {
    await expect(bundleText(form, text)).rejects.toThrow('Could not resolve');
  });

  test.each([
    ['destructuring', 'const { a } = globalThis as never; export default a;'],
    ['a default argument', 'const f = (a = 1) => a; export default f;'],
    ['spread', 'const f = (a: number[]) => [...a]; export default f;'],
    ['for-of', 'const f = (a: number[]) => { for (const b of a) a = [b]; }; export default f;'],
    ['a class', 'class A {} export default A;'],
  ])('%s fails the bundle for nginx, whose njs cannot read it', async (_, text) => {
    await expect(bundleText('njs', text)).rejects.toThrow('not supported yet');
    await expect(bundleText('fetch', text)).resolves.toBeTypeOf('string');
  });
});

describe('the folder for nginx', () => {
  test('names its files', () => {
    const names = (keyRing: KeyRing): readonly string[] =>
      nginxFiles({ ...NGINX, keyRing, bundle: '' }).map(([name]) => name);
    const server = ['playbill-http.conf', 'playbill-locations.conf', 'playbill.conf'];
    const rule = ['playbill.js', 'playbill-secrets.js'];
    const all = ['README.md', 'nginx.conf', ...server, ...rule].toSorted();
    for (const keyRing of [NO_SECRETS, KEY_RING]) expect(names(keyRing)).toEqual(all);
  });

  test('lists the names of the secrets, where there are any', () => {
    const withSecrets = nginxFiles({ ...NGINX, keyRing: KEY_RING, bundle: '' });
    expect(textOf(withSecrets, 'playbill-secrets.js')).toContain(
      '\nexport default () => ({\n  "A_SECRET": "",\n  "B_SECRET": ""\n});\n',
    );
    expect(textOf(withSecrets, 'README.md')).toContain('`A_SECRET`, `B_SECRET`');
    const none = nginxFiles({ ...NGINX, keyRing: NO_SECRETS, bundle: '' });
    expect(textOf(none, 'playbill-secrets.js')).toContain('\nexport default () => ({});\n');
  });

  test.each(['relative/path', '/srv/"; evil', '/srv/$x', '/a\nb'])('refuses the root %j', (publicRoot) => {
    expect(() => nginxFiles({ ...NGINX, publicRoot, keyRing: NO_SECRETS, bundle: '' })).toThrow('publicRoot: expected');
  });

  test('reads the key ring of the tree, and contains none', () => {
    const files = nginxFiles({ ...NGINX, keyRing: KEY_RING, bundle: '' });
    expect(textOf(files, 'playbill.js')).toContain('"keyRing":"/srv/playbill/edge/keyring.json"');
    expect(() => nginxFiles({ ...NGINX, keyRingPath: 'edge/keyring.json', keyRing: KEY_RING, bundle: '' })).toThrow(
      'keyRingPath: expected',
    );
  });

  test.each(['80', 'localhost:8080', '127.0.0.1:8080', '127.0.0.1', '[::1]:8080', '*:80', 'unix:/run/p.sock'])(
    'listens on %s',
    (listen) => {
      const files = nginxFiles({ ...NGINX, listen, keyRing: NO_SECRETS, bundle: '' });
      expect(textOf(files, 'playbill.conf')).toContain(`  listen ${listen};\n`);
    },
  );

  test('says what secrets need before it says how to try it', () => {
    const readme = textOf(nginxFiles({ ...NGINX, keyRing: KEY_RING, bundle: '' }), 'README.md');
    expect(readme).toMatch(
      /First fill in `playbill-secrets.js`[^]*empty or missing secret is refused[^]*## Install it/,
    );
    const none = textOf(nginxFiles({ ...NGINX, keyRing: NO_SECRETS, bundle: '' }), 'README.md');
    expect(none).toMatch(
      /No key in this key ring needs a secret[^]*Before you issue a key with a new secret[^]*## Install it/,
    );
  });

  const CERTIFICATE = { certificate: '/etc/ssl/tickets.pem', certificateKey: '/etc/ssl/tickets.key' };

  test('has TLS with a certificate, HTTP/2, and names', () => {
    const options = {
      ...NGINX,
      listen: '443 ssl http2',
      serverName: 'tickets.example *.tickets.example',
      ...CERTIFICATE,
    };
    const server = textOf(nginxFiles({ ...options, keyRing: NO_SECRETS, bundle: '' }), 'playbill.conf');
    expect(server).toContain(`  listen 443 ssl http2;
  server_name tickets.example *.tickets.example;
  ssl_certificate "/etc/ssl/tickets.pem";
  ssl_certificate_key "/etc/ssl/tickets.key";
`);
    const plain = textOf(nginxFiles({ ...NGINX, keyRing: NO_SECRETS, bundle: '' }), 'playbill.conf');
    expect(plain).not.toMatch(/^ +(ssl_|server_name )/m);
  });

  test.each([
    ['TLS without a certificate', { listen: '443 ssl' }, 'expected --certificate FILE and --certificate-key FILE with'],
    ['a certificate without its key', { listen: '443 ssl', certificate: '/a' }, 'expected --certificate FILE and'],
    ['a certificate without TLS', CERTIFICATE, 'expected --listen "443 ssl" with --certificate'],
    ['an unknown parameter', { listen: '443 quic' }, 'listen: expected ssl, http2, default_server or'],
    ['no name of a host', { serverName: 'a; evil' }, '--server-name: expected'],
    [
      'a path that is two words of nginx',
      { listen: '443 ssl', ...CERTIFICATE, certificate: '/a"; b' },
      '--certificate: ',
    ],
    ['a folder that nginx would take for a pattern', { folder: '/srv/[a]' }, '--to: expected'],
    ['a base that nginx would decode', { settings: { ...DEFAULT_SETTINGS, base: '/a%20b' } }, '--base: expected'],
    ['a base that nginx would resolve', { settings: { ...DEFAULT_SETTINGS, base: '/a/..' } }, '--base: expected'],
    ['a base of other syntax', { settings: { ...DEFAULT_SETTINGS, base: '/a;b' } }, '--base: expected'],
  ])('refuses %s', (_, options, message) => {
    expect(() => nginxFiles({ ...NGINX, ...options, keyRing: NO_SECRETS, bundle: '' })).toThrow(message);
  });

  test('says in each location all that a server of the operator’s could say otherwise', () => {
    const settings = { ...DEFAULT_SETTINGS, base: '/api/v3' };
    const text = textOf(nginxFiles({ ...NGINX, settings, keyRing: NO_SECRETS, bundle: '' }), 'playbill-locations.conf');
    const locations = [...text.matchAll(/^location (?:= )?(\S+) \{\n([^]*?)^\}$/gm)];
    const named = locations.map(([, name = '']) => name);
    expect(named.filter((name) => name.startsWith('/'))).toEqual([
      '/api/v3/products/',
      '/api/v3/products',
      '/api/v3/fronts/categories/',
      '/api/v3/fronts/categories',
      '/playbill-refusal',
    ]);
    // Nothing stands outside of one.
    const outside = locations.reduce((rest, [whole]) => rest.replace(whole, ''), text);
    expect(outside.replaceAll(/^#.*$/gm, '').trim()).toBe('');
    for (const [, name, inside] of locations) {
      for (const directive of ['gzip', 'charset', 'expires', 'default_type'])
        expect(inside, name).toMatch(new RegExp(`^  ${directive} `, 'm'));
      if (name !== '/playbill-refusal') expect(inside, name).toMatch(/^ {2}error_page /m);
      if (name?.startsWith(settings.base)) expect(inside, name).toMatch(/^ {2}client_max_body_size 1;$/m);
    }
  });

  test.each(['80; evil', '', 'banana', 'banana:', '0', '65536', 'host:99999'])('refuses to listen on %j', (listen) => {
    expect(() => nginxFiles({ ...NGINX, listen, keyRing: NO_SECRETS, bundle: '' })).toThrow('listen: expected');
  });
});

test.each(['signed-headers', 'rfc9421 signed-headers'])(
  'a deployment with %s says so in its configuration',
  (names) => {
    const profiles = PROFILE_NAMES.filter((name) => names.includes(name));
    const nginx = nginxFiles({ ...NGINX, profiles, keyRing: KEY_RING, bundle: '' });
    const worker = workerFiles({ ...WORKER, profiles, keyRing: KEY_RING, bundle: '' });
    for (const code of [textOf(nginx, 'playbill.js'), textOf(worker, 'worker.js')])
      expect(code).toContain(`"profiles":${JSON.stringify(profiles)}`);
  },
);

describe('the folder for workers', () => {
  test('is one module with its configuration in front', () => {
    const files = workerFiles({ ...WORKER, keyRing: KEY_RING, bundle: 'export default 1;\n' });
    expect(files.map(([name]) => name)).toEqual(['README.md', 'worker.js', 'workerd.capnp']);
    const [first = '', second] = textOf(files, 'worker.js').split('\n');
    expect(second).toBe('export default 1;');
    expect(JSON.parse(first.replace(/^const PLAYBILL = /, '').replace(/;$/, ''))).toEqual({
      ...DEFAULT_SETTINGS,
      origin: 'TREE',
      profiles: ['rfc9421'],
      encodings: [],
      pointerSeconds: 5,
      keyRing: 'KEYRING',
      keyRingToken: 'PLAYBILL_KEY_RING_TOKEN',
    });
  });

  test('binds a tree on disk, or fetches one by URL', () => {
    const bound = workerFiles({ ...WORKER, keyRing: KEY_RING, bundle: '' });
    expect(textOf(bound, 'workerd.capnp')).toContain('(name = "TREE", service = "TREE-folder")');
    expect(textOf(bound, 'workerd.capnp')).toContain('(name = "A_SECRET", fromEnvironment = "A_SECRET")');
    const origin = 'https://tree.example.com/public';
    const fetched = workerFiles({ ...WORKER, origin, keyRing: NO_SECRETS, bundle: '' });
    expect(textOf(fetched, 'workerd.capnp')).not.toContain('service = "TREE-folder"');
    const hasAssets = (tree: string): boolean => {
      const files = workerFiles({ ...WORKER, target: 'cloudflare', origin: tree, keyRing: NO_SECRETS, bundle: '' });
      return textOf(files, 'wrangler.toml').includes('[assets]');
    };
    expect(['TREE', origin].map(hasAssets)).toEqual([true, false]);
  });

  test.each([
    'https://tree.example.com/',
    'https://user@tree.example.com',
    'https://tree.example.com/?list',
    'https://tree.example.com/a#b',
    'ftp://tree',
    'two words',
    '',
    's3://',
    's3:///prefix',
    's3://Bucket',
    's3://bucket/prefix/',
    's3://bucket/a//b',
    's3://bucket/a/../b',
    'r2://bucket/./a',
    'r2://b',
  ])('refuses the origin %j', (origin) => {
    const originRegion = origin.startsWith('s3:') ? 'eu-central-1' : null;
    const options = { ...WORKER, target: 'cloudflare', origin, originRegion, keyRing: NO_SECRETS, bundle: '' } as const;
    expect(() => workerFiles(options)).toThrow('origin: expected');
  });

  test.each<[string, readonly string[]]>([
    ['worker', ['worker.js', 'workerd.capnp']],
    ['cloudflare', ['worker.js', 'wrangler.toml']],
    ['deno', ['server.js', 'worker.js']],
    ['bun', ['server.js', 'worker.js']],
    ['netlify', ['netlify/edge-functions/playbill.js', 'worker.js']],
    ['vercel', ['middleware.js', 'worker.js']],
  ])('of %s has its own files, and a README about nothing else', (target, names) => {
    const origin = 'https://tree.example.com/public';
    const files = workerFiles({ ...WORKER, target, origin, keyRing: KEY_RING, bundle: '' });
    expect(files.map(([name]) => name)).toEqual(['README.md', ...names]);
    const readme = textOf(files, 'README.md');
    expect(readme).toContain(`Written by \`edge build --target ${target}\`. `);
    expect(readme).toContain(`After a build, copy the new tree to \`${origin}\``);
    const hosts = ['workerd serve', 'wrangler', 'deno serve', 'bun server', 'netlify deploy', 'vercel deploy'];
    const named = hosts.filter((host) => readme.includes(`    ${host}`));
    expect(named).toHaveLength(1);
    expect(named[0]).toContain(target === 'worker' ? 'workerd' : target === 'cloudflare' ? 'wrangler' : target);
  });

  test.each<[string, Partial<WorkerDeployment>, string]>([
    [
      'a bucket of R2',
      { target: 'worker', origin: 'r2://bucket' },
      '(for R2: --target cloudflare), found "r2://bucket"',
    ],
    [
      'a bucket of R2',
      { target: 'deno', origin: 'r2://bucket' },
      '--origin: expected a URL or the name of a binding or s3://BUCKET/PREFIX',
    ],
    [
      'a folder',
      { target: 'netlify', origin: 'ASSETS' },
      '--origin: expected a URL or s3://BUCKET/PREFIX with --target netlify, found',
    ],
    [
      'a folder',
      { target: 'vercel', origin: 'ASSETS' },
      '--origin: expected a URL or s3://BUCKET/PREFIX with --target vercel, found',
    ],
    [
      'siblings',
      { target: 'vercel', origin: 'https://a.example/public', encodings: ['gzip'] },
      '--encodings: expected none with --target vercel',
    ],
    [
      'a folder with the key ring',
      { target: 'netlify', origin: 'https://a.example/public', keyRingAt: 'KEYRING' },
      '--key-ring: expected a URL with --target netlify, found "KEYRING"',
    ],
  ])('does not read %s where the host cannot: %o', (_, options, message) => {
    expect(() => workerFiles({ ...WORKER, ...options, keyRing: NO_SECRETS, bundle: '' })).toThrow(message);
  });

  test.each<[string, string, RegExp | null]>([
    ['cloudflare', 's3://bucket', /workers\.dev has no cache/],
    ['deno', 's3://bucket', /empties the cache/],
    ['netlify', 'https://a.example/public', /Each Netlify location/],
    ['cloudflare', 'https://a.example/public', /workers\.dev has no cache/],
    ['bun', 's3://bucket', null],
    ['cloudflare', 'r2://bucket', null],
    ['cloudflare', 'ASSETS', null],
  ])('on %s with %s, says what is kept in a cache: %s', (target, origin, said) => {
    const originRegion = origin.startsWith('s3:') ? 'eu-central-1' : null;
    const options = { ...WORKER, target, origin, originRegion, keyRing: NO_SECRETS, bundle: '' };
    const readme = textOf(workerFiles(options), 'README.md');
    expect(/the worker keeps editions in the host's cache/.test(readme)).toBe(said !== null);
    if (said !== null) expect(readme).toMatch(said);
  });

  test.each<[string, string, string | null, string, RegExp]>([
    ['worker', 'TREE', null, 'KEYRING', /from the tree's folder `edge`.*nothing to do/],
    [
      'bun',
      'TREE',
      'https://a.example/k.json',
      'https://a.example/k.json',
      /copy the\ntree's `edge\/keyring.json` there/,
    ],
    [
      'cloudflare',
      'ASSETS',
      null,
      'KEYRING',
      /\n {4}wrangler kv key put --remote --binding KEYRING keyring.json --path /,
    ],
    ['netlify', 'https://a.example/tree/public', null, 'https://a.example/tree/edge/keyring.json', /copy the\ntree's/],
    ['vercel', 'https://a.example', 'https://b.example/k.json', 'https://b.example/k.json', /copy the\ntree's/],
  ])(
    'on %s with %s and --key-ring %s, the key ring is read at run time from %s',
    (target, origin, keyRingAt, at, said) => {
      const files = workerFiles({ ...WORKER, target, origin, keyRingAt, keyRing: KEY_RING, bundle: '' });
      expect(textOf(files, 'worker.js')).toContain(`"keyRing":"${at}"`);
      expect(textOf(files, 'README.md')).toMatch(said);
      expect(files.map(([, text]) => text).join('')).not.toContain('"moscow"');
    },
  );

  test.each<[string, Partial<WorkerDeployment>, string]>([
    [
      'a URL',
      { origin: 'https://a.example/shows' },
      'expected --key-ring URL, since --origin is not the folder "public"',
    ],
    ['a folder', { publicRoot: '/srv/www' }, 'expected --key-ring URL, since --public-root is not the folder "public"'],
    ['the tree', { origin: 'KEYRING' }, '--key-ring: expected a URL, or the name of a binding other than --origin'],
  ])('does not guess where the key ring of a tree in %s is', (_, options, message) => {
    expect(() => workerFiles({ ...WORKER, ...options, keyRing: NO_SECRETS, bundle: '' })).toThrow(message);
  });

  test('refuses to keep pointers for longer than 10 s', () => {
    expect(() => workerFiles({ ...WORKER, pointerSeconds: 11, keyRing: NO_SECRETS, bundle: '' })).toThrow(
      'pointerSeconds: expected',
    );
    expect(() => workerFiles({ ...WORKER, pointerSeconds: Number.NaN, keyRing: NO_SECRETS, bundle: '' })).toThrow(
      'pointerSeconds: expected',
    );
  });

  describe('a private bucket', () => {
    const S3: WorkerDeployment = {
      ...WORKER,
      origin: 's3://bucket/a/b',
      originRegion: 'eu-central-1',
      keyRing: KEY_RING,
      bundle: '',
    };
    const urlOf = (more: Partial<WorkerDeployment>): unknown =>
      /"origin":"([^"]*)"/.exec(textOf(workerFiles({ ...S3, ...more }), 'worker.js'))?.[1];

    test.each<[string, Partial<WorkerDeployment>, string]>([
      ['of AWS is a host', {}, 'https://bucket.s3.eu-central-1.amazonaws.com/a/b'],
      ['without a prefix', { origin: 's3://bucket' }, 'https://bucket.s3.eu-central-1.amazonaws.com'],
      [
        'with a dot in its name is no host: no certificate would fit',
        { origin: 's3://my.bucket/a' },
        'https://s3.eu-central-1.amazonaws.com/my.bucket/a',
      ],
      ['in China', { originRegion: 'cn-north-1' }, 'https://bucket.s3.cn-north-1.amazonaws.com.cn/a/b'],
      [
        'of another store is a path',
        { originEndpoint: 'https://store.example:9000' },
        'https://store.example:9000/bucket/a/b',
      ],
      [
        'of a store that was given a slash',
        { originEndpoint: 'http://127.0.0.1:9000/' },
        'http://127.0.0.1:9000/bucket/a/b',
      ],
      [
        'with a prefix that has to be encoded, once and for all',
        { origin: "s3://bucket/a b/(c)!'*/é" },
        'https://bucket.s3.eu-central-1.amazonaws.com/a%20b/%28c%29%21%27%2A/%C3%A9',
      ],
    ])('%s', (_, more, url) => {
      expect(urlOf(more)).toBe(url);
    });

    test.each(['store.example', 'https://store.example/path', 'https://user@store.example', 'https://store.example?a'])(
      'is not in the store %j',
      (originEndpoint) => {
        expect(() => workerFiles({ ...S3, originEndpoint })).toThrow('--origin-endpoint: expected');
      },
    );

    test.each([null, '', 'eu central'])('is not in the region %j', (originRegion) => {
      expect(() => workerFiles({ ...S3, originRegion })).toThrow('--origin-region: expected');
    });

    test('alone has an endpoint and a region', () => {
      for (const origin of ['TREE', 'https://tree.example.com', 'r2://bucket'])
        expect(() => workerFiles({ ...S3, target: 'cloudflare', origin })).toThrow('expected only with s3://BUCKET');
    });

    test('is read with secrets that the folder names, and has nowhere', () => {
      const files = workerFiles(S3);
      for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']) {
        expect(textOf(files, 'workerd.capnp')).toContain(`(name = "${name}", fromEnvironment = "${name}")`);
        expect(textOf(files, 'README.md')).toContain(name);
        expect(textOf(files, 'worker.js')).not.toContain(name);
      }
      expect(textOf(files, 'README.md')).toContain(
        '`s3:GetObject` on `bucket/a/b/public/*` and `bucket/a/b/edge/keyring.json`',
      );
    });

    test('of R2 is bound, and needs none', () => {
      const files = workerFiles({
        ...WORKER,
        target: 'cloudflare',
        origin: 'r2://bucket/a/b',
        keyRing: NO_SECRETS,
        bundle: '',
      });
      expect(files.map(([name]) => name)).toEqual(['README.md', 'worker.js', 'wrangler.toml']);
      expect(textOf(files, 'worker.js')).toContain('"origin":"TREE","folder":"a/b/"');
      expect(textOf(files, 'wrangler.toml')).toContain('[[r2_buckets]]\nbinding = "TREE"\nbucket_name = "bucket"\n');
      expect(textOf(files, 'README.md')).not.toContain('AWS_');
    });
  });
});
