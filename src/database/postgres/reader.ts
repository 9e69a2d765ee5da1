// Reads a catalogue in PostgreSQL in one read-only transaction, which sees one state of it (law 6). All settings are local to the
// transaction: behind a pooler the next transaction may be in another session.

import { escapeLiteral, type Client } from 'pg';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { AppError, messageOf, systemCodeOf } from '../../errors.ts';
import type { Group, Grouping, IdRange } from '../read/groups.ts';
import type { CatalogueReader, CatalogueRows, Query, TableDescription } from '../reader.ts';
import { TABLE_NAMES, type TableName } from '../schema/tables.ts';
import { displayAddress } from './address.ts';
import { answerOf } from './answer.ts';
import { compiled, compiledOn, type CompiledSql } from './compile.ts';
import { connect } from './connect.ts';
import { postgresError } from './errors.ts';
import { Fetches } from './fetches.ts';
import { groupedQuery, groupsFrom } from './grouped-query.ts';
import { NEWER_TABLES, newerTablesError } from './one-state.ts';
import { DESCRIBE_QUERY, SEARCH_PATH_QUERY, tablesFrom, typeProblem, type PostgresTable } from './native-types.ts';

/** Settings of every transaction, reading or writing. */
const TRANSACTION_SETTINGS = [
  "set local timezone = 'UTC'",
  "set local datestyle = 'ISO'",
  // A statement, with its locks, ends soon after this process does. Servers before 14 and those on Windows do not have this setting.
  `select set_config(name, '2s', true) from pg_settings where name = 'client_connection_check_interval' and version() like '%linux%'`,
  // Every cursor is read to its end, so a plan that gives the first rows early is no better.
  'set local cursor_tuple_fraction = 1',
  // Waits for whoever has locked a table, but not forever.
  `select set_config('lock_timeout', '10s', true) where current_setting('lock_timeout') = '0'`,
  'set local jit = off',
];

/** invalid_parameter_value, undefined_object, object_not_in_prerequisite_state: no such snapshot, or its session has ended. */
const SNAPSHOT_GONE: ReadonlySet<string> = new Set(['22023', '42704', '55000']);

/** How long to wait for the end of a connection; by then nothing depends on its answer. */
const GOODBYE_MS = 1000;

/** A connection with an open transaction, which throws AppErrors. */
export class PostgresRows implements CatalogueRows {
  readonly kind = 'postgres';
  readonly path: string;
  readonly typeProblem = typeProblem;
  protected readonly client: Client;
  protected tables: ReadonlyMap<TableName, PostgresTable> = new Map();
  #searchPath = '';
  #cursorsTotal = 0;
  #endedBy: unknown;
  /** Resolves when all earlier queries have ended: a connection runs one at a time. */
  #queries: Promise<unknown> = Promise.resolve();
  readonly #fetches: Fetches;

