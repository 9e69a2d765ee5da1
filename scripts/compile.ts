// Compiles src/ into dist/ for the installed command.

import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
const { status } = spawnSync(`${root}node_modules/.bin/tsc`, ['-p', `${root}src/tsconfig.json`], { stdio: 'inherit' });
if (status === 0) chmodSync(`${root}dist/cli/main.js`, 0o755);
process.exit(status ?? 1);
