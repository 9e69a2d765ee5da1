// Bundles the page into one script without imports and one style sheet. Needs esbuild, so it runs
// only when the package is compiled or in a checkout; the installed command ships the result.

import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

/** The page's script and style sheet; its markup is fixed. */
export interface PageBundle {
  readonly script: string;
  readonly style: string;
}

/** The names of the two files in a folder of bundles. */
export const BUNDLE_FILES = { script: 'page.js', style: 'page.css' } as const;

/** Rejects with esbuild's messages. */
export async function bundlePage(): Promise<PageBundle> {
  const { script, style } = await pageBundle();
  return { script, style };
}

/**
 * The page, and what it is made of, in paths that begin at the root of the project. Rejects like
 * `bundlePage`.
 */
export async function pageBundle(): Promise<PageBundle & { readonly metafile: Metafile }> {
  const folder = fileURLToPath(new URL('page/', import.meta.url));
  const { outputFiles, metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../../', import.meta.url)),
    entryPoints: [`${folder}main.tsx`, `${folder}page.css`],
    outdir: folder,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2022', 'chrome120'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  const textOf = (end: string): string => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css'), metafile };
}
