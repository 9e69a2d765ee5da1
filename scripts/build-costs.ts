// Measures what a horizon and an interval cost: builds of the demo, one after the other, with one
// price changed before each. Counts files of editions and pointers that are written, without
// compressed copies: what a bucket would be sent besides five PUTs for each build.
//
//   npm run -s tsx -- scripts/build-costs.ts

import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { buildTree, catalogueAt, instant } from '../test/support/trees.ts';
import { demoRows } from '../data/demo/rows.ts';

const NOW = '2026-05-01T09:00:00Z';
const HOURS = 3;
const MINUTES = [5, 15] as const;
const HORIZONS = [6, 24] as const;

interface Cost {
  /** Files and bytes that an hour of builds writes. */
  readonly files: number;
  readonly bytes: number;
  /** What is kept in the end, with its history. */
  readonly treeBytes: number;
}

async function costOf(folder: string, horizonHours: number, minutes: number, isChanging: boolean): Promise<Cost> {
  const name = `${horizonHours}-${minutes}-${isChanging}`;
  const database = catalogueAt(join(folder, `${name}.sqlite`), demoRows(NOW));
  const tiers = new Database(database);
  const ids = tiers
    .prepare<[], { id: number }>('SELECT id FROM price_tiers WHERE session_id IS NULL ORDER BY id')
    .all();
  const raise = tiers.prepare('UPDATE price_tiers SET amount_minor = amount_minor + 100 WHERE id = ?');
  const out = join(folder, name);
  const start = Date.parse(NOW);
  const builds = (HOURS * 60) / minutes;
  let before: ReadonlyMap<string, string> = new Map();
  let [files, bytes] = [0, 0];
  for (let i = 0; i <= builds; i++) {
    if (isChanging && i > 0) raise.run(ids[(i * 7) % ids.length]?.id);
    const now = new Date(start + i * minutes * 60_000).toISOString().replace('.000', '');
    await buildTree(database, out, instant(now), { horizonSeconds: horizonHours * 3600 });
    const after = publicFiles(out);
    for (const [path, text] of after) {
      // The first build writes everything.
      if (i === 0 || before.get(path) === text) continue;
      files += 1;
      bytes += statSync(path).size;
    }
    before = after;
  }
  tiers.close();
  const all = ['public', 'releases']
    .flatMap((name) =>
      readdirSync(join(out, name), { recursive: true, encoding: 'utf8' }).map((path) => join(name, path)),
    )
    .map((path) => statSync(join(out, path)));
  const treeBytes = all.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
  return { files: files / HOURS, bytes: bytes / HOURS, treeBytes };
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

/** The costs as a Markdown table. */
export async function measuredCosts(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'playbill-costs-'));
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toPrecision(2)} MB`;
  const rows = [
    '| horizon | a build every | before each build | files an hour | bytes an hour | tree after three hours |',
  ];
  rows.push('| --- | --- | --- | --- | --- | --- |');
  try {
    for (const isChanging of [false, true])
      for (const horizon of HORIZONS)
        for (const minutes of isChanging ? MINUTES : ([5] as const)) {
          const { files, bytes, treeBytes } = await costOf(folder, horizon, minutes, isChanging);
          const cells = [
            `${horizon} h`,
            `${minutes} min`,
            isChanging ? 'one price changes' : 'nothing changes',
            String(Math.round(files)),
            megabytes(bytes),
            megabytes(treeBytes),
          ];
          rows.push(`| ${cells.join(' | ')} |`);
        }
    return rows.join('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url))
  process.stdout.write(`${await measuredCosts()}\n`);
