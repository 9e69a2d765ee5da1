// The recipes around a tree in a bucket: fetched into a folder, behind CloudFront, behind a worker on Cloudflare.

import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Miniflare } from 'miniflare';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { freePort, startProgram } from '../support/edge/runtimes/runtime.ts';
import { temporaryFolder as readableFolder } from '../support/edge/temporary-folder.ts';
import { Command } from '../support/fault/command.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { recipe, RECIPES, run, type Ran } from '../support/recipe.ts';
import { catalogueAt, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const playbill = join(new Command().folderForPath, 'playbill');
const guide = readFileSync(new URL('../../data/buckets.md', import.meta.url), 'utf8');

/** A command on the tree in a store. */
function inBucket(store: MemoryStore, words: readonly string[]): Promise<Ran> {
  return run([playbill, ...words], { PATH: '/usr/bin:/bin', PLAYBILL_OUT: 's3://shop/tree', ...store.environment });
}

async function build(store: MemoryStore, database: string, minute: number): Promise<void> {
  const now = new Date(Date.parse(NOW) + minute * 60_000).toISOString().replace('.000', '');
  const built = await inBucket(store, [
    'build',
    '--db',
    database,
    '--now',
    now,
    '--precompress',
    'gzip',
    '--allow-shrink',
  ]);
  expect(built.status, built.stderr).toBe(0);
}

/** Whether an answer is the edition of a front that it says it is, as it lies in the store. */
async function published(
  answer: { readonly status: number; readonly headers: { get(name: string): string | null }; text(): Promise<string> },
  front: string,
  store: MemoryStore,
): Promise<boolean> {
  const digest = /^W\/"([0-9a-f]{16})"$/.exec(answer.headers.get('etag') ?? '')?.[1] ?? '';
  const edition = (await store.objects()).get(`tree/public/fronts/${front}/products.${digest}.json`);
  return answer.status === 200 && (await answer.text()) === edition?.bytes.toString();
}

describe('fetch-tree.sh', () => {
  let one: string;
  let other: string;

  const ALL = ['alpha', 'bravo', 'charlie'];

  function catalogue(edition: string, fronts: readonly string[]): string {
    const rows = smallCatalogue({ fronts, productsPerFront: 1, sessionsPerProduct: 1, edition });
    return catalogueAt(join(root, `${edition}.sqlite`), rows);
  }

  beforeAll(() => {
    one = catalogue('one', ALL);
    other = catalogue('other', ['alpha']);
  });

  function fetchTree(store: MemoryStore, folder: string, tree = 'shop/tree'): Promise<Ran> {
    return run([join(RECIPES, 'fetch-tree.sh'), tree, folder, `${folder}-state`], {
      PATH: '/usr/bin:/bin',
      ...store.environment,
    });
  }

  /** Every front of the folder as nginx reads it: its `now`. Throws where a pointer names anything that is not there, whole. */
  function fronts(folder: string): Record<string, string> {
    const below = join(folder, 'public/fronts');
    const seen: Record<string, string> = {};
    for (const front of existsSync(below) ? readdirSync(below) : []) {
      const path = join(below, front, 'pointer.json');
      if (!existsSync(path)) continue;
      const pointer = pointerSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
      for (const endpoint of ['products', 'categories'] as const)
        for (const entry of pointer[endpoint]) {
          const name = `${endpoint}.${entry.slice(21)}.json`;
          const found = createHash('sha256')
            .update(readFileSync(join(below, front, name)))
            .digest('hex');
          expect(`${endpoint}.${found.slice(0, 16)}.json`).toBe(name);
          expect(existsSync(join(below, front, `${name}.gz`))).toBe(true);
        }
      seen[front] = pointer.now;
    }
    return seen;
  }

  function isWhole(folder: string): boolean {
    try {
      return Object.keys(fronts(folder)).length > 0;
    } catch {
      return false;
    }
  }

  const pointerSchema = z.object({ now: z.string(), products: z.array(z.string()), categories: z.array(z.string()) });
  const FIRST = { alpha: '2026-05-01T09:00:00Z', bravo: '2026-05-01T09:00:00Z', charlie: '2026-05-01T09:00:00Z' };
  const SECOND = { alpha: '2026-05-01T09:01:00Z' };

  test('the folder is the tree, whole; a front that is gone is gone, and so is what was pruned', async () => {
    await using store = await startMemoryStore({ bucket: 'shop' });
    const folder = join(temporaryFolder(), 'tree');
    await build(store, one, 0);
    expect(await fetchTree(store, folder)).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(fronts(folder)).toEqual(FIRST);
    const verified = await run([playbill, 'verify', '--out', folder], { PATH: '/usr/bin:/bin' });
    expect(verified.stdout, verified.stderr).toMatch(/: 0 errors, 0 warnings$/m);

    await build(store, other, 1);
    expect((await fetchTree(store, folder)).status).toBe(0);
    expect(fronts(folder)).toEqual(SECOND);
    const objects = await store.objects();
    const kept = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.json'));
    expect(kept.toSorted()).toEqual(
      [...objects.keys()]
        .filter((key) => key.endsWith('.json'))
        .map((key) => key.slice(5))
        .toSorted(),
    );
    expect(readFileSync(join(folder, 'edge/keyring.json'))).toEqual(objects.get('tree/edge/keyring.json')?.bytes);

    for (const key of objects.keys()) if (/\/(bravo|charlie)\//.test(key)) await store.delete(key);
    expect((await fetchTree(store, folder)).status).toBe(0);
    expect(existsSync(join(folder, 'public/fronts/charlie'))).toBe(false);
    expect(fronts(folder)).toEqual(SECOND);
  });

  test('a build that publishes meanwhile, before any request, leaves the folder whole', async () => {
    await using store = await startMemoryStore({ bucket: 'shop' });
    const seen = new Set<string>();
    const whole: boolean[] = [];
    let isPublished = true;
    for (let turn = 1; isPublished; turn += 1) {
      const folder = join(temporaryFolder(), 'tree');
      // Nothing of it is there before.
      const next = catalogue(`next-${turn}`, ALL);
      await build(store, one, 3 * turn);
      expect((await fetchTree(store, folder)).status).toBe(0);
      await build(store, other, 3 * turn + 1);
      let requests = 0;
      isPublished = false;
      store.beforeApply = async () => {
        requests += 1;
        // What nginx would find meanwhile.
        whole.push(isWhole(folder));
        if (isPublished || requests !== turn) return;
        isPublished = true;
        await build(store, next, 3 * turn + 2);
      };
      expect((await fetchTree(store, folder)).status).toBe(0);
      store.beforeApply = null;
      seen.add(Object.keys(fronts(folder)).join());
    }
    expect(new Set(whole)).toEqual(new Set([true]));
    // Published early enough, the later release was fetched; else the earlier one.
    expect(seen).toEqual(new Set(['alpha,bravo,charlie', 'alpha']));
  });

  test('where an edition cannot be fetched, the folder stays as it was', async () => {
    await using store = await startMemoryStore({ bucket: 'shop' });
    const folder = join(temporaryFolder(), 'tree');
    await build(store, one, 0);
    await fetchTree(store, folder);
    await build(store, other, 1);
    store.denied = [{ action: 'read', prefix: 'tree/public/fronts/alpha/products' }];
    expect((await fetchTree(store, folder)).status).not.toBe(0);
    expect(fronts(folder)).toEqual(FIRST);
    store.denied = [];
    expect((await fetchTree(store, folder)).status).toBe(0);
    expect(fronts(folder)).toEqual(SECOND);
  });

  test('a prefix without a tree does not empty the folder', async () => {
    await using store = await startMemoryStore({ bucket: 'shop' });
    const folder = join(temporaryFolder(), 'tree');
    await build(store, one, 0);
    await fetchTree(store, folder);
    const { status, stderr } = await fetchTree(store, folder, 'shop/three');
    expect(status).not.toBe(0);
    expect(stderr).not.toBe('');
    expect(fronts(folder)).toEqual(FIRST);
  });

  test('nginx answers a signed request from the folder', async () => {
    await using store = await startMemoryStore({ bucket: 'shop' });
    const work = readableFolder();
    const folder = join(work, 'tree');
    const key = join(work, 'alpha.key.json');
    await build(store, one, 0);
    expect((await inBucket(store, ['keys', 'issue', '--front', 'alpha', '--db', one, '--to', key])).status).toBe(0);
    await fetchTree(store, folder);
    const port = await freePort();
    const edge = join(work, 'edge');
    const words = [
      'edge',
      'build',
      '--target',
      'nginx',
      '--out',
      folder,
      '--to',
      edge,
      '--listen',
      `127.0.0.1:${port}`,
    ];
    const written = await run([playbill, ...words], { PATH: '/usr/bin:/bin' });
    expect(written.status, written.stderr).toBe(0);
    copyFileSync(join(edge, 'playbill-secrets.example.json'), join(edge, 'playbill-secrets.json'));
    const environment = { cwd: edge, env: process.env };
    const stop = await startProgram('nginx', ['-p', edge, '-c', 'nginx.conf'], port, environment);
    try {
      const url = `http://127.0.0.1:${port}/products/`;
      const signed = await run([playbill, 'sign', url, '--key', key, '--json'], { PATH: '/usr/bin:/bin' });
      const headers = z.record(z.string(), z.string()).parse(JSON.parse(signed.stdout));
      expect(await published(await fetch(url, { headers }), 'alpha', store)).toBe(true);
      expect((await fetch(url, { headers: { ...headers, 'X-Front': 'bravo' } })).status).toBe(401);
    } finally {
      await stop();
    }
  });
});

/** A bucket as a worker has it; only what is used here. */
interface R2Bucket {
  put(key: string, bytes: ArrayBuffer): Promise<unknown>;
}

describe('R2 and a worker', () => {
  const readme = recipe('README.md');
  const section = /^## R2 and a worker\n([^]*?)^## /m.exec(readme)?.[1] ?? '';
  const block = (language: string): string =>
    new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'm').exec(section)?.[1] ?? '';

  test('typed, but for what needs an account: a signed request is answered from the bucket that is bound', async () => {
    await using store = await startMemoryStore({ bucket: 'shop', region: 'auto' });
    const work = temporaryFolder();
    const values: Readonly<Record<string, string>> = {
      'https://ACCOUNT.r2.cloudflarestorage.com': store.endpoint,
      KEY: store.credentials.accessKeyId,
      SECRET: store.credentials.secretAccessKey,
    };
    const script = block('sh')
      .replaceAll(/^wrangler .*$/gm, '')
      .replaceAll(/(?<==)(https:\S+|KEY|SECRET)$/gm, (value) => values[value] ?? value);
    const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'r2' });
    const database = catalogueAt(join(work, 'catalogue.sqlite'), rows);
    const path = `${dirname(playbill)}:/usr/bin:/bin`;
    const issue = [playbill, 'keys', 'issue', '--front', 'alpha', '--db', database, '--to', join(work, 'key.json')];
    expect((await run(issue, { PATH: path }, { cwd: work })).status).toBe(0);
    const typed = await run(
      ['bash', '-e', '-c', script],
      { PATH: path, HOME: work, PLAYBILL_DB: database },
      { cwd: work },
    );
    expect(typed.status, typed.stderr).toBe(0);

    const configuration = readFileSync(join(work, 'edge-worker/wrangler.toml'), 'utf8');
    expect(configuration).toContain(block('toml'));
    const [, binding = '', bucket = ''] = /binding = "(\w+)"\nbucket_name = "(\w+)"/.exec(block('toml')) ?? [];
    const miniflare = new Miniflare({
      modules: true,
      script: readFileSync(join(work, 'edge-worker/worker.js'), 'utf8'),
      compatibilityDate: /^compatibility_date = "(.*)"$/m.exec(configuration)?.[1] ?? '',
      r2Buckets: { [binding]: bucket },
      cf: false,
    });
    try {
      const tree = (await miniflare.getBindings<Record<string, R2Bucket>>())[binding];
      for (const [key, { bytes }] of await store.objects()) await tree?.put(key, new Uint8Array(bytes).buffer);
      const url = 'http://edge.example/products/';
      const words = [playbill, 'sign', url, '--key', join(work, 'key.json'), '--json'];
      const signed = await run(words, { PATH: path });
      const headers = z.record(z.string(), z.string()).parse(JSON.parse(signed.stdout));
      const answer = await miniflare.dispatchFetch(url, { headers });
      expect(await published(answer, 'alpha', store)).toBe(true);
      expect((await miniflare.dispatchFetch(url, { headers: { 'x-front': 'alpha' } })).status).toBe(401);
    } finally {
      await miniflare.dispose();
    }
  });
});

