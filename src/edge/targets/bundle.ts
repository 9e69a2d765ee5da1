// Bundles the rule into one file for an edge. Only the bundle for Node.js keeps imports, of Node's
// own modules. Needs esbuild, so it runs at build time, and the installed command ships the
// bundles. Fails on a module that the edge does not have and on syntax that njs cannot read.

import { fileURLToPath } from 'node:url';
import { build, transform, type Metafile } from 'esbuild';
import type { Bundle } from './target.ts';
import { BUNDLES } from './targets.ts';

/**
 * Syntax that njs 0.7 does not have. esbuild rewrites some of it and refuses the rest, which keeps
 * the core within the subset.
 */
const NOT_IN_NJS =
  'array-spread async-generator class default-argument destructuring for-of generator logical-assignment nullish-coalescing ' +
  'object-rest-spread optional-catch-binding optional-chain regexp-sticky-and-unicode-flags';

/** The text of a bundle, and what it is made of. */
interface Bundled {
  readonly code: string;
  /** Its paths begin at the root of the project. */
  readonly metafile: Metafile;
}

/** The text of a bundle. Throws Error if no target has one of that name. */
export async function bundleEdge(name: string): Promise<string> {
  return (await edgeBundle(name)).code;
}

/** A bundle. Throws Error if no target has one of that name. */
export async function edgeBundle(name: string): Promise<Bundled> {
  const bundle = BUNDLES.find((one) => one.name === name);
  if (bundle === undefined) throw new Error(`no target has a bundle "${name}"`);
  return bundleModule(bundle.form, fileURLToPath(new URL(bundle.entry, import.meta.url)));
}

/**
 * Bundles a module (absolute path) and its imports in a form. Rejects with esbuild's messages if
 * that form does not have an import or cannot read the syntax.
 */
export async function bundleModule(form: Bundle['form'], entry: string): Promise<Bundled> {
  const isNjs = form === 'njs';
  const { outputFiles, metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('../../../', import.meta.url)),
    entryPoints: [entry],
    metafile: true,
    bundle: true,
    write: false,
    format: 'esm',
    platform: form === 'node' ? 'node' : 'neutral',
    target: 'es2022',
    // Minifying turns `const x = await y` into an `await` inside a call's arguments, which njs
    // refuses.
    minify: form === 'fetch',
    legalComments: 'none',
    external: isNjs ? ['crypto', 'fs', 'playbill-secrets.js'] : [],
    supported: Object.fromEntries(isNjs ? NOT_IN_NJS.split(' ').map((syntax) => [syntax, false]) : []),
    logLevel: 'silent',
  });
  const text = outputFiles[0]?.text ?? '';
  if (isNjs) return { code: withDefaultExport(text), metafile };
  if (form === 'node') return { code: text, metafile };
  // The build minifies each module separately. A second pass merges declarations across modules.
  const { code } = await transform(text, { minify: true, format: 'esm', target: 'es2022' });
  return { code, metafile };
}

/** njs supports only `export default`, but esbuild writes a list of exports. */
function withDefaultExport(text: string): string {
  const match = /export \{\n {2}(\w+) as default\n\};\n$/.exec(text);
  if (match === null) throw new Error('the bundle for nginx does not end with its default export');
  return `${text.slice(0, match.index)}export default ${match[1]};\n`;
}
