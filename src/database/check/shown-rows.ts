// Which rows a document of a build could come to show (containment.md). What is wrong with another
// row is a warning: a draft may be unfinished, and what is over need not be corrected.

import type { Instant } from '../../catalogue/instant.ts';
import type { Finding } from '../../findings.ts';
import { endOfSession, type EndCells } from '../contract/row-rules.ts';
import { anyTable } from '../contract/query-builders.ts';
import { TABLES, type TableName } from '../contract/tables.ts';
import type { CatalogueReader } from '../reader.ts';

/** The columns of a row that say whether it is shown; a value may be anything. */
export type RowValues = Readonly<Record<string, unknown>>;

/** The rows of the tables that can be read. Reads the ids of products when they are first needed. */
export class ShownRows {
  readonly #reader: CatalogueReader;
  readonly #readable: ReadonlySet<TableName>;
  readonly #now: Instant;
  #productIds: Promise<ReadonlySet<unknown>> | null = null;
  #disabledIds: Promise<ReadonlySet<unknown>> | null = null;
  #unpublishedIds: Promise<ReadonlySet<unknown>> | null = null;

  constructor(reader: CatalogueReader, readable: ReadonlySet<TableName>, now: Instant) {
    this.#reader = reader;
    this.#readable = readable;
    this.#now = now;
  }

  /** The findings of a row, as warnings if no document can come to show it. */
  async weighed(findings: readonly Finding[], table: TableName, row: RowValues): Promise<readonly Finding[]> {
    if (findings.length === 0 || (await this.#isShown(table, row))) return findings;
    return findings.map((finding) => ({ ...finding, severity: 'warning' }));
  }

  async #isShown(table: TableName, row: RowValues): Promise<boolean> {
    if (table === 'fronts') return !(await this.#disabled()).has(row['id']);
    if (table === 'sessions' && (UNSOLD.has(row['status']) || this.#isOver(row))) return false;
    if (table === 'price_tiers' && row['kind'] === 'addon') return false;
    if ('front_id' in row && (await this.#disabled()).has(row['front_id'])) return false;
    if (table === 'products') return !UNPUBLISHED.has(row['status']) && (await this.#isListed(row['id']));
    if (table === 'front_products') return !(await this.#unpublished()).has(row['product_id']);
    return 'product_id' in row ? this.#isListed(row['product_id']) : true;
  }

  /** Where the time that says it has an error, nothing is over. */
  #isOver(row: RowValues): boolean {
    const { sessions } = TABLES;
    const cell = (column: keyof EndCells): unknown => row[column] ?? null;
    if (!END_COLUMNS.every((column) => sessions[column].accepts(cell(column)))) return false;
    const cells = Object.fromEntries(END_COLUMNS.map((column) => [column, cell(column)]));
    return endOfSession(cells as EndCells) <= this.#now;
  }

  /** Whether an id may be that of a published product on an active front. */
  async #isListed(id: unknown): Promise<boolean> {
    if (!Number.isSafeInteger(id) || !NEEDED.every((table) => this.#readable.has(table))) return true;
    this.#productIds ??= this.#ids(
      anyTable
        .selectFrom('front_products as l')
        .innerJoin('fronts as f', 'f.id', 'l.front_id')
        .innerJoin('products as p', 'p.id', 'l.product_id')
        .select('p.id')
        .distinct()
        .where((eb) => eb.or([eb('f.status', 'is', null), eb('f.status', '<>', 'disabled')]))
        .where((eb) => eb.or([eb('p.status', 'is', null), eb('p.status', 'not in', [...UNPUBLISHED])])),
    );
    return (await this.#productIds).has(id);
  }

  #disabled(): Promise<ReadonlySet<unknown>> {
    if (!this.#readable.has('fronts')) return Promise.resolve(new Set());
    return (this.#disabledIds ??= this.#ids(
      anyTable.selectFrom('fronts').select('id').where('status', '=', 'disabled'),
    ));
  }

  #unpublished(): Promise<ReadonlySet<unknown>> {
    if (!this.#readable.has('products')) return Promise.resolve(new Set());
    return (this.#unpublishedIds ??= this.#ids(
      anyTable
        .selectFrom('products')
        .select('id')
        .where('status', 'in', [...UNPUBLISHED]),
    ));
  }

  async #ids(query: Parameters<CatalogueReader['rows']>[0]): Promise<ReadonlySet<unknown>> {
    return new Set((await this.#reader.rows(query)).map(([id]) => id));
  }
}

const NEEDED: readonly TableName[] = ['fronts', 'products', 'front_products'];
const END_COLUMNS = [
  'starts_at',
  'starts_local',
  'ends_at',
  'ends_local',
  'daily',
  'sales_end_at',
  'sales_end_local',
] as const satisfies readonly (keyof EndCells)[];
const UNSOLD: ReadonlySet<unknown> = new Set(['draft', 'postponed', 'cancelled']);
const UNPUBLISHED: ReadonlySet<unknown> = new Set(['draft', 'archived']);
