// `tsx scripts/compile.ts [FOLDER]`: compiles src/ for the installed command into FOLDER, by
// default dist/: the command as bundles (loading hundreds of small modules would take longer than
// most commands), its functions, the client, types, the bundles of the edge rule and of the preview
// page, so that an installation needs no bundler, and the texts that `edge build` fills in. Writes
// the package of all this to FOLDER-package, and that of the client alone to FOLDER-client.

import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { edgeBundle } from '../src/edge/targets/bundle.ts';
import { BUNDLES } from '../src/edge/targets/targets.ts';
import { BUNDLE_FILES, pageBundle } from '../src/preview/bundle.ts';
import { writeClientPackage } from './client-package.ts';
import { writeDeclarations } from './declarations.ts';
import { writePackage } from './package.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The entry point; keeps its path, dist/cli/main.js. Shared code goes to dist/chunks, which is as
 * deep as the folders of src/, so that `new URL('../../data/…', import.meta.url)` means the same in
 * both.
 */
const MAIN = 'cli/main.ts';

/** The module that programs import by the package's name. */
const EXPORTS = 'operations/exports.ts';

/** Names are not minified, so that the stack in a bug report is readable. */
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

/** The command and its functions, in shared bundles that are loaded when needed. */
async function compileCommand(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    ...COMMON,
    metafile: true,
    platform: 'node',
    entryPoints: [`src/${MAIN}`, `src/${EXPORTS}`],
    outdir: folder,
    outbase: 'src',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    // Only a checkout has esbuild. The driver must stay a package: it looks for its native part
    // relative to its own files.
    external: ['esbuild', 'better-sqlite3'],
    // For dependencies in CommonJS.
    banner: { js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);" },
  });
  chmodSync(join(folder, MAIN.replace(/\.ts$/, '.js')), 0o755);
  return metafile;
}

/** The client, which must run without Node. */
async function compileClient(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    ...COMMON,
    metafile: true,
    platform: 'neutral',
    // An uncaught error prints its source line: keep lines short.
    minifyWhitespace: false,
    entryPoints: ['src/client/client.ts'],
    outdir: folder,
    outbase: 'src',
  });
  return metafile;
}

/** The texts that `edge build` fills in, where edge/template.ts looks for them. */
function copyTemplates(folder: string): void {
  const targets = join(root, 'src/edge/targets');
  const isTemplate = (path: string): boolean =>
    statSync(path).isDirectory() || relative(targets, path).includes('templates/');
  cpSync(targets, folder, { recursive: true, filter: isTemplate });
}

/** The bundles that `edge build` writes. */
async function compileEdges(folder: string): Promise<Metafile[]> {
  mkdirSync(join(folder, 'edge/bundles'), { recursive: true });
  copyTemplates(join(folder, 'edge/targets'));
  const bundles = await Promise.all(BUNDLES.map(async ({ name }) => ({ name, ...(await edgeBundle(name)) })));
  for (const { name, code } of bundles) writeFileSync(join(folder, `edge/bundles/${name}.js`), code);
  return bundles.map(({ metafile }) => metafile);
}

/** The page of `preview`. */
async function compilePage(folder: string): Promise<Metafile> {
  mkdirSync(join(folder, 'preview/bundles'), { recursive: true });
  const { metafile, ...page } = await pageBundle();
  for (const part of ['script', 'style'] as const)
    writeFileSync(join(folder, `preview/bundles/${BUNDLE_FILES[part]}`), page[part]);
  return metafile;
}

/** Gives files the modes that they have for most people: an archive contains them. */
function settleModes(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isExecutable = entry.isDirectory() || (statSync(path).mode & 0o100) !== 0;
    chmodSync(path, isExecutable ? 0o755 : 0o644);
  }
}

/** @returns the exit code */
async function compileAll(folder: string): Promise<number> {
  rmSync(folder, { recursive: true, force: true });
  const metafiles = [
    await compileCommand(folder),
    await compileClient(folder),
    ...(await compileEdges(folder)),
    await compilePage(folder),
  ];
  if (!writeDeclarations(folder)) return 1;
  await writeClientPackage(folder, `${folder}-client`);
  writePackage(folder, `${folder}-package`, metafiles);
  for (const end of ['-package', '-client']) settleModes(folder + end);
  process.stderr.write(
    `Wrote ${['', '-package', '-client'].map((end) => `${relative('', folder)}${end}/`).join(', ')}\n`,
  );
  return 0;
}

const [folder = join(root, 'dist')] = process.argv.slice(2);
process.exitCode = await compileAll(resolve(folder));
