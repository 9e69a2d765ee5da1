// Reads a catalogue in an SQLite file: read-only, one transaction for everything (law 6).

import { setTimeout } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { sql, type CompiledQuery, type RawBuilder, type SqlBool } from 'kysely';
import { AppError, shellWord } from '../../errors.ts';
import type { Finding } from '../../findings.ts';
import { exactRow, hasRounded } from '../contract/exact-integers.ts';
import type { TableName } from '../contract/tables.ts';
import type { Group, Grouping, GroupRange } from '../load/groups.ts';
import type { CatalogueReader, CatalogueRows, Query, TableDescription } from '../reader.ts';
import { ID_AS_TEXT, tablesBounds } from './cell-bounds.ts';
import { FailingRows, type FailedQuery } from '../load/failing-rows.ts';
import { compiled, groupedQuery, groupsFrom, sortedGroupsQuery, TablesCompiler } from './compile.ts';
import { beginReading, connectToRead } from './connect.ts';
import { damageIn } from './damage.ts';
import { describeTables, otherTables, typeProblem } from './describe.ts';
import { expressionProblem, reading } from './errors.ts';
import { CatalogueFiles } from './state.ts';
import { markUndecodable } from './values.ts';

/**
 * Opens an SQLite catalogue and begins its transaction: the snapshot is fixed from here on.
 * @throws AppError database-missing, database-unreadable, database-busy
 */
export async function openReader(path: string): Promise<CatalogueReader> {
  // Before the connection: a file that replaces this one meanwhile must not be taken for it.
  const files = new CatalogueFiles(path);
  const handle = connectToRead(path);
  return reading(path, () => new SqliteReader(path, handle, files));
}

/** How often to begin a transaction while another process commits, before its state is known. */
const BEGINS_MAX = 20;
const BETWEEN_BEGINS_MS = 20;

type Sorted = 'nothing' | 'order' | 'rows';
type Statement = Database.Statement<unknown[], unknown[]>;

/**
 * Reads through a connection to SQLite. `guard` runs each read and turns the driver's errors into
 * ours.
 */
export class SqliteRows implements CatalogueRows {
  readonly kind = 'sqlite';
  readonly path: string;
  readonly handle: Database.Database;
  readonly #guard: typeof reading;
  readonly locationOfTables = '';
  readonly schemas = '';
  readonly typeProblem = typeProblem;
  /** Prepared statements by text: a load repeats some queries. */
  readonly #statements = new Map<string, Statement>();
  readonly #sorted = new Map<string, Sorted>();
  #compiler: TablesCompiler | null = null;

  constructor(path: string, handle: Database.Database, guard: typeof reading) {
    this.path = path;
    this.handle = handle;
    this.#guard = guard;
  }

