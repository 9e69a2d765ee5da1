// Real workerd, from the folder that `edge build --target worker` writes, unchanged.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleEdge } from '../../../../src/edge/deploy/bundle.ts';
import { workerFiles } from '../../../../src/edge/deploy/worker.ts';
import { DEFAULT_SETTINGS } from '../../../../src/edge/rule/settings.ts';
import { sendLines } from '../messages.ts';
import type { World } from '../world.ts';
import { freePort, type Runtime, startProgram, writeFolder } from './runtime.ts';

const WORKERD = fileURLToPath(new URL('../../../../node_modules/.bin/workerd', import.meta.url));

/** Starts workerd with a worker that keeps pointers for so long. */
export async function startWorkerd(world: World, pointerSeconds: number): Promise<Runtime> {
  const port = await freePort();
  const folder = writeFolder(
    workerFiles({
      bundle: await bundleEdge('worker'),
      keyRing: world.keyRing,
      settings: DEFAULT_SETTINGS,
      publicRoot: join(world.root, 'public'),
      origin: 'TREE',
      originEndpoint: null,
      originRegion: null,
      encodings: ['br', 'gzip'],
      pointerSeconds,
    }),
  );
  const stop = await startProgram(WORKERD, ['serve', 'workerd.capnp', `--socket-addr=http=127.0.0.1:${port}`], port, {
    cwd: folder,
    env: { ...process.env, ...world.secrets },
  });
  return { name: 'workerd', now: () => Math.floor(Date.now() / 1000), send: (lines) => sendLines(port, lines), stop };
}
