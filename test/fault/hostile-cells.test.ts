// Random cells of an operator's own schema replaced with hostile values: whatever gets in, a build
// ends as a build does, publishes what is not touched by it byte for byte as without it, and the
// tree is sound; where a touched front is published all the same, it shows what the plain renderer
// makes of those rows.

import * as fc from 'fast-check';
import Database from 'better-sqlite3';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { renderPlain } from '../support/reference/plain-documents.ts';
import { plainKysely } from '../support/reference/plain-tables.ts';
import { buildTree, documentAt, filesOf, instant, pointerOf, temporaryFolderOfFile } from '../support/trees.ts';
import { findingsOf as rowFindingsOf } from '../support/database-rows.ts';
import { findingsOf, lineOf } from '../support/verify-tree.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { wholeFrontsIn } from '../support/fault/readers-check.ts';
import { ownerOf, richCatalogue, viewsAt } from '../support/fault/rich-catalogue.ts';
import { NOW } from '../support/fault/small-catalogue.ts';

const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);
const CODES = ['alpha', 'bravo', 'charlie'];
const ROWS = richCatalogue(CODES);
const LATER = '2026-05-01T09:30:00Z';
const RUNS = 60;
/** Printed with every failure; given here, so that a run can be had again. */
const SEED = 20260501;

/**
 * Values as SQL, so that text that is no UTF-8 and numbers that JavaScript lacks get in. No id of
 * the rich catalogue is among them.
 */
const HOSTILE = [
  'NULL',
  "''",
  "' '",
  "'0'",
  "'1'",
  "'NaN'",
  "'-Infinity'",
  "'null'",
  "'text'",
  "'constructor'",
  "'__proto__'",
  "'toString'",
  "x''",
  "x'00ff'",
  'zeroblob(100000)',
  "CAST(x'ff' AS TEXT)",
  "CAST(x'c0af' AS TEXT)",
  "CAST(x'eda080' AS TEXT)",
  "CAST(x'f8888080' AS TEXT)",
  "'a' || char(0) || 'b'",
  "char(8238) || 'abc' || char(8294)",
  'char(8232) || char(8233) || char(65279)',
  "'</script><script>alert(1)</script>'",
  "char(127) || char(27) || '[2J' || char(155)",
  "printf('%.1000000c', 'x')",
  "printf('%.100c', 'a')",
  "printf('%.101c', 'a')",
  '0',
  '1',
  '-1',
  '2',
  '0.5',
  '-0.0',
  '1.0',
  '12.0',
  '9e999',
  '-9e999',
  '1e308',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
  '99999999999999',
  '100000000000000',
  "'2026-02-30T10:00:00Z'",
  "'2026-05-01T10:00:00'",
  "'2026-05-01T10:00:00Z '",
  "'2026-05-01T10:00:00Z' || char(10)",
  "'2026-05-01 10:00:00Z'",
  "'2026-05-01t10:00:00z'",
  "'2026-05-01T24:00:00Z'",
  "'2026-05-01T23:59:60Z'",
  "'2026-05-01T10:00:00Z'",
  "'0000-01-01T00:00:00Z'",
  "'0001-01-01T00:00:00Z'",
  "'9999-12-31T23:59:59Z'",
  "'10000-01-01T00:00:00Z'",
  "'-001-01-01T00:00:00Z'",
  "'Pacific/Apia'",
  "'Antarctica/Troll'",
  "'Africa/Monrovia'",
  "'europe/moscow'",
  "'+03:00'",
  "'UTC'",
  "'../../etc/passwd'",
  "'a..b'",
  "'con'",
  "'draft'",
  "'disabled'",
  "'cancelled'",
  "'addon'",
  "'EUR'",
  "'1234567'",
  "'7'",
  "'https://'",
  "'javascript:alert(1)'",
  '\'{"kty":"EC"}\'',
] as const;

const cell = fc.nat(ROWS.length - 1).chain((index) => {
  const columns = Object.keys(ROWS[index]?.row ?? {});
  return fc.record({
    index: fc.constant(index),
    column: fc.constantFrom(...columns),
    value: fc.constantFrom(...HOSTILE),
  });
});

test('a row whose front is NULL, empty or a BLOB holds back no front, not even that with the id 0', async () => {
  const path = join(folder, 'nobody.sqlite');
  const database = viewsAt(path, ROWS);
  database.exec("UPDATE theirs_fronts SET id = 0 WHERE code = 'alpha'");
  for (const table of ['front_products', 'front_categories', 'front_groups', 'front_keys', 'front_session_exclusions'])
    database.exec(`UPDATE theirs_${table} SET front_id = 0 WHERE front_id = 1000`);
  let tried = 0;
  for (const table of ['front_products', 'front_categories', 'front_groups', 'front_keys']) {
    for (const value of ['NULL', "''", "' '", "x''", "x'30'"]) {
      database.exec(`INSERT INTO theirs_${table} SELECT * FROM theirs_${table} WHERE front_id = 0 LIMIT 1`);
      database.exec(
        `UPDATE theirs_${table} SET front_id = ${value} WHERE rowid = (SELECT max(rowid) FROM theirs_${table})`,
      );
      const options = { horizonSeconds: 0, isDryRun: true };
      const { outcomes, findings } = await buildTree(path, join(folder, 'nobody'), instant(LATER), options);
      expect(
        outcomes.map(({ held }) => held),
        `${table} ${value}`,
      ).toEqual([null, null, null]);
      expect(findings.filter(({ severity }) => severity === 'error').length).toBeGreaterThan(0);
      database.exec(`DELETE FROM theirs_${table} WHERE rowid = (SELECT max(rowid) FROM theirs_${table})`);
      tried += 1;
    }
  }
  database.close();
  const situation = 'a row that belongs to no front: its front_id is NULL, empty or a BLOB';
  tellFault({ situation, sees: 'the new release', heals: 'fix the row' }, null, tried);
});

