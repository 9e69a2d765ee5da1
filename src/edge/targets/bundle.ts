// Bundles the rule into one file for an edge. Only the bundle for Node.js keeps imports, of Node's own modules. Needs esbuild, so it runs at build
// time, and the installed command ships the bundles. Fails on a module that the edge does not have and on syntax that njs cannot read.

import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import type { EdgeBundle } from './origin.ts';

export type EdgeTarget = 'nginx' | 'worker' | 'authorizer';

/** Syntax that njs 0.7 does not have. esbuild rewrites some of it and refuses the rest, which keeps the core within the subset. */
const NOT_IN_NJS =
  'array-spread async-generator class default-argument destructuring for-of generator logical-assignment nullish-coalescing ' +
  'object-rest-spread optional-catch-binding optional-chain regexp-sticky-and-unicode-flags';

/** Where each bundle begins, and the runtime whose form it has. Lambda@Edge needs the same form as a worker: one small module without imports. */
const ENTRIES: { readonly [name in EdgeBundle]: readonly [file: string, target: EdgeTarget] } = {
  authorizer: ['authorizer/runtime', 'authorizer'],
  'lambda-edge': ['lambda-edge/runtime', 'worker'],
  nginx: ['nginx/runtime', 'nginx'],
  worker: ['worker/runtime', 'worker'],
  'worker-s3': ['worker/runtime-s3', 'worker'],
  'worker-r2': ['worker/runtime-r2', 'worker'],
};

/** The text of a bundle. */
export function bundleEdge(name: EdgeBundle): Promise<string> {
  const [file, target] = ENTRIES[name];
  return bundleModule(target, fileURLToPath(new URL(`${file}.ts`, import.meta.url)));
}

/**
 * Bundles a module (absolute path) and its imports for a target. Rejects with esbuild's messages if the target does not have an import or
 * cannot read the syntax.
 */
export async function bundleModule(target: EdgeTarget, entry: string): Promise<string> {
  const isNginx = target === 'nginx';
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: target === 'authorizer' ? 'node' : 'neutral',
    target: 'es2022',
    // Minifying turns `const x = await y` into an `await` inside a call's arguments, which njs refuses.
    minify: target === 'worker',
    legalComments: 'none',
    external: isNginx ? ['crypto', 'fs'] : [],
    supported: Object.fromEntries(isNginx ? NOT_IN_NJS.split(' ').map((syntax) => [syntax, false]) : []),
    logLevel: 'silent',
  });
  const text = result.outputFiles[0]?.text ?? '';
  if (isNginx) return withDefaultExport(text);
  if (target === 'authorizer') return text;
  // The build minifies each module separately. A second pass merges declarations across modules.
  return (await transform(text, { minify: true, format: 'esm', target: 'es2022' })).code;
}

/** njs supports only `export default`, but esbuild writes a list of exports. */
function withDefaultExport(text: string): string {
  const match = /export \{\n {2}(\w+) as default\n\};\n$/.exec(text);
  if (match === null) throw new Error('the bundle for nginx does not end with its default export');
  return `${text.slice(0, match.index)}export default ${match[1]};\n`;
}
