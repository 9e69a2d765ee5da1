// Bundles the rule into one file for an edge. Only the bundle for Node.js keeps imports, of Node's own modules. Needs esbuild, so it runs at build
// time, and the installed command ships the bundles. Fails on a module that the edge does not have and on syntax that njs cannot read.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';
import type { ProfileName } from '../rule/profile.ts';
import type { EdgeBundle } from './origin.ts';

export type EdgeTarget = 'nginx' | 'worker' | 'authorizer';

/** Syntax that njs 0.7 does not have. esbuild rewrites some of it and refuses the rest, which keeps the core within the subset. */
const NOT_IN_NJS =
  'array-spread async-generator class default-argument destructuring for-of generator logical-assignment nullish-coalescing ' +
  'object-rest-spread optional-catch-binding optional-chain regexp-sticky-and-unicode-flags';

/** The text of a bundle with these signing profiles. */
export function bundleEdge(name: EdgeBundle, profiles: readonly ProfileName[] = ['rfc9421']): Promise<string> {
  const isNginx = name === 'nginx' || name === 'nginx-s3';
  const hasFolder = name === 'authorizer' || name === 'lambda-edge';
  const file = hasFolder ? `${name}/entry` : isNginx ? `${name}-entry` : name;
  const path = fileURLToPath(new URL(`../runtimes/${file}.ts`, import.meta.url));
  // Lambda@Edge needs the same form as a worker: one small module without imports.
  return bundleModule(name === 'authorizer' ? name : isNginx ? 'nginx' : 'worker', path, profiles);
}

/** Replaces the module with the default profile, so that a bundle contains only the profiles it uses. */
const withProfiles = (profiles: readonly ProfileName[]): Plugin => ({
  name: 'profiles',
  setup: (building) => {
    if (!profiles.includes('signed-headers')) return;
    building.onResolve({ filter: /^\.\/profiles\/(worker|nginx)\.ts$/ }, ({ path, resolveDir }) => {
      const name = profiles.includes('rfc9421') ? path.replace('.ts', '-both.ts') : './profiles/signed-headers.ts';
      return { path: join(resolveDir, name) };
    });
  },
});

/**
 * Bundles a module (absolute path) and its imports for a target. Rejects with esbuild's messages if the target does not have an import or
 * cannot read the syntax.
 */
export async function bundleModule(
  target: EdgeTarget,
  entry: string,
  profiles: readonly ProfileName[] = ['rfc9421'],
): Promise<string> {
  const isNginx = target === 'nginx';
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    plugins: [withProfiles(profiles)],
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