describe('cloudfront.yaml', () => {
  const statement = z.looseObject({
    Effect: z.enum(['Allow', 'Deny']),
    Action: z.union([z.string(), z.array(z.string())]),
  });
  const policy = z.object({
    Properties: z.object({ PolicyDocument: z.looseObject({ Statement: z.array(statement) }) }),
  });
  const template = z
    .object({
      Resources: z.object({
        Bucket: z.object({
          Properties: z.looseObject({ PublicAccessBlockConfiguration: z.record(z.string(), z.boolean()) }),
        }),
        BucketPolicy: policy,
        BuilderPolicy: policy,
        EdgePolicy: policy,
        Distribution: z.object({
          Properties: z.object({
            DistributionConfig: z.looseObject({
              Origins: z.array(z.looseObject({ Id: z.string(), DomainName: z.unknown() })),
              DefaultCacheBehavior: z.looseObject({ TargetOriginId: z.string(), CachePolicyId: z.string() }),
            }),
          }),
        }),
      }),
    })
    .parse(parse(recipe('cloudfront.yaml'))).Resources;

  test('nobody but the two accounts may read the bucket, and CloudFront is neither', () => {
    expect(Object.values(template.Bucket.Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    const [only, ...more] = template.BucketPolicy.Properties.PolicyDocument.Statement;
    expect([only?.Effect, more]).toEqual(['Deny', []]);
    const { Origins, DefaultCacheBehavior, ...others } = template.Distribution.Properties.DistributionConfig;
    expect(Origins.map(({ Id, DomainName }) => [Id, DomainName])).toEqual([['edge', { Ref: 'EdgeHost' }]]);
    expect(DefaultCacheBehavior.TargetOriginId).toBe('edge');
    expect(others).not.toHaveProperty('CacheBehaviors');
  });

  test('only old versions expire', () => {
    const text = recipe('cloudfront.yaml');
    expect(text).toContain('NoncurrentDays: 7');
    expect(text).not.toMatch(/ExpirationInDays|ExpirationDate|Transition/);
  });

  test('its permissions are those of the guide', () => {
    const filled = (policy: unknown): unknown =>
      JSON.parse(
        JSON.stringify(policy, (_, value: unknown) => {
          const sub = z.strictObject({ 'Fn::Sub': z.string() }).safeParse(value).data?.['Fn::Sub'];
          const values: Readonly<Record<string, string>> = {
            'AWS::Partition': 'aws',
            BucketName: 'shop',
            Prefix: 'tree',
          };
          return sub?.replaceAll(/\$\{([\w:]+)\}/g, (_, name: string) => values[name] ?? '') ?? value;
        }),
      );
    const builder: unknown = JSON.parse(/^```json\n([^]*?)^```$/m.exec(guide)?.[1] ?? '');
    expect(filled(template.BuilderPolicy.Properties.PolicyDocument)).toEqual(builder);
    const [read, list] = template.EdgePolicy.Properties.PolicyDocument.Statement.map(filled);
    expect(read).toMatchObject({ Action: 's3:GetObject', Resource: 'arn:aws:s3:::shop/tree/public/*' });
    expect(list).toEqual(z.object({ Statement: z.array(z.unknown()) }).parse(builder).Statement[1]);
  });
});
