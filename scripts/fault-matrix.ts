// Runs the fault tests, and rewrites test/fault/matrix.txt and test/objects/matrix.txt from what
// they report.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { matrixText, type MatrixRow } from '../test/support/fault/matrix-text.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The folder of each table, and the arguments for vitest. */
const TABLES: readonly (readonly [folder: string, files: readonly string[]])[] = [
  ['test/fault', ['test/fault/', '--exclude', '**/matrix.test.ts']],
  ['test/objects', ['test/objects/fault-', 'test/objects/builders-']],
];

export function rewriteTables(): void {
  for (const [folder, files] of TABLES) rewriteTable(join(root, folder, 'matrix.txt'), files);
}

/** Runs the tests and rewrites their table, unless a test fails. */
function rewriteTable(table: string, files: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'playbill-faults-'));
  try {
    const { status } = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--config',
        'test/all.vitest.config.ts',
        '--project',
        'thorough',
        ...files,
      ],
      { cwd: root, stdio: 'inherit', env: { ...process.env, PLAYBILL_SOAK: 'yes', FAULT_MATRIX: folder } },
    );
    if (status !== 0) {
      process.exitCode = status ?? 1;
      return;
    }
    const rowsOf = new Map(
      readdirSync(folder).map((name): [string, MatrixRow[]] => [
        name.replace(/\.json$/, ''),
        JSON.parse(readFileSync(join(folder, name), 'utf8')) as MatrixRow[],
      ]),
    );
    writeFileSync(table, matrixText(rowsOf));
    console.log(`wrote ${table}: read the difference before you commit it`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
