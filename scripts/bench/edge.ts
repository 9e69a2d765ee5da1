// The edge rule's benchmark: real nginx with the rule as `edge build` writes it, against the same nginx, in the same process, that serves
// the same file without a rule. Requests are signed (hmac) and checked; what counts is the ratio of the two rates.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { WORKER_BUNDLE_BYTES_MAX } from '../../src/edge/deploy/deployment.ts';
import { seedCatalogue } from '../seed.ts';
import { median, type Row } from './table.ts';

const NJS_MODULE = '/usr/lib/nginx/modules/ngx_http_js_module.so';
const SECRET_NAME = 'PLAYBILL_BENCH';
const SECRET = 'a secret of this benchmark alone';
const KEYID = 'bench';
/** What a request is signed for; the port that it goes to is another for each of the two servers. */
const HOST = 'edge.test';
const SECONDS = 2;
/** Share of the time for which nginx's worker must have work: else the generator is the limit, and falling asleep is measured. */
const OCCUPIED_MIN = 0.5;

type Endpoint = 'products' | 'categories';

const PATHS = { products: '/products/', categories: '/fronts/categories/' } as const satisfies Record<Endpoint, string>;

type Headers = Readonly<Record<string, string>>;

/** One document under one encoding: what both servers are asked for. */
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
  /** Requests for each second that nginx's worker had a core: what else runs on the machine takes nothing from it. */
  readonly perSecond: number;
  /** Share of the run in which the worker had a core or waited for one. */
  readonly occupied: number;
}

/** What this benchmark runs that npm cannot install and the machine lacks, in words; null where everything is there. */
export function missingForEdge(): string | null {
  const programs = ['nginx', 'wrk'].filter((name) => spawnSync(name, ['-v']).error !== undefined);
  const missing = existsSync(NJS_MODULE) ? programs : [...programs, `njs (${NJS_MODULE})`];
  return missing.length === 0 ? null : `the edge benchmark needs ${missing.join(', ')}`;
}

/**
 * Measures the rule in a folder of its own (`work`, on tmpfs) with the compiled command (`dist`). `rounds` are interleaved.
 * @throws Error where an answer is not 200 with the edition's bytes, or where nginx was not what limited the rate.
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
    const bundleBytes = statSync(join(dist, 'edge/bundles/worker.js')).size;
    const bundle = `${bundleBytes.toLocaleString('en')} B`;
    const bundleMax = `≤ ${WORKER_BUNDLE_BYTES_MAX.worker.toLocaleString('en')} B`;
    return {
      rows: [...rows, { what: 'worker bundle, minified', measured: bundle, goal: bundleMax }],
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

/** The tree, the folder of nginx, and how its two servers are asked. */
interface Site {
  readonly folder: string;
  readonly plainPort: number;
  readonly editionsTotal: number;
  /** The file that a subject's answer must be, as of this instant. */
  fileOf(subject: Subject): string;
  ruledRequest(subject: Subject): BenchRequest;
  plainRequest(subject: Subject): BenchRequest;
}

async function prepareSite(dist: string, work: string): Promise<Site> {
  // nginx gives up its rights before it reads.
  chmodSync(work, 0o755);
  const database = join(work, 'edge.sqlite');
  const tree = join(work, 'edge-tree');
  const folder = join(work, 'edge-nginx');
  const keyFile = join(work, 'edge-key.json');
  const playbill = (...words: string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(dist, 'cli/main.js'), ...words], {
      env: { ...process.env, [SECRET_NAME]: SECRET },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`playbill ${words.join(' ')} exited with ${status}: ${stderr}`);
    return stdout;
  };
  // nginx knows no clock but the real one, so the catalogue lies around today.
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
  // Signed again for every run: a signature lives for five minutes.
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
    // With the same header lines, signature and all, so that both servers read as much.
    plainRequest: (subject) => requestOf(subject, plainPort, `/${editionFile(subject.endpoint)}`),
  };
}

/** Secrets, one worker, and the server without a rule: the configuration of the rule stays as `edge build` wrote it. */
function configure(folder: string, publicRoot: string, plainPort: number): void {
  const example = readFileSync(join(folder, 'playbill-secrets.example.json'), 'utf8');
  const names = Object.keys(JSON.parse(example) as object);
  writeFileSync(
    join(folder, 'playbill-secrets.json'),
    JSON.stringify(Object.fromEntries(names.map((name) => [name, SECRET]))),
  );
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
    throw new Error('nginx.conf of edge build is not what this benchmark knows');
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

/** Runs the generator, with the request asked once before and once after: a benchmark of refusals measures nothing. */
async function checkedLoad(site: Site, subject: Subject, request: BenchRequest, worker: string): Promise<Load> {
  await expectEdition(site, subject, request);
  const lines = Object.entries(request.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const words = ['-t1', '-c8', `-d${SECONDS}s`, ...lines, request.url];
  const before = worktimeOf(worker);
  const { status, stdout, stderr } = spawnSync('wrk', words, { encoding: 'utf8' });
  const after = worktimeOf(worker);
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1] ?? Number.NaN);
  if (status !== 0 || Number.isNaN(requests) || /Non-2xx|Socket errors/.test(stdout))
    throw new Error(`wrk exited with ${status}: ${stdout}${stderr}`);
  await expectEdition(site, subject, request);
  const seconds = after.busy - before.busy;
  return { perSecond: requests / seconds, occupied: (seconds + after.waiting - before.waiting) / SECONDS };
}

/** @throws Error where the answer is not 200 with the bytes of the edition in force */
async function expectEdition(site: Site, subject: Subject, { url, headers }: BenchRequest): Promise<void> {
  // The plain server is asked for a file by its name, which stays right when another edition comes into force.
  const expected = [site.fileOf(subject)];
  const [response] = (await once(get(url, { headers, agent: false }), 'response')) as [IncomingMessage];
  const content = await buffer(response);
  expected.push(site.fileOf(subject));
  if (response.statusCode !== 200 || !expected.some((file) => readFileSync(file).equals(content)))
    throw new Error(`${url} answered ${response.statusCode} with ${content.length} bytes, not the edition in force`);
}

/** For how long a process has had a core, and for how long it wanted one, seconds (Linux). */
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
    throw new Error(`${what}: nginx's worker had work for ${occupied.toFixed(2)} of the time: wrk was what limited it`);
  const microseconds = 1e6 / ruledRate - 1e6 / plainRate;
  return {
    what,
    measured: `${((100 * ruledRate) / plainRate).toFixed(0)} %: ${ruledRate.toFixed(0)} of ${plainRate.toFixed(0)} a second; the rule takes ${microseconds.toFixed(0)} µs`,
    goal: subject.goal,
  };
}

/** The current second, as the database writes it. */
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

/** Waits until something listens on a port; @throws Error after ten seconds, when nginx has long said on stderr what is wrong. */
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
