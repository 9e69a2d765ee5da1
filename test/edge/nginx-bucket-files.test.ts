// The folder that `edge build` writes for nginx over a bucket: what it must not contain, and what it refuses. And its signature: njs has
// the module `crypto` of Node.js, as far as a signature goes.

import njsCrypto from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { AwsV4Signer } from 'aws4fetch';
import { describe, expect, test } from 'vitest';
import { bundleEdge } from '../../src/edge/deploy/bundle.ts';
import type { DeploymentFiles } from '../../src/edge/deploy/deployment.ts';
import { type NginxBucketDeployment, nginxBucketFiles } from '../../src/edge/deploy/nginx-bucket.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { EMPTY_PAYLOAD } from '../../src/edge/runtimes/bucket-credentials.ts';
import { njsAuthorization } from '../../src/edge/runtimes/njs-signature-v4.ts';
import { playbill } from '../support/cli/run.ts';
import { runs } from '../speeds.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

const DEPLOYMENT: NginxBucketDeployment = {
  bundle: '',
  settings: DEFAULT_SETTINGS,
  keyRing: {
    schema: 1,
    keys: {
      a: {
        front: 'moscow',
        alg: 'hmac-sha256',
        secretRef: 'A_SECRET',
        notBefore: null,
        notAfter: null,
        revokedAt: null,
      },
    },
  },
  origin: 's3://bucket/a b',
  originEndpoint: null,
  originRegion: 'eu-central-1',
  listen: '8080',
  encodings: [],
  resolver: '127.0.0.53',
};

function textOf(files: DeploymentFiles, name: string): string {
  return files.find(([key]) => key === name)?.[1] ?? '';
}

describe('the folder', () => {
  const files = nginxBucketFiles(DEPLOYMENT);

  test('has names of secrets, and no key ring', () => {
    expect(files.map(([name]) => name)).toEqual([
      'README.md',
      'nginx.conf',
      'playbill-cache.conf',
      'playbill-secrets.example.json',
      'playbill-settings.json',
      'playbill.conf',
      'playbill.js',
    ]);
    const secrets = { A_SECRET: '', AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_SESSION_TOKEN: '' };
    expect(JSON.parse(textOf(files, 'playbill-secrets.example.json'))).toEqual(secrets);
  });

  test('asks a host of AWS by a checked certificate, by a name server, with an encoded path', () => {
    const text = textOf(files, 'playbill.conf');
    const host = 'bucket.s3.eu-central-1.amazonaws.com';
    expect(text).toContain(`proxy_pass "https://${host}/a%20b/$playbill_object";`);
    expect(text).toContain(`proxy_ssl_name ${host};`);
    expect(text).toMatch(/^ {2}proxy_ssl_verify on;$/m);
    expect(text).toMatch(/^ {2}resolver 127\.0\.0\.53;$/m);
    expect(JSON.parse(textOf(files, 'playbill-settings.json'))).toEqual({
      ...DEFAULT_SETTINGS,
      bucket: { host, path: '/a%20b', region: 'eu-central-1' },
      encodings: '',
    });
  });

  test('bounds its cache in both places, and its README says where it is', () => {
    for (const name of ['nginx.conf', 'playbill-cache.conf'])
      expect(textOf(files, name)).toMatch(/^ *proxy_cache_path .* max_size=1g .*;$/m);
    expect(textOf(files, 'README.md')).toContain(
      '1 GB of editions in `/var/lib/nginx/playbill` (see `playbill-cache.conf`), or in `cache` here',
    );
    expect(textOf(files, 'README.md')).toContain(
      '`s3:GetObject` on `bucket/a b/public/*` and `bucket/a b/edge/keyring.json`',
    );
  });

  test('has a module of its own, and that of a folder knows no bucket', async () => {
    const signs = /AWS4-HMAC-SHA256/;
    expect(await bundleEdge('nginx')).not.toMatch(signs);
    const bundle = await bundleEdge('nginx-s3');
    expect(bundle).toMatch(signs);
    expect(bundle.match(/^import .*$/gm)).toEqual(['import njsCrypto from "crypto";']);
  });

  test.each<[string, Partial<NginxBucketDeployment>, string]>([
    ['another kind of origin', { origin: 'https://tree.example', originRegion: null }, 'origin: expected s3://BUCKET'],
    ['a bucket of R2', { origin: 'r2://bucket', originRegion: null }, 'origin: expected s3://BUCKET'],
    ['no region', { originRegion: null }, '--origin-region: expected'],
    ['a store that breaks out', { originEndpoint: 'https://a;b' }, '--origin-endpoint: expected'],
    ['a store with a variable', { originEndpoint: 'https://$host' }, '--origin-endpoint: expected'],
    ['a name server that breaks out', { resolver: '127.0.0.1; evil' }, '--resolver: expected'],
    ['no name server', { resolver: '' }, '--resolver: expected'],
    ['an address', { listen: '80; evil' }, 'listen: expected'],
  ])('refuses %s', (_, more, message) => {
    expect(() => nginxBucketFiles({ ...DEPLOYMENT, ...more })).toThrow(message);
  });
});

