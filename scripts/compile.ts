// Compiles src/ into dist/ for the installed command, and makes the bundles of the edge rule, which `edge build` takes from there: an
// installation needs no bundler.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleEdge } from '../src/edge/bundle.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
const { status } = spawnSync(`${root}node_modules/.bin/tsc`, ['-p', `${root}src/tsconfig.json`], { stdio: 'inherit' });
if (status === 0) {
  chmodSync(`${root}dist/cli/main.js`, 0o755);
  mkdirSync(`${root}dist/edge/bundles`, { recursive: true });
  for (const target of ['nginx', 'worker'] as const)
    writeFileSync(`${root}dist/edge/bundles/${target}.js`, await bundleEdge(target));
}
process.exit(status ?? 1);
