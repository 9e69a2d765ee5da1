// Real nginx with njs, from the folder that `edge build --target nginx` writes, unchanged.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleEdge } from '../../../src/edge/bundle.ts';
import { nginxFiles } from '../../../src/edge/deploy-nginx.ts';
import { DEFAULT_SETTINGS } from '../../../src/edge/settings.ts';
import { sendLines } from '../wire.ts';
import { freePort, startProgram, type StartRuntime, writeFolder } from './runtime.ts';

export const startNginx: StartRuntime = async (world) => {
  const port = await freePort();
  const folder = writeFolder(
    nginxFiles({
      bundle: await bundleEdge('nginx'),
      keyRing: world.keyRing,
      settings: DEFAULT_SETTINGS,
      publicRoot: join(world.root, 'public'),
      listen: `127.0.0.1:${port}`,
    }),
  );
  writeFileSync(join(folder, 'playbill-secrets.json'), JSON.stringify(world.secrets));
  const stop = await startProgram('nginx', ['-p', folder, '-c', 'nginx.conf'], port, { cwd: folder, env: process.env });
  return { name: 'nginx', now: () => Math.floor(Date.now() / 1000), send: (lines) => sendLines(port, lines), stop };
};
