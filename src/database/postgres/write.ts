// Writes a catalogue in PostgreSQL in one transaction. Creates the tables where the search_path
// leads to none of them. Rows are written in batches; a batch that is refused is undone and
// repeated row by row, so that each refusal names its row.

import { sql, type RawBuilder } from 'kysely';
import type { Query } from '../reader.ts';
import type { Column } from '../contract/columns.ts';
import { TABLE_RULES, TABLES, type TableName } from '../contract/tables.ts';
import { schemaText } from '../schema-file.ts';
import { columnsOf, insertText, leavesExisting, othersOf, updateText } from '../write/row-statements.ts';
import {
  IGNORED,
  LOCATION,
  RefusedChange,
  type CatalogueWriter,
  type HeldIds,
  type InputRow,
  type RefusedRow,
  type Side,
} from '../writer.ts';
import { psqlCommand } from './address.ts';
import { compiled, type CompiledSql } from './compile.ts';
import { Session } from './connect.ts';
import { changeError, commitError, noSchemaError, schemaError, writeError } from './errors.ts';
import { PostgresRows } from './rows.ts';
import { canonicalColumns } from './values.ts';

const SETTINGS = [
  // Rows that are reported as imported survive a crash of the server.
  `select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`,
  // Rows come in any order.
  'set constraints all deferred',
].join('; ');

/** The columns of a unique index, whose name the server gives in a unique violation. */
const INDEX_QUERY = `select a.attname from pg_catalog.pg_index as i
  join pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
  where i.indexrelid = to_regclass(quote_ident($1) || '.' || quote_ident($2))`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const joined = (columns: readonly string[]): string => columns.map(quoted).join(', ');

interface Statement extends Pick<CompiledSql, 'text' | 'values'> {
  /** How many rows it must change, unless something of the operator's prevents it. */
  readonly changesMin: number;
}

/** Prefix of the search_path while rows are staged and compared. */
const FIRST = 'pg_temp, ';