  protected constructor(path: string, client: Client) {
    this.path = path;
    this.client = client;
    // If the connection breaks between two queries, the next one fails with this error instead of "no connection".
    client.on('error', (error: unknown) => (this.#endedBy ??= error));
    this.#fetches = new Fetches({
      client,
      inTurn: (query) => this.#inTurn(query),
      errorOf: (error, tables) => postgresError(path, this.#endedBy ?? error, tables),
    });
  }

  /** A connection without a transaction yet. @throws AppError database-… */
  protected static async connected(address: string): Promise<{ readonly path: string; readonly client: Client }> {
    const path = displayAddress(address);
    try {
      return { path, client: await connect(address, process.env) };
    } catch (error) {
      throw postgresError(path, error);
    }
  }

  /** Begins a transaction and describes the tables. The first query takes the snapshot. @throws AppError database-… */
  protected async begin(how: string): Promise<void> {
    await this.command([how, ...TRANSACTION_SETTINGS].join('; '));
    const [[searchPath] = []] = await this.run(compiled(SEARCH_PATH_QUERY));
    this.#searchPath = String(searchPath);
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
      () => answerOf(this.client, text, values),
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
    return ` on the search_path ${this.#searchPath}`;
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

export class PostgresReader extends PostgresRows implements CatalogueReader {
  /** None: readers never block writers. */
  readonly finding = null;

  /** The id of a state that another session holds; null for the present state. */
  readonly #snapshot: string | null;
  /** Tables that are known to be as old as the snapshot; see one-state.ts. */
  readonly #confirmed = new Set<TableName>();

  private constructor(path: string, client: Client, snapshot: string | null) {
    super(path, client);
    this.#snapshot = snapshot;
  }

  /** @throws AppError database-…, snapshot-unknown */
  static async open(address: string, snapshot: string | null): Promise<PostgresReader> {
    const { path, client } = await PostgresRows.connected(address);
    const reader = new PostgresReader(path, client, snapshot);
    try {
      await reader.#begin();
      await reader.#refuseUncheckedText();
      return reader;
    } catch (error) {
      await reader.end();
      throw error;
    }
  }

  /** The same, once it is certain that the tables are as old as the snapshot. @throws AppError database-busy */
  protected override async run(query: CompiledSql): Promise<unknown[][]> {
    const rows = await super.run(query);
    if (query.tables.every((table) => this.#confirmed.has(table))) return rows;
    const newer = await super.run(NEWER_TABLES);
    if (newer.length > 0) throw newerTablesError(this.path, newer);
    for (const table of query.tables) this.#confirmed.add(table);
    return rows;
  }

  async #begin(): Promise<void> {
    this.#confirmed.clear();
    const id = this.#snapshot;
    // Must come first in the transaction.
    const snapshot = id === null ? [] : [`set transaction snapshot ${escapeLiteral(id)}`];
    // The transaction is idle while this process renders. One that writes keeps the limit: it holds locks, and its input may never come.
    const settings = 'set local idle_in_transaction_session_timeout = 0';
    try {
      await this.begin(['begin isolation level repeatable read read only', ...snapshot, settings].join('; '));
    } catch (error) {
      const code = error instanceof AppError ? systemCodeOf(error.cause) : '';
      if (id === null || !SNAPSHOT_GONE.has(code)) throw error;
      const found = messageOf(error instanceof AppError ? error.cause : error);
      const message = `expected a snapshot ${id} that is held at ${this.path}, found: ${found}`;
      throw new AppError(
        'snapshot-unknown',
        message,
        'hold one until all shards have ended, and give them its id',
        error,
      );
    }
  }

  /** Lets other sessions read the state of this transaction while it is open. @returns the id of the state */
  async exportSnapshot(): Promise<string> {
    const [[id] = []] = await this.rows(sql`select pg_export_snapshot()`);
    return String(id);
  }

  /** @throws AppError database-… where the server has ended the session */
  async confirmSession(): Promise<void> {
    await this.rows(sql`select 1`);
  }

  /** In SQL_ASCII the server accepts any bytes as text. */
  async #refuseUncheckedText(): Promise<void> {
    const [[encoding] = []] = await this.rows(sql`select current_setting('server_encoding')`);
    if (encoding !== 'SQL_ASCII') return;
    const message = `expected a database whose server checks its text, found ${this.path} in SQL_ASCII`;
    throw new AppError('database-unreadable', message, 'copy it: pg_dump | psql into CREATE DATABASE … ENCODING UTF8');
  }

  async *groups(grouping: Grouping, range: IdRange | 'null', groupsPerBatch: number): AsyncGenerator<Group[]> {
    const isTime = (column: string): boolean => this.classOf(grouping.table, column)?.startsWith('timestamp') === true;
    const times = grouping.columns.flatMap((column, i) => (isTime(column) ? [i] : []));
    const query = groupedQuery(grouping, range, (column) => this.isWhole(column));
    for await (const batch of this.batches(query, groupsPerBatch)) yield groupsFrom(batch, times);
  }

  mayBeLater(table: TableName, column: string, text: string): RawBuilder<SqlBool> {
    const type = this.classOf(table, column);
    const ref = sql.ref(column);
    if (type === 'timestamptz') return sql<SqlBool>`(${ref} > ${text}::timestamptz or not isfinite(${ref}))`;
    if (type === 'timestamp') return sql<SqlBool>`(${ref} > ${text}::timestamp or not isfinite(${ref}))`;
    const pattern = `^${text.replaceAll(/\d/g, '[0-9]')}$`;
    return sql<SqlBool>`(${ref} > ${text} or ${ref} !~ ${pattern})`;
  }

  /** Nothing to do: the server checks all text, and SQL_ASCII, where it does not, is refused. */
  async markUndecodable(): Promise<void> {}

  /** An operator's tables need not have foreign keys. */
  unguarded(): ReadonlySet<TableName> {
    return new Set(TABLE_NAMES);
  }

  async restart(): Promise<void> {
    await this.command('commit');
    await this.#begin();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}
