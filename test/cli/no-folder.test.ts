// Places in which no folder can be made, such as /proc, where making one fails as if its parent
// were missing: every command that makes folders says so and ends.

import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { buildTree, catalogueAt, instant, temporaryFolderOfFile } from '../support/trees.ts';
import { Command, errorCodeOf, type Run } from '../support/fault/command.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';

const root = temporaryFolderOfFile();
const command = new Command();
const database = join(root, 'small.sqlite');
const rows = join(root, 'rows.ndjson');
const tree = join(root, 'tree');

/** Only so that a run that spins for ever, deaf to SIGTERM, fails the test and not the machine. */
const HANGING_MS = 120_000;

async function runGuarded(words: readonly string[]): Promise<Run> {
  const { child, ended } = command.start(words);
  const guard = setTimeout(() => child.kill('SIGKILL'), HANGING_MS);
  const run = await ended;
  clearTimeout(guard);
  return run;
}

beforeAll(async () => {
  const size = { fronts: ['alpha'], productsPerFront: 1, sessionsPerProduct: 1 };
  catalogueAt(database, smallCatalogue({ ...size, edition: 'one' }));
  await buildTree(database, tree, instant(NOW));
  writeFileSync(rows, '{"table":"venues","row":{"id":1,"name":"Main stage","timezone":"Europe/Berlin"}}\n');
  writeFileSync(join(root, 'file'), '');
  symlinkSync(join(root, 'nowhere'), join(root, 'dangling'));
});

const places = ['/proc/playbill', '/proc/playbill/deeper/still', join(root, 'file/out'), join(root, 'dangling')];

test.each(places)(
  'build, edge build, openapi and import at %s',
  async (place) => {
    for (const [words, code, exit] of [
      [['build', '--db', database, '--now', NOW, '--json', '--out', place], 'tree-not-writable', 6],
      [['edge', 'build', '--target', 'worker', '--json', '--out', tree, '--to', place], 'tree-not-writable', 6],
      [['openapi', '--json', '--schemas', place], 'tree-not-writable', 6],
      [['import', rows, '--json', '--db', join(place, 'catalogue.sqlite')], 'database-not-writable', 2],
    ] as const) {
      const run = await runGuarded(words);
      expect([words[0], run.signal, run.code]).toEqual([words[0], null, exit]);
      expect(errorCodeOf(run)).toBe(code);
      expect(run.stderr).toContain(place);
    }
  },
  5 * HANGING_MS,
);
