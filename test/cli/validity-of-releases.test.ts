// Going back to a release that is not right any more: `releases` says until when each is, and
// `rollback` says so before it acts.

import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, expect, test } from 'vitest';
import { instantOf } from '../../src/catalogue/instant.ts';
import { messageText, type Message } from '../../src/cli/output/messages.ts';
import { runProgram } from '../../src/cli/program.ts';
import { releasesResultSchema } from '../../src/contract/results/history.ts';
import { testContext } from '../support/cli/parser.ts';
import { outputOf } from '../support/cli/run.ts';
import { smallCatalogue } from '../support/fault/small-catalogue.ts';
import { idIn } from '../support/manifests.ts';
import { buildTree, catalogueAt, filesOf, instant, pointerOf, temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const tree = join(root, 'tree');
const database = join(root, 'small.sqlite');
const validUntils: string[] = [];
/** After the end of the first release, before that of the second. */
const now = instant('2026-05-02T00:00:00Z');

beforeAll(async () => {
  const rows = smallCatalogue({ fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 2, edition: 'one' });
  catalogueAt(database, rows);
  for (const at of ['2026-05-01T09:00:00Z', '2026-05-01T23:00:00Z']) {
    await buildTree(database, tree, instant(at));
    validUntils.push(pointerOf(filesOf(tree), 'alpha').validUntil);
  }
  const [first = '', second = ''] = validUntils;
  expect(first < '2026-05-02T00:00:00Z' && '2026-05-02T00:00:00Z' < second).toBe(true);
});

test('releases says until when each release is right', async () => {
  const [first, second] = validUntils;
  const json = await outputOf(['releases', '--out', tree, '--json']);
  const { releases } = releasesResultSchema.parse(JSON.parse(json.printed));
  expect(releases.map(({ validUntil }) => validUntil)).toEqual([second, first]);
  const { printed } = await outputOf(['releases', '--out', tree], { now: () => now });
  expect(printed.split('\n').slice(1)).toEqual([
    expect.stringContaining('current'),
    expect.stringContaining(`  right until ${second}; median price `),
    expect.stringContaining(releases[1]?.id ?? ''),
    expect.stringContaining(`  right until ${first}; median price `),
    expect.stringMatching(/^History: /),
  ]);
});

test('rollback to a release that is over says so before it changes anything', async () => {
  const current = (): string => readFileSync(join(tree, 'releases/current'), 'utf8');
  const before = current();
  const notes: (readonly [text: string, current: string])[] = [];
  const context = { ...testContext(), now: () => now };
  const log = (said: Message | string): void =>
    void notes.push([typeof said === 'string' ? said : messageText(said), current()]);
  const terminal = { ...context.terminal, log };
  expect(await runProgram(['rollback', 'current~1', '--out', tree], { ...context, terminal })).toBe(0);
  const right = `a front of release ${idIn(current().trim())} was right until ${validUntils[0]}`;
  const note = `note: ${right}: edges serve its last edition, marked as stale`;
  expect(notes.slice(0, 1)).toEqual([
    [expect.stringContaining(`${note}\n  hint: if you have a copy of the old database`), before],
  ]);
  expect(current()).not.toBe(before);
  // Forward again: that one is still right.
  expect((await outputOf(['rollback', before.trim(), '--out', tree], { now: () => now })).logged).not.toContain(
    'note:',
  );
});

test('a release that is over soon: less than a quarter of its horizon is left', async () => {
  const out = join(root, 'soon');
  cpSync(tree, out, { recursive: true });
  const [, end = ''] = validUntils;
  const soonFrom = instant(end) - (6 * 3600) / 4 + 1;
  const noteAt = async (at: number) =>
    (await outputOf(['rollback', 'current', '--out', out], { now: () => instantOf(at) })).logged;
  expect(await noteAt(soonFrom - 1)).toBe('');
  expect(await noteAt(soonFrom)).toContain(` is right only until ${end}: from then on edges serve its last edition`);
  expect(await noteAt(instant(end))).toContain(` was right until ${end}: edges serve `);
});

test('what the note says to type serves the data as they were, right as of now, and cron does not undo it', async () => {
  const [out, copy, bad] = [join(root, 'the tree'), join(root, 'the copy.sqlite'), join(root, 'bad.sqlite')];
  cpSync(tree, out, { recursive: true });
  for (const path of [copy, bad]) cpSync(database, path);
  const spoil = new Database(bad);
  spoil.exec("UPDATE products SET name = 'Wrong'");
  spoil.close();
  const run = async (line: string) => outputOf(wordsOf(line), { now: () => now });
  const show = `show --out '${out}' --front alpha --endpoint products`;
  const build = `build --db '${bad}' --out '${out}'`;
  await run(`rollback --resume --out '${out}'`);
  expect((await run(build)).code).toBe(0);
  expect((await run(show)).printed).toContain('Wrong');

  const { logged } = await run(`rollback current~2 --out '${out}'`);
  const lines = [...logged.matchAll(/^ +playbill (.*)$/gm)].map(([, line = '']) => line.replace('COPY', `'${copy}'`));
  expect(lines).toHaveLength(3);
  expect((await run(show)).logged).toContain('is stale');
  for (const line of lines) expect([line, (await run(line)).code]).toEqual([line, 0]);
  const shown = await run(show);
  expect(shown.printed).not.toContain('Wrong');
  expect(shown.logged).toBe('');
  expect((await run(build)).code).toBe(4);
  expect(await run(show)).toEqual(shown);
});

/** The words of a command line, some of them in single quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
}
