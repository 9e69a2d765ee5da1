// What a request costs each edge: CPU time of its process, for requests that are unsigned, for
// signatures that it has never seen, and for one that comes again and again. Each signature that
// counts as the first differs from all others, so that nothing an edge remembers flatters it.

import { createHmac, createPrivateKey, sign } from 'node:crypto';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { componentValue, requiredComponents, signatureBase } from '../../src/edge/rule/rfc9421.ts';
import { cpuOf } from '../../test/support/edge/cpu.ts';
import { type EdgeTree, freePort, type Headers, HOST, PATHS, SECRET, untilListening } from './edge-tree.ts';
import { median, type Row } from './table.ts';

const WORKERD = fileURLToPath(new URL('../../node_modules/.bin/workerd', import.meta.url));
const CONNECTIONS = 8;
/** Requests of a kind to a server in one round. */
const REQUESTS = 1000;
/** Before anything is measured: Node.js and workerd compile what they run often. */
const WARM_UP = 2000;

const KINDS = ['unsigned', 'hmac, first', 'hmac, repeated', 'ecdsa, first', 'ecdsa, repeated'] as const;
type Kind = (typeof KINDS)[number];

/** A server that runs. */
export interface BenchServer {
  readonly name: string;
  /** Whose threads do the work. */
  readonly pid: number;
  readonly port: number;
  /** Without the rule: every request gets the same file, whatever it says. */
  readonly isBare: boolean;
  readonly goals: Readonly<Partial<Record<Kind, string>>>;
}

