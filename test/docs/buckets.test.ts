// data/buckets.md, typed: its blocks for the shell, in order, in an empty folder, with a store in
// this process as the bucket. Put in are the store's address, its credentials and a free port;
// nothing else is known to the shells.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { freePort } from '../support/edge/runtimes/runtime.ts';
import { Command } from '../support/fault/command.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import type { LoggedRequest } from '../support/objects/test-store.ts';
import { run } from '../support/recipe.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const guide = readFileSync(join(root, 'data/buckets.md'), 'utf8');
const work = temporaryFolderOfFile();
const path = `${new Command().folderForPath}:${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`;
/** Of a shell that knows no credentials. */
const bare = { PATH: path, HOME: work };

const policySchema = z.object({
  Statement: z.array(
    z.object({
      Effect: z.literal('Allow'),
      Action: z.union([z.string(), z.array(z.string())]).transform((actions) => [actions].flat()),
      Resource: z.string(),
      Condition: z.object({ StringLikeIfExists: z.object({ 's3:prefix': z.string() }) }).optional(),
    }),
  ),
});

let store: MemoryStore;
let port: number;
let terminal: ChildProcess;
/** What the first terminal has printed. */
let printed = '';
/** How many requests there had been when the worker answered for the first time. */
let requestsOfBuilder = 0;

/** The blocks of a language in the guide. */
function blocks(language: string): readonly string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);
}

/**
 * The blocks for the shell as somebody with this store would type them; the last is for another
 * terminal.
 */
function typed(): readonly string[] {
  return blocks('sh').map((block) =>
    block
      .replaceAll(/^export (AWS_\w+)=.*$/gm, (_, name: string) => `export ${name}='${store.environment[name] ?? ''}'`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`),
  );
}

beforeAll(async () => {
  store = await startMemoryStore({ bucket: 'shop' });
  port = await freePort();
  for (const name of ['package.json', 'scripts']) symlinkSync(join(root, name), join(work, name));
  const script = typed().slice(0, -1).join('');
  // A group of its own, to be ended with what it runs.
  terminal = spawn('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: work, env: bare, detached: true });
  for (const stream of [terminal.stdout, terminal.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const answered = vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`), { timeout: 300_000 });
  const ended = once(terminal, 'exit').then(() => Promise.reject(new Error(`the session has ended:\n${printed}`)));
  await Promise.race([answered, ended]);
  ended.catch(() => undefined);
  requestsOfBuilder = store.log.length;
});

afterAll(async () => {
  if (terminal.pid !== undefined && terminal.exitCode === null) {
    const ended = once(terminal, 'exit');
    process.kill(-terminal.pid);
    await ended;
  }
  await store.close();
});

test('from the guide alone: a build, a worker over the private bucket, a signed request answered', async () => {
  expect(printed).toMatch(/^Published 13 of 13 fronts /m);
  expect(printed).toMatch(/^13 fronts as of .*: all fresh$/m);
  expect(printed).toMatch(/^Checked 13 fronts, .*: 0 errors, 0 warnings$/m);
  const { status, stdout } = await run(['bash', '-e', '-o', 'pipefail', '-c', typed().at(-1) ?? ''], bare, {
    cwd: work,
  });
  expect(status).toBe(0);
  const [head = '', body = ''] = stdout.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
  const digest = /^etag: W\/"([0-9a-f]+)"/im.exec(head)?.[1] ?? '';
  const edition = (await store.objects()).get(`tree/public/fronts/moscow/products.${digest}.json`);
  expect(body).toBe(edition?.bytes.toString());
});

test('without a signature neither the worker nor the bucket gives anything', async () => {
  const headers = { 'x-front': 'moscow' };
  expect((await fetch(`http://127.0.0.1:${port}/products/`, { headers })).status).toBe(401);
  const pointer = `${store.endpoint}/shop/tree/public/fronts/moscow/pointer.json`;
  expect((await fetch(pointer)).status).toBe(403);
});

