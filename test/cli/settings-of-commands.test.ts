// What commands other than build take from playbill.json, and the file that `config init` writes.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { configResultSchema } from '../../src/contract/results/config.ts';
import { releasesResultSchema } from '../../src/contract/results/history.ts';
import { ALL_SETTINGS } from '../../src/cli/settings/settings.ts';
import { inFolder, settingsFolder } from '../support/cli/settings.ts';
import { outputOf } from '../support/cli/run.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const db = join(root, 'c.sqlite');
const out = join(root, 'out');

beforeAll(async () => {
  const small = { fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1, edition: 'one' };
  catalogueAt(db, smallCatalogue(small));
  await buildTree(db, out, instant(NOW), { horizonSeconds: 7200, precompress: ['gzip', 'br'] });
});

test('how much history is kept', async () => {
  const folder = settingsFolder({ out: 'tree', db, keep: { last: 1, hourly: 0, daily: 0, grace: '10m' } });
  const build = (now: string, ...more: string[]) => inFolder(folder, ['build', '--json', '--now', now, ...more]);
  const kept = async () => {
    const { printed } = await inFolder(folder, ['releases', '--json']);
    return releasesResultSchema.parse(JSON.parse(printed)).releases.map(({ now }) => now.slice(11, 16));
  };
  for (const minute of ['00', '05', '10', '15', '20']) await build(`2026-05-01T09:${minute}:00Z`);
  expect(await kept()).toEqual(['09:20', '09:15', '09:10']);
  // By hand, for one run.
  await build('2026-05-01T09:25:00Z', '--keep-last', '4');
  expect(await kept()).toEqual(['09:25', '09:20', '09:15', '09:10']);
  await inFolder(folder, ['prune', '--grace', '0']);
  expect(await kept()).toEqual(['09:25']);
});

describe('edge build', () => {
  const edge = {
    target: 'worker',
    to: 'made',
    maxAge: '30s',
    base: '/api',
    authority: false,
    profiles: ['signed-headers'],
  };

  test('with no flags writes what the file says', async () => {
    const folder = settingsFolder({ out, edge });
    const { code, logged } = await inFolder(folder, ['edge', 'build']);
    expect([code, logged]).toEqual([0, '']);
    const [told = ''] = readFileSync(join(folder, 'made/worker.js'), 'utf8').split('\n');
    for (const part of ['"base":"/api"', '"maxAge":30', '"requiresAuthority":false', '"profiles":["signed-headers"]'])
      expect(told).toContain(part);
  });

  test('for another target takes only what is not about the first', async () => {
    const folder = settingsFolder({
      out,
      edge: { ...edge, origin: 'https://origin.example/public', encodings: ['gzip'] },
    });
    const to = join(temporaryFolder(), 'nginx');
    const { code, logged } = await inFolder(folder, ['edge', 'build', '--target', 'nginx', '--to', to]);
    expect([code, logged]).toEqual([0, '']);
    expect(existsSync(join(folder, 'made'))).toBe(false);
    expect(readFileSync(join(to, 'playbill.js'), 'utf8')).toContain('"maxAge":30');
    // The same, named: it is what the file is about.
    expect(await inFolder(folder, ['edge', 'build', '--target', 'worker'])).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, 'made/worker.js'))).toBe(true);
  });

  test('asks for a target that nothing names', async () => {
    const { code, logged } = await inFolder(settingsFolder({ out }), ['edge', 'build']);
    expect([code, logged]).toEqual([2, expect.stringContaining('expected --target <runtime>, found none')]);
  });
});

