// `npm run bench [-- --size S|M|L] [--edge] [--rounds N]`: times the compiled command as a whole process against the yardsticks of its
// own output (`cp -r`), of the runtime (`node -e 0`) and of a plain per-front script that must give the same bytes; and the edge rule
// against its nginx without a rule. Rounds are interleaved, figures are medians, and what counts are ratios measured in one run.

import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { benchEdge, missingForEdge } from './bench/edge.ts';
import { contentDifference } from './bench/same-content.ts';
import { median, type Row, tableText } from './bench/table.ts';
import { seedCatalogue } from './seed.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const NOW = '2026-05-01T09:00:00Z';
const FIVE_MINUTES_LATER = '2026-05-01T09:05:00Z';

type Size = 'S' | 'M' | 'L';

interface Timed {
  readonly seconds: number;
}

/** Runs a process to its end. @throws Error where it fails: a bench of a failing command measures nothing. */
function timed(command: string, words: readonly string[]): Timed {
  const started = process.hrtime.bigint();
  const { status, stderr } = spawnSync(command, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} exited with ${status}: ${stderr}`);
  return { seconds };
}

/** Peak memory of a command of ours, as the system accounts for it, reported by the process itself as it ends. */
function peakBytes(words: readonly string[], folder: string): number {
  const peakFile = join(folder, 'peak');
  const preload = `data:text/javascript,import{writeFileSync}from'node:fs';process.on('exit',()=>writeFileSync(process.env.PEAK_FILE,String(process.resourceUsage().maxRSS*1024)))`;
  const { status, stderr } = spawnSync(process.execPath, ['--import', preload, ...words], {
    env: { ...process.env, PEAK_FILE: peakFile },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${words.join(' ')} exited with ${status}: ${stderr}`);
  return Number(readFileSync(peakFile, 'utf8'));
}

/** Runs several kinds of work in turn, so that a machine whose speed drifts drifts for all of them. */
function interleaved(rounds: number, works: Readonly<Record<string, () => Timed>>): Record<string, Timed> {
  const runs: Record<string, Timed[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(works)) (runs[name] ??= []).push(work());
  }
  return Object.fromEntries(
    Object.entries(runs).map(([name, list]) => [name, { seconds: median(list.map((one) => one.seconds)) }]),
  );
}

function treeBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => statSync(join(folder, path)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
}

