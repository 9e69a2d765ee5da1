// Bundles the rule for an edge: one file, no import left. Build time only, since it needs esbuild; the installed command ships what
// this makes. It fails on any module that an edge has not, and on syntax that njs cannot read.

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { EdgeBundle } from './origin.ts';

export type EdgeTarget = 'nginx' | 'worker';

/** njs 0.7 has none of these; esbuild lowers some and refuses the others, which is the guard that the core keeps to the subset. */
const NOT_IN_NJS =
  'array-spread async-generator class default-argument destructuring for-of generator logical-assignment nullish-coalescing ' +
  'object-rest-spread optional-catch-binding optional-chain regexp-sticky-and-unicode-flags';

/** A bundle as text. */
export function bundleEdge(name: EdgeBundle): Promise<string> {
  const isNginx = name === 'nginx' || name === 'nginx-s3';
  const path = fileURLToPath(new URL(`../runtimes/${isNginx ? `${name}-entry` : name}.ts`, import.meta.url));
  return bundleModule(isNginx ? 'nginx' : 'worker', path);
}

/**
 * Bundles a module (absolute path) with what it imports, in the manner of a target. Rejects with esbuild's messages: an import of
 * `node:` anything, or syntax beyond the target's.
 */
export async function bundleModule(target: EdgeTarget, entry: string): Promise<string> {
  const isNginx = target === 'nginx';
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    // njs refuses `await` among the arguments of a call, and that is what minified syntax turns `const x = await y` into.
    minify: !isNginx,
    legalComments: 'none',
    external: isNginx ? ['crypto', 'fs'] : [],
    supported: Object.fromEntries(isNginx ? NOT_IN_NJS.split(' ').map((syntax) => [syntax, false]) : []),
    logLevel: 'silent',
  });
  const text = result.outputFiles[0]?.text ?? '';
  return isNginx ? withDefaultExport(text) : text;
}

/** njs knows `export default` alone, and esbuild writes a list of exports. */
function withDefaultExport(text: string): string {
  const match = /export \{\n {2}(\w+) as default\n\};\n$/.exec(text);
  if (match === null) throw new Error('the bundle for nginx does not end with its default export');
  return `${text.slice(0, match.index)}export default ${match[1]};\n`;
}
