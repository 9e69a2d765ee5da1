// Benchmarks the edge rule. On nginx: a server with the rule as `edge build` writes it, compared
// with a second server of the same nginx process that serves the same file without the rule, by
// requests that are signed (hmac) and verified; only the ratio of the two rates matters. On every
// edge: what a request costs (edge-servers.ts).

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { bringNewerNginx, NEWER_NGINX, withQuickjs } from '../../test/support/edge/runtimes/newer-nginx.ts';
import { type BenchServer, costRows, startServers, stopped } from './edge-servers.ts';
import {
  type EdgeTree,
  type Endpoint,
  freePort,
  type Headers,
  HOST,
  makeEdgeTree,
  PATHS,
  SECRET,
  untilListening,
} from './edge-tree.ts';
import { median, type Row } from './table.ts';

const NJS_MODULE = '/usr/lib/nginx/modules/ngx_http_js_module.so';
const SECONDS = 2;
/**
 * nginx's worker must be busy for at least this share of the time; otherwise the load generator is
 * the limit.
 */
const OCCUPIED_MIN = 0.5;

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
  const tree = makeEdgeTree(dist, work);
  const site = await prepareSite(tree, work);
  const stops: (() => Promise<void>)[] = [];
  try {
    const nginx = spawn('nginx', ['-p', site.folder, '-c', 'bench.conf'], { stdio: ['ignore', 'inherit', 'inherit'] });
    stops.push(() => stopped(nginx));
    await untilListening(site.plainPort);
    const worker = workerOf(nginx);
    process.stderr.write(`edge: ${rounds} rounds …\n`);
    const loads = SUBJECTS.map(() => ({ ruled: [] as Load[], plain: [] as Load[] }));
    for (let round = 0; round < rounds; round++) {
      for (const [i, subject] of SUBJECTS.entries()) {
        loads[i]?.ruled.push(await checkedLoad(site, subject, site.ruledRequest(subject), worker));
        loads[i]?.plain.push(await checkedLoad(site, subject, site.plainRequest(subject), worker));
      }
    }
    const rows = SUBJECTS.map((subject, i) => rowOf(site, subject, loads[i]?.ruled ?? [], loads[i]?.plain ?? []));
    const quickjs = await startQuickjs(tree, work, stops);
    const servers = [
      { name: 'nginx with njs', pid: worker, port: site.ruledPort, isBare: false, goals: {} },
      quickjs,
      ...(await startServers(tree, dist, work, stops)),
    ];
    const bundleBytes = statSync(join(dist, 'edge/bundles/worker-s3.js')).size;
    const bundle = `${bundleBytes.toLocaleString('en')} B`;
    return {
      rows: [
        ...rows,
        ...(await costRows(tree, servers, rounds)),
        { what: 'worker bundle for a bucket, both profiles, minified', measured: bundle, goal: '≤ 16,384 B' },
      ],
      how: `nginx with njs and one worker, requests signed with hmac-sha256 from
eight kept connections (wrk), a pointer of ${tree.editionsTotal} editions, against the same nginx serving the same file without a rule. Rates are
for a second of the worker's core; medians of ${rounds} interleaved rounds of ${SECONDS} s. Then what a request costs each edge, in CPU time of its whole process,
for products in gzip (the authorizer leaves sending to its proxy): without a signature (401), with one that no request had before, and with
the same again and again. The key ring has keys of every algorithm, so a first ecdsa signature costs an ed25519 verification as well.`,
    };
  } finally {
    for (const stop of stops) await stop();
  }
}

/** The machine's nginx has no QuickJS: another beside it. */
async function startQuickjs(tree: EdgeTree, work: string, stops: (() => Promise<void>)[]): Promise<BenchServer> {
  bringNewerNginx();
  const folder = join(work, 'edge-quickjs');
  const port = await freePort();
  const listen = ['--listen', `127.0.0.1:${port}`];
  tree.playbill('edge', 'build', '--target', 'nginx', '--out', tree.root, '--to', folder, ...listen);
  fillInSecrets(folder);
  const conf = readFileSync(join(folder, 'nginx.conf'), 'utf8').replace(
    'worker_processes auto;',
    'worker_processes 1;',
  );
  writeFileSync(join(folder, 'bench.conf'), withQuickjs(conf));
  const [command, ...args] = NEWER_NGINX;
  const nginx = spawn(command, [...args, '-p', folder, '-c', 'bench.conf'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  stops.push(() => stopped(nginx));
  await untilListening(port);
  return { name: 'nginx with QuickJS', pid: workerOf(nginx), port, isBare: false, goals: OF_QUICKJS };
}

const OF_QUICKJS = { 'ecdsa, repeated': '≤ 70 µs' } as const;

/** nginx's only worker. */
const workerOf = ({ pid }: ChildProcess): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());

/** A request as both the check and the generator send it. */
interface BenchRequest {
  readonly url: string;
  readonly headers: Headers;
}

/** The tree, nginx's folder, and the requests for its two servers. */
interface Site {
  readonly folder: string;
  readonly ruledPort: number;
  readonly plainPort: number;
  /** The file that must be served for a subject right now. */
  fileOf(subject: Subject): string;
  ruledRequest(subject: Subject): BenchRequest;
  plainRequest(subject: Subject): BenchRequest;
}

async function prepareSite(tree: EdgeTree, work: string): Promise<Site> {
  const folder = join(work, 'edge-nginx');
  const ruledPort = await freePort();
  const plainPort = await freePort();
  const listen = ['--listen', `127.0.0.1:${ruledPort}`];
  tree.playbill('edge', 'build', '--target', 'nginx', '--out', tree.root, '--to', folder, ...listen);
  configure(folder, join(tree.root, 'public'), plainPort);

  // Signed again for every run: a signature expires after five minutes.
  const requestOf = ({ endpoint, isGzip }: Subject, port: number, target: string): BenchRequest => {
    const signed = tree.playbill('sign', `http://${HOST}${PATHS[endpoint]}`, '--key', tree.hmacKeyFile, '--json');
    const encoding: Headers = isGzip ? { 'Accept-Encoding': 'gzip' } : {};
    const headers = { Host: HOST, ...(JSON.parse(signed) as Headers), ...encoding };
    return { url: `http://127.0.0.1:${port}${target}`, headers };
  };
  return {
    folder,
    ruledPort,
    plainPort,
    fileOf: ({ endpoint, isGzip }) => join(tree.root, 'public', tree.editionFile(endpoint) + (isGzip ? '.gz' : '')),
    ruledRequest: (subject) => requestOf(subject, ruledPort, PATHS[subject.endpoint]),
    // With the same headers, including the signature, so that both servers read the same amount.
    plainRequest: (subject) => requestOf(subject, plainPort, `/${tree.editionFile(subject.endpoint)}`),
  };
}

function fillInSecrets(folder: string): void {
  const file = join(folder, 'playbill-secrets.js');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('""', JSON.stringify(SECRET.text)));
}

/**
 * Adds secrets and the server without the rule, and sets one worker. Leaves the rule's
 * configuration as `edge build` wrote it.
 */
function configure(folder: string, publicRoot: string, plainPort: number): void {
  fillInSecrets(folder);
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

/**
 * Runs the load generator. Checks one response before and one after: a benchmark of refusals would
 * measure nothing.
 */
async function checkedLoad(site: Site, subject: Subject, request: BenchRequest, worker: number): Promise<Load> {
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
function worktimeOf(processId: number): { readonly busy: number; readonly waiting: number } {
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
