// `playbill edge check` and `playbill status --edge` as a person runs them: what is printed, what
// is refused, what was compared.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EDGE_CHECKS } from '../../src/edge-check/checks.ts';
import type { EdgeCheck } from '../../src/contract/results/edge.ts';
import { statusResultSchema } from '../../src/contract/results/status.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { playbill } from '../support/cli/run.ts';
import { CheckedTrees, clock, namesOf, worldOf } from '../support/edge/checked-trees.ts';
import { freePort } from '../support/edge/runtimes/runtime.ts';
import { startNodeServer } from '../support/edge/runtimes/node-server.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';

const trees = new CheckedTrees(temporaryFolder());

beforeAll(() => trees.make());

describe('the command', () => {
  let url = '';
  let stop: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    const settings = { ...DEFAULT_SETTINGS, base: '/api' };
    const runtime = await startNodeServer(worldOf(trees.out), { clock, settings });
    url = `http://127.0.0.1:${runtime.port}/api`;
    stop = () => runtime.stop();
  });
  afterAll(() => stop());

  test('says what it has not checked, and what to give so that it does', async () => {
    for (const address of [url, `${url}/`]) {
      const result = await trees.check(address, [], ['--key', trees.keyFile('moscow-1')]);
      expect(namesOf(result, 'differs')).toEqual([]);
      const unchecked = result.checks.filter(({ state }) => state === 'not-checked');
      expect(unchecked.map(({ check: name, hint }) => [name, /--[a-z-]+/.exec(hint ?? '')?.[0]])).toEqual([
        ['revoked-key', '--revoked-key'],
        ['key-ring', '--out'],
        ['as-of', '--out'],
        ['edition', '--out'],
        ['fronts-apart', '--other-key'],
      ]);
    }
  });

  test('has the rows of the reference, but for the one that stands in for documents', async () => {
    const { checks } = await trees.check(url);
    const named = Object.keys(EDGE_CHECKS).filter((name) => name !== 'documents');
    expect(checks.map((row) => row.check).toSorted()).toEqual(named.toSorted());
  });

  test('prints a row for each check, and a difference with what was expected, found, and what to do', async () => {
    const { status, stdout } = await playbill([
      'edge',
      'check',
      url.replace('/api', ''),
      ...trees.keys(),
      '--out',
      trees.out,
    ]);
    expect(status).toBe(1);
    expect(stdout).toContain(
      'base-path    differs\n  expected /products/ and /fronts/categories/ are known\n  found 404 not-found\n  hint: the URL is everything',
    );
    const good = await playbill(['edge', 'check', url, ...trees.keys(), '--out', trees.out]);
    expect(good.status, good.stdout).toBe(0);
    expect(good.stdout).toMatch(/^latency +ok\n {2}median \d+ ms, 95th percentile \d+ ms$/m);
    expect(good.stdout).toMatch(/^boundary +ok\n {2}products until \S+Z, then /m);
    expect(good.stdout).toMatch(/\n\n\d+ checks for moscow at \S+ as of \S+Z: \d+ ok, 0 differ\n$/);
  });

  test('an edge that does not answer at all ends it, with what to do', async () => {
    const selfSigned = createTlsServer(certificate()).listen(0, '127.0.0.1');
    await once(selfSigned, 'listening');
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const portOf = (server: Server): number => (server.address() as AddressInfo).port;
    for (const [address, hint, timeout = '2m'] of [
      [`http://127.0.0.1:${await freePort()}`, 'check the URL and its port'],
      [`https://127.0.0.1:${portOf(selfSigned)}`, 'NODE_EXTRA_CA_CERTS'],
      [`https://127.0.0.1:${portOf(silent)}`, 'wait longer with --timeout', '2s'],
    ] as const) {
      const words = ['edge', 'check', address, '--key', trees.keyFile('moscow-1'), '--timeout', timeout];
      const { status, stdout, stderr } = await playbill(words);
      expect(stderr).toMatch(/^error edge-unreachable: expected an answer from .*\n {2}hint: .*\n$/);
      expect(stderr).toContain(hint);
      expect([status, stdout]).toEqual([2, '']);
    }
    selfSigned.close();
    silent.close();
  });

  test('a tree that is not there: exit 2, before anything is sent', async () => {
    const words = ['edge', 'check', 'https://edge.invalid', '--key', trees.keyFile('moscow-1')];
    const { status, stderr } = await playbill([...words, '--out', join(trees.folder, 'none')]);
    expect(stderr).toContain('error tree-missing: ');
    expect(status).toBe(2);
    const named = await playbill(words, { PLAYBILL_OUT: join(trees.folder, 'nothing') });
    expect(named.stderr).toContain('error tree-missing: expected a tree at ');
  });

  test.each([
    ['no key file', 'https://edge.invalid', join(trees.folder, 'none.json'), 'key-file-unreadable'],
    ['a key that cannot sign', 'https://edge.invalid', join(trees.folder, 'broken.json'), 'key-invalid'],
    ['no URL', 'edge.invalid', trees.keyFile('moscow-1'), 'usage'],
    ['a URL of another kind', 's3://bucket', trees.keyFile('moscow-1'), 'usage'],
    ['the URL of a document', 'https://edge.invalid/products/', trees.keyFile('moscow-1'), 'usage'],
    ['a URL whose path would be a host', 'https://edge.invalid//x', trees.keyFile('moscow-1'), 'usage'],
    ['a secret in place of a key file', 'https://edge.invalid', join(trees.folder, 'raw.txt'), 'key-file-unreadable'],
    ['a URL with a password', 'https://me:secret@edge.invalid', trees.keyFile('moscow-1'), 'usage'],
  ])('%s: exit 2, a code and a hint', async (_, address, key, code) => {
    const issued = JSON.parse(readFileSync(trees.keyFile('moscow-1'), 'utf8')) as { readonly privateKey: object };
    const broken = { ...issued, privateKey: { ...issued.privateKey, d: 'AAAA' } };
    writeFileSync(join(trees.folder, 'raw.txt'), 'secret of an edge');
    writeFileSync(join(trees.folder, 'broken.json'), JSON.stringify(broken), { mode: 0o600 });
    const { status, stdout, stderr } = await playbill(['edge', 'check', address, '--key', key]);
    expect(stderr).toMatch(new RegExp(`^error ${code}: .*\\n {2}hint: .*\\n$`));
    expect(stderr).not.toContain('secret');
    expect([status, stdout]).toEqual([2, '']);
  });
});

