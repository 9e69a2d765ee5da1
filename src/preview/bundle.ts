// Bundles the page: one script without imports, one style sheet. Build time only, since it needs esbuild; the installed command ships
// what this makes.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

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
  const [script, style] = await Promise.all([
    build({
      entryPoints: [`${folder}main.tsx`],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      minify: true,
      legalComments: 'none',
      logLevel: 'silent',
    }),
    readFile(`${folder}page.css`, 'utf8').then((text) =>
      transform(text, { loader: 'css', target: 'chrome120', minify: true, legalComments: 'none' }),
    ),
  ]);
  return { script: script.outputFiles[0]?.text ?? '', style: style.code };
}
