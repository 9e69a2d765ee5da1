// Measures how often a document without editions, rebuilt by cron, is wrong: the share of a day
// during which the last build differs from the right document. A build with a horizon of a day
// knows the right document at every second.
//
//   npm run -s tsx -- scripts/wrong-shares.ts [--db FILE] [--now INSTANT]        without --db: the demo as of that instant

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildTree, catalogueAt, documentAt, filesOf, instant } from '../test/support/trees.ts';
import { demoRows } from '../data/demo/rows.ts';

const DAY = 86_400;
export const INTERVALS = [5, 15, 60] as const;

/**
 * The start of an edition, in seconds since the start of the day, and the digest of its content.
 */
export interface Start {
  readonly second: number;
  readonly digest: string;
}

/**
 * The share of a day's seconds at which a document is wrong that is built every `interval` seconds,
 * `phase` seconds past the hour, and published at once. Starts ascend; the first is at 0, when
 * there was a build as well.
 */
export function wrongShare(starts: readonly Start[], interval: number, phase: number): number {
  const right = rightBySecond(starts);
  let wrong = 0;
  for (let second = 0; second < DAY; second++) {
    const built = Math.max(0, second - ((second - phase + interval) % interval));
    if (right[built] !== right[second]) wrong += 1;
  }
  return wrong / DAY;
}

/** For each second of the day, the number of the content that is right then. */
function rightBySecond(starts: readonly Start[]): Uint32Array {
  const numbers = new Map<string, number>();
  const right = new Uint32Array(DAY);
  for (const [i, { second, digest }] of starts.entries()) {
    const number = numbers.get(digest) ?? numbers.size;
    numbers.set(digest, number);
    right.fill(number, second, starts[i + 1]?.second ?? DAY);
  }
  return right;
}

export interface Shares {
  readonly minutes: number;
  /**
   * The best case: cron runs exactly at the minutes when most changes happen, and publishes at
   * once. Mean over fronts.
   */
  readonly aligned: number;
  /** Cron runs at any minute of its interval. Mean over these minutes, and over fronts. */
  readonly anyPhase: number;
  /** The worst front. */
  readonly worst: number;
}

/** The shares for each interval, over the products documents of all fronts. */
export function sharesOf(fronts: readonly (readonly Start[])[]): Shares[] {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return INTERVALS.map((minutes) => {
    const phases = Array.from({ length: minutes }, (_, minute) => minute * 60);
    const byFront = fronts.map((starts) => phases.map((phase) => wrongShare(starts, minutes * 60, phase)));
    const means = byFront.map(mean);
    return {
      minutes,
      aligned: mean(byFront.map(([first = 0]) => first)),
      anyPhase: mean(means),
      worst: Math.max(...means),
    };
  });
}

/**
 * The shares as a Markdown table. `checked` editions were compared with builds of the same instant;
 * `different` of them differed.
 */
export function sharesTable(shares: readonly Shares[], checked: number, different: number): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  return [
    '| rebuilt | wrong, on the full minute | wrong, at any minute | the worst front |',
    '| --- | --- | --- | --- |',
    ...shares.map(
      ({ minutes, aligned, anyPhase, worst }) =>
        `| every ${minutes} minutes | ${percent(aligned)} | ${percent(anyPhase)} | ${percent(worst)} |`,
    ),
    `| Playbill's editions | ${different} of ${checked} | ${different} of ${checked} | ${different} of ${checked} |`,
  ].join('\n');
}

/**
 * Measures a catalogue (null for the demo) over the day that begins at `now`.
 * @returns the table
 */
export async function measured(databasePath: string | null, now: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'playbill-wrong-'));
  try {
    const database = databasePath ?? catalogueAt(join(folder, 'demo.sqlite'), demoRows(now));
    await buildTree(database, join(folder, 'day'), instant(now), { horizonSeconds: DAY });
    const files = filesOf(join(folder, 'day'));
    const start = Date.parse(now) / 1000;
    const codes = [...files.keys()].flatMap((path) => /fronts\/([^/]+)\/pointer\.json$/.exec(path)?.[1] ?? []);
    const fronts = codes.map((code) => {
      const { products } = JSON.parse(files.get(`public/fronts/${code}/pointer.json`) ?? '') as { products: string[] };
      return products
        .map((entry) => ({ second: Date.parse(entry.slice(0, 20)) / 1000 - start, digest: entry.slice(21) }))
        .filter(({ second }) => second < DAY);
    });
    // Compare the editions with builds of the same instants, at odd times as visitors come.
    let [checked, different] = [0, 0];
    for (let hour = 1; hour < 24; hour += 6) {
      const at = new Date((start + hour * 3600 + hour * 97) * 1000).toISOString().replace('.000', '');
      await buildTree(database, join(folder, String(hour)), instant(at), { horizonSeconds: 0 });
      const then = filesOf(join(folder, String(hour)));
      for (const code of codes) {
        checked += 1;
        if (documentAt(then, code, 'products', at) !== documentAt(files, code, 'products', at)) different += 1;
      }
    }
    return sharesTable(sharesOf(fronts), checked, different);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { db: { type: 'string' }, now: { type: 'string', default: '2026-05-01T09:00:00Z' } },
  });
  process.stdout.write(`${await measured(values.db ?? null, values.now)}\n`);
}
