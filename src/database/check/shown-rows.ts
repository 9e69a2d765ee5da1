// Which rows a document of a build could come to show (containment.md). What is wrong with another
// row is a warning, and what is only doubtful in it is not reported: a draft may be unfinished. Of
// what has been over for less than a year, doubts are reported: the next season is likely to be
// made in the same way.

import { formatInstant, instantOf, SECONDS_PER_DAY, type Instant } from '../../catalogue/instant.ts';
import { otherTypeOf } from '../../catalogue/row-id.ts';
import type { Finding } from '../../findings.ts';
import { rowId } from '../contract/columns.ts';
import { endOfSession, type EndCells } from '../contract/row-rules.ts';
import { anyTable } from '../contract/query-builders.ts';
import { mayIdBeText, TABLE_NAMES, TABLE_OF_KIND, TABLE_RULES, TABLES, type TableName } from '../contract/tables.ts';
import { mayBeSold } from '../load/product-queries.ts';
import type { CatalogueReader } from '../reader.ts';

/** The columns of a row that say whether it is shown; a value may be anything. */
export type RowValues = Readonly<Record<string, unknown>>;

export interface FoundRow {
  readonly findings: readonly Finding[];
  readonly values: RowValues;
}

/** From when on what is doubtful in a session that is over is reported. */
export function doubtedSince(now: Instant): Instant {
  return instantOf(now - 366 * SECONDS_PER_DAY);
}

export class ShownRows {
  readonly #now: Instant;
  readonly #shown: RowsShownFrom;
  readonly #doubted: RowsShownFrom;

  constructor(reader: CatalogueReader, readable: ReadonlySet<TableName>, now: Instant) {
    this.#now = now;
    this.#shown = new RowsShownFrom(reader, readable, now);
    this.#doubted = new RowsShownFrom(reader, readable, doubtedSince(now));
  }

