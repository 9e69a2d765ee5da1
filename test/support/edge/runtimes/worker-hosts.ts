// The worker on Deno, Bun, Vercel and Netlify: the folder that `edge build` writes for each,
// unchanged, under the README's own command. npm brings Deno, Bun and Vercel's runtime; Netlify's
// is Deno.

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { EdgeRuntime, runServer } from 'edge-runtime';
import { bundleEdge } from '../../../../src/edge/targets/bundle.ts';
import type { OriginOptions } from '../../../../src/edge/targets/origin.ts';
import type { KeyRing } from '../../../../src/contract/key-ring.ts';
import { DEFAULT_SETTINGS } from '../../../../src/edge/rule/settings.ts';
import { writeFolder } from '../../../../src/storage/write-folder.ts';
import { sendLines } from '../messages.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import type { World } from '../world.ts';
import { startMiniflare } from './miniflare.ts';
import { freePort, type Runtime, startProgram, type StartRuntime } from './runtime.ts';
import { workerBundle, workerFiles } from '../target-files.ts';

export type WorkerHost = 'deno' | 'bun' | 'vercel' | 'netlify';

const require = createRequire(import.meta.url);
export const PROGRAMS = {
  deno: { manifest: require.resolve('deno/package.json'), path: 'deno', moved: 'deno' },
  bun: { manifest: require.resolve('bun/package.json'), path: 'bin/bun', moved: 'bin/bun.exe' },
};

interface WorkerHostOptions {
  /** The key ring that `edge build` is given, if not the world's own. */
  readonly keyRing?: KeyRing;
  /** More of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Collects what Deno, Bun and Netlify's Deno print. */
  readonly output?: string[];
  /** Where the key ring is read, if not in the tree. */
  readonly keyRingAt?: string | null;
  readonly pointerSeconds?: number;
}

/** The folder of a host, written out. */
interface StartedFolder {
  readonly readme: string;
  readonly port: number;
  readonly options: Parameters<typeof startProgram>[3];
  readonly secrets: World['secrets'];
}

/** Starts the worker on a host. `origin`: where the tree is; a binding is made of its folder. */
export async function startWorkerHost(
  host: WorkerHost,
  world: World,
  origin: OriginOptions,
  {
    keyRing = world.keyRing,
    environment = {},
    output = [],
    keyRingAt = null,
    pointerSeconds = 5,
  }: WorkerHostOptions = {},
): Promise<Runtime & { readonly port: number }> {
  const files = workerFiles({
    target: host,
    bundle: await bundleEdge(workerBundle(origin.origin)),
    profiles: world.profiles,
    keyRing,
    settings: DEFAULT_SETTINGS,
    publicRoot: join(world.root, 'public'),
    ...origin,
    // Vercel's runtime forgets an encoding.
    encodings: host === 'vercel' ? [] : ['br', 'gzip'],
    pointerSeconds,
    keyRingAt,
  });
  const folder = temporaryFolder();
  writeFolder(folder, files, '--to');
  const readme = files.find(([name]) => name === 'README.md')?.[1] ?? '';
  const port = await freePort();
  const secrets = { ...world.secrets, ...environment };
  const env = {
    ...process.env,
    ...secrets,
    // Where each of them listens; a README leaves them their own port.
    DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
    BUN_PORT: String(port),
    DENO_DIR: join(folder, '.deno'),
    DENO_NO_UPDATE_CHECK: '1',
  };
  const stop = await STARTS[host]({ readme, port, options: { cwd: folder, env, output }, secrets });
  return { name: host, port, now: () => Math.floor(Date.now() / 1000), send: (lines) => sendLines(port, lines), stop };
}

/**
 * A host with the tree by URL, which all of them can read; on Deno and Bun, as on Cloudflare, it
 * may be a folder or a bucket as well.
 */
export function hostByUrl(host: WorkerHost | 'cloudflare', pointerSeconds = 5): StartRuntime {
  return async (world) => {
    const server = createServer((request, response) => {
      readFile(join(world.root, request.url ?? '')).then(
        (bytes) => response.end(bytes),
        (error: NodeJS.ErrnoException) => response.writeHead(error.code === 'ENOENT' ? 404 : 500).end(),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const origin = { origin: `http://127.0.0.1:${port}/public`, originEndpoint: null, originRegion: null };
    const runtime =
      host === 'cloudflare'
        ? await startMiniflare(world, pointerSeconds, { origin })
        : await startWorkerHost(host, world, origin, { pointerSeconds });
    const stop = async (): Promise<void> => {
      await runtime.stop();
      server.close();
      server.closeAllConnections();
    };
    return { ...runtime, stop };
  };
}

/**
 * How a host that has a target of its own starts the folder, by the command of its README or as the
 * host does.
 */
const STARTS: Readonly<Record<WorkerHost, (folder: StartedFolder) => Promise<() => Promise<void>>>> = {
  // On SIGTERM, it waits for the timers of requests that have long been answered: ten seconds.
  deno: ({ readme, port, options }) =>
    startProgram(program(PROGRAMS.deno), argumentsOf(readme, 'deno'), port, { ...options, stopBy: 'SIGKILL' }),
  bun: ({ readme, port, options }) => startProgram(program(PROGRAMS.bun), argumentsOf(readme, 'bun'), port, options),
  netlify: ({ port, options }) => startNetlify(port, options),
  vercel: ({ port, options, secrets }) => startVercel(options.cwd, port, secrets),
};

/** Each of them, with the tree by URL. */
export const HOSTS = [
  { name: 'cloudflare', start: hostByUrl('cloudflare', 0) },
  ...(Object.keys(STARTS) as WorkerHost[]).map((name) => ({ name, start: hostByUrl(name, 0) })),
];

/** The arguments of the one command in a README that begins with this word. */
function argumentsOf(readme: string, command: string): readonly string[] {
  const [found, ...more] = [...readme.matchAll(/^ {4}(\w+) (.+)$/gm)].filter(([, word]) => word === command);
  if (found === undefined || more.length > 0) throw new Error(`the README has no way to start ${command}, or several`);
  return (found[2] ?? '').split(' ');
}

/**
 * What npm has brought for this platform, which install scripts, where npm runs them, move into the
 * package itself.
 */
export function program({ manifest, path, moved }: (typeof PROGRAMS)[keyof typeof PROGRAMS]): string {
  const { optionalDependencies } = JSON.parse(readFileSync(manifest, 'utf8')) as { optionalDependencies: object };
  const folder = dirname(manifest);
  const paths = Object.keys(optionalDependencies).map((name) => join(folder, '..', name, path));
  paths.push(join(folder, moved));
  const found = paths.find((one) => existsSync(one));
  if (found === undefined) throw new Error(`npm has brought none of ${paths.join(', ')}`);
  return found;
}

/**
 * As the host does: middleware becomes one script, which answers every request in its runtime with
 * the project's environment.
 */
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

/** As the host does: Deno runs the function's default export, with a context. */
async function startNetlify(port: number, options: Parameters<typeof startProgram>[3]): Promise<() => Promise<void>> {
  const entry =
    "import answer from './netlify/edge-functions/playbill.js';\n" +
    'const context = { waitUntil: () => undefined };\nDeno.serve((request) => answer(request, context));\n';
  await writeFile(join(options.cwd, 'host.js'), entry);
  return startProgram(program(PROGRAMS.deno), ['run', '-A', 'host.js'], port, options);
}
