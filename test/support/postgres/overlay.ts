// The good rows of test/support/database-rows.ts in PostgreSQL's own types, and over them, one at a
// time, a view that gives some columns otherwise: as an operator's views would, with any type and
// any value.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TABLES, type TableName } from '../../../src/database/contract/tables.ts';
import { goodCatalogue } from '../database-rows.ts';
import { copyCatalogue } from './copy.ts';
import { newSchema, SchemaClient, serverUrl, type OwnSchema } from './own-schema.ts';

export class Overlay implements AsyncDisposable {
  readonly #base: OwnSchema;
  readonly #over: OwnSchema;
  /** For `--db`: views before the tables that they are over. */
  readonly url: string;
  readonly client: SchemaClient;

  private constructor(base: OwnSchema, over: OwnSchema, root: string) {
    this.#base = base;
    this.#over = over;
    this.url = `${root}${root.includes('?') ? '&' : '?'}options=-csearch_path%3D${over.name}%2C${base.name}`;
    this.client = new SchemaClient(this.url);
  }

  static async create(): Promise<Overlay> {
    const [root, base, over] = [await serverUrl(), await newSchema(), await newSchema()];
    const folder = mkdtempSync(join(tmpdir(), 'playbill-test-'));
    goodCatalogue(join(folder, 'good.sqlite'), false).close();
    await copyCatalogue(join(folder, 'good.sqlite'), base, 'native');
    rmSync(folder, { recursive: true });
    return new Overlay(base, over, root);
  }

  /** Puts a view in the place of a table; `columns` are SQL by name. It stays until `clear`. */
  async replace(table: TableName, columns: Readonly<Record<string, string>>, more = ''): Promise<void> {
    const list = Object.keys(TABLES[table]).map((name) => `${columns[name] ?? `t.${name}`} AS ${name}`);
    await this.client.query(
      `CREATE VIEW ${table} AS SELECT ${list.join(', ')} FROM ${this.#base.name}.${table} AS t ${more}`,
    );
  }

  /** Removes whatever was put over the tables. */
  async clear(): Promise<void> {
    await this.client.query(`DROP SCHEMA ${this.#over.name} CASCADE; CREATE SCHEMA ${this.#over.name}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#over.drop();
    await this.#base.drop();
  }
}
