// `npm run bench [-- --size S|M|L] [--postgres] [--bucket] [--bill] [--shards] [--edge]
// [--rounds N] [--compare FILE…] [--profile WORK]`: measures the compiled command and the edge rule
// against reference programs, and writes the results to test/bench. --compare prints the figures of
// older tables beside the new ones. --profile saves CPU profiles of one kind of work: full, horizon,
// cron, views, unchanged, day or import.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { benchBill, BILL_METHOD } from './bench/bill.ts';
import { benchBucket, missingForBucket } from './bench/bucket.ts';
import { benchSize } from './bench/catalogue.ts';
import { benchEdge, missingForEdge } from './bench/edge.ts';
import { benchPostgres, missingForPostgres } from './bench/postgres.ts';
import { benchShards } from './bench/shards.ts';
import { isSize } from './bench/size.ts';
import { besideOlder, tableText } from './bench/table.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const { values } = parseArgs({
  options: {
    size: { type: 'string', multiple: true },
    postgres: { type: 'boolean', default: false },
    bucket: { type: 'boolean', default: false },
    bill: { type: 'boolean', default: false },
    shards: { type: 'boolean', default: false },
    edge: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    compare: { type: 'string', multiple: true },
    profile: { type: 'string' },
  },
});
// Without any of these flags, run all benchmarks but shards.
const isSome = values.edge || values.bucket || values.bill || values.postgres || values.shards;
const isAll = values.size === undefined && !isSome;
const sizes = (values.size ?? (isAll ? ['S', 'M', 'L'] : [])).filter(isSize);
const hasEdge = values.edge || isAll;
const hasPostgres = values.postgres || isAll;
const hasBucket = values.bucket || isAll;
const hasBill = values.bill || isAll;
const rounds = Number(values.rounds);

const older = (values.compare ?? []).map((path) => readFileSync(path, 'utf8'));

function keep(name: string, text: string): void {
  process.stdout.write(`${older.reduce(besideOlder, text)}\n`);
  writeFileSync(`${root}test/bench/${name}.md`, text);
}

const packages = [
  ...(sizes.length > 0 ? ['sqlite3'] : []),
  ...(hasPostgres ? ['postgresql-15'] : []),
  ...(hasBucket ? ['ceph-common', 'ceph-mon', 'ceph-osd', 'radosgw', 'rclone'] : []),
  ...(hasEdge ? ['nginx', 'libnginx-mod-http-js', 'wrk'] : []),
];
if (packages.length > 0)
  spawnSync(process.execPath, [`${root}scripts/install-debian.mjs`, ...packages], { stdio: ['ignore', 2, 2] });
const missing = [
  hasEdge ? missingForEdge() : null,
  hasBucket ? missingForBucket() : null,
  hasPostgres ? missingForPostgres() : null,
].filter((one) => one !== null);
// Report missing programs now: measuring the sizes takes minutes.
if (missing.length > 0) {
  process.stderr.write(`${missing.join('\n')}\n`);
  process.exit(1);
}
const memory = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'playbill-bench-'));
const disk = mkdtempSync(join(tmpdir(), 'playbill-bench-'));
const compiled = spawnSync(`${root}node_modules/.bin/tsx`, [`${root}scripts/compile.ts`], { stdio: 'inherit' });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
const profile =
  values.profile === undefined
    ? null
    : { work: values.profile, folder: mkdtempSync(join(tmpdir(), 'playbill-profile-')) };
try {
  mkdirSync(`${root}test/bench`, { recursive: true });
  // --size chooses the size of --shards; the benchmark of that size is then not run.
  if (values.shards) {
    const [size = 'L'] = sizes;
    const how = `Printed by \`npm run bench -- --shards --size ${size}\`: medians of ${rounds} rounds in turn, two cores, a tree in memory.`;
    keep('shards', tableText('A build in shards', how, benchShards(size, root, rounds, memory, disk)));
  }
  for (const size of values.shards ? [] : sizes) {
    const how = `Printed by \`npm run bench -- --size ${size}\`: medians of ${rounds} rounds in turn, two cores.`;
    const rows = benchSize({ size, rounds, root, memory, disk, profile });
    keep(size, tableText(`Size ${size}`, how, rows));
  }
  if (hasPostgres) {
    const how = `Printed by \`npm run bench -- --postgres\`: medians of ${rounds} rounds in turn, size M, two cores that the server shares.`;
    keep('postgres', tableText('A catalogue in PostgreSQL', how, await benchPostgres(root, rounds, memory, disk)));
  }
  if (hasBucket) {
    const how = `Printed by \`npm run bench -- --bucket\`: medians of ${rounds} rounds in turn, size M, two cores that the gateway shares.`;
    keep('bucket', tableText('A tree in a bucket', how, await benchBucket(root, rounds, memory, disk)));
  }
  if (hasBill) {
    const how = `Printed by \`npm run bench -- --bill\`: ${BILL_METHOD}`;
    keep('bill', tableText('What builds into a bucket cost', how, await benchBill(root, memory)));
  }
  if (hasEdge) {
    const { rows, how } = await benchEdge(`${root}dist`, rounds, memory);
    keep('edge', tableText('The edge rule', `Printed by \`npm run bench -- --edge\`: ${how}`, rows));
  }
} finally {
  rmSync(memory, { recursive: true, force: true });
  rmSync(disk, { recursive: true, force: true });
}
if (profile !== null) process.stderr.write(`CPU profiles of ${profile.work}: ${profile.folder}\n`);