describe('status --edge compares an edge with the tree, key by key', () => {
  const keys = (['moscow-1', 'moscow-0', 'berlin-1'] as const).map((keyid) => trees.keyFile(keyid));
  const status = async (url: string, root = trees.out) => {
    const words = ['status', '--out', root, '--edge', url, '--key', ...keys, '--json'];
    const { status: code, stdout, stderr } = await playbill(words);
    expect(stderr).toBe('');
    const { edge, isStale } = statusResultSchema.parse(JSON.parse(stdout));
    expect([isStale, code]).toEqual([false, edge?.checks.every(({ state }) => state === 'ok') === true ? 0 : 1]);
    return edge?.checks ?? [];
  };
  const on = async (root: string, more: Parameters<typeof startNodeServer>[1] = {}) => {
    const runtime = await startNodeServer(worldOf(root), { clock, ...more });
    try {
      return await status(`http://127.0.0.1:${runtime.port}`);
    } finally {
      await runtime.stop();
    }
  };
  const statesOf = (checks: readonly EdgeCheck[]) => checks.map(({ check: name, state }) => [name, state]);

  test('nothing differs where it goes by the tree', async () => {
    const checks = await on(trees.out);
    expect(statesOf(checks)).toEqual([
      ['key moscow-1', 'ok'],
      ['front moscow', 'ok'],
      ['key moscow-0', 'ok'],
      ['key berlin-1', 'ok'],
      ['front berlin', 'ok'],
    ]);
    expect(checks.map(({ expected }) => expected.split(':')[0])).toContain('refused');
  });

  test('a key that was revoked in the tree alone', async () => {
    const checks = await on(trees.beforeRevocation);
    expect(checks.filter(({ state }) => state === 'differs')).toMatchObject([
      { check: 'key moscow-0', found: '200 application/json' },
    ]);
  });

  test('an old snapshot', async () => {
    const checks = await on(trees.stale);
    expect(checks.filter(({ state }) => state === 'differs').map((row) => row.check)).toEqual([
      'front moscow',
      'front berlin',
    ]);
  });

  test('another document than the ETag names', async () => {
    const checks = await on(trees.withOtherProducts());
    expect(checks.filter(({ state }) => state === 'differs')).toMatchObject([
      { check: 'front moscow', found: 'another document than its ETag names' },
    ]);
  });

  test('answers that say nothing about keys are no comparison, and none is right by chance', async () => {
    expect(new Set((await on(trees.out, { clock: () => clock() + 600 })).map(({ state }) => state))).toEqual(
      new Set(['not-checked']),
    );
    const rows = await status(`http://127.0.0.1:${await freePort()}`);
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['differs']));
    expect(rows[0]?.found).toContain('ECONNREFUSED');
  });

  test('the table says what was compared', async () => {
    const runtime = await startNodeServer(worldOf(trees.out), { clock });
    const url = `http://127.0.0.1:${runtime.port}`;
    const { stdout } = await playbill(['status', '--out', trees.out, '--edge', url, '--key', ...keys]);
    await runtime.stop();
    expect(stdout).toMatch(/^key moscow-0 +ok, refused$/m);
    expect(stdout).toContain(`Edge ${url}/ matches the tree: 5 of 5 checks ok (3 keys tried)\n`);
  });

  test.each([
    ['no key', ['--edge', 'https://edge.invalid']],
    ['no edge', ['--key', trees.keyFile('moscow-1')]],
  ])('%s: exit 2, and what to type', async (_, words) => {
    const { status: code, stderr } = await playbill(['status', '--out', trees.out, ...words]);
    expect(stderr).toMatch(/^error usage: expected --edge with at least one --key, found .*\n {2}hint: for example /);
    expect(code).toBe(2);
  });
});

/** A key and a certificate that no authority has signed. */
function certificate(): { readonly key: string; readonly cert: string } {
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=edge'];
  const file = join(trees.folder, 'tls.pem');
  const { status, stderr } = spawnSync('openssl', [...words, '-keyout', file, '-out', `${file}.crt`], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return { key: readFileSync(file, 'utf8'), cert: readFileSync(`${file}.crt`, 'utf8') };
}
