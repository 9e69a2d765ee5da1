// Revisions: random tokens that triggers give anew to whatever a change of a row may touch, so that a build can know what is as it
// was without reading it. The tables of the contract say nothing of them: a catalogue without them is built in full.

import { schemaState, type SelectRows } from './catalogue-mark.ts';
import { TABLE_NAMES, TABLES, type TableName } from './tables.ts';

/** What a token speaks for: every row there is; what all products share; what a product's card, or a front's shelf, is made from. */
export type RevisionScope = 'catalogue' | 'shared' | 'product' | 'front';

/** The revisions of a catalogue, as one transaction sees them. */
export interface Revisions {
  /** Tables, triggers and indexes. Tokens of two moments may be compared only where this is equal too: a change of tables has no trigger. */
  readonly schema: string;
  /** Equal tokens: every row of every table of the contract is the same. */
  readonly catalogue: number;
  /** Equal tokens: venues, categories, groups, tags and badges are the same. */
  readonly shared: number;
  /** The tokens of all products, or of all fronts, by id. One that is missing has no revision: nothing is known of it. */
  tokens(scope: 'product' | 'front'): ReadonlyMap<number, number>;
}

/** SQL for the ids of a scope that a row concerns. `{row}` is OLD or NEW. */
interface Touch {
  readonly scope: 'shared' | 'product' | 'front';
  /** An expression, or a whole `SELECT … WHERE …` of one column. */
  readonly ids: string;
}

const SHARED: readonly Touch[] = [{ scope: 'shared', ids: '0' }];
const PRODUCT: readonly Touch[] = [{ scope: 'product', ids: '{row}.product_id' }];
const FRONT: readonly Touch[] = [{ scope: 'front', ids: '{row}.front_id' }];

/** What a row of each table touches besides the catalogue as a whole. */
const TOUCHES: Readonly<Record<TableName, readonly Touch[]>> = {
  fronts: [{ scope: 'front', ids: '{row}.id' }],
  front_keys: [],
  venues: SHARED,
  images: [{ scope: 'product', ids: 'SELECT id FROM products WHERE image_id = {row}.id' }],
  products: [{ scope: 'product', ids: '{row}.id' }],
  front_products: FRONT,
  sessions: PRODUCT,
  front_session_exclusions: [
    ...FRONT,
    { scope: 'product', ids: 'SELECT product_id FROM sessions WHERE id = {row}.session_id' },
  ],
  price_tiers: PRODUCT,
  categories: SHARED,
  front_categories: FRONT,
  product_categories: PRODUCT,
  groups: SHARED,
  front_groups: FRONT,
  product_groups: PRODUCT,
  tags: SHARED,
  product_tags: PRODUCT,
  badges: SHARED,
  product_badges: PRODUCT,
};

/**
 * Rows that REPLACE takes away to make room fire no trigger of their own (but under recursive_triggers). Where such a row may
 * belong to another product or front than the new one, it is looked up before: by which column they collide, and whose it is.
 */
const DISPLACED: Readonly<Partial<Record<TableName, { readonly by: string; readonly touch: Touch }>>> = {
  fronts: { by: 'code', touch: { scope: 'front', ids: 'id' } },
  products: { by: 'slug', touch: { scope: 'product', ids: 'id' } },
  sessions: { by: 'id', touch: { scope: 'product', ids: 'product_id' } },
  price_tiers: { by: 'id', touch: { scope: 'product', ids: 'product_id' } },
};

/** Fits a number of JavaScript; two of them are equal once in 9 × 10^15 times. */
const TOKEN = 'abs(random() % 9007199254740991)';

// An upsert, and not INSERT OR REPLACE: within a trigger the OR of the statement that fired it counts, which may be IGNORE.
const UPSERT = 'ON CONFLICT (scope, id) DO UPDATE SET token = excluded.token;';

const TABLE = `CREATE TABLE revisions (
  scope TEXT NOT NULL,
  id INTEGER NOT NULL,
  token INTEGER NOT NULL,
  PRIMARY KEY (scope, id)
) STRICT, WITHOUT ROWID`;

const FIRST_TOKENS = `INSERT INTO revisions VALUES ('catalogue', 0, ${TOKEN}), ('shared', 0, ${TOKEN})`;

/** The table and its triggers, as data/schema.sql has them. */
export function revisionsSql(): string {
  return [TABLE, FIRST_TOKENS, ...triggers().values()].map((statement) => `${statement};\n`).join('\n');
}

