// The client on Node.js, Deno, Bun and workerd, as it is installed: both profiles, every kind of
// key, timeouts, signals, what is kept when a request fails, and errors by their types. The edge is
// real; what goes wrong is a server that answers so.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClientKey } from '../../src/client/signature.ts';
import type { Scenario } from '../support/client/scenario.ts';
import { compiledClient } from '../support/compiled.ts';
import { startNodeServer } from '../support/edge/runtimes/node-server.ts';
import { freePort, startProgram } from '../support/edge/runtimes/runtime.ts';
import { program, PROGRAMS } from '../support/edge/runtimes/worker-hosts.ts';
import { WORKERD } from '../support/edge/runtimes/workerd.ts';
import { makeWorld, type World } from '../support/edge/world.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

const folder = temporaryFolderOfFile();
let world: World;
let edge: Awaited<ReturnType<typeof startNodeServer>>;
let faulty: Server;
let scenario: Scenario;

beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000), ['rfc9421', 'signed-headers']);
  edge = await startNodeServer(world, { clock: () => Date.now() / 1000 });
  faulty = await startFaulty();
  const keyOf = (keyid: string): ClientKey => {
    const key = world.signingKeys.get(keyid) ?? '';
    return typeof key === 'string' ? { keyid, secret: key } : { keyid, privateKey: key };
  };
  scenario = {
    edge: `http://127.0.0.1:${edge.port}`,
    faulty: `http://127.0.0.1:${(faulty.address() as AddressInfo).port}`,
    clients: {
      'P-256': { key: keyOf('moscow-1') },
      Ed25519: { key: keyOf('moscow-ed25519') },
      hmac: { key: keyOf('moscow-hmac') },
      'signed headers': { key: keyOf('moscow-hmac'), profile: 'signed-headers' },
    },
  };
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../support/client/scenario.ts', import.meta.url))],
    alias: { 'playbill/client': compiledClient() },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
  });
  writeFileSync(join(folder, 'scenario.js'), outputFiles[0]?.text ?? '');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const printed = 'console.log(JSON.stringify(await outcomesOf(JSON.parse(process.env.SCENARIO))));';
  writeFileSync(join(folder, 'main.js'), `import { outcomesOf } from './scenario.js';\n${printed}\n`);
});
afterAll(async () => {
  await edge.stop();
  faulty.close();
  faulty.closeAllConnections();
});

/**
 * `/hangs` never answers, `/half` never ends its answer; `/once` answers one request of two, and
 * has failed for the other; `/lies` gives another body than its ETag names for each second.
 */
async function startFaulty(): Promise<Server> {
  let asked = 0;
  let lied = 0;
  const document = '{"productCards":["афиша"]}';
  const etag = `W/"${createHash('sha256').update(document).digest('hex').slice(0, 16)}"`;
  const server = createServer(({ url = '' }, response) => {
    const json = { 'Content-Type': 'application/json', 'Catalogue-Valid-Until': '2100-01-01T00:00:00Z' };
    if (url.startsWith('/lies/')) {
      lied += 1;
      response.writeHead(200, { ...json, ETag: etag }).end(lied % 2 === 1 ? document : '{"error":"maintenance"}');
    }
    if (url.startsWith('/half/')) response.writeHead(200, json).write('{"productCards":');
    if (!url.startsWith('/once/')) return;
    asked += 1;
    if (asked % 2 === 1) response.writeHead(200, json).end('{"productCards":[]}');
    else response.writeHead(503, { 'Content-Type': 'application/problem+json' }).end('{"code":"internal"}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** What a program that prints the outcomes prints. */
async function printedBy(command: string, ...words: readonly string[]): Promise<unknown> {
  const env = { ...process.env, SCENARIO: JSON.stringify(scenario), DENO_DIR: join(folder, '.deno'), NO_COLOR: '1' };
  const child = spawn(command, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return stdout.startsWith('{') ? JSON.parse(stdout) : expect.fail(`${command}: ${stderr}`);
}

/** In workerd, a worker whose answer they are. */
async function answeredByWorkerd(): Promise<unknown> {
  const worker =
    'import { outcomesOf } from "./scenario.js";\nexport default { fetch: async (_, env) => Response.json(await outcomesOf(env.SCENARIO)) };\n';
  writeFileSync(join(folder, 'worker.js'), worker);
  writeFileSync(
    join(folder, 'workerd.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js"), (name = "scenario.js", esModule = embed "scenario.js")],
  compatibilityDate = "2025-01-01",
  bindings = [(name = "SCENARIO", json = ${JSON.stringify(JSON.stringify(scenario))})],
);
`,
  );
  const port = await freePort();
  const words = ['serve', 'workerd.capnp', `--socket-addr=http=127.0.0.1:${port}`];
  const stop = await startProgram(WORKERD, words, port, { cwd: folder, env: process.env });
  try {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    const answer = await response.text();
    return response.status === 200 ? JSON.parse(answer) : expect.fail(answer);
  } finally {
    await stop();
  }
}

test.each([
  ['Node.js', () => printedBy(process.execPath, 'main.js')],
  ['Deno', () => printedBy(program(PROGRAMS.deno), 'run', '-A', 'main.js')],
  ['Bun', () => printedBy(program(PROGRAMS.bun), 'main.js')],
  ['workerd', answeredByWorkerd],
])('%s', async (_, run) => {
  const moscow = world.fronts.get('moscow');
  const document: unknown = JSON.parse(moscow?.products[1]?.content.toString() ?? '');
  expect(await run()).toEqual({
    'P-256': document,
    Ed25519: document,
    hmac: document,
    'signed headers': document,
    revalidated: true,
    asOf: moscow?.asOf,
    'a slash at the end of the base URL': moscow?.asOf,
    refused: { kind: 'CatalogueError', status: 403, code: 'front-not-allowed' },
    'no connection': 'CatalogueNetworkError',
    timeout: { kind: 'CatalogueTimeoutError', timeoutMs: 300 },
    'timeout in the middle of a document': { kind: 'CatalogueTimeoutError', timeoutMs: 300 },
    aborted: { kind: 'reason' },
    'aborted before': { kind: 'reason' },
    'kept when another body comes than the ETag names': {
      isSame: true,
      after: { kind: 'CatalogueError', status: 200, code: null },
    },
    'kept when a request fails': {
      isSame: true,
      before: null,
      after: { kind: 'CatalogueError', status: 503, code: 'internal' },
    },
  });
});
