// Measures what a horizon, an interval and the history cost: builds of the demo, one after the
// other, with one price changed before each. Counts files of editions and pointers that are
// written, without compressed copies: what a bucket would be sent besides five PUTs for each build.
//
//   npm run -s tsx -- scripts/build-costs.ts [history]

import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { demoRows } from '../data/demo/rows.ts';
import { DEFAULT_KEEP, type Keep } from '../src/release/history/retention.ts';
import { buildTree, catalogueAt, instant } from '../test/support/trees.ts';
import { PRICES } from './bench/bill.ts';

const NOW = '2026-05-01T09:00:00Z';
const HOURS = 3;
const MINUTES = [5, 15] as const;
const HORIZONS = [6, 24] as const;
const HOURS_A_MONTH = 720;
/** Beyond a day, history no longer grows by hours. */
const HISTORY_HOURS = 26;
const LITTLE: Keep = { last: 3, hourly: 6, daily: 0, graceSeconds: 900 };

interface Builds {
  readonly horizonHours: number;
  readonly minutes: number;
  readonly hours: number;
  readonly isChanging: boolean;
  readonly keep: Keep;
}

/** Builds for some hours; yields the folder of the tree after each build, and the size of its current release. */
async function* builds(folder: string, { horizonHours, minutes, hours, isChanging, keep }: Builds) {
  const name = `${horizonHours}-${minutes}-${hours}-${isChanging}-${keep.last}`;
  const database = catalogueAt(join(folder, `${name}.sqlite`), demoRows(NOW));
  const tiers = new Database(database);
  const ids = tiers
    .prepare<[], { id: number }>('SELECT id FROM price_tiers WHERE session_id IS NULL ORDER BY id')
    .all();
  const raise = tiers.prepare('UPDATE price_tiers SET amount_minor = amount_minor + 100 WHERE id = ?');
  const out = join(folder, name);
  for (let i = 0; i <= (hours * 60) / minutes; i++) {
    if (isChanging && i > 0) raise.run(ids[(i * 7) % ids.length]?.id);
    const now = new Date(Date.parse(NOW) + i * minutes * 60_000).toISOString().replace('.000', '');
    const { outcomes, history } = await buildTree(database, out, instant(now), {
      horizonSeconds: horizonHours * 3600,
      keep,
    });
    const currentBytes = outcomes.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0);
    yield { out, currentBytes, history };
  }
  tiers.close();
}

/** Files and bytes that an hour of builds writes. */
async function costOf(folder: string, horizonHours: number, minutes: number, isChanging: boolean) {
  let before: ReadonlyMap<string, string> | null = null;
  let [files, bytes] = [0, 0];
  const run = { horizonHours, minutes, hours: HOURS, isChanging, keep: DEFAULT_KEEP };
  for await (const { out } of builds(folder, run)) {
    const after = publicFiles(out);
    for (const [path, text] of after) {
      // The first build writes everything.
      if (before === null || before.get(path) === text) continue;
      files += 1;
      bytes += statSync(path).size;
    }
    before = after;
  }
  return { files: files / HOURS, bytes: bytes / HOURS };
}

/** The pointers, by path, with their text, and the editions, which never change. */
function publicFiles(out: string): ReadonlyMap<string, string> {
  const folder = join(out, 'public/fronts');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  return new Map(
    names.map((name) => [
      join(folder, name),
      name.endsWith('pointer.json') ? readFileSync(join(folder, name), 'utf8') : '',
    ]),
  );
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toPrecision(2)} MB`;

/** What builds cost, as a Markdown table. */
export async function measuredCosts(): Promise<string> {
  return measured(
    ['horizon', 'a build every', 'before each build', 'files an hour', 'bytes an hour', 'PUTs a month'],
    async (folder) => {
      const rows: string[][] = [];
      for (const isChanging of [false, true])
        for (const horizon of isChanging ? HORIZONS : ([6] as const))
          for (const minutes of isChanging ? MINUTES : ([5] as const)) {
            const { files, bytes } = await costOf(folder, horizon, minutes, isChanging);
            const dollars = ((files + (5 * 60) / minutes) * HOURS_A_MONTH * PRICES.PUT) / 1000;
            rows.push([
              `${horizon} h`,
              `${minutes} min`,
              isChanging ? 'one price changes' : 'nothing changes',
              String(Math.round(files)),
              megabytes(bytes),
              `$${dollars.toFixed(2)}`,
            ]);
          }
      return rows;
    },
  );
}

/** What history costs after a day, as a Markdown table. */
export async function measuredHistory(): Promise<string> {
  return measured(['horizon', 'kept', 'releases', 'current release', 'history'], async (folder) => {
    const rows: string[][] = [];
    for (const [horizonHours, keep] of [
      [6, DEFAULT_KEEP],
      [6, LITTLE],
      [24, DEFAULT_KEEP],
      [24, LITTLE],
    ] as const) {
      let [current, releases, bytes] = [0, 0, 0];
      const run = { horizonHours, minutes: 5, hours: HISTORY_HOURS, isChanging: true, keep };
      for await (const { currentBytes, history } of builds(folder, run))
        [current, releases, bytes] = [currentBytes, history?.releases ?? releases, history?.bytes ?? bytes];
      const kept = keep === DEFAULT_KEEP ? 'by default' : 'little';
      rows.push([`${horizonHours} h`, kept, String(releases + 1), megabytes(current), megabytes(bytes)]);
    }
    return rows;
  });
}

async function measured(header: readonly string[], rowsIn: (folder: string) => Promise<string[][]>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'playbill-costs-'));
  try {
    const rows = [header, header.map(() => '---'), ...(await rowsIn(folder))];
    return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const table = process.argv[2] === 'history' ? measuredHistory : measuredCosts;
  process.stdout.write(`${await table()}\n`);
}
