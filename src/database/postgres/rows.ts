// Reads a catalogue in PostgreSQL, in one read-only transaction, which sees one state of it (law
// 6).

import { isDeepStrictEqual } from 'node:util';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { AppError, messageOf, systemCodeOf } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { TABLE_NAMES, type TableName } from '../contract/tables.ts';
import type { Group, Grouping, IdRange } from '../load/groups.ts';
import type { CatalogueReader, CatalogueRows, Query, TableDescription } from '../reader.ts';
import { compiled, compiledOn, groupedQuery, groupsFrom, type CompiledSql } from './compile.ts';
import { Session } from './connect.ts';
import { DESCRIBE_QUERY, tablesFrom, typeProblem, type PostgresTable } from './describe.ts';
import { readError } from './errors.ts';
import { Fetches } from './fetches.ts';
import { newerTablesError, newerThanSnapshot } from './newer-than-snapshot.ts';
import { searchPathFrom, SESSION_QUERY, transactionSettings, type SearchPath } from './transaction.ts';

/**
 * Opens a catalogue on a server and begins its transaction; with the id of a snapshot, one that
 * sees the state that another session holds.
 * @throws AppError database-…, snapshot-unknown
 */
export async function openReader(address: string, snapshot: string | null): Promise<PostgresReader> {
  const reader = new PostgresReader(await Session.open(address, readError), snapshot);
  try {
    await reader.beginReading();
    return reader;
  } catch (error) {
    await reader[Symbol.asyncDispose]();
    throw error;
  }
}

/** A connection with an open transaction: reads rows at once, and in batches by cursors. */
export class PostgresRows implements CatalogueRows {
  readonly kind = 'postgres';
  readonly path: string;
  readonly typeProblem = typeProblem;
  protected readonly session: Session;
  protected tables: ReadonlyMap<TableName, PostgresTable> = new Map();
  #searchPath: SearchPath = { setting: '', schemas: '' };
  #cursorsTotal = 0;
  readonly #fetches: Fetches;

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
    await this.session.command([how, ...transactionSettings(this.session.rowSecurity)].join('; '));
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
      await this.session.command(`close ${cursor}`).catch(() => undefined);
    }
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

  isWhole(column: string): RawBuilder<SqlBool> {
    return sql<SqlBool>`${sql.ref(column)} % 1 = 0`;
  }

  protected classOf(table: TableName, column: string): string | undefined {
    return this.tables.get(table)?.classes.get(column);
  }
}

/**
 * Of statements that name what is not there; and internal errors, as when a table vanishes while it
 * is opened.
 */
const WRONG_STATEMENT = /^(?:42|3F|XX)/;

/**
 * invalid_parameter_value, undefined_object, object_not_in_prerequisite_state: no such snapshot, or
 * its session has ended.
 */
const SNAPSHOT_GONE: ReadonlySet<string> = new Set(['22023', '42704', '55000']);

class PostgresReader extends PostgresRows implements CatalogueReader {
  /** None: readers never block writers. */
  readonly finding = null;

  /** The id of a state that another session holds; null for the present state. */
  readonly #snapshot: string | null;
  /** Tables that are known to be as old as the snapshot; see newer-than-snapshot.ts. */
  readonly #confirmed = new Set<TableName>();

  constructor(session: Session, snapshot: string | null) {
    super(session);
    this.#snapshot = snapshot;
  }

  /**
   * The same, once it is certain that the tables are as old as the snapshot.
   * @throws AppError database-busy
   */
  protected override async run(query: CompiledSql): Promise<unknown[][]> {
    const rows = await super.run(query).catch(async (error: unknown) => {
      throw (await this.#replacedMeanwhile(error)) ?? error;
    });
    if (query.tables.every((table) => this.#confirmed.has(table))) return rows;
    await this.confirmOneState();
    for (const table of query.tables) this.#confirmed.add(table);
    return rows;
  }

  async confirmOneState(): Promise<void> {
    const newer = await super.run(newerThanSnapshot(this.tables));
    if (newer.length > 0) throw newerTablesError(this.path, newer.flat());
  }

  /**
   * What a query has failed for, if it is that tables were replaced since they were described.
   * Gives up the transaction.
   */
  async #replacedMeanwhile(error: unknown): Promise<AppError | null> {
    if (!(error instanceof AppError) || !WRONG_STATEMENT.test(systemCodeOf(error.cause))) return null;
    const before = this.tables;
    try {
      await this.session.command('rollback');
      await this.begin('begin read only');
    } catch {
      return null;
    }
    const names = TABLE_NAMES.filter((name) => !isDeepStrictEqual(this.tables.get(name), before.get(name)));
    return names.length === 0 ? null : newerTablesError(this.path, names);
  }

  /** @throws AppError database-…, snapshot-unknown */
  async beginReading(): Promise<void> {
    this.#confirmed.clear();
    const id = this.#snapshot;
    // Must come first in the transaction.
    const snapshot = id === null ? [] : [`set transaction snapshot ${this.session.client.escapeLiteral(id)}`];
    // The transaction is idle while this process renders. One that writes keeps the limit: it holds
    // locks, and its input may never come.
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
    await this.confirmOneState();
  }

  /**
   * Lets other sessions read the state of this transaction while it is open.
   * @returns the id of the state
   */
  async exportSnapshot(): Promise<string> {
    const [[id] = []] = await this.rows(sql`select pg_export_snapshot()`);
    return String(id);
  }

  /** @throws AppError database-… where the server has ended the session */
  async confirmSession(): Promise<void> {
    await this.rows(sql`select 1`);
  }

  async *groups(grouping: Grouping, range: IdRange | 'null', groupsPerBatch: number): AsyncGenerator<Group[]> {
    const classes = this.tables.get(grouping.table)?.classes ?? new Map();
    const query = groupedQuery(grouping, range, classes, (column) => this.isWhole(column));
    for await (const batch of this.batches(query, groupsPerBatch)) yield groupsFrom(batch, grouping.columns, classes);
  }

  isPossiblyLater(table: TableName, column: string, text: string): RawBuilder<SqlBool> {
    const type = this.classOf(table, column);
    const ref = sql.ref(column);
    if (type === 'timestamptz') return sql<SqlBool>`(${ref} > ${text}::timestamptz or not isfinite(${ref}))`;
    if (type === 'timestamp') return sql<SqlBool>`(${ref} > ${text}::timestamp or not isfinite(${ref}))`;
    const pattern = `^${text.replaceAll(/\d/g, '[0-9]')}$`;
    return sql<SqlBool>`(${ref} > ${text} or ${ref} !~ ${pattern})`;
  }

  /** Nothing to do: the server checks all text, and SQL_ASCII, where it does not, is refused. */
  async markUndecodable(): Promise<void> {}

  /** Nothing to tell: the server looks after its files. */
  async damage(): Promise<readonly Finding[]> {
    return [];
  }

  /** An operator's tables need not have foreign keys. */
  withoutForeignKeys(): ReadonlySet<TableName> {
    return new Set(TABLE_NAMES);
  }

  async restart(): Promise<void> {
    await this.session.command('commit');
    await this.beginReading();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.end();
  }
}
