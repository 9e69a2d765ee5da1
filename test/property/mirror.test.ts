// `import --mirror` from random catalogues to random inputs: it ends in exactly the input or
// changes nothing, counts what it did, and does not write a row that stays as it is.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { mirrorRows } from '../../src/database/write/mirror-rows.ts';
import { TABLE_NAMES, TABLE_RULES } from '../../src/database/contract/tables.ts';
import { createCatalogue, insertRows, type CatalogueRow } from '../support/catalogue.ts';
import { expectEveryKind, expectRandomMirrors, exported, inputOf, type Written } from '../support/random-mirrors.ts';
import { catalogueArbitrary } from '../support/reference/random-catalogue.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder } from '../support/trees.ts';
import { longRuns, runs } from '../speeds.ts';

/** Notes every write in a table of its own. */
const WATCHES = TABLE_NAMES.flatMap((table) =>
  (['insert', 'update', 'delete'] as const).map((kind) => {
    const key = TABLE_RULES[table].key.map((column) => `${kind === 'delete' ? 'old' : 'new'}.${column}`);
    return `CREATE TRIGGER watch_${table}_${kind} AFTER ${kind} ON ${table}
      BEGIN INSERT INTO written VALUES ('${table}', '${kind}', ${key.join(" || ',' || ")}); END;`;
  }),
);

/** A catalogue with these rows that notes what is written to it from now on. */
function watchedCatalogue(path: string, rows: readonly CatalogueRow[]): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
  const database = createCatalogue(path);
  insertRows(database, rows);
  database.exec(`CREATE TABLE written (name TEXT, kind TEXT, id TEXT);${WATCHES.join('')}`);
  database.close();
}

function writtenIn(path: string): readonly Written[] {
  const database = new Database(path, { readonly: true });
  const written = database.prepare<[], Written>('SELECT * FROM written').all();
  database.close();
  return written;
}

/** A folder in memory, where the system has one: each mirror waits for the disk several times. */
function folderInMemory(): string {
  if (!existsSync('/dev/shm')) return temporaryFolder();
  const folder = mkdtempSync('/dev/shm/playbill-test-');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a mirror ends in exactly the input, or changes nothing; what stays as it is is not written', async () => {
  const path = join(folderInMemory(), 'catalogue.sqlite');
  const database = {
    path,
    fill: async (rows: readonly CatalogueRow[]) => watchedCatalogue(path, rows),
    written: async () => writtenIn(path),
  };
  const total = longRuns(100, 500);
  expectEveryKind([await expectRandomMirrors(database, total)], total);
});

test('a mirror followed by a build gives the tree that a fresh import gives', async () => {
  const root = temporaryFolder();
  let [serial, mirrored] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      catalogueArbitrary({ forms: 'ours' }),
      catalogueArbitrary({ forms: 'ours' }),
      async (before, after) => {
        const folder = join(root, `${++serial}`);
        mkdirSync(folder);
        const path = catalogueAt(join(folder, 'mirrored.sqlite'), before.rows);
        const fresh = catalogueAt(join(folder, 'fresh.sqlite'), after.rows);
        const input = inputOf(after.rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
        await mirrorRows(input, { databasePath: path, maxShrink: 1, allowShrink: false });
        expect(await exported(path)).toBe(await exported(fresh));
        for (const database of [path, fresh]) {
          await buildTree(database, `${database}.out`, instant(after.now), { horizonSeconds: 3600 });
        }
        expect(filesOf(`${path}.out`)).toEqual(filesOf(`${fresh}.out`));
        mirrored += filesOf(`${path}.out`).size;
        rmSync(folder, { recursive: true });
      },
    ),
    { numRuns: runs(40) },
  );
  expect(mirrored).toBeGreaterThan(0);
});
