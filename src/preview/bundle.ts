// Bundles the page: one script without imports, one style sheet. Build time only, since it needs esbuild; the installed command ships
// what this makes.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** What the page is made of, besides its fixed markup. */
export interface PageBundle {
  readonly script: string;
  readonly style: string;
}

/** Names of the two in a folder of bundles. */
export const BUNDLE_FILES = { script: 'page.js', style: 'page.css' } as const;

/** Rejects with esbuild's messages. */
export async function bundlePage(): Promise<PageBundle> {
  const folder = fileURLToPath(new URL('page/', import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [`${folder}main.tsx`, `${folder}page.css`],
    outdir: folder,
    bundle: true,
    write: false,
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
  return { script: textOf('.js'), style: textOf('.css') };
}