test('whatever stands in random cells, a build ends well, untouched fronts are published and the tree is sound', async () => {
  const clean = join(folder, 'clean.sqlite');
  viewsAt(clean, ROWS).close();
  const base = join(folder, 'base');
  await buildTree(clean, base, instant(NOW), { horizonSeconds: 3600 });
  const undisturbed = join(folder, 'undisturbed');
  cpSync(base, undisturbed, { recursive: true });
  await buildTree(clean, undisturbed, instant(LATER), { horizonSeconds: 3600 });
  const expected = filesOf(undisturbed);

  let serial = 0;
  let heldTotal = 0;
  let comparedTotal = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 3 }), async (cells) => {
      const root = join(folder, `run-${++serial}`);
      mkdirSync(root);
      const path = join(root, 'catalogue.sqlite');
      cpSync(clean, path);
      const database = new Database(path);
      for (const { index, column, value } of cells) {
        const { table = '', row = {} } = ROWS[index] ?? {};
        const key = Object.entries(row).filter(([name, one]) => one !== null && name !== '');
        const where = key.map(([name]) => `${name} IS ?`).join(' AND ');
        database
          .prepare(
            `UPDATE theirs_${table} SET ${column} = ${value} WHERE rowid IN (SELECT rowid FROM theirs_${table} WHERE ${where})`,
          )
          .run(...key.map(([, one]) => one));
      }
      database.close();
      const touched = new Set(cells.map(({ index }) => ownerOf(ROWS[index] ?? { table: '', row: {} })));

      const tree = join(root, 'out');
      cpSync(base, tree, { recursive: true });
      const guards = { maxShrink: 0.5, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false };
      const { outcomes, findings } = await buildTree(path, tree, instant(LATER), { guards, horizonSeconds: 3600 });
      const isAnyError = findings.some(({ severity }) => severity === 'error');
      const files = filesOf(tree);
      for (const [i, code] of CODES.entries()) {
        if (touched.has(i)) continue;
        const place = `public/fronts/${code}/pointer.json`;
        expect(files.get(place), `${code} is not touched`).toBe(expected.get(place));
      }
      expect((await findingsOf(tree)).filter(({ severity }) => severity === 'error').map(lineOf)).toEqual([]);
      const published = [...files.keys()].flatMap(
        (path) => /^public\/fronts\/(.*)\/pointer\.json$/.exec(path)?.[1] ?? [],
      );
      expect(wholeFrontsIn(tree)).toEqual(expect.arrayContaining(published));
      // check-db reports it too, and ends.
      await rowFindingsOf(path).catch((error: unknown) => expect(error).toBeInstanceOf(AppError));

      const isAffected = ({ held, listing }: (typeof outcomes)[number]): boolean =>
        held !== null || listing?.leftOut !== undefined;
      heldTotal += outcomes.filter(isAffected).length;
      const handle = new Database(path, { readonly: true });
      for (const outcome of outcomes) {
        const { code } = outcome;
        const i = CODES.indexOf(code);
        // What an error takes out is compared in test/property/containment.test.ts.
        if (isAffected(outcome) || i < 0 || (isAnyError && touched.has(i))) continue;
        for (const entry of pointerOf(files, code).products) {
          const text = entry.slice(0, 20);
          const plain = await renderPlain(plainKysely(handle), code, text);
          expect(documentAt(files, code, 'products', text), `${code} products at ${text}`).toBe(plain.products);
          expect(documentAt(files, code, 'categories', text), `${code} categories at ${text}`).toBe(plain.categories);
        }
        comparedTotal += 1;
      }
      handle.close();
      rmSync(root, { recursive: true });
    }),
    { numRuns: Number(process.env['FUZZ_RUNS'] ?? RUNS), seed: Number(process.env['PLAYBILL_SEED'] ?? SEED) },
  );
  expect(heldTotal).toBeGreaterThan(RUNS / 3);
  expect(comparedTotal).toBeGreaterThan(RUNS);
  tellFault(
    {
      situation: 'hostile values in random cells of an operator’s own schema',
      sees: 'these fronts old, the others new',
      heals: 'fix the rows, and build',
    },
    null,
    RUNS,
  );
});
