// The recipes around a tree in a bucket: behind a service and nginx, behind CloudFront, behind a
// worker on Cloudflare.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Miniflare } from 'miniflare';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { freePort, startProgram } from '../support/edge/runtimes/runtime.ts';
import { temporaryFolder as readableFolder } from '../support/edge/temporary-folder.ts';
import { Command } from '../support/fault/command.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { recipe, run } from '../support/recipe.ts';
import { catalogueAt, temporaryFolder } from '../support/trees.ts';

const playbill = join(new Command().folderForPath, 'playbill');
const guide = readFileSync(new URL('../../data/buckets.md', import.meta.url), 'utf8');

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

test('nginx and a private bucket, typed: a signed request is answered from the bucket, and then from the cache', async () => {
  await using store = await startMemoryStore({ bucket: 'shop' });
  const work = readableFolder();
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'nginx' });
  const database = catalogueAt(join(work, 'catalogue.sqlite'), rows);
  const key = join(work, 'alpha.key.json');
  const path = `${dirname(playbill)}:/usr/bin:/bin`;
  const environment = { ...store.environment, PATH: path, HOME: work, PLAYBILL_DB: database };
  const issue = [playbill, 'keys', 'issue', '--front', 'alpha', '--db', database, '--to', key];
  expect((await run(issue, environment, { cwd: work })).status).toBe(0);
  const [port, servicePort] = [await freePort(), await freePort()];
  const [, script = ''] = /^## nginx and a private bucket\n[^]*?^```sh\n([^]*?)^```$/m.exec(recipe('README.md')) ?? [];
  const words = [
    'bash',
    '-e',
    '-c',
    script.replace('127.0.0.1:8080', `127.0.0.1:${port} --authorizer 127.0.0.1:${servicePort}`),
  ];
  const typed = await run(words, environment, { cwd: work });
  expect(typed.status, typed.stderr).toBe(0);

  const edge = join(work, 'edge-authorizer');
  const env = { ...process.env, ...store.environment };
  const stopService = await startProgram(process.execPath, ['authorizer.mjs'], servicePort, { cwd: edge, env });
  const stop = await startProgram('nginx', ['-p', edge, '-c', 'nginx.conf'], port, { cwd: edge, env: process.env });
  try {
    const url = `http://127.0.0.1:${port}/products/`;
    const signed = await run([playbill, 'sign', url, '--key', key, '--json'], environment);
    const headers = z.record(z.string(), z.string()).parse(JSON.parse(signed.stdout));
    for (const _ of ['from the bucket', 'from the cache'])
      expect(await published(await fetch(url, { headers }), 'alpha', store)).toBe(true);
    // This store cannot leave a sibling encoded, so the service sends the plain file.
    expect(
      store.log.filter(({ method, key: asked }) => method === 'GET' && /\/products\.\w+\.json$/.test(asked)),
    ).toHaveLength(1);
    expect((await fetch(url, { headers: { ...headers, 'X-Front': 'bravo' } })).status).toBe(401);
  } finally {
    await stop();
    await stopService();
  }
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

    const configuration = readFileSync(join(work, 'edge-cloudflare/wrangler.toml'), 'utf8');
    expect(configuration).toContain(block('toml'));
    const [, binding = '', bucket = ''] = /binding = "(\w+)"\nbucket_name = "(\w+)"/.exec(block('toml')) ?? [];
    const miniflare = new Miniflare({
      modules: true,
      script: readFileSync(join(work, 'edge-cloudflare/worker.js'), 'utf8'),
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
    expect(read).toMatchObject({
      Action: 's3:GetObject',
      Resource: ['arn:aws:s3:::shop/tree/public/*', 'arn:aws:s3:::shop/tree/edge/keyring.json'],
    });
    expect(list).toEqual(z.object({ Statement: z.array(z.unknown()) }).parse(builder).Statement[1]);
  });
});
