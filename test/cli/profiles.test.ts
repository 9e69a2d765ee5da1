// The profile `signed-headers` as a person uses it, by the command as it is installed: issue a key,
// serve, sign, build an edge.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CatalogueError, createClient, keyFrom } from '../../src/client/client.ts';
import { bundleEdge } from '../../src/edge/targets/bundle.ts';
import type { ProfileName } from '../../src/edge/rule/profile.ts';
import { compiledCommand } from '../support/compiled.ts';
import { playbill, playbillProcess, type Run } from '../support/cli/run.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { buildTree, catalogueAt, instant, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const out = join(root, 'out');
const places = ['--db', join(root, 'catalogue.sqlite'), '--out', out];
const key = join(root, 'alpha.key.json');
const SECRETS = { ALPHA_SECRET: 'what the ticketing system has' };
let server: ChildProcess;
let origin = '';

const issue = (...words: readonly string[]): Promise<Run> =>
  playbill(['keys', 'issue', '--front', 'alpha', '--profile', 'signed-headers', ...places, ...words]);

beforeAll(async () => {
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 0, edition: 'e' });
  const database = catalogueAt(join(root, 'catalogue.sqlite'), rows);
  await buildTree(database, out, instant(NOW));
  const issued = await issue('--secret-ref', 'ALPHA_SECRET', '--to', key);
  expect(issued.status, issued.stderr).toBe(0);
  const words = [compiledCommand(), 'serve', '--out', out, '--port', '0', '--profile', 'signed-headers'];
  server = spawn(process.execPath, words, { env: { ...process.env, ...SECRETS } });
  origin = await new Promise((resolve, reject) => {
    let said = '';
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      const [found] = /http:\/\/[\d.]+:\d+/.exec((said += text)) ?? [];
      if (found !== undefined) resolve(found);
    });
    server.once('exit', () => reject(new Error(said)));
  });
});
afterAll(() => server.kill());

async function sign(...words: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await playbill(['sign', `${origin}/products/`, '--key', key, ...words], SECRETS);
  expect(status, stderr).toBe(0);
  return stdout.trimEnd();
}

describe('sign', () => {
  test('--curl prints a command that gets the document', async () => {
    const command = await sign('--profile', 'signed-headers', '--curl');
    const { stdout } = spawnSync('sh', ['-c', command.replace('curl -i', 'curl -s')], { encoding: 'utf8' });
    const shown = await playbill(['show', '--front', 'alpha', '--endpoint', 'products', '--out', out]);
    expect(stdout).toBe(shown.stdout);
  });

  test('prints the headers, and as JSON the same', async () => {
    const options = ['--profile', 'signed-headers', '--created', '2026-05-01T12:00:00+03:00'];
    const headers = JSON.parse(await sign(...options, '--json')) as Record<string, string>;
    expect(headers).toEqual({
      'X-Front': 'alpha',
      'X-API-Key': expect.stringMatching(/^alpha-\d{4}-\d\d$/) as string,
      'X-API-Timestamp': '2026-05-01T09:00:00.000Z',
      'X-API-Signed-Headers': 'x-api-key;x-api-signed-headers;x-api-timestamp;x-front',
      'X-API-Signature': expect.stringMatching(/^[\da-f]{64}$/) as string,
    });
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    expect(await sign(...options)).toBe(lines.join('\n'));
  });

  test('without --profile signs what this server does not take', async () => {
    const headers = JSON.parse(await sign('--json')) as Record<string, string>;
    const answer = await fetch(`${origin}/products/`, { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Signed-Headers headers="/);
  });

  test('refuses a private key', async () => {
    const pair = join(root, 'pair.key.json');
    const words = ['keys', 'issue', '--front', 'alpha', '--keyid', 'alpha-pair', ...places, '--to', pair];
    expect((await playbill(words)).status).toBe(0);
    const run = await playbill(['sign', `${origin}/products/`, '--key', pair, '--profile', 'signed-headers']);
    expect(run.stderr).toContain('error key-invalid: profile signed-headers: expected a key with a secret');
    expect(run.stderr).toContain('keys issue --front CODE --profile signed-headers --secret-ref NAME');
    expect(run.status).toBe(2);
  });
});

test('the client signs so, and says what is wrong', async () => {
  const { front, key: own } = keyFrom(readFileSync(key, 'utf8'), (name) => SECRETS[name as keyof typeof SECRETS]);
  const options = { baseUrl: origin, front, key: own };
  const { productCards } = await createClient({ ...options, profile: 'signed-headers' }).products();
  expect(productCards).not.toEqual([]);
  const refused: unknown = await createClient(options)
    .products()
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(CatalogueError);
  expect(refused).toMatchObject({ status: 401, code: 'signature-missing' });
  expect(String(refused)).toContain('check profile');
});

describe('keys issue', () => {
  test.each([
    ['a key pair', ['--alg', 'ed25519'], '--profile signed-headers needs --alg hmac-sha256, found ed25519'],
    ['no name of a secret', [], 'hmac-sha256 needs --secret-ref, the name of a secret'],
  ])('%s is refused', async (_, words, message) => {
    const { status, stderr } = await issue(...words);
    expect(stderr).toContain(`error key-invalid: ${message}`);
    expect(status).toBe(2);
  });
});

describe('edge build --profile', () => {
  const BUCKET = ['--origin', 's3://bucket/tree', '--origin-region', 'eu-west-1'];

  test.each<[string, readonly ProfileName[], readonly ProfileName[], readonly string[]]>([
    ['worker', ['signed-headers', 'signed-headers'], ['signed-headers'], []],
    ['worker-s3', ['signed-headers', 'rfc9421'], ['rfc9421', 'signed-headers'], BUCKET],
    ['nginx', ['signed-headers'], ['signed-headers'], []],
  ])('%s is told of %j', async (bundle, given, profiles, more) => {
    const target = bundle === 'nginx' ? 'nginx' : 'worker';
    const to = join(root, bundle);
    const words = ['edge', 'build', '--target', target, '--out', out, '--to', to, '--profile', ...given, ...more];
    const { status, stdout, stderr } = await playbillProcess(words);
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(/^Size of the rule: [\d.,]+ k?B$/m);
    const written = (name: string): string => readFileSync(join(to, name), 'utf8');
    const code = written(target === 'nginx' ? 'playbill.js' : 'worker.js');
    expect(code.endsWith(await bundleEdge(bundle))).toBe(true);
    expect(code.split('\n')[0]).toContain(`"profiles":${JSON.stringify(profiles)}`);
  });

  test('a profile there is not', async () => {
    const words = ['edge', 'build', '--target', 'worker', '--out', out, '--profile', 'cavage'];
    const { status, stderr } = await playbill(words);
    expect(stderr).toContain('error usage: ');
    expect(status).toBe(2);
  });
});