  protected get compiler(): TablesCompiler {
    this.#compiler ??= new TablesCompiler(
      this.#guard(this.path, () => tablesBounds(this.handle)),
      this.failing.tables,
    );
    return this.#compiler;
  }

  /** The rows for which an expression of a view throws: a reader finds them, a writer does not. */
  protected readonly failing = new FailingRows({
    kind: this.kind,
    path: () => this.path,
    shellCommand: () => `sqlite3 ${shellWord(this.path)}`,
    attempt: async (query) => {
      try {
        return { rows: this.#all(this.#bounded(query)) };
      } catch (error) {
        const problem = expressionProblem(error);
        if (problem === null) throw error;
        return { problem };
      }
    },
    columnsOf: (table) => this.compiler.tables.get(table)?.columns ?? [],
  });
  readonly failedRows = this.failing.failedRows;

  /**
   * Called where a query has failed, which then is made again.
   * @throws its error, where it would fail again
   */
  protected async mend(_failed: FailedQuery, error: unknown, _version: number): Promise<void> {
    throw error;
  }

  /** Forgets what is known of the tables: from here on names may lead to others. */
  protected forgetTables(): void {
    this.#compiler = null;
    this.#statements.clear();
    this.#sorted.clear();
  }

  async rows(query: Query): Promise<unknown[][]> {
    for (;;) {
      const { version } = this.failing;
      try {
        return this.#all(this.#bounded(query));
      } catch (error) {
        await this.mend({ text: compiled(query).sql }, error, version);
      }
    }
  }

  #all({ sql, parameters }: CompiledQuery): unknown[][] {
    return this.#guard(this.path, () => {
      const statement = this.#statements.get(sql) ?? this.#prepare(sql);
      this.#statements.set(sql, statement);
      const rows = statement.all(...parameters);
      if (!rows.some(hasRounded)) return rows;
      return this.#prepare(sql)
        .safeIntegers(true)
        .all(...parameters)
        .map(exactRow);
    });
  }

  batches(query: Query, rowsPerBatch = 1000): AsyncGenerator<unknown[][]> {
    return this.batchesOf(() => this.#bounded(query), { text: compiled(query).sql }, rowsPerBatch);
  }

  /**
   * The rows of a query as it is. It is made again, without the rows that were read, to read
   * integers exactly from the first batch on that has one which was rounded, and where it failed.
   */
  protected async *batchesOf(
    queryNow: () => CompiledQuery,
    what: FailedQuery,
    rowsPerBatch: number,
  ): AsyncGenerator<unknown[][]> {
    let rows: Iterator<unknown[]> | null = null;
    let isExact = false;
    let total = 0;
    const begin = (): Iterator<unknown[]> => {
      const { sql, parameters } = queryNow();
      const begun = this.#prepare(sql)
        .safeIntegers(isExact)
        .iterate(...parameters);
      for (let skipped = 0; skipped < total; skipped++) begun.next();
      return begun;
    };
    const nextRows = (count: number): unknown[][] => {
      rows ??= begin();
      const batch: unknown[][] = [];
      while (batch.length < count) {
        const next = rows.next();
        if (next.done === true) break;
        batch.push(isExact ? exactRow(next.value) : next.value);
      }
      return batch;
    };
    const end = (): void => {
      rows?.return?.();
      rows = null;
    };
    const nextBatch = (): unknown[][] => {
      const batch = nextRows(rowsPerBatch);
      if (isExact || !batch.some(hasRounded)) return batch;
      end();
      isExact = true;
      return nextRows(rowsPerBatch);
    };
    try {
      for (;;) {
        const { version } = this.failing;
        let batch: unknown[][];
        try {
          batch = this.#guard(this.path, nextBatch);
        } catch (error) {
          end();
          await this.mend(what, error, version);
          continue;
        }
        total += batch.length;
        if (batch.length > 0) yield batch;
        if (batch.length < rowsPerBatch) return;
      }
    } finally {
      end();
    }
  }

  /** A query without large cells among its values, nor among what is sorted for it. */
  #bounded(query: Query): CompiledQuery {
    const direct = this.compiler.direct(query);
    const boundedFirst = this.compiler.boundedFirst(query);
    if (boundedFirst === null) return direct;
    switch (this.sortedFor(direct)) {
      case 'nothing':
        return direct;
      case 'order':
        return this.compiler.bySortKeys(query);
      case 'rows':
        return boundedFirst;
    }
  }

  /**
   * What SQLite sorts for a query where no index has it in order: rows for their order alone, of
   * which it keeps the values that are selected, or the rows of tables, as for a GROUP BY.
   */
  protected sortedFor({ sql, parameters }: CompiledQuery): Sorted {
    const known = this.#sorted.get(sql);
    if (known !== undefined) return known;
    const plan = this.#guard(this.path, () => this.#prepare(`explain query plan ${sql}`).all(...parameters));
    // What is within a view is sorted whoever reads it.
    const sorts = plan.flatMap(([, parent, , detail]) =>
      parent === 0 && /TEMP B-TREE|AUTOMATIC/.test(String(detail)) ? [String(detail)] : [],
    );
    const isOrder = sorts.every((detail) => detail.endsWith('ORDER BY'));
    const sorted = sorts.length === 0 ? 'nothing' : isOrder ? 'order' : 'rows';
    this.#sorted.set(sql, sorted);
    return sorted;
  }

  describe(): Promise<ReadonlyMap<TableName, TableDescription>> {
    return describeTables(this);
  }

  otherTables(): Promise<readonly string[]> {
    return otherTables(this);
  }

  idAsText(): RawBuilder<string> {
    return sql.raw(ID_AS_TEXT);
  }

  #prepare(sql: string): Statement {
    return this.handle.prepare<unknown[], unknown[]>(sql).raw(true);
  }
}