describe('the URL of the edge', () => {
  const key = join(root, 'alpha.key.json');
  // Nothing listens on this port.
  const edge = { url: 'http://127.0.0.1:9/api' };
  beforeAll(async () => {
    const issue = ['keys', 'issue', '--front', 'alpha', '--keyid', 'alpha-app', '--to', key, '--db', db, '--out', out];
    expect(await outputOf(issue)).toMatchObject({ code: 0 });
  });

  test.each([
    ['edge check', ['edge', 'check', '--key', key], 2],
    ['status --edge', ['status', '--edge', '--key', key], 1],
    ['status --key', ['status', '--key', key], 1],
  ])('is known to %s', async (_, words, code) => {
    const run = await inFolder(settingsFolder({ out, edge }), words);
    expect(run.code).toBe(code);
    expect(run.printed + run.logged).toContain('127.0.0.1:9');
  });

  test('status alone asks no edge', async () => {
    const { printed } = await inFolder(settingsFolder({ out, edge }), ['status', '--at', NOW]);
    expect(printed).not.toContain('127.0.0.1');
  });

  test.each([
    ['edge check', ['edge', 'check', '--key', key], 'expected the URL of the edge, found none'],
    ['status --edge', ['status', '--edge', '--key', key], '--edge: expected a URL, found none'],
    ['status --key', ['status', '--key', key], 'expected --edge with at least one --key, found --key alone'],
  ])('is asked for by %s where nothing says it', async (_, words, message) => {
    const { code, logged } = await inFolder(settingsFolder({ out }), words);
    expect([code, logged]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('keys', () => {
  const revoke = async (edge: object | undefined): Promise<string> => {
    const folder = settingsFolder({ db, out, ...(edge === undefined ? {} : { edge }) });
    const issue = ['keys', 'issue', '--front', 'alpha', '--alg', 'hmac-sha256', '--secret-ref', 'ALPHA_SECRET'];
    const issued = await inFolder(folder, issue);
    const { keyid } = JSON.parse(issued.printed) as { keyid: string };
    const { code, logged } = await inFolder(folder, ['keys', 'revoke', keyid]);
    expect(code).toBe(0);
    return `${issued.logged}\n${logged}`;
  };

  test('say what to do for every kind of edge where none is known', async () => {
    const text = await revoke(undefined);
    for (const word of ['nginx', 'worker', 'authorizer', 'lambda-edge', 'wrangler kv key put'])
      expect(text).toContain(word);
  });

  test.each([
    [{ target: 'nginx' }, ['playbill-secrets.js', 'The edge (nginx) uses it'], ['wrangler', 'lambda-edge']],
    [
      { target: 'deno' },
      ['set an environment variable', 'The edge (deno) uses it'],
      ['kv key put', 'playbill-secrets.js'],
    ],
    [
      { target: 'cloudflare', to: '/srv/edge' },
      ['In /srv/edge, run:\n  wrangler kv key put'],
      ['copy edge/keyring.json'],
    ],
    [{ target: 'cloudflare', origin: 'r2://shop/tree' }, ['The edge (cloudflare) uses it'], ['kv key put']],
  ])('say it for the one of the file: %j', async (edge, present, absent) => {
    const text = await revoke(edge);
    for (const word of present) expect(text).toContain(word);
    for (const word of absent) expect(text).not.toContain(word);
  });
});

describe('the token of a hook', () => {
  const received: IncomingHttpHeaders[] = [];
  const listen = async (): Promise<string> => {
    received.length = 0;
    const server = createServer((request, response) => {
      received.push(request.headers);
      request.resume().on('end', () => response.end());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  };

  test('comes from the environment, and goes to its URL alone', async () => {
    const onPublish = await listen();
    const folder = settingsFolder({ db, out: 'out', onPublish, onPublishTokenEnv: 'HOOK' });
    const environment = (name: string): string | undefined => (name === 'HOOK' ? 's3cret' : undefined);
    const { code, printed, logged } = await inFolder(folder, ['build', '--now', NOW], { environment });
    expect([code, logged]).toEqual([0, '']);
    expect(received.map(({ authorization }) => authorization)).toEqual(['Bearer s3cret']);
    expect(printed).not.toContain('s3cret');
    const listed = await inFolder(folder, ['config'], { environment });
    expect(listed.printed).not.toContain('s3cret');
  });

  test('is asked for before anything is published', async () => {
    const onPublish = await listen();
    const folder = settingsFolder({ db, out: 'out', onPublish, onPublishTokenEnv: 'HOOK' });
    const { code, logged } = await inFolder(folder, ['build', '--now', NOW]);
    expect([code, logged]).toEqual([
      2,
      expect.stringContaining('expected a token in the environment variable HOOK, found none'),
    ]);
    expect(existsSync(join(folder, 'out'))).toBe(false);
    expect(received).toEqual([]);
  });

  test('none is sent where none is asked for', async () => {
    const onPublish = await listen();
    const folder = settingsFolder({ db, out: 'out', onPublish });
    expect(await inFolder(folder, ['build', '--now', NOW])).toMatchObject({ code: 0 });
    expect(received.map(({ authorization }) => authorization)).toEqual([undefined]);
  });
});

describe('config init', () => {
  const init = (folder: string, ...words: readonly string[]) =>
    inFolder(folder, ['config', 'init', '--out', '/nowhere', ...words]);
  const written = (folder: string): Record<string, unknown> =>
    JSON.parse(readFileSync(join(folder, 'playbill.json'), 'utf8')) as Record<string, unknown>;

  test('writes what was asked and what the tree has, and then builds need no flags', async () => {
    const folder = temporaryFolder();
    const asked = ['--db', db, '--out', out, '--max-shrink', '20%', '--target', 'nginx', '--profile', 'rfc9421'];
    const { code, logged, printed } = await init(folder, ...asked);
    expect([code, logged, printed]).toEqual([0, '', `Wrote ${folder}/playbill.json; look at it with: playbill config`]);
    expect(written(folder)).toEqual({
      $schema: 'urn:playbill:schema:playbill',
      db,
      out,
      horizon: '2h',
      precompress: ['br', 'gzip'],
      guards: { maxShrink: '20%', maxBad: '5%' },
      edge: { target: 'nginx', profiles: ['rfc9421'] },
    });
    expect(statSync(join(folder, 'playbill.json')).mode & 0o777).toBe(0o644);
    expect(await inFolder(folder, ['build', '--now', '2026-05-01T09:10:00Z'])).toMatchObject({ code: 0 });
  });

  test('writes the defaults where nothing is found, and what the environment says', async () => {
    const folder = temporaryFolder();
    const environment = (name: string): string | undefined => (name === 'PLAYBILL_OUT' ? 's3://shop/tree' : undefined);
    const { code, printed } = await inFolder(folder, ['config', 'init', '--json', '--db', '/c.sqlite'], {
      environment,
    });
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toEqual({
      file: join(folder, 'playbill.json'),
      keys: ['db', 'out', 'horizon', 'precompress', 'guards.maxShrink', 'guards.maxBad'],
    });
    expect(written(folder)).toMatchObject({ db: '/c.sqlite', out: 's3://shop/tree', horizon: '6h', precompress: [] });
  });

  test('makes paths of this folder mean the same from another', async () => {
    const folder = temporaryFolder();
    await init(folder, '--db', 'data/c.sqlite', '--out', 'out');
    expect(written(folder)).toMatchObject({
      db: join(process.cwd(), 'data/c.sqlite'),
      out: join(process.cwd(), 'out'),
    });
  });

  test('every setting that can be typed can be written and read back', async () => {
    const typed = ALL_SETTINGS.flatMap(({ term, form, example }) => {
      const flag = term.replace(/ .*/, '');
      return form === 'switch'
        ? [flag]
        : [flag, ...(term.includes('...') ? [example].flat().map(String) : [[example].flat().join(',')])];
    });
    const folder = temporaryFolder();
    const { code, logged } = await init(folder, ...typed);
    expect(code, logged).toBe(0);
    const { printed } = await inFolder(folder, ['config', '--json']);
    const { settings } = configResultSchema.parse(JSON.parse(printed));
    expect(settings.filter(({ source }) => source === 'default')).toEqual([]);
    expect(settings).toHaveLength(ALL_SETTINGS.length);
  });

  test('overwrites nothing, writes no secret, and says so where the folder is not its own', async () => {
    const folder = settingsFolder({ horizon: '1h' });
    expect((await init(folder)).logged).toMatch(
      /^error settings-not-writable: .* found: one is there\n {2}hint: change that one/,
    );
    expect(written(folder)).toEqual({ horizon: '1h' });
    const empty = temporaryFolder();
    const secret = await init(empty, '--db', 'postgres://box:hunter2@db/tickets');
    expect(secret.logged).toMatch(/^error settings-invalid: .*: db: expected no secret/);
    expect(existsSync(join(empty, 'playbill.json'))).toBe(false);
    expect((await init(empty, '--config', join(empty, 'no/playbill.json'))).logged).toMatch(
      /settings-not-writable: .*\n {2}hint: make its folder, with: mkdir -p \//,
    );
    chmodSync(empty, 0o777);
    expect((await init(empty)).logged).toMatch(/^warning settings-unsafe: /);
  });

  test('says how its commands come to run', async () => {
    const { logged } = await init(temporaryFolder(), '--on-publish', './purge.sh');
    expect(logged).toMatch(/^note: its commands run only if it is named: export PLAYBILL_CONFIG=\/.*\/playbill\.json$/);
  });
});

test('the JSON Schema of the file takes every setting and no other', async () => {
  const folder = temporaryFolder();
  await outputOf(['openapi', '--schemas', folder]);
  const text = readFileSync(join(folder, 'playbill.schema.json'), 'utf8');
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(JSON.parse(text) as object);
  const whole: Record<string, unknown> = { $schema: 'playbill.schema.json' };
  for (const { key, example } of ALL_SETTINGS) {
    const [group = '', name] = key.split('.');
    if (name === undefined) whole[group] = example;
    else whole[group] = { ...(whole[group] as object | undefined), [name]: example };
  }
  expect(validate(whole), JSON.stringify(validate.errors)).toBe(true);
  expect(validate({})).toBe(true);
  for (const wrong of [
    { horizn: '6h' },
    { horizon: 6 },
    { horizon: 'soon' },
    { edge: { targets: 'nginx' } },
    { precompress: ['zip'] },
  ])
    expect(validate(wrong)).toBe(false);
});
