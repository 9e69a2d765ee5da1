// Finds text that is not in the database's encoding. SQLite stores any bytes as TEXT, and gives what it cannot decode as another
// character. Since that character may also be intended, rows that have one are read again as bytes.

import { sql } from 'kysely';
import type { Column } from '../contract/columns.ts';
import type { CatalogueRows } from '../reader.ts';
import { UndecodableText } from '../contract/row-checker.ts';
import { TABLE_RULES, TABLES, type TableName } from '../contract/tables.ts';
import { boundedCell } from './cell-bounds.ts';

const REPLACEMENT = '\ufffd';
const SUSPECT = /\ufffd/;
/** SQLite takes a lone surrogate together with what follows it, for one character beyond U+FFFF. */
const SUSPECT_IN_UTF_16 = /[\ufffd\ud800-\udfff]/;
const KEYS_PER_QUERY = 500;

/**
 * Replaces such text with UndecodableText, which no column accepts. Changes `rows` in place; they have the columns of a checker from
 * position `from` on, and the table's key is one column. @throws AppError database-…
 */
export async function markUndecodable(
  reader: Pick<CatalogueRows, 'rows'>,
  { table, columns }: { readonly table: TableName; readonly columns: readonly string[] },
  rows: readonly unknown[][],
  from = 0,
): Promise<void> {
  const rules: Readonly<Record<string, Column<unknown>>> = TABLES[table];
  // The other columns reject U+FFFD and all characters beyond U+FFFF anyway.
  const suspectColumns = [...columns.keys()].filter(
    (i) => rules[columns[i] ?? '']?.accepts(`https://${REPLACEMENT}`) === true,
  );
  const [[encoding] = []] = await reader.rows(sql`select encoding from pragma_encoding`);
  const pattern = encoding === 'UTF-8' ? SUSPECT : SUSPECT_IN_UTF_16;
  const isSuspect = (value: unknown): boolean => typeof value === 'string' && pattern.test(value);
  const suspects = rows.filter((row) => suspectColumns.some((i) => isSuspect(row[from + i])));
  if (suspects.length === 0) return;

  const [key = ''] = TABLE_RULES[table].key;
  const keyAt = from + columns.indexOf(key);
  const decoder = new TextDecoder(String(encoding), { fatal: true });
  for (let i = 0; i < suspects.length; i += KEYS_PER_QUERY) {
    const some = suspects.slice(i, i + KEYS_PER_QUERY);
    const casts = suspectColumns.map((i) => sql`cast(${boundedCell(columns[i] ?? '')} as blob)`);
    const keys = some.map((row) => row[keyAt]);
    const query = sql`select ${sql.join([sql.ref(key), ...casts])} from ${sql.table(table)} where ${sql.ref(key)} in (${sql.join(keys)})`;
    for (const [id, ...texts] of await reader.rows(query)) {
      for (const [n, bytes] of texts.entries()) {
        if (!(bytes instanceof Uint8Array) || isDecodable(bytes, decoder)) continue;
        const at = from + (suspectColumns[n] ?? 0);
        const undecodable = new UndecodableText(bytes, String(encoding));
        // A view may give a key twice; then all rows with it are marked.
        for (const row of some) if (row[keyAt] === id && isSuspect(row[at])) row[at] = undecodable;
      }
    }
  }
}

function isDecodable(bytes: Uint8Array, decoder: InstanceType<typeof TextDecoder>): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
