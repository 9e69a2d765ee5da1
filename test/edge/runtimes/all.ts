// The runtimes that the rule must run on. A missing one is an error that names it: nothing is left out in silence.

import { startCore } from './core.ts';
import { startNginx } from './nginx.ts';
import { startNodeServer } from './node-server.ts';
import type { StartRuntime } from './runtime.ts';
import { startWorkerd } from './workerd.ts';

export const RUNTIMES: readonly { readonly name: string; readonly start: StartRuntime }[] = [
  { name: 'core', start: startCore },
  { name: 'node', start: (world) => startNodeServer(world) },
  { name: 'nginx', start: (world) => startNginx(world) },
  { name: 'workerd', start: (world) => startWorkerd(world, 5) },
];