describe('permissions', () => {
  /**
   * The actions and resources that a request needs; a missing object is only known to who may list,
   * and that question has no prefix.
   */
  function needsOf({
    method,
    key,
    query,
    status,
  }: LoggedRequest): readonly (readonly [string, string, string | null])[] {
    const arn = 'arn:aws:s3:::shop';
    if (key === '') return [['s3:ListBucket', arn, query['prefix'] ?? null]];
    const action = { GET: 's3:GetObject', PUT: 's3:PutObject', DELETE: 's3:DeleteObject' }[method] ?? method;
    const read = [action, `${arn}/${key}`, null] as const;
    return status === 404 ? [read, ['s3:ListBucket', arn, null]] : [read];
  }

  /**
   * The requests of a log that a policy does not allow, and its actions that none of them needs.
   */
  function judge(policy: z.infer<typeof policySchema>, log: readonly LoggedRequest[]) {
    const isLike = (text: string, pattern: string): boolean =>
      pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
    const unused = new Set(policy.Statement.flatMap(({ Action }) => Action));
    const refused = log.filter((request) =>
      needsOf(request).some(([action, resource, prefix]) => {
        const isAllowed = policy.Statement.some(({ Action, Resource, Condition }) => {
          const pattern = Condition?.StringLikeIfExists['s3:prefix'] ?? '*';
          return Action.includes(action) && isLike(resource, Resource) && (prefix === null || isLike(prefix, pattern));
        });
        unused.delete(action);
        return !isAllowed;
      }),
    );
    return { refused: refused.map(({ method, key }) => `${method} ${key}`), unused: [...unused] };
  }

  const policy = policySchema.parse(JSON.parse(blocks('json')[0] ?? ''));

  test('those of the guide are enough for the builder, and none is too many', () => {
    expect(store.log.length).toBeGreaterThan(requestsOfBuilder);
    expect(judge(policy, store.log.slice(0, requestsOfBuilder))).toEqual({ refused: [], unused: [] });
  });

  test('the edge needs no more than to read what is public', () => {
    const resource = /`s3:GetObject` on `shop\/(tree\/public\/\*)`/.exec(guide)?.[1];
    const [, list] = policy.Statement;
    const read = { Effect: 'Allow' as const, Action: ['s3:GetObject'], Resource: `arn:aws:s3:::shop/${resource}` };
    const edge = { Statement: list === undefined ? [] : [read, list] };
    expect(judge(edge, store.log.slice(requestsOfBuilder)).refused).toEqual([]);
  });
});

test('the objects have the headers that the guide gives', async () => {
  const objects = [...(await store.objects())];
  const headersOf = (pattern: RegExp) =>
    new Set(objects.filter(([key]) => pattern.test(key)).map(([, { headers }]) => JSON.stringify(headers)));
  const immutable = 'public, max-age=31536000, immutable';
  const json = { 'content-type': 'application/json' };
  const expected: readonly (readonly [RegExp, object])[] = [
    [/\/pointer\.json$|keyring\.json$|\.lock$/, { ...json, 'cache-control': 'no-cache' }],
    [/\.[0-9a-f]{16}\.json$|\/releases\/[0-9A-Za-z]+-[0-9a-f]+\.json$/, { ...json, 'cache-control': immutable }],
    [/\.gz$/, { ...json, 'cache-control': immutable, 'content-encoding': 'gzip' }],
  ];
  for (const [pattern, headers] of expected) {
    const found = [...headersOf(pattern)].map((text) => JSON.parse(text) as object);
    expect(found, String(pattern)).toEqual([headers]);
  }
  expect(objects.filter(([key]) => key.startsWith('tree/.probe/'))).toEqual([]);
});

test('without the right to list a first build ends at once, and says what to allow', async () => {
  store.denied = [{ action: 'list', prefix: '' }];
  try {
    const words = ['playbill', 'build', '--db', 'catalogue.sqlite', '--out', 's3://shop/new'];
    const { status, stderr } = await run(words, { ...bare, ...store.environment }, { cwd: work });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(/^error tree-unreadable: .*\n {2}hint: .*s3:ListBucket/),
    ]);
  } finally {
    store.denied = [];
  }
});

test('an edge that reads a folder is not written for a bucket', async () => {
  const environment = { ...bare, ...store.environment, PLAYBILL_OUT: 's3://shop/tree' };
  const words = ['playbill', 'edge', 'build', '--to', 'other', '--target'];
  for (const target of ['nginx', 'worker']) {
    const { status, stderr } = await run([...words, target], environment, { cwd: work });
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^error edge-option-invalid: expected --origin s3:\/\/shop\/tree or --public-root FOLDER, since the tree is in a bucket/,
      ),
    ]);
  }
  expect((await run([...words, 'nginx', '--public-root', 'public'], environment, { cwd: work })).status).toBe(0);
});

test('a build without news puts what the guide says', async () => {
  const environment = {
    ...bare,
    ...store.environment,
    PLAYBILL_DB: 'catalogue.sqlite',
    PLAYBILL_OUT: 's3://shop/tree',
  };
  const words = ['playbill', 'build', '--precompress', 'gzip'];
  const build = async (): Promise<string[]> => {
    const before = store.log.length;
    expect((await run(words, environment, { cwd: work })).status).toBe(0);
    const puts = store.log.slice(before).filter(({ method }) => method === 'PUT');
    return puts.map(({ key }) => key.replace(/\d{8}T\d{6}Z-[0-9a-f]{16}/, 'NAME')).toSorted();
  };
  // The clock may bring news of its own: an edition that begins, or one behind the horizon.
  let keys = await build();
  for (let more = 0; more < 3 && keys.some((key) => key.includes('/public/')); more++) keys = await build();
  expect(keys).toEqual([
    ...Array.from({ length: 3 }, () => 'tree/.lock'),
    'tree/releases/NAME.json',
    'tree/releases/current',
  ]);
  expect(guide).toContain('A build in which nothing has changed sends 500 bytes in five PUTs');
});
