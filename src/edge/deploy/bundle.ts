// Bundles the rule for an edge: one file with no import left, but Node's own modules where it runs on Node. Build time only, since it needs
// esbuild; the installed command ships what this makes. It fails on any module that an edge has not, and on syntax that njs cannot read.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';
import type { ProfileName } from '../rule/profile.ts';
import type { EdgeBundle } from './origin.ts';

export type EdgeTarget = 'nginx' | 'worker' | 'authorizer';

/** njs 0.7 has none of these; esbuild lowers some and refuses the others, which is the guard that the core keeps to the subset. */
const NOT_IN_NJS =
  'array-spread async-generator class default-argument destructuring for-of generator logical-assignment nullish-coalescing ' +
  'object-rest-spread optional-catch-binding optional-chain regexp-sticky-and-unicode-flags';

/** A bundle as text, with the profiles that a deployment wants. */
export function bundleEdge(name: EdgeBundle, profiles: readonly ProfileName[] = ['rfc9421']): Promise<string> {
  const isNginx = name === 'nginx' || name === 'nginx-s3';
  const hasFolder = name === 'authorizer' || name === 'lambda-edge';
  const file = hasFolder ? `${name}/entry` : isNginx ? `${name}-entry` : name;
  const path = fileURLToPath(new URL(`../runtimes/${file}.ts`, import.meta.url));
  // Lambda@Edge takes what a worker takes: one small module without imports.
  return bundleModule(name === 'authorizer' ? name : isNginx ? 'nginx' : 'worker', path, profiles);
}

/** Puts another module in place of the one with the profile of most deployments: so these pay nothing for what they do not use. */
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
 * Bundles a module (absolute path) with what it imports, in the manner of a target. Rejects with esbuild's messages: an import that
 * the target has not, or syntax beyond it.
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
    // njs refuses `await` among the arguments of a call, and that is what minified syntax turns `const x = await y` into.
    minify: target === 'worker',
    legalComments: 'none',
    external: isNginx ? ['crypto', 'fs'] : [],
    supported: Object.fromEntries(isNginx ? NOT_IN_NJS.split(' ').map((syntax) => [syntax, false]) : []),
    logLevel: 'silent',
  });
  const text = result.outputFiles[0]?.text ?? '';
  if (isNginx) return withDefaultExport(text);
  if (target === 'authorizer') return text;
  // The build minifies each module by itself; seen as one text, their declarations become one.
  return (await transform(text, { minify: true, format: 'esm', target: 'es2022' })).code;
}

/** njs knows `export default` alone, and esbuild writes a list of exports. */
function withDefaultExport(text: string): string {
  const match = /export \{\n {2}(\w+) as default\n\};\n$/.exec(text);
  if (match === null) throw new Error('the bundle for nginx does not end with its default export');
  return `${text.slice(0, match.index)}export default ${match[1]};\n`;
}
