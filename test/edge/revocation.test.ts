// From the operator's `keys revoke` to the refusal: the commands that it prints for each kind of edge, run as they stand.

import { spawnSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyFrom } from '../../src/client/key-file.ts';
import { signRequest } from '../../src/client/signature.ts';
import { playbill } from '../support/cli/run.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { catalogueAt } from '../support/trees.ts';
import { freePort, startProgram } from '../support/edge/runtimes/runtime.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';

const folder = temporaryFolder();
const database = join(folder, 'catalogue.sqlite');
const out = join(folder, 'a tree');
const places = ['--db', database, '--out', out];
const edge = join(folder, 'edge');
const keyFile = join(folder, 'alpha.key.json');
let url = '';
let stop: () => Promise<void> = async () => undefined;

async function run(words: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const { status, stdout, stderr } = await playbill(words);
  expect(status, stderr).toBe(0);
  return { stdout, stderr };
}

async function statusOfSigned(): Promise<number> {
  const created = Math.floor(Date.now() / 1000);
  const headers = await signRequest({ method: 'GET', url, ...keyFrom(readFileSync(keyFile, 'utf8')), created });
  // A connection of its own: one that is kept may be closed by a reload just as it is used again.
  return new Promise((resolve, reject) => {
    get(url, { headers: { ...headers }, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0)).on('error', reject);
    }).on('error', reject);
  });
}

beforeAll(async () => {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 0, edition: 'e' });
  catalogueAt(database, rows);
  await run(['build', ...places, '--now', now]);
  const port = await freePort();
  url = `http://127.0.0.1:${port}/products/`;
  const issued = await run(['keys', 'issue', '--front', 'alpha', '--keyid', 'alpha-1', ...places, '--json']);
  writeFileSync(keyFile, issued.stdout);
  await run(['edge', 'build', '--target', 'nginx', '--out', out, '--to', edge, '--listen', `127.0.0.1:${port}`]);
  renameSync(join(edge, 'playbill-secrets.example.json'), join(edge, 'playbill-secrets.json'));
  stop = await startProgram('nginx', ['-p', edge, '-c', 'nginx.conf'], port, { cwd: edge, env: process.env });
});

afterAll(() => stop());

test('a valid key is accepted', async () => {
  expect(await statusOfSigned()).toBe(200);
});

test('nginx refuses a revoked key after the reload that keys revoke prints, and nothing else', async () => {
  const { stderr } = await run(['keys', 'revoke', 'alpha-1', ...places]);
  const [, command = ''] = /^ {2}nginx +(\S.*)$/m.exec(stderr) ?? [];
  expect(command).toBe('nginx -s reload');
  const [program = '', ...words] = command.split(' ');
  const { status } = spawnSync(program, ['-p', edge, '-c', 'nginx.conf', ...words], { cwd: edge });
  expect(status).toBe(0);
  // The workers that go may still answer.
  while ((await statusOfSigned()) === 200) await sleep(50);
  expect(await statusOfSigned()).toBe(401);
});

test('a worker is built without the key’s validity by the command that keys revoke prints', async () => {
  const { stderr } = await run(['keys', 'revoke', 'alpha-site', ...places]);
  const [, command = ''] = /^ {2}worker +playbill (\S.*)$/m.exec(stderr) ?? [];
  const worker = join(folder, 'edge-worker');
  // As a shell would take it apart: the tree's name is in quotes.
  const words = command.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
  await run([...words, '--to', worker]);
  expect(words).toContain(out);
  expect(readFileSync(join(worker, 'worker.js'), 'utf8')).toMatch(
    /"alpha-site":\{[^}]*"revokedAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"/,
  );
});
