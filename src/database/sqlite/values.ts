// How a cell of an SQLite file becomes a value of the contract. SQL gives the size of a cell in the
// place of one that is too large (cell-bounds.ts): SQLite knows the size of a stored cell without
// reading it, and computes that of a view's expression anyway. And SQLite stores any bytes as TEXT,
// and gives what it cannot decode as another character, which may also be intended: rows that have
// one are read again as bytes.

import { sql, type RawBuilder } from 'kysely';
import { CELL_BYTES_MAX, TEXT_LENGTH_MAX, type Column } from '../contract/columns.ts';
import { FAILED_CELL, LARGE_CELL, UndecodableText } from '../contract/row-checker.ts';
import { TABLE_RULES, TABLES, type TableName } from '../contract/tables.ts';
import type { CatalogueRows } from '../reader.ts';
import type { TableBounds } from './cell-bounds.ts';

/**
 * The size of a cell, which JSON and rows hold in its place: `LARGE_CELL`, 1 for text, and the
 * number of bytes.
 */
const sizeText = (cell: string): string =>
  `unhex(printf('${LARGE_CELL.toString('hex')}%02x%016x', typeof(${cell}) = 'text', octet_length(${cell})))`;

const isLargeText = (cell: string): string => `octet_length(${cell}) > ${CELL_BYTES_MAX}`;

/** What stands for a cell that throws: like the size of a large one, in each row another. */
export const markText = (row: number): string =>
  `x'${LARGE_CELL.toString('hex')}${FAILED_CELL.toString(16).padStart(2, '0')}${row.toString(16).padStart(16, '0')}'`;

/** A column's cell, or its size where it is large. */
export function boundedCell(column: string): RawBuilder<unknown> {
  return sql.raw(boundedText(`"${column}"`));
}

export const boundedText = (cell: string): string =>
  `case when ${isLargeText(cell)} then ${sizeText(cell)} else ${cell} end`;

/**
 * A cell as JSON can hold it. A BLOB becomes an object with its length, and so does large text, or
 * it is cut off; no column accepts these. SQLite prints a REAL with 15 digits, too few for an id
 * that a view's expression has made a REAL, so whole numbers are cast to integers.
 */
export function cellInJson(column: string, { large, computed, isAnyType }: TableBounds): RawBuilder<unknown> {
  if (!large.has(column)) return sql.ref(column);
  const cell = `"${column}"`;
  const size = `octet_length(${cell})`;
  // What a view computes is there anyway, and would be computed once more for its size.
  const text = computed.has(column)
    ? `substr(${cell}, 1, ${TEXT_LENGTH_MAX + 1})`
    : `iif(${isLargeText(cell)}, json_object('text', ${size}), ${cell})`;
  if (!isAnyType) return sql.raw(text);
  const whole = `cast(${cell} as integer)`;
  // Most cells are integers or NULL.
  return sql.raw(
    `case typeof(${cell}) when 'integer' then ${cell} when 'null' then null when 'text' then ${text} ` +
      `when 'blob' then json_object('blob', ${size}) else iif(${whole} = ${cell}, ${whole}, ${cell}) end`,
  );
}

const REPLACEMENT = '\ufffd';
const SUSPECT = /\ufffd/;
/** SQLite takes a lone surrogate together with what follows it, for one character beyond U+FFFF. */
const SUSPECT_IN_UTF_16 = /[\ufffd\ud800-\udfff]/;
const KEYS_PER_QUERY = 500;

/**
 * Replaces such text with UndecodableText, which no column accepts. Changes `rows` in place; they
 * have the columns of a checker from position `from` on, those of the table's key among them.
 * @throws AppError database-…
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

  const { key: ownKey, keyless = [] } = TABLE_RULES[table];
  const cellsOf = (names: readonly string[], row: readonly unknown[]): readonly unknown[] =>
    names.map((column) => row[from + columns.indexOf(column)]);
  const isKeyed = suspects.every((row) => !cellsOf(ownKey, row).includes(null));
  const key = isKeyed ? ownKey : [...ownKey, ...keyless];
  const keyOf = (row: readonly unknown[]): readonly unknown[] => cellsOf(key, row);
  const decoder = new TextDecoder(String(encoding), { fatal: true });
  for (let i = 0; i < suspects.length; i += KEYS_PER_QUERY) {
    const some = suspects.slice(i, i + KEYS_PER_QUERY);
    const casts = suspectColumns.map((i) => sql`cast(${boundedCell(columns[i] ?? '')} as blob)`);
    const keyColumns = key.map((column) => sql.ref(column));
    // NULL equals nothing, not even NULL.
    const compared = isKeyed ? keyColumns : keyColumns.map((column) => sql`coalesce(${column}, x'')`);
    const keys = some.map((row) => sql`(${sql.join(keyOf(row).map((value) => value ?? Buffer.alloc(0)))})`);
    const query = sql`select ${sql.join([...keyColumns, ...casts])} from ${sql.table(table)} where (${sql.join(compared)}) in (values ${sql.join(keys)})`;
    for (const cells of await reader.rows(query)) {
      const isSame = (row: readonly unknown[]): boolean => keyOf(row).every((value, i) => value === cells[i]);
      for (const [n, bytes] of cells.slice(key.length).entries()) {
        if (!(bytes instanceof Uint8Array) || isDecodable(bytes, decoder)) continue;
        const at = from + (suspectColumns[n] ?? 0);
        const undecodable = new UndecodableText(bytes, String(encoding));
        // A view may give a key twice; then all rows with it are marked.
        for (const row of some) if (isSuspect(row[at]) && isSame(row)) row[at] = undecodable;
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