class SqliteReader extends SqliteRows implements CatalogueReader {
  readonly finding = journalModeFinding(this.#journalMode());
  readonly #files: CatalogueFiles;

  constructor(path: string, handle: Database.Database, files: CatalogueFiles) {
    super(path, handle, reading);
    this.#files = files;
  }

  async *groups(grouping: Grouping, range: GroupRange, groupsPerBatch: number): AsyncGenerator<Group[]> {
    const bounds = this.compiler.tables.get(grouping.table);
    const direct = compiled(groupedQuery(grouping, range, bounds));
    const queryNow = (): CompiledQuery => {
      const marked = this.compiler.completed(direct);
      const isSorted = bounds?.hasOurChecks === false && this.sortedFor(marked) !== 'nothing';
      return isSorted ? this.compiler.completed(compiled(sortedGroupsQuery(grouping, range, bounds))) : marked;
    };
    const { where } = grouping;
    const condition = where && { condition: where, text: compiled(sql`select ${where}`).sql };
    const what = { text: direct.sql, where: condition };
    for await (const batch of this.batchesOf(queryNow, what, groupsPerBatch)) yield groupsFrom(batch);
  }

  protected override async mend(failed: FailedQuery, error: unknown, version: number): Promise<void> {
    const problem = expressionProblem(error);
    if (problem === null) throw error;
    await this.failing.find(failed, { error, problem }, version);
  }

  readonly areJoinsDear = false;

  /** Neither the affinity of a column nor its collation makes two ids one. */
  readonly isSameId = (one: string, other: string): RawBuilder<SqlBool> => {
    const [a, b] = [sql.ref(one), sql.ref(other)];
    return sql<SqlBool>`${a} = ${b} collate binary and (typeof(${a}) = 'text') = (typeof(${b}) = 'text')`;
  };

  isPossiblyLater(_table: TableName, column: string, text: string): RawBuilder<SqlBool> {
    // The form of the text, with any digits.
    const pattern = text.replaceAll(/\d/g, '?');
    return sql<SqlBool>`(${sql.ref(column)} > ${text} or ${sql.ref(column)} not glob ${pattern})`;
  }

  markUndecodable(...args: Parameters<CatalogueReader['markUndecodable']>): Promise<void> {
    return markUndecodable(this, ...args);
  }

  async damage(): Promise<readonly Finding[]> {
    return damageIn(this.path, this.handle);
  }

  /** Foreign keys guard tables. */
  withoutForeignKeys(views: ReadonlySet<TableName>): ReadonlySet<TableName> {
    return views;
  }

  /** A snapshot has the schema, too. */
  async confirmOneState(): Promise<void> {
    this.#files.confirmDigest();
  }

  async restartIdentified(): Promise<string> {
    for (let begins = 0; begins < BEGINS_MAX; begins++) {
      const before = this.#journalMode() === 'wal' ? this.#files.logEnd() : null;
      await this.restart();
      if (this.#journalMode() !== 'wal') return await this.#files.digest();
      const after = this.#files.logEnd();
      if (after !== null && before?.text === after.text) return after.isEmpty ? await this.#files.digest() : after.text;
      await setTimeout(BETWEEN_BEGINS_MS);
    }
    throw new AppError('database-busy', `${this.path} is being written to all the time`, 'try again');
  }

  #journalMode(): string {
    return String(this.handle.pragma('journal_mode', { simple: true }));
  }

  async restart(): Promise<void> {
    reading(this.path, () => {
      this.handle.exec('commit');
      beginReading(this.handle);
    });
    this.forgetTables();
    this.failing.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.handle.close();
    this.#files[Symbol.dispose]();
  }
}

/** In WAL mode a reader does not block the operator's writers. */
function journalModeFinding(journalMode: string): Finding | null {
  if (journalMode === 'wal') return null;
  const message = `expected WAL, found ${journalMode}: a long build then blocks the writers; sqlite3 FILE "PRAGMA journal_mode=WAL"`;
  return { severity: 'warning', code: 'journal-mode-not-wal', place: 'database', message };
}
