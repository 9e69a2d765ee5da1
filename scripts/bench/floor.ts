// The floor: the least work that any build must do. The sqlite3 shell reads the columns that a
// build reads and discards them; a program writes the files of a finished tree from memory.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CHILDREN, IMAGE, PRODUCT } from '../../src/database/load/product-queries.ts';
import { timed } from './timing.ts';

/** Seconds for reading the rows whose number grows with the catalogue. */
export function scanSeconds(database: string): number {
  const columns: Readonly<Record<string, readonly string[]>> = {
    products: PRODUCT.columns,
    images: IMAGE.columns,
    ...Object.fromEntries(
      Object.entries(CHILDREN).map(([table, { columns: ofTable }]) => [table, ['product_id', ...ofTable]]),
    ),
    front_products: [
      'front_id',
      'product_id',
      'featured',
      'banner',
      'paused',
      'sort_weight',
      'visible_from',
      'visible_until',
    ],
    front_session_exclusions: ['front_id', 'session_id'],
  };
  const selects = Object.entries(columns).map(([table, names]) => `SELECT ${names.join()} FROM ${table};`);
  return timed('sqlite3', ['-readonly', database], ['.output /dev/null', ...selects, ''].join('\n'));
}

/** Seconds for writing the files of a tree into another folder, without reading them. */
export function writeSeconds(tree: string, to: string): number {
  rmSync(to, { recursive: true, force: true });
  const files = filesIn(tree).map((path) => ({ path: join(to, path.slice(tree.length)), bytes: readFileSync(path) }));
  const started = process.hrtime.bigint();
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) mkdirSync(folder, { recursive: true });
  for (const { path, bytes } of files) writeFileSync(path, bytes);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  rmSync(to, { recursive: true, force: true });
  return seconds;
}

/** The bytes of all files in a folder and its subfolders. */
export function bytesIn(folder: string): number {
  return filesIn(folder).reduce((sum, path) => sum + statSync(path).size, 0);
}

/** The paths of all files in a folder and its subfolders. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
