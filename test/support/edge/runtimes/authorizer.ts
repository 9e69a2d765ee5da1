// The rule as a service behind a real proxy: the folder that `edge build --target authorizer`
// writes, unchanged, started by the commands of its README. Debian brings nginx, Caddy and HAProxy.

import { join } from 'node:path';
import type { Proxy } from '../../../../src/edge/targets/authorizer/proxies.ts';
import { bundleEdge } from '../../../../src/edge/targets/bundle.ts';
import type { OriginOptions } from '../../../../src/edge/targets/origin.ts';
import { DEFAULT_SETTINGS } from '../../../../src/edge/rule/settings.ts';
import { sendLines } from '../messages.ts';
import type { World } from '../world.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { freePort, type Runtime, startProgram, writeFolder } from './runtime.ts';
import { authorizerFiles } from '../target-files.ts';

/** A service and its proxy. */
export interface AuthorizerRuntime extends Runtime {
  /** Of the proxy, and of the service itself. */
  readonly port: number;
  readonly servicePort: number;
  /** What the service has logged, and what the proxy has. */
  readonly log: readonly string[];
  readonly proxyLog: readonly string[];
  /** Ends the service by SIGTERM, and leaves the proxy. */
  stopService(): Promise<void>;
}

const IN_FOLDER: OriginOptions = { origin: 'ASSETS', originEndpoint: null, originRegion: null };

/** What there is to say of a service. */
interface AuthorizerOptions {
  readonly origin?: OriginOptions;
  /** More of the service's environment. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** What an operator would change in a file of the folder. */
  readonly edit?: (name: string, text: string) => string;
}

/** Starts both. */
export async function startAuthorizer(
  proxy: Proxy,
  world: World,
  { origin = IN_FOLDER, credentials = {}, edit = (_, text) => text }: AuthorizerOptions = {},
): Promise<AuthorizerRuntime> {
  const port = await freePort();
  const servicePort = await freePort();
  const folder = temporaryFolder();
  const files = authorizerFiles({
    bundle: await bundleEdge('authorizer'),
    keyRing: world.keyRing,
    settings: DEFAULT_SETTINGS,
    proxy,
    profiles: world.profiles,
    listen: `127.0.0.1:${port}`,
    authorizer: `127.0.0.1:${servicePort}`,
    publicRoot: join(world.root, 'public'),
    keyRingPath: join(world.root, 'edge/keyring.json'),
    ...origin,
    encodings: ['br', 'gzip'],
    folder,
  });
  writeFolder(
    files.map(([name, text]) => [name, edit(name, text)]),
    folder,
  );
  const readme = files.find(([name]) => name === 'README.md')?.[1] ?? '';
  const [, service = '', front = ''] = /\n {4}(node .*)\n {4}(.*)\n\n/.exec(readme) ?? [];
  const log: string[] = [];
  const proxyLog: string[] = [];
  const start = (command: string, at: number, env: NodeJS.ProcessEnv, output: string[]): Promise<() => Promise<void>> =>
    startProgram('sh', ['-c', `exec ${command}`], at, { cwd: folder, env, output });
  const stopService = await start(service, servicePort, { ...process.env, ...world.secrets, ...credentials }, log);
  const stopProxy = await start(front, port, { ...process.env, HOME: folder, XDG_DATA_HOME: folder }, proxyLog);
  return {
    name: `authorizer_${proxy}`,
    port,
    servicePort,
    log,
    proxyLog,
    now: () => Math.floor(Date.now() / 1000),
    send: (lines) => sendLines(port, lines),
    stopService,
    stop: async () => {
      await stopProxy();
      await stopService();
    },
  };
}
