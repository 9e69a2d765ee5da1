// What `edge build --origin` takes from its flags, and what it leaves to the environment.

import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { deno } from '../../src/edge/targets/deno/deploy.ts';
import { vercel } from '../../src/edge/targets/vercel/deploy.ts';
import { buildEdge } from '../../src/operations/edge/build.ts';
import { playbill } from '../support/cli/run.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const out = join(root, 'out');
beforeAll(() => {
  mkdirSync(join(out, 'edge'), { recursive: true });
  mkdirSync(join(out, 'public'));
  writeFileSync(join(out, 'edge/keyring.json'), '{"schema":1,"keys":{}}\n');
});

/** The first line of the worker that it writes, and what it prints. */
async function build(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly origin: unknown; readonly region: unknown; readonly stdout: string; readonly stderr: string }> {
  const to = join(root, 'edge');
  const unset = { AWS_ENDPOINT_URL_S3: '', AWS_ENDPOINT_URL: '', AWS_REGION: '', AWS_DEFAULT_REGION: '' };
  const all = ['edge', 'build', '--target', 'worker', '--out', out, '--to', to, ...words];
  const { status, stdout, stderr } = await playbill(all, { ...unset, ...environment });
  if (status !== 0) return { origin: null, region: null, stdout, stderr };
  const [first = ''] = readFileSync(join(to, 'worker.js'), 'utf8').split('\n');
  const { origin, region }: { origin?: unknown; region?: unknown } = JSON.parse(
    first.slice('const PLAYBILL = '.length, -1),
  );
  return { origin, region, stdout, stderr };
}

const S3 = ['--origin', 's3://bucket/shows'];

describe('a bucket', () => {
  test('is where the flags say, whatever the environment says', async () => {
    const flags = ['--origin-endpoint', 'https://store.example', '--origin-region', 'eu-central-1'];
    const environment = { AWS_ENDPOINT_URL: 'https://another.example', AWS_REGION: 'us-east-1' };
    expect(await build([...S3, ...flags], environment)).toMatchObject({
      origin: 'https://store.example/bucket/shows',
      region: 'eu-central-1',
    });
  });

  test('is where tools for S3 look for it, without flags', async () => {
    expect(await build(S3, { AWS_DEFAULT_REGION: 'eu-west-1' })).toMatchObject({
      origin: 'https://bucket.s3.eu-west-1.amazonaws.com/shows',
      region: 'eu-west-1',
    });
    const environment = {
      AWS_ENDPOINT_URL_S3: 'https://s3.example',
      AWS_ENDPOINT_URL: 'https://all.example',
      AWS_REGION: 'eu-central-1',
      AWS_DEFAULT_REGION: 'eu-west-1',
    };
    expect(await build(S3, environment)).toMatchObject({
      origin: 'https://s3.example/bucket/shows',
      region: 'eu-central-1',
    });
  });

  test('needs a region', async () => {
    const { stderr } = await build(S3);
    expect(stderr).toContain('error edge-option-invalid: --origin-region: expected the name of a region, found ""');
  });

  test('takes no credentials along', async () => {
    const secrets = {
      AWS_ACCESS_KEY_ID: 'AKIDBUILD',
      AWS_SECRET_ACCESS_KEY: 'secret-of-the-build',
      AWS_REGION: 'eu-west-1',
    };
    const { stdout, stderr } = await build(S3, secrets);
    const written = ['README.md', 'worker.js', 'workerd.capnp'].map((name) =>
      readFileSync(join(root, 'edge', name), 'utf8'),
    );
    for (const text of [stdout, stderr, ...written]) {
      expect(text).not.toContain('AKIDBUILD');
      expect(text).not.toContain('secret-of-the-build');
    }
  });
});

test('the environment of a bucket means nothing to an origin by URL', async () => {
  const environment = { AWS_ENDPOINT_URL: 'https://all.example', AWS_REGION: 'eu-central-1' };
  expect(await build(['--origin', 'https://tree.example/public'], environment)).toMatchObject({
    origin: 'https://tree.example/public',
    region: undefined,
  });
});

test('--ring-grace is no shorter than a key ring is kept anyway', async () => {
  expect((await build(['--ring-grace', '10s'])).stderr).toBe('');
  expect(readFileSync(join(root, 'edge/README.md'), 'utf8')).toContain('a revoked key is refused within 10 s in any');
  expect((await build(['--ring-grace', '9s'])).stderr).toContain(
    'error edge-option-invalid: ringGrace: expected 10 seconds or more, for which a key ring is kept anyway, found "9"',
  );
});

