// The deployable folders and the bundles in them: their size, what they must not contain, and that no secret gets into them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleEdge, bundleModule } from '../../src/edge/deploy/bundle.ts';
import { type DeploymentFiles, WORKER_BUNDLE_BYTES_MAX } from '../../src/edge/deploy/deployment.ts';
import { nginxFiles } from '../../src/edge/deploy/nginx.ts';
import { workerFiles } from '../../src/edge/deploy/worker.ts';
import type { KeyRing } from '../../src/contract/key-ring.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';

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
  settings: DEFAULT_SETTINGS,
  publicRoot: '/srv/playbill/public',
  keyRingPath: '/srv/playbill/edge/keyring.json',
  listen: '8080',
};
const WORKER = {
  settings: DEFAULT_SETTINGS,
  publicRoot: '/srv/playbill/public',
  origin: 'TREE',
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

  test('the worker is small enough', () => {
    expect(Buffer.byteLength(worker)).toBeLessThanOrEqual(WORKER_BUNDLE_BYTES_MAX);
  });

  test('contain no imports but two modules of njs', () => {
    expect(worker).not.toMatch(/\b(import|require)\b *[({"'\w]/);
    expect(nginx.match(/^import .*$/gm)).toEqual(['import njsCrypto from "crypto";', 'import fs from "fs";']);
  });

  test('are the same from the same sources', async () => {
    expect(await bundleEdge('worker')).toBe(worker);
  });

  test('contain nothing of serve --unsigned', () => {
    for (const bundle of [worker, nginx]) expect(bundle).not.toMatch(/unsigned/i);
  });

  async function bundleText(target: 'nginx' | 'worker', text: string): Promise<string> {
    const entry = join(temporaryFolder(), 'entry.ts');
    writeFileSync(entry, text);
    return bundleModule(target, entry);
  }

  test.each([
    ['node:fs', 'worker', "import { readFileSync } from 'node:fs'; export default readFileSync;"],
    ['fs', 'worker', "import fs from 'fs'; export default fs;"],
    ['node:fs', 'nginx', "import fs from 'node:fs'; export default fs;"],
    ['http', 'nginx', "import http from 'http'; export default http;"],
  ] as const)('an import of %s fails the bundle for %s', async (_, target, text) => {
    await expect(bundleText(target, text)).rejects.toThrow('Could not resolve');
  });

  test.each([
    ['destructuring', 'const { a } = globalThis as never; export default a;'],
    ['a default argument', 'const f = (a = 1) => a; export default f;'],
    ['spread', 'const f = (a: number[]) => [...a]; export default f;'],
    ['for-of', 'const f = (a: number[]) => { for (const b of a) a = [b]; }; export default f;'],
    ['a class', 'class A {} export default A;'],
  ])('%s fails the bundle for nginx, whose njs cannot read it', async (_, text) => {
    await expect(bundleText('nginx', text)).rejects.toThrow('not supported yet');
    await expect(bundleText('worker', text)).resolves.toBeTypeOf('string');
  });
});

describe('the folder for nginx', () => {
  test('names its files', () => {
    const names = (keyRing: KeyRing): readonly string[] =>
      nginxFiles({ ...NGINX, keyRing, bundle: '' }).map(([name]) => name);
    const base = ['README.md', 'nginx.conf', 'playbill-settings.json', 'playbill.conf', 'playbill.js'];
    expect(names(NO_SECRETS)).toEqual(base);
    expect(names(KEY_RING)).toEqual([...base, 'playbill-secrets.example.json'].toSorted());
  });

  test('lists the names of the secrets, where there are any', () => {
    const withSecrets = nginxFiles({ ...NGINX, keyRing: KEY_RING, bundle: '' });
    expect(JSON.parse(textOf(withSecrets, 'playbill-secrets.example.json'))).toEqual({
      A_SECRET: '',
      B_SECRET: '',
    });
    expect(textOf(withSecrets, 'README.md')).toContain('`A_SECRET`, `B_SECRET`');
    expect(textOf(withSecrets, 'playbill.conf')).toMatch(/^js_preload_object playbill_secrets/m);
    expect(textOf(nginxFiles({ ...NGINX, keyRing: NO_SECRETS, bundle: '' }), 'playbill.conf')).not.toMatch(
      /^js_preload_object playbill_secrets/m,
    );
  });

  test.each(['relative/path', '/srv/"; evil', '/srv/$x', '/a\nb'])('refuses the root %j', (publicRoot) => {
    expect(() => nginxFiles({ ...NGINX, publicRoot, keyRing: NO_SECRETS, bundle: '' })).toThrow('publicRoot: expected');
  });

  test('reads the key ring of the tree, and contains none', () => {
    const files = nginxFiles({ ...NGINX, keyRing: KEY_RING, bundle: '' });
    expect(textOf(files, 'playbill.conf')).toContain(
      '\njs_preload_object playbill_keyring from "/srv/playbill/edge/keyring.json";\n',
    );
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
    expect(readme).toMatch(/First make `playbill-secrets.json`[^]*An empty secret refuses its keys[^]*To try it/);
    const none = textOf(nginxFiles({ ...NGINX, keyRing: NO_SECRETS, bundle: '' }), 'README.md');
    expect(none).toMatch(
      /The first key of the algorithm `hmac-sha256` needs more[^]*`playbill edge build[^]*To try it/,
    );
  });

  test.each(['80; evil', '', '80 ssl', 'banana', 'banana:', '0', '65536', 'host:99999'])(
    'refuses to listen on %j',
    (listen) => {
      expect(() => nginxFiles({ ...NGINX, listen, keyRing: NO_SECRETS, bundle: '' })).toThrow('listen: expected');
    },
  );
});

describe('the folder for workers', () => {
  test('is one module with its configuration in front', () => {
    const files = workerFiles({ ...WORKER, keyRing: KEY_RING, bundle: 'export default 1;\n' });
    expect(files.map(([name]) => name)).toEqual(['README.md', 'worker.js', 'workerd.capnp', 'wrangler.toml']);
    const [first = '', second] = textOf(files, 'worker.js').split('\n');
    expect(second).toBe('export default 1;');
    expect(JSON.parse(first.replace(/^const PLAYBILL = /, '').replace(/;$/, ''))).toEqual({
      ...DEFAULT_SETTINGS,
      origin: 'TREE',
      encodings: [],
      pointerSeconds: 5,
      keyRing: KEY_RING,
    });
  });

  test('binds a tree on disk, or fetches one by URL', () => {
    const bound = workerFiles({ ...WORKER, keyRing: KEY_RING, bundle: '' });
    expect(textOf(bound, 'workerd.capnp')).toContain('(name = "TREE", service = "tree")');
    expect(textOf(bound, 'workerd.capnp')).toContain('(name = "A_SECRET", fromEnvironment = "A_SECRET")');
    const fetched = workerFiles({
      ...WORKER,
      origin: 'https://tree.example.com/public',
      keyRing: NO_SECRETS,
      bundle: '',
    });
    expect(textOf(fetched, 'workerd.capnp')).not.toContain('service = "tree"');
    expect(textOf(fetched, 'wrangler.toml')).not.toContain('[assets]');
  });

  test('refuses a bundle that has grown too large', () => {
    const bundle = 'x'.repeat(WORKER_BUNDLE_BYTES_MAX + 1);
    expect(() => workerFiles({ ...WORKER, keyRing: NO_SECRETS, bundle })).toThrow('more than 8192');
  });

  test.each(['https://tree.example.com/', 'ftp://tree', 'two words', ''])('refuses the origin %j', (origin) => {
    expect(() => workerFiles({ ...WORKER, origin, keyRing: NO_SECRETS, bundle: '' })).toThrow('origin: expected');
  });

  test('refuses to keep pointers for longer than 10 s', () => {
    expect(() => workerFiles({ ...WORKER, pointerSeconds: 11, keyRing: NO_SECRETS, bundle: '' })).toThrow(
      'pointerSeconds: expected',
    );
    expect(() => workerFiles({ ...WORKER, pointerSeconds: Number.NaN, keyRing: NO_SECRETS, bundle: '' })).toThrow(
      'pointerSeconds: expected',
    );
  });
});