describe('edge build --target nginx', () => {
  const root = temporaryFolderOfFile();
  const build = async (words: readonly string[]) => {
    const out = join(root, 'out');
    mkdirSync(join(out, 'edge'), { recursive: true });
    writeFileSync(join(out, 'edge/keyring.json'), '{"schema":1,"keys":{}}\n');
    const environment = {
      AWS_ENDPOINT_URL_S3: '',
      AWS_ENDPOINT_URL: '',
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDBUILD',
      AWS_SECRET_ACCESS_KEY: 'secret-of-the-build',
    };
    const all = ['edge', 'build', '--target', 'nginx', '--out', out, '--to', join(root, 'edge'), ...words];
    return playbill(all, environment);
  };
  const written = (name: string): string => readFileSync(join(root, 'edge', name), 'utf8');

  test('takes a bucket, and no credentials along', async () => {
    const words = ['--origin', 's3://bucket/shows', '--encodings', 'gzip', 'br', '--resolver', '10.0.0.2'];
    const { status, stdout, stderr } = await build(words);
    expect(status, stderr).toBe(0);
    expect(written('playbill.conf')).toContain('https://bucket.s3.eu-west-1.amazonaws.com/shows/$playbill_object');
    expect(written('playbill.conf')).toContain('resolver 10.0.0.2;');
    expect(JSON.parse(written('playbill-settings.json'))).toMatchObject({ encodings: 'br gzip' });
    for (const text of [stdout, stderr, ...readdirSync(join(root, 'edge')).map(written)]) {
      expect(text).not.toContain('AKIDBUILD');
      expect(text).not.toContain('secret-of-the-build');
    }
  });

  test('takes no other origin, and no folder beside it', async () => {
    const both = await build(['--origin', 's3://bucket', '--public-root', '/srv/public']);
    expect([both.status, both.stderr]).toEqual([
      2,
      expect.stringContaining('--public-root: expected only without --origin'),
    ]);
    for (const origin of ['https://tree.example', 'r2://bucket']) {
      const { status, stderr } = await build(['--origin', origin]);
      expect(stderr).toContain(`origin: expected s3://BUCKET/PREFIX for nginx, found "${origin}"`);
      expect(status).toBe(2);
    }
  });
});

test('the signature is that of another signer', async () => {
  const text = fc.string({ minLength: 1, maxLength: 40, unit: fc.constantFrom('a', 'Z', '0', '+', '/', '=') });
  const names = fc.array(fc.constantFrom('shows', 'a%20b', '%28c%29', 'products.0123.json.br'), { minLength: 1 });
  const token = fc.option(text);
  await fc.assert(
    fc.asyncProperty(text, text, token, names, async (accessKeyId, secretAccessKey, sessionToken, path) => {
      const object = {
        host: 's.example:9000',
        path: `/${path.join('/')}`,
        region: 'eu-west-1',
        date: '20260501T090000Z',
      };
      const signer = new AwsV4Signer({
        url: `https://${object.host}${object.path}`,
        headers: { 'x-amz-content-sha256': EMPTY_PAYLOAD },
        accessKeyId,
        secretAccessKey,
        ...(sessionToken === null ? {} : { sessionToken }),
        service: 's3',
        region: object.region,
        datetime: object.date,
      });
      const { headers } = await signer.sign();
      const expected = headers.get('authorization')?.replaceAll(', ', ',');
      const found = njsAuthorization(object, { accessKeyId, secretAccessKey, sessionToken }, njsCrypto);
      expect(found.replaceAll(', ', ',')).toBe(expected);
    }),
    { numRuns: runs(200) },
  );
});
