// Runs all checks: format, lint, types, unused code, compilation, tests. Does not stop at a
// failure; reports the steps that failed at the end. First it says how large the project is: figures
// to look at, which fail nothing.

import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const bin = (name: string): string => `${root}node_modules/.bin/${name}`;

const STEPS: readonly (readonly [label: string, command: string, ...argv: string[]])[] = [
  ['format', bin('oxfmt'), '--check'],
  ['lint', bin('oxlint'), '--type-aware', '--deny-warnings'],
  ['types', bin('tsc'), '-p', 'tsconfig.json'],
  // The pure folders again, without Node's types: console, process and Buffer do not exist there.
  ['types of catalogue', bin('tsc'), '-p', 'src/catalogue'],
  ['types of contract', bin('tsc'), '-p', 'src/contract'],
  ['types of render', bin('tsc'), '-p', 'src/render'],
  ['types of edge', bin('tsc'), '-p', 'src/edge'],
  // The page runs in a browser, without Node.
  ['types of the preview page', bin('tsc'), '-p', 'src/preview/page'],
  ['unused', bin('knip')],
  ['compile', bin('tsx'), 'scripts/compile.ts'],
  ['tests', bin('vitest'), 'run', '--config', 'test/vitest.config.ts'],
  ['tests with servers', bin('vitest'), 'run', '--config', 'test/all.vitest.config.ts'],
];

/** Of the files that match, below a folder: how many, and the lines and words in them. */
function sizeOf(pattern: string): string {
  const texts = globSync(pattern, { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'));
  const [lines, words] = [/\n/g, /\S+/g].map((part) => texts.reduce((sum, text) => sum + count(text, part), 0));
  return `${texts.length} files, ${lines} lines, ${words} words`;
}

const count = (text: string, part: RegExp): number => text.match(part)?.length ?? 0;

for (const [what, pattern] of [
  ['program', 'src/**/*.{ts,tsx}'],
  ['scripts', 'scripts/**/*.{ts,mjs}'],
  ['tests', 'test/**/*.test.ts'],
  ['support of the tests', 'test/support/**/*.ts'],
  ['guides', '{README.md,data/*.md}'],
] as const)
  console.log(`${what}: ${sizeOf(pattern)}`);
for (const path of ['README.md', ...globSync('data/*.md', { cwd: root }).toSorted()])
  console.log(`  ${path}: ${count(readFileSync(join(root, path), 'utf8'), /\S+/g)} words`);

const failed: string[] = [];
for (const [label, command, ...argv] of STEPS) {
  process.stderr.write(`── ${label}\n`);
  const { status } = spawnSync(command, argv, { cwd: root, stdio: 'inherit' });
  if (status !== 0) failed.push(label);
}
process.stderr.write(failed.length === 0 ? '── all green\n' : `── failed: ${failed.join(', ')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
