// `playbill preview` as a person runs it: it says where it listens, answers there, ends with
// Ctrl-C, and refuses what would let others in.

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { demoRows } from '../../data/demo/rows.ts';
import { previewExportSchema, previewResultSchema } from '../../src/contract/results/preview.ts';
import { currentName, idIn } from '../support/manifests.ts';
import { buildTree, catalogueAt, instant, temporaryFolder } from '../support/trees.ts';
import { playbillProcess } from '../support/cli/run.ts';
import { compiledCommand } from '../support/compiled.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

function emptyTree(): string {
  const tree = join(temporaryFolder(), 'out');
  mkdirSync(tree);
  return tree;
}

test('it prints its address, shows the tree there, and ends with Ctrl-C', async () => {
  const words = ['preview', '--out', emptyTree(), '--port', '0', '--json'];
  const child = spawn(process.execPath, [compiledCommand(), ...words], { cwd: root });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.on('close', resolve));
  const line = await new Promise<string>((resolve) =>
    child.stdout.once('data', (bytes: Buffer) => resolve(bytes.toString())),
  );
  const { url } = previewResultSchema.parse(JSON.parse(line));
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(await (await fetch(url)).text()).toContain('<title>Playbill preview</title>');
  expect(await (await fetch(`${url}page.js`)).text()).toContain('aria-valuetext');
  expect(await (await fetch(`${url}api/releases/current`)).json()).toEqual({ id: 'current', fronts: [] });
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});

test('a catalogue is asked where there is one; where there is none, the terminal says so', async () => {
  const folder = temporaryFolder();
  const database = catalogueAt(join(folder, 'there.sqlite'), []);
  for (const path of [database, join(folder, 'none.sqlite')]) {
    const words = ['preview', '--out', emptyTree(), '--db', path, '--port', '0', '--json'];
    const child = spawn(process.execPath, [compiledCommand(), ...words], { cwd: root });
    onTestFinished(() => void child.kill('SIGKILL'));
    let log = '';
    child.stderr.on('data', (bytes: Buffer) => (log += bytes.toString()));
    const line = await new Promise<string>((resolve) =>
      child.stdout.once('data', (bytes: Buffer) => resolve(bytes.toString())),
    );
    const { url } = previewResultSchema.parse(JSON.parse(line));
    const isThere = path === database;
    expect(await (await fetch(`${url}api/overview`)).json()).toMatchObject({ database: isThere ? path : null });
    const asked = await fetch(`${url}api/explain/nowhere/nothing/2026-05-01T09:00:00Z`);
    expect([asked.status, await asked.text()]).toEqual([
      404,
      expect.stringContaining(isThere ? 'front-unknown' : 'not-found'),
    ]);
    const without = `without a catalogue (there is none at ${path})`;
    await expect.poll(() => log).toContain('Ctrl-C ends it');
    expect(log.includes(without)).toBe(!isThere);
  }
});

test.each(['0.0.0.0', '127.evil.example'])('it does not listen on %s', async (host) => {
  const { status, stderr } = await playbillProcess(['preview', '--out', emptyTree(), '--host', host, '--port', '0']);
  expect(status).toBe(2);
  expect(stderr).toContain('error address-refused: expected a loopback address');
  expect(stderr).toContain('hint:');
});

test('a port that is taken is said to be', async () => {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { status, stderr } = await playbillProcess(['preview', '--out', emptyTree(), '--port', String(port)]);
  expect(status).toBe(2);
  expect(stderr).toContain(`error address-in-use: cannot listen on 127.0.0.1:${port}`);
  expect(stderr).toContain('--port 0');
});

test('without a tree there is nothing to show', async () => {
  const { status, stderr } = await playbillProcess(['preview', '--out', join(temporaryFolder(), 'none')]);
  expect(status).toBe(2);
  expect(stderr).toContain('error tree-missing');
});

test('an export is replaced, and nothing else in its folder; what belongs to it is refused without it', async () => {
  const [folder, to] = [temporaryFolder(), join(temporaryFolder(), 'ticket')];
  const [tree, database] = [join(folder, 'out'), join(folder, 'there.sqlite')];
  const now = '2026-05-01T09:00:00Z';
  await buildTree(catalogueAt(database, [...demoRows(now)]), tree, instant(now), { frontCodes: ['kuwait'] });
  const asked = (...words: readonly string[]) => playbillProcess(['preview', '--out', tree, ...words]);
  // Without a catalogue, a time of day is of the front's zone, too.
  for (const [words, at] of [
    [['--db', database, '--address', `http://localhost:8081/?front=kuwait&at=${now}`], /^2026-05-01T09:00:00Z$/],
    [['--db', join(folder, 'none.sqlite'), '--front', 'kuwait', '--at', '18:00'], /T15:00:00Z$/],
  ] as const) {
    const { status, stdout } = await asked(...words, '--export', to, '--json');
    expect(status).toBe(0);
    const { path, bytes, ...shown } = previewExportSchema.parse(JSON.parse(stdout));
    expect(shown).toEqual({
      front: 'kuwait',
      release: idIn(currentName(tree)),
      at: expect.stringMatching(at) as string,
    });
    expect([path, bytes]).toEqual([join(to, 'index.html'), statSync(path).size]);
    expect(readdirSync(to)).toEqual(['index.html']);
  }
  writeFileSync(join(to, 'notes.txt'), 'mine');
  const refused = [
    [['--export', to, '--front', 'kuwait'], 'preview-export-exists'],
    [['--export', join(folder, 'x'), '--front', 'nowhere'], 'nothing-published'],
    [['--export', join(folder, 'x'), '--address', 'ftp://x/'], 'usage'],
    [['--front', 'kuwait'], 'usage'],
  ] as const;
  for (const [words, code] of refused) {
    const { status, stderr } = await asked('--db', database, ...words);
    expect([status, stderr]).toEqual([2, expect.stringContaining(`error ${code}: `)]);
  }
  expect(readdirSync(to)).toEqual(['index.html', 'notes.txt']);
});
