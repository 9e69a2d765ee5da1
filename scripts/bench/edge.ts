// Benchmarks the edge rule on nginx: a server with the rule as `edge build` writes it, compared
// with a second server of the same nginx process that serves the same file without the rule.
// Requests are signed (hmac) and verified; only the ratio of the two rates matters.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { seedCatalogue } from '../seed.ts';
import { median, type Row } from './table.ts';
import { printed } from './timing.ts';

const NJS_MODULE = '/usr/lib/nginx/modules/ngx_http_js_module.so';
const SECRET_NAME = 'PLAYBILL_BENCH';
const SECRET = 'a secret of this benchmark alone';
const KEYID = 'bench';
/** The host for which requests are signed. They are sent to the ports of the two servers. */
const HOST = 'edge.test';
const SECONDS = 2;
/**
 * nginx's worker must be busy for at least this share of the time; otherwise the load generator is
 * the limit.
 */
const OCCUPIED_MIN = 0.5;

type Endpoint = 'products' | 'categories';

const PATHS = { products: '/products/', categories: '/fronts/categories/' } as const satisfies Record<Endpoint, string>;

type Headers = Readonly<Record<string, string>>;

/** A document and encoding to request from both servers. */
interface Subject {
  readonly endpoint: Endpoint;
  readonly isGzip: boolean;
  readonly goal: string;
}

const SUBJECTS: readonly Subject[] = [
  { endpoint: 'products', isGzip: false, goal: '≥ 40 %' },
  { endpoint: 'products', isGzip: true, goal: '≥ 15 %' },
  { endpoint: 'categories', isGzip: false, goal: '-' },
];

/** One run of the generator. */
interface Load {
  /**
   * Requests per second of CPU time of nginx's worker: independent of what else runs on the
   * machine.
   */
  readonly perSecond: number;
  /** The share of the run in which the worker had a core or waited for one. */
  readonly occupied: number;
}

/**
 * A message about programs that this benchmark needs and the machine lacks; null if there are none.
 */
export function missingForEdge(): string | null {
  const programs = ['nginx', 'wrk'].filter((name) => spawnSync(name, ['-v']).error !== undefined);
  const missing = existsSync(NJS_MODULE) ? programs : [...programs, `njs (${NJS_MODULE})`];
  return missing.length === 0 ? null : `the edge benchmark needs ${missing.join(', ')}`;
}

/**
 * Measures the rule in a folder (`work`, on tmpfs) with the compiled command (`dist`). `rounds` are
 * interleaved.
 * @throws Error if a response is not 200 with the edition's bytes, or if nginx was not the
 * bottleneck
 */
