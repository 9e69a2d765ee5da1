// Text that is not UTF-8: SQLite stores any bytes as TEXT, and the driver shows what it cannot
// decode as U+FFFD. It is a finding, never published; a U+FFFD that the catalogue really has passes
// through like any other character.

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { exportRows } from '../../src/database/write/export-rows.ts';
import { openCatalogue } from '../../src/database/open.ts';
import { TABLE_NAMES, TABLES, type TableName } from '../../src/database/contract/tables.ts';
import { richCatalogue, viewsAt } from '../support/fault/rich-catalogue.ts';
import { NOW } from '../support/fault/small-catalogue.ts';
import type { BuildResult } from '../../src/operations/publish-release.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder } from '../support/trees.ts';
import { findingsOf } from '../support/database-rows.ts';
import { sample } from '../speeds.ts';

const ROWS = richCatalogue(['alpha', 'bravo']);

/** Columns that take any text, of which a document or the key ring shows the text. */
const SHOWN = [
  ['venues', 'name'],
  ['images', 'url'],
  ['images', 'alt_text'],
  ['images', 'copyright'],
  ['images', 'copyright_url'],
  ['products', 'name'],
  ['categories', 'name_singular'],
  ['categories', 'name_plural'],
  ['groups', 'name'],
  ['tags', 'name'],
  ['badges', 'name'],
  ['front_keys', 'secret_ref'],
] as const satisfies readonly (readonly [TableName, string])[];

/**
 * A catalogue in which the first row of a table has another value, given as SQL, in a column: our
 * schema, or views.
 */
function changed(table: TableName, column: string, value: string, isOfViews: boolean): string {
  const path = join(temporaryFolder(), 'catalogue.sqlite');
  const database = isOfViews ? viewsAt(path, ROWS) : new Database(catalogueAt(path, ROWS));
  const name = isOfViews ? `theirs_${table}` : table;
  const key = table === 'front_keys' ? 'keyid' : 'id';
  database.exec(`UPDATE ${name} SET ${column} = ${value} WHERE ${key} = (SELECT min(${key}) FROM ${name})`);
  database.close();
  return path;
}

/** Whether a front is held back, or lacks a product or a session. */
function isAffected(outcome: BuildResult['outcomes'][number] | undefined): boolean {
  return outcome?.held !== null || outcome.listing?.leftOut !== undefined;
}

const keyOf = (table: TableName): string => {
  const row = ROWS.find((one) => one.table === table)?.row;
  return `${table} ${String(row?.[table === 'front_keys' ? 'keyid' : 'id'])}`;
};

describe.each([
  ['our schema', false],
  ['views', true],
])('%s', (_, isOfViews) => {
  // "https://", a letter, and: a byte of Latin-1, an overlong slash, half a surrogate pair, the
  // beginning of a character.
  test.each(sample(SHOWN.slice(isOfViews ? 1 : 0), 2))(
    '%s.%s: not published, with the bytes in the finding; so says check-db',
    async (table, column) => {
      for (const bytes of ['e9', 'c0af', 'eda080', 'd0']) {
        const path = changed(table, column, `CAST(x'68747470733a2f2f41${bytes}' AS TEXT)`, isOfViews);
        const out = join(temporaryFolder(), 'out');
        const { findings, outcomes } = await buildTree(path, out, instant(NOW));
        const finding = {
          severity: 'error',
          code: 'value-invalid',
          place: keyOf(table),
          column,
          message: expect.stringMatching(
            new RegExp(`^${column}: expected .*, found text that is not UTF-8, x'68747470733a2f2f41${bytes}'$`),
          ) as string,
        };
        // Of an image that two products share, once for each.
        for (const one of findings) expect(one).toEqual(finding);
        expect(findings.length).toBe(table === 'images' ? 2 : 1);
        // A key takes out itself alone.
        expect(isAffected(outcomes[0])).toBe(table !== 'front_keys');
        expect(isAffected(outcomes[1])).toBe(false);
        for (const [name, text] of filesOf(out)) expect(text, name).not.toContain('\ufffd');
        expect((await findingsOf(path)).filter(({ severity }) => severity === 'error')).toEqual([finding]);
      }
    },
  );

  test.each(sample(SHOWN.slice(isOfViews ? 1 : 0), 2))(
    '%s.%s: a U+FFFD of its own passes through',
    async (table, column) => {
      const path = changed(table, column, "'https://A\ufffdB'", isOfViews);
      const out = join(temporaryFolder(), 'out');
      const { findings, outcomes } = await buildTree(path, out, instant(NOW));
      expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(outcomes.map(({ held }) => held)).toEqual([null, null]);
      // The key ring has nothing but ASCII.
      expect([...filesOf(out).values()].some((text) => /https:\/\/A(\ufffd|\\ufffd)B/.test(text))).toBe(true);
    },
  );
});

