// Real nginx with njs, from the folder that `edge build --target nginx` writes, unchanged but where
// a test says otherwise.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleEdge } from '../../../../src/edge/targets/bundle.ts';
import type { DeploymentFiles } from '../../../../src/edge/targets/target.ts';
import { DEFAULT_SETTINGS } from '../../../../src/edge/rule/settings.ts';
import { keyRingText } from '../../../../src/release/tree/codec.ts';
import { sendLines } from '../messages.ts';
import type { World } from '../world.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { NEWER_NGINX, withQuickjs } from './newer-nginx.ts';
import { freePort, type Runtime, startProgram, writeFolder } from './runtime.ts';
import { nginxFiles } from '../target-files.ts';

/** What tests of nginx alone look at. */
export interface NginxRuntime extends Runtime {
  readonly port: number;
  /** Where it runs and writes. */
  readonly folder: string;
  /** Of its master process. */
  readonly pid: number;
}

/** What an operator would change in a file of the folder. */
type Edit = (name: string, text: string) => string;

const unchanged: Edit = (_, text) => text;

/** The machine's own, with its module. */
const OWN = ['nginx'] as const;

/** njs 1.0 with QuickJS, as the folder's README says. */
export const startQuickjs = (world: World, output: string[] = []): Promise<NginxRuntime> =>
  startNginx(world, (name, text) => (name === 'nginx.conf' ? withQuickjs(text) : text), output, NEWER_NGINX);

/** Starts it over the world's folder. `output`: collects its log. */
export async function startNginx(
  world: World,
  edit: Edit = unchanged,
  output: string[] = [],
  program: readonly [command: string, ...args: readonly string[]] = OWN,
): Promise<NginxRuntime> {
  const port = await freePort();
  const folder = temporaryFolder();
  const keyRingPath = join(world.root, 'edge/keyring.json');
  writeFileSync(keyRingPath, keyRingText(world.keyRing));
  const files = nginxFiles({
    bundle: await bundleEdge('nginx'),
    profiles: world.profiles,
    keyRing: world.keyRing,
    settings: DEFAULT_SETTINGS,
    publicRoot: join(world.root, 'public'),
    keyRingPath,
    listen: `127.0.0.1:${port}`,
    folder,
  });
  return startFolder(folder, files, port, world.secrets, edit, output, program);
}

/** The text of playbill-secrets.js. */
export const secretsModule = (secrets: Readonly<Record<string, string>>): string =>
  `export default () => (${JSON.stringify(secrets)});\n`;

/** As the README says, "Try it". */
async function startFolder(
  folder: string,
  files: DeploymentFiles,
  port: number,
  secrets: Readonly<Record<string, string>>,
  edit: Edit,
  output: string[],
  [command, ...args]: readonly [command: string, ...args: readonly string[]],
): Promise<NginxRuntime> {
  writeFolder(
    files.map(([name, text]) => [name, edit(name, text)]),
    folder,
  );
  writeFileSync(join(folder, 'playbill-secrets.js'), secretsModule(secrets));
  const options = { cwd: folder, env: process.env, output };
  const stop = await startProgram(command, [...args, '-p', folder, '-c', 'nginx.conf'], port, options);
  return {
    name: 'nginx',
    port,
    folder,
    pid: await pidIn(join(folder, 'nginx.pid')),
    now: () => Math.floor(Date.now() / 1000),
    send: (lines) => sendLines(port, lines),
    stop,
  };
}

/** nginx listens before it has written its process id. */
async function pidIn(path: string): Promise<number> {
  for (;;) {
    const pid = Number(existsSync(path) ? readFileSync(path, 'utf8') : '');
    if (pid > 0) return pid;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
