// The catalogue under construction: rows by table, in the order of insertion, and the ids behind
// the names that the tables of this folder use. Refuses a name that is taken, and one that is
// unknown.

/** Parents before children, so that the rows can be inserted in this order with foreign keys on. */
const TABLES = [
  'fronts',
  'front_keys',
  'venues',
  'images',
  'products',
  'front_products',
  'sessions',
  'front_session_exclusions',
  'front_allocations',
  'price_tiers',
  'categories',
  'front_categories',
  'product_categories',
  'groups',
  'front_groups',
  'product_groups',
  'tags',
  'product_tags',
  'badges',
  'product_badges',
  'texts',
] as const;
export type Table = (typeof TABLES)[number];
export type Row = Record<string, string | number | null>;

/** The rows, and the ids of the names that data/demo uses (`venues big` → 1). */
export interface Book {
  readonly now: number;
  readonly rows: ReadonlyMap<Table, Row[]>;
  readonly ids: Map<string, number>;
}

/** An empty catalogue as of `now`, in milliseconds since 1970. */
export function newBook(now: number): Book {
  return { now, rows: new Map(TABLES.map((table) => [table, []])), ids: new Map() };
}

/** Leaves out undefined values, so that the column gets its default, and writes true as 1. */
export function add(
  book: Book,
  table: Table,
  values: Readonly<Record<string, string | number | boolean | null | undefined>>,
): void {
  const row: Row = {};
  for (const [column, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === false) continue;
    row[column] = value === true ? 1 : value;
  }
  rowsOf(book, table).push(row);
}

/** Adds a row with the next id of its table, and returns the id. */
export function addNumbered(book: Book, table: Table, values: Parameters<typeof add>[2]): number {
  const id = rowsOf(book, table).length + 1;
  add(book, table, { id, ...values });
  return id;
}

/**
 * Adds a row that others refer to by a name.
 * @throws Error if the table has the name
 */
export function addNamed(book: Book, table: Table, name: string, values: Parameters<typeof add>[2]): number {
  if (book.ids.has(`${table} ${name}`)) throw new Error(`data/demo has "${name}" twice among its ${table}`);
  const id = addNumbered(book, table, values);
  book.ids.set(`${table} ${name}`, id);
  return id;
}

/** @throws Error if the table has no such name */
export function idOf(book: Book, table: Table, name: string): number {
  const id = book.ids.get(`${table} ${name}`);
  if (id === undefined) throw new Error(`data/demo names "${name}", which is not among its ${table}`);
  return id;
}

/** The ids of names separated by spaces. Throws like idOf. */
export function idsOf(book: Book, table: Table, names: string | undefined): number[] {
  return words(names).map((name) => idOf(book, table, name));
}

/** The rows of a table so far; add to it by `add`. */
export function rowsOf(book: Book, table: Table): Row[] {
  const rows = book.rows.get(table);
  if (!rows) throw new Error(`no table ${table}`);
  return rows;
}

/** The words of a list separated by spaces; none of nothing. */
export function words(list: string | undefined): string[] {
  return (list ?? '').split(' ').filter((word) => word !== '');
}