test('beside sound rows, each by itself', async () => {
  const path = join(temporaryFolder(), 'catalogue.sqlite');
  const database = new Database(catalogueAt(path, ROWS));
  database.exec(
    `UPDATE products SET name = 'A\ufffd' || id; UPDATE products SET name = CAST(x'41ff' AS TEXT) WHERE id = 1020`,
  );
  database.close();
  const errors = (await findingsOf(path)).filter(({ severity }) => severity === 'error');
  expect(errors.map(({ place }) => place)).toEqual(['products 1020']);
});

test('every column: check-db says so, and export prints nothing like it', async () => {
  for (const table of TABLE_NAMES) {
    for (const [column, { declared }] of Object.entries(TABLES[table])) {
      if (declared !== 'TEXT' || column === 'keyid') continue;
      const key = Object.keys(TABLES[table])[0];
      const path = join(temporaryFolder(), 'catalogue.sqlite');
      const database = viewsAt(path, ROWS);
      database.exec(
        `UPDATE theirs_${table} SET ${column} = CAST(x'41ff' AS TEXT) WHERE ${key} = (SELECT min(${key}) FROM theirs_${table})`,
      );
      database.close();
      const place = `${table}.${column}`;
      const messages = (await findingsOf(path)).map(({ message }) => message);
      expect(
        messages.some((message) => message.startsWith(`${column}: expected `)),
        place,
      ).toBe(true);
      await using reader = await openCatalogue(path);
      const exported = collected(exportRows(reader, [table], () => undefined));
      // Where a column takes no such text at all, its rule has said so, and export shows it as it
      // is.
      if (takesAnyText(table, column)) {
        await expect(exported, place).rejects.toMatchObject({ code: 'export-value-unprintable' });
      } else expect(await exported, place).toContain(`"${column}":"A\ufffd"`);
    }
  }
});

async function collected(texts: AsyncIterable<string>): Promise<string> {
  let all = '';
  for await (const text of texts) all += text;
  return all;
}

function takesAnyText(table: TableName, column: string): boolean {
  const rules: Readonly<Record<string, { accepts(value: unknown): boolean }>> = TABLES[table];
  return rules[column]?.accepts('https://\ufffd') === true;
}

/** Views over a database in UTF-16, with a name of product 1010 given as bytes. */
function inUtf16(encoding: 'UTF-16le' | 'UTF-16be', name: string): string {
  const path = join(temporaryFolder(), 'catalogue.sqlite');
  const empty = new Database(path);
  empty.pragma(`encoding = '${encoding}'`);
  empty.exec('CREATE TABLE theirs (id)');
  empty.close();
  const database = viewsAt(path, ROWS);
  expect(database.pragma('encoding', { simple: true })).toBe(encoding);
  const bytes = Buffer.from(name, 'utf16le');
  if (encoding === 'UTF-16be') bytes.swap16();
  database.exec(`UPDATE theirs_products SET name = CAST(x'${bytes.toString('hex')}' AS TEXT) WHERE id = 1010`);
  database.close();
  return path;
}

describe.each(['UTF-16le', 'UTF-16be'] as const)('a database in %s', (encoding) => {
  // SQLite gives each of them as one other character, or as none, where it is alone or last.
  test.each(['A\ud83cBC', 'A\udfadB', '\ud83c', 'A\ud83c', '\udfad\ud83c', '\ud83c\ud83c\udfad'])(
    'a lone surrogate (%j) is held back, with the bytes in the finding',
    async (name) => {
      const path = inUtf16(encoding, name);
      const out = join(temporaryFolder(), 'out');
      const { outcomes } = await buildTree(path, out, instant(NOW));
      expect(outcomes.map(isAffected)).toEqual([true, false]);
      const errors = (await findingsOf(path)).filter(({ severity }) => severity === 'error');
      expect(errors.map(({ place }) => place)).toEqual(['products 1010']);
      expect(errors[0]?.message).toMatch(new RegExp(`^name: expected .*, found text that is not ${encoding}, x'`));
      await using reader = await openCatalogue(path);
      await expect(collected(exportRows(reader, ['products'], () => undefined))).rejects.toMatchObject({
        code: 'export-value-unprintable',
      });
    },
  );

  test.each(['A\ufffdB', '🎭', 'A🎭B\u2028🎭', '\ud7ff\ue000\uffff'])('%j passes through', async (name) => {
    const path = inUtf16(encoding, name);
    expect((await findingsOf(path)).filter(({ severity }) => severity === 'error')).toEqual([]);
    const out = join(temporaryFolder(), 'out');
    await buildTree(path, out, instant(NOW));
    expect([...filesOf(out).values()].some((text) => text.includes(JSON.stringify(name)))).toBe(true);
  });
});
