// What the rule must run on: the pure core, the local server, and every target of `edge build`.
// nginx, Caddy and HAProxy, which npm does not bring, run in `npm run test:all`, and so do the
// hosts of workers. A missing program is an error that names it.

import { PROXIES } from '../../../../src/edge/targets/authorizer/proxies.ts';
import type { Target } from '../../../../src/edge/targets/target.ts';
import { TARGETS } from '../../../../src/edge/targets/targets.ts';
import { startAuthorizer } from './authorizer.ts';
import { startCore } from './core.ts';
import { startLambdaEdge } from './lambda-edge.ts';
import { startNginx, startQuickjs } from './nginx.ts';
import { startNodeServer } from './node-server.ts';
import type { StartRuntime } from './runtime.ts';
import { HOSTS } from './worker-hosts.ts';
import { startWorkerd } from './workerd.ts';
import type { World } from '../world.ts';
import { IS_THOROUGH } from '../../../speeds.ts';

interface NamedRuntime {
  readonly name: string;
  readonly start: StartRuntime;
}

const WORKERD = { name: 'workerd', start: (world: World) => startWorkerd(world, 5) };
const LAMBDA_EDGE = { name: 'lambda-edge', start: (world: World) => startLambdaEdge(world) };
const SERVERS: Readonly<Record<string, readonly NamedRuntime[]>> = {
  nginx: [
    { name: 'nginx', start: (world: World) => startNginx(world) },
    { name: 'nginx with QuickJS', start: (world: World) => startQuickjs(world) },
  ],
  authorizer: PROXIES.map((proxy) => ({
    name: `a service behind ${proxy}`,
    start: (world: World) => startAuthorizer(proxy, world),
  })),
};

/** What each target runs on here. */
const BY_TARGET: Readonly<Record<string, readonly NamedRuntime[]>> = {
  ...SERVERS,
  'lambda-edge': [LAMBDA_EDGE],
  worker: [WORKERD],
  ...Object.fromEntries(HOSTS.map((host) => [host.name, [host]])),
};

/**
 * What the targets run on. Throws Error for one that nothing here starts: nobody would know whether
 * it keeps to the rule.
 */
export function runtimesOf(targets: readonly Pick<Target, 'name'>[]): readonly NamedRuntime[] {
  return targets.flatMap(({ name }) => {
    const runtimes = Object.hasOwn(BY_TARGET, name) ? BY_TARGET[name] : undefined;
    if (runtimes === undefined || runtimes.length === 0)
      throw new Error(`no transcript runs the target ${name}: start it in test/support/edge/runtimes`);
    return runtimes;
  });
}

const OWN: readonly NamedRuntime[] = [
  { name: 'core', start: startCore },
  { name: 'node', start: (world) => startNodeServer(world) },
];

const ALL_TARGETS = runtimesOf(TARGETS);

/** What runs every transcript. */
export const TRANSCRIPT_RUNTIMES: readonly NamedRuntime[] = [
  ...OWN,
  ...(IS_THOROUGH ? ALL_TARGETS : [WORKERD, LAMBDA_EDGE]),
];

/** One of each kind of runtime. */
export const RUNTIMES: readonly NamedRuntime[] = [
  ...OWN,
  ...(IS_THOROUGH ? Object.values(SERVERS).flat() : []),
  WORKERD,
];
