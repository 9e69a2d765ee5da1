// Text that is not in the database's encoding. SQLite stores whatever bytes it is given as TEXT, and the driver shows what it cannot
// decode as U+FFFD, a character that may also be meant. Only a row in which one is seen is looked at again, as bytes.

import { sql } from 'kysely';
import { anyTable } from '../schema/untyped-query.ts';
import type { Column } from '../schema/columns.ts';
import type { CatalogueReader } from '../open.ts';
import { UndecodableText } from '../schema/row-checker.ts';
import { TABLE_RULES, TABLES, type TableName } from '../schema/tables.ts';

const REPLACEMENT = '\ufffd';
const KEYS_PER_QUERY = 500;

/**
 * Puts an UndecodableText, which no column takes, in the place of every such text. `rows` are of a table with a key of one column, read
 * with the columns of a checker, of which the first is at `from`; they are changed in place. @throws AppError database-…
 */
export async function markUndecodable(
  reader: Pick<CatalogueReader, 'rows'>,
  { table, columns }: { readonly table: TableName; readonly columns: readonly string[] },
  rows: readonly unknown[][],
  from = 0,
): Promise<void> {
  const rules: Readonly<Record<string, Column<unknown>>> = TABLES[table];
  // The other columns refuse it anyway.
  const places = [...columns.keys()].filter((i) => rules[columns[i] ?? '']?.accepts(`https://${REPLACEMENT}`) === true);
  const isSuspect = (value: unknown): boolean => typeof value === 'string' && value.includes(REPLACEMENT);
  const suspects = rows.filter((row) => places.some((i) => isSuspect(row[from + i])));
  if (suspects.length === 0) return;

  const [key = ''] = TABLE_RULES[table].key;
  const keyAt = from + columns.indexOf(key);
  const [[encoding] = []] = await reader.rows(compiled(sql`select encoding from pragma_encoding`));
  const decoder = new TextDecoder(String(encoding), { fatal: true });
  for (let i = 0; i < suspects.length; i += KEYS_PER_QUERY) {
    const some = suspects.slice(i, i + KEYS_PER_QUERY);
    const casts = places.map((place) => sql`cast(${sql.ref(columns[place] ?? '')} as blob)`);
    const keys = some.map((row) => row[keyAt]);
    const query = sql`select ${sql.join([sql.ref(key), ...casts])} from ${sql.table(table)} where ${sql.ref(key)} in (${sql.join(keys)})`;
    for (const [id, ...texts] of await reader.rows(compiled(query))) {
      for (const [n, bytes] of texts.entries()) {
        if (!(bytes instanceof Uint8Array) || isDecodable(bytes, decoder)) continue;
        const at = from + (places[n] ?? 0);
        const undecodable = new UndecodableText(bytes, String(encoding));
        // A view may give a key twice, and which of the rows is meant cannot be known.
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

function compiled(query: ReturnType<typeof sql>) {
  return { compile: () => query.compile(anyTable) };
}
