// Reads rows of a catalogue in PostgreSQL, in a transaction that reads or writes: at once, and in
// batches by cursors.

import { sql, type RawBuilder } from 'kysely';
import type { Column } from '../contract/columns.ts';
import type { TableName } from '../contract/tables.ts';
import { FailingRows, type FailedQuery } from '../load/failing-rows.ts';
import type { CatalogueRows, Query, TableDescription, TypeProblem } from '../reader.ts';
import { psqlCommand } from './address.ts';
import { compiled, compiledOn, type CompiledSql } from './compile.ts';
import type { Session } from './connect.ts';
import {
  DESCRIBE_QUERY,
  OTHER_TABLES_QUERY,
  tablesFrom,
  typeProblem,
  type PostgresTables,
  type TypeClass,
} from './describe.ts';
import { expressionProblem } from './errors.ts';
import { Fetches, type Cursor } from './fetches.ts';
import { searchPathFrom, SESSION_QUERY, transactionSettings, type SearchPath } from './transaction.ts';
import { idAsText } from './values.ts';

/** A connection with an open transaction: reads rows at once, and in batches by cursors. */
export class PostgresRows implements CatalogueRows {
  readonly kind = 'postgres';
  readonly path: string;
  protected readonly session: Session;
  protected tables: PostgresTables = new Map();
  #searchPath: SearchPath = { setting: '', schemas: '' };
  #cursorsTotal = 0;
  readonly #fetches: Fetches;
  /** The rows for which an expression of a view throws: a reader finds them, a writer does not. */
  protected readonly failing = new FailingRows({
    kind: this.kind,
    path: () => this.path,
    shellCommand: () => `${psqlCommand(this.path)} -c`,
    attempt: async (query) => {
      try {
        return { rows: await this.session.run(this.compiledNow(query)) };
      } catch (error) {
        const problem = expressionProblem(error);
        if (problem === null) throw error;
        return { problem };
      }
    },
    columnsOf: (table) => [...(this.tables.get(table)?.classes.keys() ?? [])],
  });
  readonly failedRows = this.failing.failedRows;

  constructor(session: Session) {
    this.path = session.path;
    this.session = session;
    this.#fetches = new Fetches(session);
  }

  /**
   * Begins a transaction and describes the tables. The first query takes the snapshot.
   * @throws AppError database-…
   */
  protected async begin(how: string): Promise<void> {
    await this.session.begin([how, ...transactionSettings(this.session.rowSecurity)].join('; '));
    this.#searchPath = searchPathFrom(await this.run(compiled(SESSION_QUERY)), this.path);
    await this.lookAtTables();
  }

  protected async lookAtTables(): Promise<void> {
    this.tables = tablesFrom(await this.run(compiled(DESCRIBE_QUERY)));
  }

  protected run(query: CompiledSql): Promise<unknown[][]> {
    return this.session.run(query);
  }

  rows(query: Query): Promise<unknown[][]> {
    return this.mended({ text: compiled(query).text }, () => this.run(this.compiledNow(query)));
  }

  batches(query: Query, rowsPerBatch = 1000): AsyncGenerator<unknown[][]> {
    return this.batchesOf(query, { text: compiled(query).text }, rowsPerBatch);
  }

  protected compiledNow(query: Query): CompiledSql {
    return compiledOn(this.tables, query, this.failing.tables);
  }

  /** The answer to a query; a reader makes it again where it finds what it failed for. */
  protected mended<T>(_what: FailedQuery, answer: () => Promise<T>): Promise<T> {
    return answer();
  }

  /** A cursor on the rows after those taken. */
  async #cursor(query: Query, taken: number): Promise<Cursor> {
    const { text, values, tables } = this.compiledNow(query);
    const name = `playbill_${(this.#cursorsTotal += 1)}`;
    const { epoch } = this.session;
    await this.run({ text: `declare ${name} no scroll cursor for ${text}`, values, tables });
    const cursor = { name, epoch, tables };
    await this.#fetches.skip(cursor, taken);
    return cursor;
  }

  protected async *batchesOf(query: Query, what: FailedQuery, rowsPerBatch: number): AsyncGenerator<unknown[][]> {
    let taken = 0;
    let cursor = await this.mended(what, () => this.#cursor(query, taken));
    const fetch = (): Promise<unknown[][]> =>
      this.mended(what, async () => {
        if (cursor.epoch !== this.session.epoch) cursor = await this.#cursor(query, taken);
        const rows = await this.#fetches.next(cursor, rowsPerBatch);
        taken += rows.length;
        return rows;
      });
    let isDone = false;
    let next = fetch();
    try {
      while (!isDone) {
        const batch = await next;
        isDone = batch.length < rowsPerBatch;
        if (!isDone) {
          // The server prepares the next batch while we work on this one.
          next = fetch();
          next.catch(() => undefined);
        }
        if (batch.length > 0) yield batch;
      }
    } finally {
      // If the caller left early, a FETCH is still pending and must not be sent after the CLOSE.
      await next.catch(() => undefined);
      await this.#close(cursor);
    }
  }

  /** In a failed transaction there is nothing to close, nor after it has gone back. */
  async #close({ name, epoch }: Cursor): Promise<void> {
    const { session } = this;
    const close = async () => (epoch === session.epoch ? session.client.query(`close ${name}`) : null);
    await session.inTurn(close).catch(() => undefined);
  }

  get locationOfTables(): string {
    const { setting, schemas } = this.#searchPath;
    const found = schemas === '' ? 'no such schema, or none that this user may use' : `schemas: ${schemas}`;
    return ` on the search_path ${setting} (${found})`;
  }

  get schemas(): string {
    return this.#searchPath.schemas;
  }

  async describe(): Promise<ReadonlyMap<TableName, TableDescription>> {
    return this.tables;
  }

  async otherTables(): Promise<readonly string[]> {
    return (await this.run(compiled(OTHER_TABLES_QUERY))).map(([name]) => String(name)).sort();
  }

  typeProblem(table: TableName, column: string, rule: Column<unknown>): TypeProblem | null {
    return typeProblem(this.tables, table, column, rule);
  }

  idAsText(table: TableName): RawBuilder<string> {
    return sql.raw(idAsText(this.classOf(table, 'id')));
  }

  protected classOf(table: TableName, column: string): TypeClass | undefined {
    return this.tables.get(table)?.classes.get(column);
  }
}