/** The servers that Node.js and npm bring; `stops` collects what ends them. */
export async function startServers(tree: EdgeTree, dist: string, work: string, stops: (() => Promise<void>)[]) {
  const start = async (
    name: string,
    goals: BenchServer['goals'],
    port: number,
    command: string,
    argv: readonly string[],
    cwd = work,
  ): Promise<BenchServer> => {
    const env = { ...process.env, [SECRET.name]: SECRET.text };
    const child = spawn(command, argv, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
    stops.push(() => stopped(child));
    await untilListening(port);
    return { name, pid: child.pid ?? 0, port, isBare: name === BARE, goals };
  };
  const build = (target: string, ...more: readonly string[]): string => {
    const folder = join(work, `edge-${target}`);
    tree.playbill('edge', 'build', '--target', target, '--out', tree.root, '--to', folder, ...more);
    return folder;
  };
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()] as const;
  const authorizer = build('authorizer', '--proxy', 'nginx', '--authorizer', `127.0.0.1:${ports[0]}`);
  const worker = build('worker', '--encodings', 'gzip');
  const bare = join(work, 'edge-bare');
  cpSync(worker, bare, { recursive: true });
  writeFileSync(
    join(bare, 'worker.js'),
    `const file = ${JSON.stringify(`http://tree/${tree.editionFile('products')}.gz`)};
export default {
  async fetch(request, environment) {
    const { body } = await environment.ASSETS.fetch(file);
    return new Response(body, { headers: { 'Content-Encoding': 'gzip' }, encodeBody: 'manual' });
  },
};
`,
  );
  const main = join(dist, 'cli/main.js');
  const workerd = (port: number): string[] => ['serve', 'workerd.capnp', `--socket-addr=http=127.0.0.1:${port}`];
  return [
    await start('authorizer', OF_NODE, ports[0], process.execPath, ['authorizer.mjs'], authorizer),
    await start('serve', OF_NODE, ports[1], process.execPath, [
      main,
      'serve',
      '--out',
      tree.root,
      '--port',
      `${ports[1]}`,
    ]),
    await start('workerd', OF_WORKERD, ports[2], WORKERD, workerd(ports[2]), worker),
    await start(BARE, {}, ports[3], WORKERD, workerd(ports[3]), bare),
  ];
}

/** Ends a program that may have ended. */
export async function stopped(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  if (child.exitCode === null && child.kill('SIGTERM')) await ended;
}

const BARE = 'workerd, its handler without a rule';
const OF_NODE = { 'hmac, first': '≤ 70 µs', 'ecdsa, first': '≤ 170 µs', 'ecdsa, repeated': '≤ 75 µs' } as const;
const OF_WORKERD = { 'hmac, first': '≤ 2.5 ×', 'ecdsa, first': '≤ 3 ×', 'ecdsa, repeated': '≤ 2.5 ×' } as const;

/**
 * Rows of CPU time for a request.
 * @throws Error if an answer is not 200, or not 401 to an unsigned request
 */
export async function costRows(tree: EdgeTree, servers: readonly BenchServer[], rounds: number): Promise<Row[]> {
  const costs = servers.flatMap((server) =>
    (server.isBare ? (['unsigned'] as const) : KINDS).map((kind) => ({ server, kind, runs: [] as number[] })),
  );
  for (const { server, kind } of costs) await load(server, kind, tree, WARM_UP);
  for (let round = 0; round < rounds; round++)
    for (const { server, kind, runs } of costs) runs.push(await load(server, kind, tree, REQUESTS));
  const bare = median(costs.flatMap(({ server, runs }) => (server.isBare ? runs : [])));
  return costs.map(({ server, kind, runs }) => {
    const goal = server.goals[kind] ?? '-';
    const cost = median(runs);
    const times = server.goals === OF_WORKERD ? `, ${(cost / bare).toFixed(1)} × without a rule` : '';
    const what = server.isBare ? server.name : `${server.name}: ${kind}`;
    return { what, measured: `${cost.toFixed(0)} µs${times}`, goal };
  });
}

/** Sends requests of a kind. Returns microseconds of CPU time for each. */
async function load(server: BenchServer, kind: Kind, tree: EdgeTree, count: number): Promise<number> {
  const alg = kind.startsWith('hmac') ? 'hmac' : 'ecdsa';
  const signed = kind === 'unsigned' ? 0 : kind.endsWith('first') ? count : 1;
  const unsigned = { 'X-Front': tree.front };
  const requests: Headers[] = signed === 0 ? [unsigned] : [];
  for (let i = 0; i < signed; i++) requests.push({ ...unsigned, ...signature(tree, alg) });
  const status = signed === 0 && !server.isBare ? 401 : 200;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  // Not measured, because connecting is not.
  await Promise.all(Array.from({ length: CONNECTIONS }, () => send(server, requests[0] ?? {}, agent, status)));
  const before = cpuOf([server.pid]);
  let next = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (let i = next++; i < count; i = next++)
        await send(server, requests[i % requests.length] ?? {}, agent, status);
    }),
  );
  const cost = (cpuOf([server.pid]) - before) / count / 1000;
  agent.destroy();
  return cost;
}

async function send({ name, port }: BenchServer, headers: Headers, agent: Agent, status: number): Promise<void> {
  const options = { agent, headers: { Host: HOST, 'Accept-Encoding': 'gzip', ...headers } };
  const [response] = (await once(get(`http://127.0.0.1:${port}${PATHS.products}`, options), 'response')) as [
    IncomingMessage,
  ];
  if (response.statusCode !== status) throw new Error(`${name} answered ${response.statusCode}, expected ${status}`);
  response.resume();
  await once(response, 'end');
}

let signatures = 0;

/** The headers of a signature that no request has had before. */
function signature(tree: EdgeTree, alg: 'hmac' | 'ecdsa'): Headers {
  const key = tree.keys[alg];
  const names = requiredComponents({ requiresAuthority: true });
  const lines = (name: string): readonly string[] => (name === 'x-front' ? [tree.front] : []);
  const request = { method: 'GET', scheme: 'http', authority: HOST, target: PATHS.products, lines };
  const values = names.map((name) => componentValue(request, name));
  const created = Math.floor(Date.now() / 1000);
  const input = `("${names.join('" "')}");created=${created};keyid="${key.keyid}";nonce="${signatures++}";tag="x-front"`;
  const base = Buffer.from(signatureBase(names, values, input));
  const bytes =
    'secret' in key
      ? createHmac('sha256', key.secret).update(base).digest()
      : sign('sha256', base, {
          key: createPrivateKey({ key: { ...key.privateKey }, format: 'jwk' }),
          dsaEncoding: 'ieee-p1363',
        });
  return { 'Signature-Input': `sig=${input}`, Signature: `sig=:${bytes.toString('base64')}:` };
}