describe('a key ring elsewhere', () => {
  const URLS = ['--origin', 'https://shows.example/public'];

  test('is named in the worker, and no key is in it', async () => {
    await build([...URLS, '--key-ring', 'https://shows.example/private/keyring.json']);
    const first = readFileSync(join(root, 'edge/worker.js'), 'utf8').split('\n')[0] ?? '';
    expect(JSON.parse(first.slice('const PLAYBILL = '.length, -1))).toMatchObject({
      origin: 'https://shows.example/public',
      keyRing: 'https://shows.example/private/keyring.json',
      keyRingToken: 'PLAYBILL_KEY_RING_TOKEN',
    });
  });

  test('may be at a URL where the tree is bound, and beside a folder of almost the same name', async () => {
    const ring = 'https://shows.example/publicity/keyring.json';
    for (const origin of [['--origin', 'TREE'], URLS])
      expect(await build([...origin, '--key-ring', ring])).toMatchObject({ origin: origin[1] });
  });

  test.each([
    ['a file', [...URLS, '--key-ring', '/srv/edge/keyring.json'], '--key-ring: expected a URL, or the name of'],
    [
      'the binding of the tree',
      ['--origin', 'TREE', '--key-ring', 'TREE'],
      '--key-ring: expected a URL, or the name of',
    ],
    [
      'what a host in capitals serves',
      ['--origin', 'https://Shows.Example', '--key-ring', 'https://shows.example/keyring.json'],
      'outside the public folder',
    ],
    ['at no port', [...URLS, '--key-ring', 'https://shows.example:99999/keyring.json'], '--key-ring: expected a URL'],
    ['credentials', [...URLS, '--key-ring', 'https://me:secret@a.example/k.json'], '--key-ring: expected a URL'],
    [
      'a bucket',
      ['--target', 'cloudflare', '--origin', 'r2://bucket', '--key-ring', 'KEYRING'],
      '--key-ring: expected none with a bucket',
    ],
  ])('is refused where it is %s', async (_, words, message) => {
    const { stderr } = await build(words);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret@');
  });

  test.each([
    'https://shows.example/public/keyring.json',
    'https://SHOWS.example/public/keyring.json',
    'https://shows.example:443/public/keyring.json',
    'http://shows.example/public/keyring.json',
    'https://shows.example/%70ublic/keyring.json',
    'https://shows.example/edge/../public/keyring.json',
  ])('is refused where clients can read it: %s', async (url) => {
    const { stderr } = await build([...URLS, '--key-ring', url]);
    expect(stderr).toContain(
      `error edge-option-invalid: --key-ring: expected a URL outside the public folder ${URLS[1]}, found "${url}"`,
    );
  });
});

test('an origin that no client could reach is refused', async () => {
  const { stderr } = await build(['--origin', 'https://shows.example:99999/public']);
  expect(stderr).toContain('error edge-option-invalid: origin: expected a URL');
});

describe('nginx with njs reads a folder alone: it is refused over', () => {
  test.each([
    ['s3://bucket/shows', 's3://bucket/shows'],
    ['s3://bucket', 's3://bucket'],
    ['r2://bucket/shows', 's3://BUCKET/PREFIX'],
    ['https://tree.example/public', 's3://BUCKET/PREFIX'],
  ])('%s', async (origin, hinted) => {
    const { stderr } = await build(['--target', 'nginx', '--origin', origin]);
    expect(stderr).toContain('error edge-option-invalid: --origin: expected none with --target nginx');
    expect(stderr).toContain(
      `for a bucket behind nginx: playbill edge build --target authorizer --proxy nginx --origin ${hinted}`,
    );
  });

  test('a password in the origin is not printed', async () => {
    const { stderr } = await build(['--target', 'nginx', '--origin', 'https://me:secret@tree.example']);
    expect(stderr).toContain('error edge-option-invalid: --origin: expected none with --target nginx');
    expect(stderr).not.toContain('secret');
  });

  test('what it names instead can be typed as it stands', async () => {
    const region = ['--origin-region', 'eu-west-1'];
    const { stderr } = await build(['--target', 'nginx', '--origin', 's3://bucket/shows', ...region]);
    const [, command = ''] = /playbill (edge build .*)$/m.exec(stderr) ?? [];
    const to = join(root, 'authorizer');
    const { status } = await playbill([...command.split(' '), ...region, '--out', out, '--to', to]);
    expect(status).toBe(0);
    expect(readFileSync(join(to, 'authorizer.mjs'), 'utf8')).toContain(
      'https://bucket.s3.eu-west-1.amazonaws.com/shows',
    );
    expect(readFileSync(join(to, 'playbill-http.conf'), 'utf8')).toContain('upstream playbill_authorizer');
  });
});

test('code that the host would not take is refused', async () => {
  const options = {
    target: vercel,
    proxy: null,
    authorizer: '',
    to: join(root, 'too-large'),
    out,
    publicRoot: null,
    keyRingPath: null,
    listen: '',
    serverName: null,
    certificate: null,
    certificateKey: null,
    origin: { origin: 'https://tree.example/public', originEndpoint: null, originRegion: null },
    encodings: [],
    settings: DEFAULT_SETTINGS,
    profiles: ['rfc9421'],
  } as const;
  const large = `// ${randomBytes(4 * 2 ** 20).toString('base64')}\n`;
  await expect(buildEdge(options, large)).rejects.toThrow(
    '--target vercel: expected at most 4194304 bytes of compressed',
  );
  await expect(buildEdge({ ...options, target: deno }, large)).resolves.toBeTypeOf('object');
});