/** Opens a catalogue on a server and begins a write transaction. @throws AppError database-… */
export async function openWriter(address: string, need: { readonly isRequired: boolean }): Promise<CatalogueWriter> {
  const writer = new PostgresWriter(await Session.open(address, writeError));
  try {
    await writer.beginWriting(need);
    return writer;
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

class PostgresWriter extends PostgresRows implements CatalogueWriter {
  // Short, because the type of a slug may be, too.
  readonly randomText = sql<string>`substr(gen_random_uuid()::text, 1, 18)`;
  isNew = false;
  readonly shellCommand = `${psqlCommand(this.path)} -c`;
  readonly leftBehind = null;
  #isEnded = false;
  #hasSavepoint = false;

  /** Makes the tables if there are none and they are not required. @throws AppError database-… */
  async beginWriting({ isRequired }: { readonly isRequired: boolean }): Promise<void> {
    await this.begin('begin isolation level read committed');
    await this.session.command(SETTINGS);
    if (this.tables.size === 0 && !isRequired) await this.#makeTables();
  }

  /** On a server only an error can end the transaction, and an error ends the import. */
  get isOpen(): boolean {
    return !this.#isEnded;
  }

  async #makeTables(): Promise<void> {
    // The tables would be temporary ones.
    if (this.schemas === '') throw noSchemaError(this.path, `none${this.locationOfTables}`);
    await this.session.command(schemaText('postgres'), schemaError);
    await this.lookAtTables();
    this.isNew = true;
  }

  async idsIn(table: TableName, column: string): Promise<HeldIds> {
    return ['number', 'numeric'].includes(this.classOf(table, column) ?? '') ? 'integers' : 'text';
  }

  async insert(
    rows: readonly InputRow[],
    { into, isReplacing }: { readonly into: Side; readonly isReplacing: boolean },
    refusalsMax: number,
  ): Promise<readonly RefusedRow[]> {
    return this.#write(rows, into, refusalsMax, (some) => {
      const [{ table } = { table: 'fronts' as const }] = some;
      const columns = columnsIn(some);
      const values: unknown[] = [];
      const cells = some.map((row) =>
        columns.map((column) => {
          const i = row.columns.indexOf(column);
          return i < 0 ? 'default' : `$${values.push(row.values[i])}`;
        }),
      );
      return {
        text: insertText({ table, into: this.#nameText(into, table), columns, rows: cells, isReplacing }),
        values,
        changesMin: leavesExisting(table, isReplacing) ? 0 : some.length,
      };
    });
  }

  async update(rows: readonly InputRow[], refusalsMax: number): Promise<readonly RefusedRow[]> {
    return this.#write(rows, 'kept', refusalsMax, (some) => {
      const [row] = some;
      if (row === undefined || some.length > 1) return this.#updateFromStaged(some);
      return {
        text: updateText(row.table, this.#nameText('kept', row.table), (i) => `$${i + 1}`),
        values: [...row.values],
        changesMin: 1,
      };
    });
  }

  /** Copies the values from the staged table, so that they are not converted again. */
  #updateFromStaged(rows: readonly InputRow[]): Statement {
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) throw new Error('no rows to update');
    const { table } = first;
    const { key } = TABLE_RULES[table];
    const values: unknown[] = [rows.map(({ location }) => location)];
    const conditions = [...key.map((column) => `s."${column}" = k."${column}"`), `s."${LOCATION}" = any ($1::text[])`];
    // A range, so that the index is used. Not for text, whose collation may sort in another order.
    const isNumber = (column: string): boolean => ['number', 'numeric'].includes(this.classOf(table, column) ?? '');
    if (key.every(isNumber)) {
      const columns = columnsOf(table);
      const keyOf = ({ values: cells }: InputRow): string =>
        key.map((column) => `$${values.push(cells[columns.indexOf(column)])}`).join(', ');
      const names = key.map((column) => `s."${column}"`).join(', ');
      conditions.push(`(${names}) >= (${keyOf(first)})`, `(${names}) <= (${keyOf(last)})`);
    }
    const assignments = othersOf(table).map((column) => `"${column}" = s."${column}"`);
    const text = `update ${this.#nameText('kept', table)} as k set ${assignments.join(', ')}
      from ${this.#nameText('staged', table)} as s where ${conditions.join(' and ')}`;
    return { text, values, changesMin: rows.length };
  }

  async #write(
    rows: readonly InputRow[],
    side: Side,
    refusalsMax: number,
    statementOf: (rows: readonly InputRow[]) => Statement,
  ): Promise<readonly RefusedRow[]> {
    const [first] = rows;
    if (first === undefined) return [];
    const view = side === 'kept' ? this.#viewRefusal(first.table) : null;
    if (view !== null) return rows.slice(0, refusalsMax).map((row) => ({ row, refusal: view }));
    const all = await this.#attempt(first.table, statementOf(rows));
    if (all === null) return [];
    if (rows.length === 1) return [{ row: first, refusal: all }];
    const refused: RefusedRow[] = [];
    for (const row of rows) {
      const refusal = await this.#attempt(row.table, statementOf([row]));
      if (refusal !== null) refused.push({ row, refusal });
      if (refused.length >= refusalsMax) break;
    }
    return refused;
  }

  async change(table: TableName, query: Query): Promise<void> {
    const refusal = this.#viewRefusal(table) ?? (await this.#attempt(table, { ...compiled(query), changesMin: 0 }));
    if (refusal !== null) throw refusal;
  }

  /** The server would write through a simple view, into tables that are not ours to change. */
  #viewRefusal(table: TableName): RefusedChange | null {
    if (this.tables.get(table)?.isView !== true) return null;
    return new RefusedChange('no-rows', `cannot modify ${table} because it is a view`, null);
  }

  /**
   * Runs a statement in a savepoint, so that the transaction survives its refusal.
   * @returns the refusal, if any
   */
  async #attempt(table: TableName | null, { text, values, changesMin }: Statement): Promise<RefusedChange | null> {
    await this.session.command(`${this.#hasSavepoint ? 'release savepoint attempt; ' : ''}savepoint attempt`);
    this.#hasSavepoint = true;
    try {
      const { rowCount } = await this.session.query(
        () => this.session.client.query(text, [...values]),
        (error) => changeError(this.path, error),
      );
      if ((rowCount ?? 0) < changesMin) throw new RefusedChange('ignored', IGNORED, null);
      return null;
    } catch (refusal) {
      if (!(refusal instanceof RefusedChange)) throw refusal;
      await this.session.command('rollback to savepoint attempt');
      const isKey = table !== null && refusal.kind === 'unique' && (await this.#isOfKey(table, refusal.cause));
      return isKey ? new RefusedChange('key', refusal.message, refusal.cause) : refusal;
    }
  }

  /** Whether the violated unique index is that of the key. */
  async #isOfKey(table: TableName, error: unknown): Promise<boolean> {
    const { schema, constraint } = error as { readonly schema?: unknown; readonly constraint?: unknown };
    const columns = (await this.run({ text: INDEX_QUERY, values: [schema, constraint], tables: [] })).map(([name]) =>
      String(name),
    );
    return columns.toSorted().join() === [...TABLE_RULES[table].key].toSorted().join();
  }

  async stage(tables: readonly TableName[]): Promise<void> {
    // Before the operator's schemas, wherever the path has pg_temp.
    const first = `select set_config('search_path', '${FIRST}' || current_setting('search_path'), true)`;
    await this.session.command([first, ...tables.map((table) => this.#stagedText(table))].join('; '));
  }

  /** With the types of the kept table, but of its constraints only keys. */
  #stagedText(table: TableName): string {
    const { key, unique } = TABLE_RULES[table];
    const name = this.#nameText('staged', table);
    const columns = Object.entries<Column<unknown>>(TABLES[table]);
    const defaults = columns.flatMap(([column, { defaultSql }]) => {
      if (defaultSql === null || defaultSql === 'NULL') return [];
      // In quotes, which any type accepts: a boolean reads '0' as false.
      return [`alter column "${column}" set default ${defaultSql.startsWith(`'`) ? defaultSql : `'${defaultSql}'`}`];
    });
    const additions = [
      `add column "${LOCATION}" text`,
      `add primary key (${joined(key)})`,
      ...unique.map((column) => `add unique (${joined([column])})`),
    ];
    return `create temporary table "${table}" on commit drop as
        select ${joined(columns.map(([column]) => column))} from ${this.#nameText('kept', table)} where false;
      alter table ${name} ${[...defaults, ...additions].join(', ')}`;
  }

  async uncoverKept(): Promise<void> {
    const last = `select set_config('search_path', substr(current_setting('search_path'), ${FIRST.length + 1}), true)`;
    await this.session.command(last);
  }

  async unstage(tables: readonly TableName[]): Promise<void> {
    await this.session.command(`drop table ${tables.map((table) => this.#nameText('staged', table)).join(', ')}`);
  }

  async lock(tables: readonly TableName[]): Promise<void> {
    const lockable = tables.filter((table) => this.tables.get(table)?.isLockable === true);
    if (lockable.length === 0) return;
    const names = lockable.map((table) => this.#nameText('kept', table));
    await this.session.command(`lock table ${names.join(', ')} in share row exclusive mode`);
  }

  #nameText(side: Side, table: TableName): string {
    return side === 'staged' ? `pg_temp."${table}"` : `${quoted(this.tables.get(table)?.schema ?? '')}."${table}"`;
  }

  nameOf(side: Side, table: TableName): RawBuilder<unknown> {
    return sql.raw(this.#nameText(side, table));
  }

  rowsOf(side: Side, table: TableName): RawBuilder<unknown> {
    const columns = [...canonicalColumns(this.tables, table), ...(side === 'staged' ? [quoted(LOCATION)] : [])];
    return sql.raw(`(select ${columns.join(', ')} from ${this.#nameText(side, table)})`);
  }

  async keep(): Promise<void> {
    const refusal = await this.#attempt(null, { text: 'set constraints all immediate', values: [], changesMin: 0 });
    if (refusal !== null) throw refusal;
    const done = await this.session.command('commit', commitError);
    // After an error that went unnoticed, the server answers ROLLBACK.
    if (done !== 'COMMIT') throw new Error(`expected COMMIT from ${this.path}, found ${done}`);
    await this.discard();
  }

  async discard(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    await this.session.end();
  }

  abort(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.session.abort();
  }
}

/** All columns that any of the rows has. */
function columnsIn(rows: readonly InputRow[]): readonly string[] {
  return [...new Set(rows.flatMap(({ columns }) => columns))];
}
