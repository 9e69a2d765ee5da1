// The worker on Deno, Bun, Vercel and Netlify: the folder that `edge build --target worker` writes, with the files that its README gives
// for the host, under the README's own command. npm brings Deno, Bun and Vercel's runtime; Netlify's is Deno.

import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { EdgeRuntime, runServer } from 'edge-runtime';
import { bundleEdge } from '../../../../src/edge/deploy/bundle.ts';
import { type OriginOptions, workerBundle } from '../../../../src/edge/deploy/origin.ts';
import { workerFiles } from '../../../../src/edge/deploy/worker.ts';
import type { KeyRing } from '../../../../src/contract/key-ring.ts';
import { DEFAULT_SETTINGS } from '../../../../src/edge/rule/settings.ts';
import { sendLines } from '../messages.ts';
import type { World } from '../world.ts';
import { freePort, type Runtime, startProgram, writeFolder } from './runtime.ts';

export type WorkerHost = 'deno' | 'bun' | 'vercel' | 'netlify';

const require = createRequire(import.meta.url);
export const PROGRAMS = {
  deno: { manifest: require.resolve('deno/package.json'), path: 'deno', moved: 'deno' },
  bun: { manifest: require.resolve('bun/package.json'), path: 'bin/bun', moved: 'bin/bun.exe' },
};

/**
 * Starts the worker on a host. `origin`: where the tree is; a binding is made of its folder by the README's files. `credentials`: more of
 * its environment; `output`: collects what Deno, Bun and Netlify's Deno print; `keyRingAt`: where the key ring is read, if not in
 * the module.
 */
export async function startWorkerHost(
  host: WorkerHost,
  world: World,
  origin: OriginOptions,
  keyRing: KeyRing = world.keyRing,
  credentials: Readonly<Record<string, string>> = {},
  output: string[] = [],
  keyRingAt: string | null = null,
): Promise<Runtime> {
  const files = workerFiles({
    bundle: await bundleEdge(workerBundle(origin.origin, keyRingAt), world.profiles),
    profiles: world.profiles,
    keyRing,
    settings: DEFAULT_SETTINGS,
    publicRoot: join(world.root, 'public'),
    ...origin,
    // What Vercel's runtime is given for an encoding it forgets, as the README says.
    encodings: host === 'vercel' ? [] : ['br', 'gzip'],
    pointerSeconds: 5,
    keyRingAt,
  });
  const folder = writeFolder(files);
  const readme = files.find(([name]) => name === 'README.md')?.[1] ?? '';
  for (const [name, text] of filesIn(readme)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const port = await freePort();
  const stop = await start(host, readme, folder, port, { ...world.secrets, ...credentials }, output);
  return { name: host, now: () => Math.floor(Date.now() / 1000), send: (lines) => sendLines(port, lines), stop };
}

/** The files that a README gives: "in `name`:" and a block of code. */
function filesIn(readme: string): readonly (readonly [name: string, text: string])[] {
  return [...readme.matchAll(/\bin `([^`]+)`:\n\n```js\n(.*?)```/gis)].map(([, name = '', text = '']) => [name, text]);
}

/** The arguments of the one command in a README that begins with this word. */
function argumentsOf(readme: string, command: string): readonly string[] {
  const [found, ...more] = [...readme.matchAll(/^ {4}(\w+) (.+)$/gm)].filter(([, word]) => word === command);
  if (found === undefined || more.length > 0) throw new Error(`the README has no way to start ${command}, or several`);
  return (found[2] ?? '').split(' ');
}

function start(
  host: WorkerHost,
  readme: string,
  folder: string,
  port: number,
  secrets: World['secrets'],
  output: string[],
): Promise<() => Promise<void>> {
  const env = {
    ...process.env,
    ...secrets,
    // Where each of them listens; a README leaves them their own port.
    DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
    BUN_PORT: String(port),
    DENO_DIR: join(folder, '.deno'),
    DENO_NO_UPDATE_CHECK: '1',
  };
  const options = { cwd: folder, env, output };
  switch (host) {
    case 'deno':
      return startProgram(program(PROGRAMS.deno), argumentsOf(readme, 'deno'), port, options);
    case 'bun':
      return startProgram(program(PROGRAMS.bun), argumentsOf(readme, 'bun'), port, options);
    case 'vercel':
      return startVercel(folder, port, secrets);
    case 'netlify':
      return startNetlify(port, options);
  }
}

/** What npm has brought for this platform, which install scripts, where npm runs them, move into the package itself. */
export function program({ manifest, path, moved }: (typeof PROGRAMS)[keyof typeof PROGRAMS]): string {
  const { optionalDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as { optionalDependencies: object };
  const folder = dirname(manifest);
  const paths = Object.keys(optionalDependencies).map((name) => join(folder, '..', name, path));
  paths.push(join(folder, moved));
  const found = paths.find((one) => existsSync(one));
  if (found === undefined) throw new Error(`npm has brought none of ${paths.join(', ')}`);
  return found;
}

/** As the host does: middleware becomes one script, which answers every request in its runtime with the project's environment. */
async function startVercel(folder: string, port: number, secrets: World['secrets']): Promise<() => Promise<void>> {
  const entry =
    "import answer from './middleware.js'; addEventListener('fetch', (e) => e.respondWith(answer(e.request)));";
  const bundled = await build({
    stdin: { contents: entry, resolveDir: folder },
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    logLevel: 'silent',
  });
  const runtime = new EdgeRuntime({
    initialCode: bundled.outputFiles[0]?.text ?? '',
    extend: (context) => Object.assign(context, { process: { env: secrets } }),
  });
  const server = await runServer({ runtime, port, host: '127.0.0.1' });
  return () => server.close();
}

/** As the host does: Deno serves the function's default export. */
async function startNetlify(port: number, options: Parameters<typeof startProgram>[3]): Promise<() => Promise<void>> {
  const entry = "import answer from './netlify/edge-functions/playbill.js';\nDeno.serve(answer);\n";
  await writeFile(join(options.cwd, 'host.js'), entry);
  return startProgram(program(PROGRAMS.deno), ['run', '-A', 'host.js'], port, options);
}
