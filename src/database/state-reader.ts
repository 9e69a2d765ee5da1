// A reader that computes a digest of all rows it returns, which identifies the state of the catalogue that a shard was rendered from. The
// shards of one run send the same queries in the same order, so equal digests mean equal rows. The time or size of a file would not do: a
// checkpoint changes the file but no row, and a server has other tables, which change all the time.

import { createHash, type Hash } from 'node:crypto';
import type { RawBuilder, SqlBool } from 'kysely';
import type { Finding } from '../findings.ts';
import type { Group, Grouping, IdRange } from './load/groups.ts';
import type { CatalogueReader, DatabaseKind, Query, TableDescription, TypeProblem } from './reader.ts';
import type { Column } from './contract/columns.ts';
import type { TableName } from './contract/tables.ts';

export class StateReader implements CatalogueReader {
  readonly kind: DatabaseKind;
  readonly path: string;
  readonly placeOfTables: string;
  readonly schemas: string;
  readonly finding: Finding | null;
  readonly #reader: CatalogueReader;
  /** One for each query, in the order in which the queries began: several may be in progress. */
  readonly #queries: Hash[] = [];

  constructor(reader: CatalogueReader) {
    this.#reader = reader;
    this.kind = reader.kind;
    this.path = reader.path;
    this.placeOfTables = reader.placeOfTables;
    this.schemas = reader.schemas;
    this.finding = reader.finding;
  }

  /** Of all rows so far. */
  digest(): string {
    const all = createHash('sha256');
    for (const query of this.#queries) all.update(query.copy().digest());
    return all.digest('hex');
  }

  async rows(query: Query): Promise<unknown[][]> {
    const hash = this.#begin();
    const rows = await this.#reader.rows(query);
    for (const row of rows) update(hash, row);
    return rows;
  }

  async *batches(query: Query, rowsPerBatch?: number): AsyncGenerator<unknown[][]> {
    const hash = this.#begin();
    for await (const rows of this.#reader.batches(query, rowsPerBatch)) {
      for (const row of rows) update(hash, row);
      yield rows;
    }
  }

  async *groups(grouping: Grouping, range: IdRange | 'null', groupsPerBatch: number): AsyncGenerator<Group[]> {
    const hash = this.#begin();
    for await (const groups of this.#reader.groups(grouping, range, groupsPerBatch)) {
      yield groups.map((group) => {
        const [rows, alongside] = [group.rows(), group.alongside()];
        // Rows of a group have no order: it may change when the server analyses its tables.
        const texts = rows.map((row, i) => textOf([row, alongside[i]])).sort();
        update(hash, [group.id, ...texts]);
        return { id: group.id, rows: () => rows, alongside: () => alongside };
      });
    }
  }

  describe(): Promise<ReadonlyMap<TableName, TableDescription>> {
    return this.#reader.describe();
  }

  typeProblem(table: TableName, column: string, rule: Column<unknown>, found: TableDescription): TypeProblem | null {
    return this.#reader.typeProblem(table, column, rule, found);
  }

  isWhole(column: string): RawBuilder<SqlBool> {
    return this.#reader.isWhole(column);
  }

  mayBeLater(table: TableName, column: string, text: string): RawBuilder<SqlBool> {
    return this.#reader.mayBeLater(table, column, text);
  }

  markUndecodable(...args: Parameters<CatalogueReader['markUndecodable']>): Promise<void> {
    return this.#reader.markUndecodable(...args);
  }

  withoutForeignKeys(views: ReadonlySet<TableName>): ReadonlySet<TableName> {
    return this.#reader.withoutForeignKeys(views);
  }

  damage(): Promise<readonly Finding[]> {
    return this.#reader.damage();
  }

  confirmOneState(): Promise<void> {
    return this.#reader.confirmOneState();
  }

  async restart(): Promise<void> {
    this.#queries.length = 0;
    await this.#reader.restart();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]();
  }

  #begin(): Hash {
    const hash = createHash('sha256');
    this.#queries.push(hash);
    return hash;
  }
}

function update(hash: Hash, row: readonly unknown[]): void {
  hash.update(`${textOf(row)}\n`);
}

/** JSON quotes strings, so different rows give different texts. Integers too large for a number are bigint, which JSON cannot write. */
function textOf(row: readonly unknown[]): string {
  const isPlain = row.every((value) => typeof value !== 'bigint');
  return JSON.stringify(isPlain ? row : row.map((value) => (typeof value === 'bigint' ? `${value}n` : value)));
}