export async function benchEdge(dist: string, rounds: number, work: string): Promise<{ rows: Row[]; how: string }> {
  process.stderr.write('edge: seeding …\n');
  const site = await prepareSite(dist, work);
  const nginx = spawn('nginx', ['-p', site.folder, '-c', 'bench.conf'], { stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    await untilListening(site.plainPort);
    const worker = readFileSync(`/proc/${nginx.pid}/task/${nginx.pid}/children`, 'utf8').trim();
    process.stderr.write(`edge: ${rounds} rounds …\n`);
    const loads = SUBJECTS.map(() => ({ ruled: [] as Load[], plain: [] as Load[] }));
    for (let round = 0; round < rounds; round++) {
      for (const [i, subject] of SUBJECTS.entries()) {
        loads[i]?.ruled.push(await checkedLoad(site, subject, site.ruledRequest(subject), worker));
        loads[i]?.plain.push(await checkedLoad(site, subject, site.plainRequest(subject), worker));
      }
    }
    const rows = SUBJECTS.map((subject, i) => rowOf(site, subject, loads[i]?.ruled ?? [], loads[i]?.plain ?? []));
    const bundleBytes = statSync(join(dist, 'edge/bundles/worker-s3.js')).size;
    const bundle = `${bundleBytes.toLocaleString('en')} B`;
    return {
      rows: [...rows, { what: 'worker bundle for a bucket, minified', measured: bundle, goal: '≤ 16,384 B' }],
      how: `nginx with njs and one worker, requests signed with hmac-sha256 from
eight kept connections (wrk), a pointer of ${site.editionsTotal} editions, against the same nginx serving the same file without a rule. Rates are
for a second of the worker's core; medians of ${rounds} interleaved rounds of ${SECONDS} s.`,
    };
  } finally {
    const ended = once(nginx, 'exit');
    if (nginx.exitCode === null && nginx.kill('SIGTERM')) await ended;
  }
}

/** A request as both the check and the generator send it. */
interface BenchRequest {
  readonly url: string;
  readonly headers: Headers;
}

/** The tree, nginx's folder, and the requests for its two servers. */
interface Site {
  readonly folder: string;
  readonly plainPort: number;
  readonly editionsTotal: number;
  /** The file that must be served for a subject right now. */
  fileOf(subject: Subject): string;
  ruledRequest(subject: Subject): BenchRequest;
  plainRequest(subject: Subject): BenchRequest;
}

async function prepareSite(dist: string, work: string): Promise<Site> {
  // nginx drops its privileges before it reads files.
  chmodSync(work, 0o755);
  const database = join(work, 'edge.sqlite');
  const tree = join(work, 'edge-tree');
  const folder = join(work, 'edge-nginx');
  const keyFile = join(work, 'edge-key.json');
  const playbill = (...argv: string[]): string => {
    const environment = { ...process.env, [SECRET_NAME]: SECRET };
    return printed(process.execPath, [join(dist, 'cli/main.js'), ...argv], environment);
  };
  // nginx uses the real clock, so the catalogue is made for today.
  const now = instantNow();
  seedCatalogue({ path: database, size: 'S', now, seed: 1 });
  playbill('build', '--db', database, '--out', tree, '--now', now, '--horizon', '24h', '--precompress', 'gzip');
  const front = frontWithMostEditions(tree);
  const key = ['--front', front, '--keyid', KEYID, '--alg', 'hmac-sha256', '--secret-ref', SECRET_NAME];
  writeFileSync(keyFile, playbill('keys', 'issue', ...key, '--db', database, '--out', tree, '--json'));
  const ruledPort = await freePort();
  const plainPort = await freePort();
  playbill('edge', 'build', '--target', 'nginx', '--out', tree, '--to', folder, '--listen', `127.0.0.1:${ruledPort}`);
  configure(folder, join(tree, 'public'), plainPort);

  const editionFile = (endpoint: Endpoint): string => {
    const instant = instantNow();
    const entry = readPointer(tree, front)[endpoint].findLast((one) => one.slice(0, 20) <= instant) ?? '';
    return `fronts/${front}/${endpoint}.${entry.slice(21)}.json`;
  };
  // Signed again for every run: a signature expires after five minutes.
  const requestOf = ({ endpoint, isGzip }: Subject, port: number, target: string): BenchRequest => {
    const signed = playbill('sign', `http://${HOST}${PATHS[endpoint]}`, '--key', keyFile, '--json');
    const encoding: Headers = isGzip ? { 'Accept-Encoding': 'gzip' } : {};
    const headers = { Host: HOST, ...(JSON.parse(signed) as Headers), ...encoding };
    return { url: `http://127.0.0.1:${port}${target}`, headers };
  };
  return {
    folder,
    plainPort,
    editionsTotal: readPointer(tree, front).products.length,
    fileOf: ({ endpoint, isGzip }) => join(tree, 'public', editionFile(endpoint) + (isGzip ? '.gz' : '')),
    ruledRequest: (subject) => requestOf(subject, ruledPort, PATHS[subject.endpoint]),
    // With the same headers, including the signature, so that both servers read the same amount.
    plainRequest: (subject) => requestOf(subject, plainPort, `/${editionFile(subject.endpoint)}`),
  };
}

/**
 * Adds secrets and the server without the rule, and sets one worker. Leaves the rule's
 * configuration as `edge build` wrote it.
 */
function configure(folder: string, publicRoot: string, plainPort: number): void {
  const secrets = join(folder, 'playbill-secrets.json');
  const names = Object.keys(JSON.parse(readFileSync(secrets, 'utf8')) as object);
  writeFileSync(secrets, JSON.stringify(Object.fromEntries(names.map((name) => [name, SECRET]))));
  writeFileSync(
    join(folder, 'plain.conf'),
    `server {
  listen 127.0.0.1:${plainPort};
  root "${publicRoot}";
  types {}
  default_type application/json;
  sendfile on;
  tcp_nopush on;
  gzip_static on;
}
`,
  );
  const standalone = readFileSync(join(folder, 'nginx.conf'), 'utf8');
  const changed = standalone
    .replace('worker_processes auto;', 'worker_processes 1;')
    .replace('include playbill.conf;', 'include playbill.conf;\n  include plain.conf;');
  if (!changed.includes('worker_processes 1;') || !changed.includes('include plain.conf;'))
    throw new Error('nginx.conf of edge build is not what this benchmark expects');
  writeFileSync(join(folder, 'bench.conf'), changed);
}

function readPointer(tree: string, front: string): Readonly<Record<Endpoint, readonly string[]>> {
  const text = readFileSync(join(tree, 'public/fronts', front, 'pointer.json'), 'utf8');
  return JSON.parse(text) as Record<Endpoint, string[]>;
}

function frontWithMostEditions(tree: string): string {
  const fronts = readdirSync(join(tree, 'public/fronts'));
  const count = (front: string): number => readPointer(tree, front).products.length;
  return fronts.reduce((most, front) => (count(front) > count(most) ? front : most));
}

/**
 * Runs the load generator. Checks one response before and one after: a benchmark of refusals would
 * measure nothing.
 */
async function checkedLoad(site: Site, subject: Subject, request: BenchRequest, worker: string): Promise<Load> {
  await expectEdition(site, subject, request);
  const lines = Object.entries(request.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const argv = ['-t1', '-c8', `-d${SECONDS}s`, ...lines, request.url];
  const before = worktimeOf(worker);
  const { status, stdout, stderr } = spawnSync('wrk', argv, { encoding: 'utf8' });
  const after = worktimeOf(worker);
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? Number.NaN);
  if (status !== 0 || Number.isNaN(requests) || /Non-2xx|Socket errors/.test(stdout))
    throw new Error(`wrk exited with ${status}: ${stdout}${stderr}`);
  await expectEdition(site, subject, request);
  const seconds = after.busy - before.busy;
  return { perSecond: requests / seconds, occupied: (seconds + after.waiting - before.waiting) / SECONDS };
}

/** @throws Error if the response is not 200 with the bytes of the edition in force */
async function expectEdition(site: Site, subject: Subject, { url, headers }: BenchRequest): Promise<void> {
  // Accept both editions if another one comes into force during the request.
  const expected = [site.fileOf(subject)];
  const [response] = (await once(get(url, { headers, agent: false }), 'response')) as [IncomingMessage];
  const content = await buffer(response);
  expected.push(site.fileOf(subject));
  if (response.statusCode !== 200 || !expected.some((file) => readFileSync(file).equals(content)))
    throw new Error(`${url} answered ${response.statusCode} with ${content.length} bytes, not the edition in force`);
}

/** How long a process has run on a core, and how long it has waited for one, in seconds (Linux). */
function worktimeOf(processId: string): { readonly busy: number; readonly waiting: number } {
  const [busy = Number.NaN, waiting = Number.NaN] = readFileSync(`/proc/${processId}/schedstat`, 'utf8')
    .split(' ')
    .map((nanoseconds) => Number(nanoseconds) / 1e9);
  return { busy, waiting };
}

function rowOf(site: Site, subject: Subject, ruled: readonly Load[], plain: readonly Load[]): Row {
  const ruledRate = median(ruled.map(({ perSecond }) => perSecond));
  const plainRate = median(plain.map(({ perSecond }) => perSecond));
  const occupied = Math.min(...[ruled, plain].map((loads) => median(loads.map((load) => load.occupied))));
  const kilobytes = (statSync(site.fileOf(subject)).size / 1e3).toFixed(1);
  const what = `${subject.endpoint}, ${kilobytes} kB${subject.isGzip ? ' of gzip' : ''}`;
  if (occupied < OCCUPIED_MIN)
    throw new Error(
      `${what}: nginx's worker was busy for only ${occupied.toFixed(2)} of the time: wrk was the bottleneck`,
    );
  const microseconds = 1e6 / ruledRate - 1e6 / plainRate;
  return {
    what,
    measured: `${((100 * ruledRate) / plainRate).toFixed(0)} %: ${ruledRate.toFixed(0)} of ${plainRate.toFixed(0)} a second; the rule takes ${microseconds.toFixed(0)} µs`,
    goal: subject.goal,
  };
}

/** The current second in the format of the database. */
function instantNow(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/**
 * Waits until something listens on a port.
 * @throws Error after ten seconds; nginx has then printed on stderr what is wrong
 */
async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const socket = connect(port, '127.0.0.1');
    const isListening = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isListening) return;
    await setTimeout(50);
  }
  throw new Error(`nginx does not listen on port ${port}`);
}
