// Real workerd, from the folder that `edge build --target worker` writes, unchanged.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleEdge } from '../../../../src/edge/targets/bundle.ts';
import type { OriginOptions } from '../../../../src/edge/targets/origin.ts';
import { DEFAULT_SETTINGS } from '../../../../src/edge/rule/settings.ts';
import { sendLines } from '../messages.ts';
import type { World } from '../world.ts';
import { freePort, type Runtime, startProgram, writeFolder } from './runtime.ts';
import { workerBundle, workerFiles } from '../target-files.ts';

export const WORKERD = fileURLToPath(new URL('../../../../node_modules/.bin/workerd', import.meta.url));

/** The tree on disk, by a binding. */
const ON_DISK: OriginOptions = { origin: 'TREE', originEndpoint: null, originRegion: null };

/**
 * Starts workerd with a worker that keeps pointers for so long. `credentials`: more of its
 * environment; `output`: collects what it prints; `keyRingAt`: where it reads the key ring, if not
 * in the tree.
 */
export async function startWorkerd(
  world: World,
  pointerSeconds: number,
  origin: OriginOptions = ON_DISK,
  credentials: Readonly<Record<string, string>> = {},
  output: string[] = [],
  keyRingAt: string | null = null,
): Promise<Runtime & { readonly port: number }> {
  const port = await freePort();
  const folder = writeFolder(
    workerFiles({
      target: 'worker',
      bundle: await bundleEdge(workerBundle(origin.origin)),
      profiles: world.profiles,
      keyRing: world.keyRing,
      settings: DEFAULT_SETTINGS,
      publicRoot: join(world.root, 'public'),
      ...origin,
      encodings: ['br', 'gzip'],
      pointerSeconds,
      keyRingAt,
    }),
  );
  const options = { cwd: folder, env: { ...process.env, ...world.secrets, ...credentials }, output };
  const words = ['serve', 'workerd.capnp', `--socket-addr=http=127.0.0.1:${port}`];
  const stop = await startProgram(WORKERD, words, port, options);
  const now = (): number => Math.floor(Date.now() / 1000);
  return { name: 'workerd', port, now, send: (lines) => sendLines(port, lines), stop };
}
