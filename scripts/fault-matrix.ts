// Rewrites the table of faults in test/fault/README.md: runs the fault tests, and takes what they say of themselves.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { matrixText, type MatrixRow } from '../test/support/fault/matrix-text.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = join(root, 'test/fault/README.md');
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
      'test/fault/',
      '--exclude',
      '**/matrix.test.ts',
    ],
    { cwd: root, stdio: 'inherit', env: { ...process.env, FAULT_MATRIX: folder } },
  );
  if (status === 0) {
    const rowsOf = new Map(
      readdirSync(folder).map((name): [string, MatrixRow[]] => [
        name.replace(/\.json$/, ''),
        JSON.parse(readFileSync(join(folder, name), 'utf8')) as MatrixRow[],
      ]),
    );
    writeFileSync(readme, matrixText(readFileSync(readme, 'utf8'), rowsOf));
    console.log('wrote test/fault/README.md: read the difference before it is committed');
  }
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
