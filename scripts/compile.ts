// `tsx scripts/compile.ts [FOLDER]`: compiles src/ for the installed command, into dist/ where no other folder is named: bundles
// that load only what a command needs (hundreds of small modules cost more than most commands do), the jobs of the command as
// functions, the client as one module, the types of both, the bundles of the edge rule, which `edge build` takes from there, and the page of `preview`: an installation needs no
// bundler. Beside it, into dist-client/, the client as a package of its own.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import { bundleEdge } from '../src/edge/deploy/bundle.ts';
import { EDGE_BUNDLES } from '../src/edge/deploy/origin.ts';
import { bundleFile, PROFILE_SETS } from '../src/edge/deploy/profiles.ts';
import { BUNDLE_FILES, bundlePage } from '../src/preview/bundle.ts';
import { writeClientPackage } from './client-package.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * What is started by its path, and keeps it: dist/cli/main.js. What commands share lies in dist/chunks, as deep below the
 * installation's folder as any part of src/, so that `new URL('../../data/…', import.meta.url)` means the same in both.
 */
const MAIN = 'cli/main.ts';

/** What a program imports by the package's name. */
const EXPORTS = 'operations/exports.ts';

/** White space and syntax only: a stack in a report of a bug keeps its names. */
const COMMON: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  target: 'node22',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
};

/** The command and its functions, in bundles that are shared and loaded when they are needed. */
async function compileCommand(folder: string): Promise<void> {
  await build({
    ...COMMON,
    platform: 'node',
    entryPoints: [`src/${MAIN}`, `src/${EXPORTS}`],
    outdir: folder,
    outbase: 'src',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    // What a checkout alone has; and the driver, which looks beside its own files for the native half that fits the machine.
    external: ['esbuild', 'better-sqlite3'],
    // For packages that are still CommonJS.
    banner: { js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);" },
  });
  chmodSync(join(folder, MAIN.replace(/\.ts$/, '.js')), 0o755);
}

/** The client, which runs where there is no Node. */
async function compileClient(folder: string): Promise<void> {
  await build({
    ...COMMON,
    platform: 'neutral',
    // An error that nobody catches prints the line that it came from.
    minifyWhitespace: false,
    entryPoints: ['src/client/client.ts'],
    outdir: folder,
    outbase: 'src',
  });
}

/** The types of what can be imported; false where they are wrong. */
function compileTypes(folder: string): boolean {
  const words = ['-p', 'src/tsconfig.json', '--outDir', folder];
  return spawnSync(join(root, 'node_modules/.bin/tsc'), words, { cwd: root, stdio: 'inherit' }).status === 0;
}

/** @returns the exit code */
async function compileAll(folder: string): Promise<number> {
  rmSync(folder, { recursive: true, force: true });
  await compileCommand(folder);
  await compileClient(folder);
  mkdirSync(join(folder, 'edge/bundles'), { recursive: true });
  for (const name of EDGE_BUNDLES)
    for (const profiles of PROFILE_SETS)
      writeFileSync(join(folder, 'edge/bundles', bundleFile(name, profiles)), await bundleEdge(name, profiles));
  mkdirSync(join(folder, 'preview/bundles'), { recursive: true });
  const page = await bundlePage();
  for (const part of ['script', 'style'] as const)
    writeFileSync(join(folder, `preview/bundles/${BUNDLE_FILES[part]}`), page[part]);
  if (!compileTypes(folder)) return 1;
  writeClientPackage(folder, `${folder}-client`);
  process.stderr.write(`Wrote ${relative('', folder)}/ and ${relative('', folder)}-client/\n`);
  return 0;
}

const [folder = join(root, 'dist')] = process.argv.slice(2);
process.exitCode = await compileAll(resolve(folder));
