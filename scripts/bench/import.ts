// Benchmarks an import of a whole catalogue.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLE_NAMES, TABLES } from '../../src/database/contract/tables.ts';
import type { Playbill, SizeOptions } from './size.ts';
import { times, type Row } from './table.ts';
import { interleaved, printed, timed } from './timing.ts';

/**
 * Compares importing all rows with the sqlite3 shell's `.import` of the same rows into the same
 * schema. `.import` cannot write NULL, so the rows go through a temporary table.
 */
export function importRow({ size, root, memory }: SizeOptions, database: string, playbill: Playbill): Row {
  const folder = join(memory, 'import');
  mkdirSync(folder);
  const lines = join(folder, 'rows.ndjson');
  writeFileSync(lines, printed(process.execPath, [`${root}dist/cli/main.js`, 'export', '--db', database]));
  for (const name of TABLE_NAMES) {
    const csv = printed('sqlite3', [
      '-readonly',
      '-ascii',
      '-nullvalue',
      '\\N',
      database,
      `SELECT ${Object.keys(TABLES[name]).join()} FROM ${name}`,
    ]);
    writeFileSync(join(folder, name), csv);
  }
  const shell = [
    'PRAGMA journal_mode = WAL;',
    `.read ${root}data/schema.sql`,
    'BEGIN;',
    'PRAGMA defer_foreign_keys = ON;',
    ...TABLE_NAMES.flatMap((name) => {
      const columns = Object.keys(TABLES[name]);
      const values = columns.map((column) => `nullif(${column}, '\\N')`);
      return [
        `CREATE TEMP TABLE staged (${columns.join()});`,
        `.import --ascii --schema temp ${join(folder, name)} staged`,
        `INSERT INTO ${name} (${columns.join()}) SELECT ${values.join()} FROM staged;`,
        'DROP TABLE staged;',
      ];
    }),
    'COMMIT;',
    '',
  ].join('\n');
  const runs = interleaved(3, {
    shell: () => {
      rmSync(join(folder, 'shell.sqlite'), { force: true });
      return timed('sqlite3', [join(folder, 'shell.sqlite')], shell);
    },
    import: () => {
      rmSync(join(folder, 'ours.sqlite'), { force: true });
      return playbill('import', 'import', lines, '--db', join(folder, 'ours.sqlite')).seconds;
    },
  });
  const exported = (name: string): string =>
    printed(process.execPath, [`${root}dist/cli/main.js`, 'export', '--db', join(folder, name)]);
  const isSame = exported('shell.sqlite') === exported('ours.sqlite');
  if (!isSame) process.exitCode = 1;
  rmSync(folder, { recursive: true });
  const measured = `${times(runs.import, runs.shell)}, ${isSame ? 'same rows' : 'OTHER ROWS'}`;
  return { what: 'import of all rows, against `.import` of the shell', measured, goal: size === 'M' ? '≤ 2 ×' : '-' };
}