  /** The findings of rows of a table: errors of what is not shown as warnings. */
  async weighed(table: TableName, rows: readonly FoundRow[]): Promise<readonly Finding[]> {
    const weighed: Finding[] = [];
    for (const severity of ['error', 'warning'] as const) {
      const those = rows.flatMap(({ findings, values }) => {
        const found = findings.filter((finding) => finding.severity === severity);
        return found.length === 0 ? [] : [{ findings: found, values }];
      });
      if (those.length === 0) continue;
      const isShown = await (severity === 'error' ? this.#shown : this.#doubted).areShown(table, those);
      for (const [i, { findings, values }] of those.entries()) {
        if (isShown[i] === 'shown') weighed.push(...findings);
        else if (severity === 'error')
          weighed.push(...findings.map((one) => ({ ...one, severity: 'warning' as const })));
        else if (isShown[i] === 'over' && this.#mayBeOverByMistake(values, findings)) weighed.push(...findings);
      }
    }
    return weighed;
  }

  /** A session that has not begun or not ended, or whose very year is doubtful. */
  #mayBeOverByMistake(row: RowValues, findings: readonly Finding[]): boolean {
    const now = formatInstant(this.#now);
    const times = [row['starts_at'], row['starts_local'], row['ends_at'], row['ends_local']];
    return (
      times.some((time) => typeof time === 'string' && time > now) ||
      findings.some(({ code }) => code === 'year-unlikely')
    );
  }
}

/** The rows that are shown at an instant or later. Reads ids when they are first needed. */
class RowsShownFrom {
  readonly #reader: CatalogueReader;
  readonly #readable: ReadonlySet<TableName>;
  readonly #now: Instant;
  #productIds: Promise<ReadonlySet<unknown>> | null = null;
  #disabledIds: Promise<ReadonlySet<unknown>> | null = null;
  readonly #usedIds = new Map<TableName, Promise<ReadonlySet<unknown>>>();
  #unpublishedIds: Promise<ReadonlySet<unknown>> | null = null;

  constructor(reader: CatalogueReader, readable: ReadonlySet<TableName>, now: Instant) {
    this.#reader = reader;
    this.#readable = readable;
    this.#now = now;
  }

  /** `over` is a session that would be shown if it were not over. */
  async areShown(table: TableName, rows: readonly FoundRow[]): Promise<readonly ('shown' | 'over' | 'hidden')[]> {
    const soldIds = table === 'price_tiers' ? await this.#soldIds(rows) : null;
    const all: ('shown' | 'over' | 'hidden')[] = [];
    for (const { values } of rows) {
      const sessionId = values['session_id'];
      const isUnsold = soldIds !== null && rowId.accepts(sessionId) && !soldIds.has(sessionId);
      if (isUnsold || !(await this.#isShown(table, values))) all.push('hidden');
      else all.push(table === 'sessions' && this.#isOver(values) ? 'over' : 'shown');
    }
    return all;
  }

  /** Of the sessions that tiers belong to, those that may be sold. */
  async #soldIds(tiers: readonly FoundRow[]): Promise<ReadonlySet<unknown> | null> {
    const ids = tiers.map(({ values }) => values['session_id']).filter((id) => rowId.accepts(id));
    if (ids.length === 0 || !this.#readable.has('sessions')) return null;
    const sold = anyTable.selectFrom('sessions').select('id').where('id', 'in', ids);
    return this.#ids(sold.where(mayBeSold(this.#reader, this.#now)));
  }

  async #isShown(table: TableName, row: RowValues): Promise<boolean> {
    if (table === 'fronts') return !(await this.#disabled()).has(row['id']);
    if (table === 'sessions' && UNSOLD.has(row['status'])) return false;
    if (table === 'price_tiers' && row['kind'] === 'addon') return false;
    if ('front_id' in row && (await this.#disabled()).has(row['front_id'])) return false;
    if (table === 'products') return !UNPUBLISHED.has(row['status']) && (await this.#isListed(row['id']));
    if (table === 'texts') return this.#isTextShown(row);
    if (table === 'front_products') return !(await this.#unpublished()).has(row['product_id']);
    return 'product_id' in row ? this.#isListed(row['product_id']) : this.#isUsed(table, row['id']);
  }

  async #isTextShown({ kind, id }: RowValues): Promise<boolean> {
    const table = Object.entries(TABLE_OF_KIND).find(([one]) => one === kind)?.[1];
    if (table === undefined) return true;
    // Another id has an error itself.
    const number = otherTypeOf(id);
    if (table === 'products') return this.#isListed(number);
    if (mayIdBeText(table, 'id') && (await this.#isUsed(table, id))) return true;
    return number !== null && this.#isUsed(table, number);
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
    this.#productIds ??= this.#ids(LISTED);
    return (await this.#productIds).has(id);
  }

  /** Whether a row that others refer to, such as a venue or a tag, is used by one that is shown. */
  async #isUsed(table: TableName, id: unknown): Promise<boolean> {
    const isId = mayIdBeText(table, 'id') ? rowId.accepts(id) : Number.isSafeInteger(id);
    if (!isId || !NEEDED.every((needed) => this.#readable.has(needed))) return true;
    let ids = this.#usedIds.get(table);
    if (ids === undefined) {
      ids = this.#readUsedIds(table);
      this.#usedIds.set(table, ids);
    }
    return (await ids).has(id);
  }

  async #readUsedIds(table: TableName): Promise<ReadonlySet<unknown>> {
    const used = new Set<unknown>();
    for (const user of TABLE_NAMES.filter((name) => this.#readable.has(name))) {
      const { references } = TABLE_RULES[user];
      for (const [column, parent] of Object.entries(references)) {
        if (parent !== table) continue;
        let query = anyTable.selectFrom(user).select(column).distinct();
        if (user === 'products') query = query.where('id', 'in', LISTED);
        if ('product_id' in references) query = query.where('product_id', 'in', LISTED);
        if ('front_id' in references) query = query.where('front_id', 'not in', DISABLED);
        if (user === 'sessions') query = query.where(mayBeSold(this.#reader, this.#now));
        for (const id of await this.#ids(query)) used.add(id);
      }
    }
    return used;
  }

  #disabled(): Promise<ReadonlySet<unknown>> {
    if (!this.#readable.has('fronts')) return Promise.resolve(new Set());
    return (this.#disabledIds ??= this.#ids(DISABLED));
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

const NEEDED: readonly TableName[] = ['fronts', 'products', 'front_products', 'sessions'];
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

const DISABLED = anyTable.selectFrom('fronts').select('id').where('status', '=', 'disabled');

/** Published products on active fronts. */
const LISTED = anyTable
  .selectFrom('front_products as l')
  .innerJoin('fronts as f', 'f.id', 'l.front_id')
  .innerJoin('products as p', 'p.id', 'l.product_id')
  .select('p.id')
  .distinct()
  .where((eb) => eb.or([eb('f.status', 'is', null), eb('f.status', '<>', 'disabled')]))
  .where((eb) => eb.or([eb('p.status', 'is', null), eb('p.status', 'not in', [...UNPUBLISHED])]));
