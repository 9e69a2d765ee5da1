// Benchmarks catalogues in PostgreSQL: the compiled command builds one catalogue from SQLite and
// from a server on this machine, with each supported form of tables.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from '../../test/support/postgres/cluster.ts';
import { copyCatalogue, SHAPES } from '../../test/support/postgres/copy.ts';
import { newSchema } from '../../test/support/postgres/own-schema.ts';
import { seedCatalogue } from '../seed.ts';
import { contentDifference } from './same-content.ts';
import { median, type Row } from './table.ts';
import { interleaved, resourcesOf, timed } from './timing.ts';

const NOW = '2026-05-01T09:00:00Z';

const TITLES: Readonly<Record<(typeof SHAPES)[number], string>> = {
  contract: 'the tables of data/schema-postgres.sql',
  native: 'tables with native types',
  views: 'views over tables of other names',
};

/**
 * A message about programs that this benchmark needs and the machine lacks; null if there are none.
 */
export function missingForPostgres(): string | null {
  return existsSync('/usr/lib/postgresql/15/bin/initdb') ? null : 'the benchmark of PostgreSQL needs postgresql-15';
}

/**
 * Runs size M. `root` is the checkout, with a compiled command; `memory` and `disk` are folders for
 * trees and databases.
 */
export async function benchPostgres(root: string, rounds: number, memory: string, disk: string): Promise<Row[]> {
  const sqlite = join(disk, 'postgres.sqlite');
  seedCatalogue({ path: sqlite, size: 'M', now: NOW, seed: 1 });
  await using cluster = await Cluster.start();
  const addresses: [string, string][] = [['sqlite', sqlite]];
  for (const shape of SHAPES) {
    process.stderr.write(`PostgreSQL: ${TITLES[shape]} …\n`);
    const schema = await newSchema(cluster.url);
    await copyCatalogue(sqlite, schema, shape);
    // autovacuum does the same, some time after rows were written.
    await schema.client.query('VACUUM ANALYZE');
    addresses.push([shape, schema.url]);
  }
  const argv = (address: string, out: string, ...more: string[]): string[] => {
    rmSync(out, { recursive: true, force: true });
    return [`${root}dist/cli/main.js`, 'build', '--db', address, '--out', out, '--now', NOW, ...more];
  };
  const trees = new Map(addresses.map(([name]) => [name, join(memory, `postgres-${name}`)]));
  const tree = (name: string): string => trees.get(name) ?? '';
  const built = (...more: string[]): Record<string, number> => {
    const works = addresses.map(([name, address]): [string, () => number] => [
      name,
      () => timed(process.execPath, argv(address, tree(name), ...more)),
    ]);
    return interleaved(rounds, Object.fromEntries(works));
  };
  process.stderr.write(`PostgreSQL: one edition, ${rounds} rounds …\n`);
  const one = built('--horizon', '0');
  const differences = SHAPES.map((shape) => contentDifference(tree('sqlite'), tree(shape)));
  const peaks = addresses.map(([name, address]) =>
    median(
      Array.from({ length: rounds }, () => resourcesOf(argv(address, tree(name), '--horizon', '0'), memory).peakBytes),
    ),
  );
  for (const name of trees.values()) rmSync(name, { recursive: true, force: true });
  process.stderr.write(`PostgreSQL: default horizon, ${rounds} rounds …\n`);
  const horizon = built();
  for (const name of trees.values()) rmSync(name, { recursive: true, force: true });
  rmSync(sqlite);
  // A build that produces something else measures nothing.
  if (differences.some((difference) => difference !== null)) process.exitCode = 1;
  const times = (of: Record<string, number>, name: string): string =>
    `${((of[name] ?? NaN) / (of['sqlite'] ?? NaN)).toFixed(2)} ×`;
  const seconds = (of: Record<string, number>): string => `${(of['sqlite'] ?? NaN).toFixed(2)} s`;
  const [sqlitePeak = NaN, ...others] = peaks.map((bytes) => bytes / 1e6);
  return [
    { what: 'full build, one edition, from SQLite', measured: seconds(one), goal: '-' },
    ...SHAPES.map((shape, i) => {
      const difference = differences[i] ?? null;
      const measured = `${times(one, shape)}, ${difference === null ? 'same bytes' : `OTHER BYTES: ${difference}`}`;
      return { what: `the same from PostgreSQL, ${TITLES[shape]}, against it`, measured, goal: '≤ 1.3 ×' };
    }),
    { what: 'full build, default horizon, from SQLite', measured: seconds(horizon), goal: '-' },
    ...SHAPES.map((shape) => {
      return { what: `the same from ${TITLES[shape]}`, measured: times(horizon, shape), goal: '≤ 1.3 ×' };
    }),
    {
      what: `peak memory of the first from SQLite (${sqlitePeak.toFixed(0)} MB), and how much more from PostgreSQL`,
      measured: others.map((peak) => `${(peak - sqlitePeak).toFixed(0)} MB`).join(', '),
      goal: '≤ 20 MB',
    },
  ];
}
