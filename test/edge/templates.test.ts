// The texts that targets write: nothing of their syntax is left in a folder, and none of them is
// there in vain.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { KeyRing } from '../../src/contract/key-ring.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { PROXIES } from '../../src/edge/targets/authorizer/proxies.ts';
import { README_TITLE } from '../../src/edge/targets/deployment.ts';
import type { OriginKind } from '../../src/edge/targets/origin.ts';
import { TARGETS } from '../../src/edge/targets/targets.ts';
import { rendered } from '../../src/edge/template.ts';

const FOLDER = fileURLToPath(new URL('../../src/edge/targets/', import.meta.url));

const ORIGINS: Readonly<Record<OriginKind, string>> = {
  folder: 'ASSETS',
  url: 'https://tree.example/public',
  binding: 'TREE',
  s3: 's3://bucket/shows',
  r2: 'r2://bucket/shows',
};
const secret = { alg: 'hmac-sha256', secretRef: 'SECRET', notBefore: null, notAfter: null, revokedAt: null } as const;
const RINGS: readonly KeyRing[] = [
  { schema: 1, keys: {} },
  { schema: 1, keys: { a: { front: 'moscow', ...secret } } },
];

const CASES = TARGETS.flatMap((target) =>
  (Object.keys(target.reads) as OriginKind[]).map((kind) => [target.name, kind, target] as const),
);

test.each(CASES)('%s with the tree in %s: every place of its files is filled in', (_, kind, target) => {
  for (const keyRing of RINGS) {
    for (const proxy of PROXIES) {
      const files = target.files({
        bundle: '',
        keyRing,
        settings: DEFAULT_SETTINGS,
        profiles: ['rfc9421'],
        proxy,
        authorizer: '127.0.0.1:9180',
        listen: '8080',
        serverName: null,
        certificate: null,
        certificateKey: null,
        folder: '/etc/playbill/edge',
        publicRoot: '/srv/tree/public',
        keyRingPath: '/srv/tree/edge/keyring.json',
        keyRingAt: null,
        origin: ORIGINS[kind],
        originEndpoint: null,
        originRegion: kind === 's3' ? 'eu-central-1' : null,
        encodings: [],
        pointerSeconds: 5,
      });
      expect(files.map(([name]) => name)).toEqual(files.map(([name]) => name).toSorted());
      expect(new Map(files).get('README.md')?.startsWith(README_TITLE)).toBe(true);
      for (const [name, text] of files) {
        expect(text, name).not.toMatch(/\{\{[#/]?\w+\}\}/);
        // The end of a file is one line break, whatever was left out.
        if (text !== '') expect(text.replace(/\n$/, ''), name).not.toMatch(/\n$/);
      }
    }
  }
});

/** What host.ts reads from the folder of each host. */
const OF_HOSTS = /^(run|secrets|cache|bound-ring|bound-tree)\.md$/;

describe('a template', () => {
  const paths = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });

  test('is named by the code, as knip does not see it', () => {
    const code = paths
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(FOLDER + path, 'utf8'))
      .join('\n');
    const templates = paths.flatMap((path) => {
      const [, target = '', file] = /^(?:(.*)\/)?templates\/(.+)$/.exec(path) ?? [];
      return file === undefined ? [] : [{ target, file }];
    });
    expect(templates.length).toBeGreaterThan(30);
    const unnamed = templates.filter(
      ({ target, file }) => !OF_HOSTS.test(file) && !code.includes(`'${target === '' ? '' : `${target}/`}${file}'`),
    );
    expect(unnamed).toEqual([]);
  });

  test('without a value of one of its places is an error', () => {
    expect(() => rendered('ring-unreadable.md')).toThrow(
      'ring-unreadable.md: expected a value of "ringGrace", found none',
    );
    expect(() => rendered('nginx/nginx.conf')).toThrow('nginx/nginx.conf: expected a value of "njs", found none');
    expect(rendered('nginx/nginx.conf', { njs: false })).not.toContain('load_module');
    expect(rendered('nginx/nginx.conf', { njs: true })).toContain('load_module');
  });
});