function benchSize(size: Size, rounds: number, work: string, disk: string): Row[] {
  const database = join(disk, `${size}.sqlite`);
  process.stderr.write(`${size}: seeding …\n`);
  seedCatalogue({ path: database, size, now: NOW, seed: 1 });
  const main = `${root}dist/cli/main.js`;
  const out = (name: string, where = work): string => join(where, `${size}-${name}`);
  const words = (to: string, now: string, ...more: string[]): string[] => {
    return [main, 'build', '--db', database, '--out', to, '--now', now, ...more];
  };
  const build = (to: string, now: string, ...more: string[]): Timed => timed(process.execPath, words(to, now, ...more));
  const fresh = (to: string, ...more: string[]): Timed => {
    rmSync(to, { recursive: true, force: true });
    return build(to, NOW, ...more);
  };
  const copy = (from: string, to: string): Timed => {
    rmSync(to, { recursive: true, force: true });
    return timed('cp', ['-r', from, to]);
  };
  const change = (): void => {
    const handle = new Database(database);
    // Nine that have a card: they are sold for months to come.
    handle.exec(`UPDATE products SET name = name || ' *' WHERE id IN (
      SELECT DISTINCT p.id FROM products AS p JOIN front_products AS f ON f.product_id = p.id
      JOIN sessions AS s ON s.product_id = p.id
      WHERE p.status = 'published' AND s.status = 'scheduled' AND s.sales_end_at IS NULL AND s.starts_at > '2026-07' LIMIT 9)`);
    handle.close();
  };
  const one = ['--horizon', '0'];
  fresh(out('one'), ...one);
  const bytesOne = treeBytes(out('one'));

  process.stderr.write(`${size}: ${rounds} rounds …\n`);
  const base = interleaved(rounds, {
    node: () => timed(process.execPath, ['-e', '0']),
    version: () => timed(process.execPath, [main, '--version']),
    fullDisk: () => fresh(out('one', disk), ...one),
    copyDisk: () => copy(out('one', disk), out('copy', disk)),
    full: () => fresh(out('one'), ...one),
    copy: () => copy(out('one'), out('copy')),
    cron: () => {
      change();
      return build(out('one'), FIVE_MINUTES_LATER, ...one);
    },
  });
  const seconds = (name: string): number => base[name]?.seconds ?? Number.NaN;
  const ratio = (a: number, b: number, digits = 1): string => `${(a / b).toFixed(digits)} ×`;
  const fullGoal = { S: '≤ 3 × node -e 0', M: '≤ 7 × cp -r', L: '≤ 3 × cp -r' }[size];
  rmSync(out('one'), { recursive: true, force: true });
  const peak = peakBytes(words(out('one'), NOW, ...one), work);
  const rows: Row[] = [
    {
      what: `full build, ${(bytesOne / 1e6).toFixed(0)} MB, tmpfs`,
      measured: `${seconds('full').toFixed(2)} s = ${ratio(seconds('full'), seconds('copy'))} cp -r = ${ratio(seconds('full'), seconds('node'))} node -e 0`,
      goal: fullGoal,
    },
    {
      what: 'full build, disk',
      measured: `${seconds('fullDisk').toFixed(2)} s = ${ratio(seconds('fullDisk'), seconds('copyDisk'))} cp -r`,
      goal: '-',
    },
    {
      what: 'peak memory of a full build',
      measured: `${(peak / 1e6).toFixed(0)} MB`,
      goal: size === 'L' ? '≤ 350 MB' : '-',
    },
    {
      what: 'playbill --version',
      measured: ratio(seconds('version'), seconds('node'), 2) + ' node -e 0',
      goal: '≤ 2 ×',
    },
    {
      what: 'five minutes later, nine products renamed',
      measured: ratio(seconds('cron'), seconds('full'), 2) + ' full build',
      goal: '-',
    },
  ];

  if (size !== 'L') {
    const day = fresh(out('day'), '--horizon', '24h');
    const bytesDay = treeBytes(out('day'));
    rows.push({
      what: `horizon 24h, ${(bytesDay / 1e6).toFixed(0)} MB: time per byte against one edition`,
      measured: ratio(day.seconds / bytesDay, seconds('full') / bytesOne, 2),
      goal: size === 'M' ? '≤ 0.5 ×' : '-',
    });
    rmSync(out('day'), { recursive: true, force: true });
    fresh(out('one'), ...one);
    const plain = timed(`${root}node_modules/.bin/tsx`, [
      `${root}test/support/reference/plain-build.ts`,
      '--db',
      database,
      '--out',
      out('plain'),
      '--now',
      NOW,
    ]);
    const difference = contentDifference(out('one'), out('plain'));
    // A yardstick that makes something else measures nothing.
    if (difference !== null) process.exitCode = 1;
    const verdict = difference === null ? 'same bytes' : `OTHER BYTES: ${difference}`;
    rows.push({
      what: 'plain per-front script',
      measured: `${ratio(plain.seconds, seconds('full'))} full build, ${verdict}`,
      goal: size === 'M' ? '≥ 30 ×' : '-',
    });
  }
  for (const name of ['one', 'copy', 'plain']) rmSync(out(name), { recursive: true, force: true });
  rmSync(database, { force: true });
  return rows;
}

const { values } = parseArgs({
  options: {
    size: { type: 'string', multiple: true },
    edge: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
  },
});
const isSize = (size: string): size is Size => ['S', 'M', 'L'].includes(size);
// Whatever is named; all of it where nothing is.
const sizes = (values.size ?? (values.edge ? [] : ['S', 'M', 'L'])).filter(isSize);
const hasEdge = values.edge || values.size === undefined;
const rounds = Number(values.rounds);

function keep(name: string, text: string): void {
  process.stdout.write(`${text}\n`);
  writeFileSync(`${root}test/bench/${name}.md`, text);
}

if (hasEdge) {
  const packages = ['nginx', 'libnginx-mod-http-js', 'wrk'];
  spawnSync(process.execPath, [`${root}scripts/install-debian.mjs`, ...packages], { stdio: ['ignore', 2, 2] });
  const missing = missingForEdge();
  // Before the sizes are measured, which takes minutes.
  if (missing !== null) {
    process.stderr.write(`${missing}\n`);
    process.exit(1);
  }
}
const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const work = mkdtempSync(join(memory, 'playbill-bench-'));
const disk = mkdtempSync(join(tmpdir(), 'playbill-bench-'));
const compiled = spawnSync(`${root}node_modules/.bin/tsx`, [`${root}scripts/compile.ts`], { stdio: 'inherit' });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
try {
  mkdirSync(`${root}test/bench`, { recursive: true });
  for (const size of sizes) {
    const how = `Printed by \`npm run bench -- --size ${size}\`: medians of ${rounds} interleaved rounds, two cores.`;
    keep(size, tableText(`Size ${size}`, how, benchSize(size, rounds, work, disk)));
  }
  if (hasEdge) {
    const { rows, how } = await benchEdge(`${root}dist`, rounds, work);
    keep('edge', tableText('The edge rule', `Printed by \`npm run bench -- --edge\`: ${how}`, rows));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
  rmSync(disk, { recursive: true, force: true });
}