/** All triggers by name, as SQLite keeps their text. */
function triggers(): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  const add = (table: TableName, event: string, when: string, statements: readonly string[]): void => {
    const name = `revisions_${table}_${event.toLowerCase().replaceAll(' ', '_')}`;
    const head = `CREATE TRIGGER ${name} ${event} ON ${table}${when === '' ? '' : `\nWHEN ${when}`}`;
    all.set(name, `${head} BEGIN\n${statements.map((statement) => `  ${statement}\n`).join('')}END`);
  };
  for (const table of TABLE_NAMES) {
    const touches = TOUCHES[table];
    const catalogue = touched({ scope: 'catalogue', ids: '0' }, '');
    const of = (row: 'OLD' | 'NEW'): string[] => touches.map((touch) => touched(touch, row));
    add(table, 'AFTER INSERT', '', [catalogue, ...of('NEW')]);
    // A row that is written as it was changes nothing: whoever copies everything over again every few minutes does that a lot.
    const columns = Object.keys(TABLES[table]);
    const values = (row: string): string => `(${columns.map((column) => `${row}.${column}`).join(', ')})`;
    const movers = touches.filter(({ ids }) => ids.includes('{row}')).map((touch) => touched(touch, 'OLD'));
    add(table, 'AFTER UPDATE', `${values('OLD')} IS NOT ${values('NEW')}`, [catalogue, ...of('NEW'), ...movers]);
    add(table, 'AFTER DELETE', '', [catalogue, ...of('OLD')]);

    const displaced = DISPLACED[table];
    if (displaced === undefined) continue;
    const { by, touch } = displaced;
    const others = `SELECT ${touch.ids} FROM ${table} WHERE ${by} = NEW.${by} AND ${touch.ids} IS NOT NEW.${touch.ids}`;
    const statements = [touched({ ...touch, ids: others }, 'NEW')];
    add(table, 'BEFORE INSERT', '', statements);
    add(table, 'BEFORE UPDATE', `NEW.${by} IS NOT OLD.${by}`, statements);
  }
  return all;
}

/** The statement that gives a scope's ids new tokens. */
function touched({ scope, ids }: { readonly scope: RevisionScope; readonly ids: string }, row: string): string {
  if (ids === '0') return `UPDATE revisions SET token = ${TOKEN} WHERE scope = '${scope}';`;
  const sql = ids.replaceAll('{row}', row);
  const select = /^SELECT (\w+) (FROM .*)$/.exec(sql);
  if (select === null) return `INSERT INTO revisions VALUES ('${scope}', ${sql}, ${TOKEN}) ${UPSERT}`;
  const [, id = '', from = ''] = select;
  return `INSERT INTO revisions SELECT '${scope}', ${id}, ${TOKEN} ${from} ${UPSERT}`;
}

/** The revisions of a catalogue; null where it keeps none that could be believed. */
export function readRevisions(select: SelectRows): Revisions | null {
  const revisions = revisionsOrWhyNot(select);
  return typeof revisions === 'string' ? null : revisions;
}

/**
 * The revisions of a catalogue, or what keeps them from being believed: a table of the contract is a view, a trigger of ours is
 * missing or says something else, or one of the operator's own could come between.
 */
export function revisionsOrWhyNot(select: SelectRows): Revisions | string {
  const schema = select("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name");
  const entries = schema.map(([type, name, table, sql]) => ({
    type: String(type),
    name: String(name),
    table: String(table),
    sql: String(sql),
  }));
  const textOf = new Map(entries.map(({ type, name, sql }) => [`${type} ${name}`, sql]));
  for (const table of TABLE_NAMES) {
    const sql = textOf.get(`table ${table}`);
    if (sql === undefined) return `${table} is a view`;
    // Under a collation of its own, a column may change and compare as equal.
    if (/\bcollate\b/i.test(sql)) return `a column of ${table} has a collation`;
  }
  if (textOf.get('table revisions') !== TABLE) return 'there is no table revisions as data/schema.sql has it';
  const ours = triggers();
  for (const [name, sql] of ours)
    if (textOf.get(`trigger ${name}`) !== sql) return `there is no trigger ${name} as data/schema.sql has it`;
  const contract: ReadonlySet<string> = new Set(TABLE_NAMES);
  for (const { type, name, table, sql } of entries) {
    if (type !== 'trigger' || ours.has(name)) continue;
    // RAISE(IGNORE) keeps the change and ends the triggers that are still to come.
    if (/\brevisions\b/i.test(sql) || (contract.has(table) && /\bignore\b/i.test(sql))) {
      return `the trigger ${name} may come between`;
    }
  }
  const [[catalogue] = []] = select("SELECT token FROM revisions WHERE scope = 'catalogue' AND id = 0");
  const [[shared] = []] = select("SELECT token FROM revisions WHERE scope = 'shared' AND id = 0");
  if (typeof catalogue !== 'number' || typeof shared !== 'number') return 'the table revisions lacks a token';
  return {
    schema: schemaState(select),
    catalogue,
    shared,
    tokens: (scope) =>
      new Map(
        select(`SELECT id, token FROM revisions WHERE scope = '${scope}'`).map(([id, token]) => [
          Number(id),
          Number(token),
        ]),
      ),
  };
}
