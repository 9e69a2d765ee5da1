// Reads a catalogue in PostgreSQL, in one read-only transaction, which sees one state of it (law
// 6) and outlives what an expression of a view throws.

import { isDeepStrictEqual } from 'node:util';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { AppError, messageOf, systemCodeOf } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { TABLES, TABLE_NAMES, type TableName } from '../contract/tables.ts';
import type { FailedQuery } from '../load/failing-rows.ts';
import type { Group, Grouping, GroupRange } from '../load/groups.ts';
import type { CatalogueReader } from '../reader.ts';
import { compiled, groupedQuery, groupsFrom, type CompiledSql } from './compile.ts';
import { Session } from './connect.ts';
import { expressionProblem, readError } from './errors.ts';
import { CursorGone } from './fetches.ts';
import { newerTablesError, newerThanSnapshot } from './newer-than-snapshot.ts';
import { PostgresRows } from './rows.ts';
import { rowsSum, SERVER_QUERY } from './state.ts';

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
  /** Of the session when they were: with a savepoint, locks end as well. */
  #confirmedIn = 0;

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
    if (this.#confirmedIn !== this.session.epoch) this.#confirmed.clear();
    this.#confirmedIn = this.session.epoch;
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
    await this.session.setSavepoint();
  }

  protected override async mended<T>(what: FailedQuery, answer: () => Promise<T>): Promise<T> {
    for (;;) {
      const { version } = this.failing;
      try {
        return await answer();
      } catch (error) {
        const problem = expressionProblem(error);
        if (problem !== null) await this.failing.find(what, { error, problem }, version);
        else if (error instanceof CursorGone) await this.failing.settled();
        else throw error;
      }
    }
  }

  /**
   * Lets other sessions read the state of this transaction while it is open.
   * @returns the id of the state
   */
  async exportSnapshot(): Promise<string> {
    // A subtransaction cannot export it.
    await this.session.releaseSavepoint();
    const [[id] = []] = await this.rows(sql`select pg_export_snapshot()`);
    return String(id);
  }

  /** @throws AppError database-… where the server has ended the session */
  async confirmSession(): Promise<void> {
    await this.rows(sql`select 1`);
  }

  async *groups(grouping: Grouping, range: GroupRange, groupsPerBatch: number): AsyncGenerator<Group[]> {
    const classes = this.tables.get(grouping.table)?.classes ?? new Map();
    const query = groupedQuery(grouping, range, classes);
    const { where } = grouping;
    const condition = where && { condition: where, text: compiled(sql`select ${where}`).text };
    const what = { text: compiled(query).text, where: condition };
    for await (const batch of this.batchesOf(query, what, groupsPerBatch))
      yield groupsFrom(batch, grouping.columns, classes);
  }

  get areJoinsDear(): boolean {
    return (['sessions', 'price_tiers'] as const).some((name) => this.tables.get(name)?.isView === true);
  }

  /** They have one type (describe.ts). */
  readonly isSameId = (one: string, other: string): RawBuilder<SqlBool> =>
    sql<SqlBool>`${sql.ref(one)} = ${sql.ref(other)}`;

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
    this.failing.clear();
    await this.beginReading();
  }

  async restartIdentified(): Promise<string> {
    await this.restart();
    if (this.#snapshot !== null) return `snapshot ${this.#snapshot} ${String(await this.rows(SERVER_QUERY))}`;
    const names = TABLE_NAMES.filter((name) => this.tables.has(name));
    const sums: string[] = [];
    for (const name of names) {
      const classes = this.tables.get(name)?.classes;
      const columns = Object.keys(TABLES[name]).filter((column) => classes?.has(column));
      sums.push(`${name} ${String(await this.rows(rowsSum(name, columns)))}`);
    }
    return `rows ${sums.join('; ')}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.end();
  }
}
