// A connection to PostgreSQL with an open transaction: runs queries in turn, and in batches by cursors. What only a reader does is in
// reader.ts, what only a writer does in writer.ts.

import type { Client } from 'pg';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { CatalogueRows, Query, TableDescription } from '../reader.ts';
import type { TableName } from '../contract/tables.ts';
import { displayAddress } from './address.ts';
import { queryResult } from './query-result.ts';
import { compiled, compiledOn, type CompiledSql } from './compile.ts';
import { connect } from './connect.ts';
import { connectionSettings, type RowSecurity } from './connection-settings.ts';
import { postgresError } from './errors.ts';
import { Fetches } from './fetches.ts';
import { DESCRIBE_QUERY, tablesFrom, typeProblem, type PostgresTable } from './native-types.ts';
import { searchPathFrom, SESSION_QUERY, transactionSettings, type SearchPath } from './transaction.ts';

/** How long to wait for the end of a connection; by then nothing depends on its answer. */
const GOODBYE_MS = 1000;

/** A connection without a transaction yet. */
export interface Connected {
  /** Its address without a password. */
  readonly path: string;
  readonly client: Client;
  readonly rowSecurity: RowSecurity;
}

/** A connection with an open transaction, which throws AppErrors. */
export class PostgresRows implements CatalogueRows {
  readonly kind = 'postgres';
  readonly path: string;
  readonly typeProblem = typeProblem;
  protected readonly client: Client;
  protected tables: ReadonlyMap<TableName, PostgresTable> = new Map();
  readonly #rowSecurity: RowSecurity;
  #searchPath: SearchPath = { setting: '', schemas: '' };
  #cursorsTotal = 0;
  #endedBy: unknown;
  /** Resolves when all earlier queries have ended: a connection runs one at a time. */
  #queries: Promise<unknown> = Promise.resolve();
  readonly #fetches: Fetches;

  protected constructor({ path, client, rowSecurity }: Connected) {
    this.path = path;
    this.client = client;
    this.#rowSecurity = rowSecurity;
    // If the connection breaks between two queries, the next one fails with this error instead of "no connection".
    client.on('error', (error: unknown) => (this.#endedBy ??= error));
    this.#fetches = new Fetches({
      client,
      inTurn: (query) => this.#inTurn(query),
      errorOf: (error, tables) => postgresError(path, this.#endedBy ?? error, tables),
    });
  }

  /** @throws AppError database-… */
  protected static async connected(address: string): Promise<Connected> {
    const path = displayAddress(address);
    try {
      const settings = connectionSettings(address, process.env);
      return { path, client: await connect(settings), rowSecurity: settings.rowSecurity };
    } catch (error) {
      throw postgresError(path, error);
    }
  }

  /** Begins a transaction and describes the tables. The first query takes the snapshot. @throws AppError database-… */
  protected async begin(how: string): Promise<void> {
    await this.command([how, ...transactionSettings(this.#rowSecurity)].join('; '));
    this.#searchPath = searchPathFrom(await this.run(compiled(SESSION_QUERY)), this.path);
    await this.lookAtTables();
  }

  protected async lookAtTables(): Promise<void> {
    this.tables = tablesFrom(await this.run(compiled(DESCRIBE_QUERY)));
  }

  /** Runs statements without values or rows. @returns the server's word for what it did, such as COMMIT. @throws AppError database-… */
  protected async command(
    text: string,
    errorOf: (path: string, error: unknown) => unknown = postgresError,
  ): Promise<string> {
    const { command } = await this.query(
      () => this.client.query(text),
      (error) => errorOf(this.path, error),
    );
    return command;
  }

  protected async run({ text, values, tables }: CompiledSql): Promise<unknown[][]> {
    const [rows = []] = await this.query(
      () => queryResult(this.client, text, values),
      (error) => postgresError(this.path, error, tables),
    );
    return rows;
  }

  /** Runs a query after all earlier ones; `errorOf` turns its error into ours. */
  protected async query<T>(query: () => Promise<T>, errorOf: (error: unknown) => unknown): Promise<T> {
    try {
      return await this.#inTurn(query);
    } catch (error) {
      throw errorOf(this.#endedBy ?? error);
    }
  }

  #inTurn<T>(query: () => Promise<T>): Promise<T> {
    const answer = this.#queries.then(query);
    // Does not keep the answer itself in memory until the next query.
    const ended = (): void => undefined;
    this.#queries = answer.then(ended, ended);
    return answer;
  }

  rows(query: Query): Promise<unknown[][]> {
    return this.run(compiledOn(this.tables, query));
  }

  async *batches(query: Query, rowsPerBatch = 1000): AsyncGenerator<unknown[][]> {
    const { text, values, tables } = compiledOn(this.tables, query);
    const cursor = `playbill_${(this.#cursorsTotal += 1)}`;
    await this.run({ text: `declare ${cursor} no scroll cursor for ${text}`, values, tables });
    const fetch = (): Promise<unknown[][]> => this.#fetches.next(cursor, rowsPerBatch, tables);
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
      // In a failed transaction there is nothing to close.
      await this.command(`close ${cursor}`).catch(() => undefined);
    }
  }

  get placeOfTables(): string {
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

  isWhole(column: string): RawBuilder<SqlBool> {
    return sql<SqlBool>`${sql.ref(column)} % 1 = 0`;
  }

  protected classOf(table: TableName, column: string): string | undefined {
    return this.tables.get(table)?.classes.get(column);
  }

  /** Closes the connection, without waiting for a server that does not answer. */
  protected async end(): Promise<void> {
    const timer = setTimeout(() => this.client.connection.stream.destroy(), GOODBYE_MS);
    await this.client.end().catch(() => undefined);
    clearTimeout(timer);
  }
}
