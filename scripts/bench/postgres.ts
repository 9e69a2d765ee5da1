// Benchmarks catalogues in PostgreSQL: the compiled command builds one catalogue from SQLite and
// from a server on this machine, with each supported form of tables.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from '../../test/support/postgres/cluster.ts';
import { copyCatalogue, SHAPES } from '../../test/support/postgres/copy.ts';
import { newSchema } from '../../test/support/postgres/own-schema.ts';
import { seedCatalogue } from '../seed.ts';
import { contentDifference } from './same-content.ts';
import { inSeconds, megabytes, times, type Row } from './table.ts';
import { interleavedProcesses, measured, type Run } from './timing.ts';

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
  const built = (...more: string[]): Record<string, Run> => {
    const works = addresses.map(([name, address]): [string, () => Run] => [
      name,
      () => measured(argv(address, tree(name), ...more), memory),
    ]);
    return interleavedProcesses(rounds, Object.fromEntries(works));
  };
  process.stderr.write(`PostgreSQL: one edition, ${rounds} rounds …\n`);
  const one = built('--horizon', '0');
  const differences = SHAPES.map((shape) => contentDifference(tree('sqlite'), tree(shape)));
  for (const name of trees.values()) rmSync(name, { recursive: true, force: true });
  process.stderr.write(`PostgreSQL: default horizon, ${rounds} rounds …\n`);
  const horizon = built();
  for (const name of trees.values()) rmSync(name, { recursive: true, force: true });
  rmSync(sqlite);
  // A build that produces something else measures nothing.
  if (differences.some((difference) => difference !== null)) process.exitCode = 1;
  const against = (of: Record<string, Run>, name: string): string => times(of[name]?.seconds, of['sqlite']?.seconds, 2);
  const peakOf = (name: string): number => one[name]?.peakBytes ?? NaN;
  return [
    { what: 'full build, one edition, from SQLite', measured: inSeconds(one['sqlite']?.seconds), goal: '-' },
    ...SHAPES.map((shape, i) => {
      const difference = differences[i] ?? null;
      const text = `${against(one, shape)}, ${difference === null ? 'same bytes' : `OTHER BYTES: ${difference}`}`;
      return { what: `the same from PostgreSQL, ${TITLES[shape]}, against it`, measured: text, goal: '≤ 1.25 ×' };
    }),
    { what: 'full build, default horizon, from SQLite', measured: inSeconds(horizon['sqlite']?.seconds), goal: '-' },
    ...SHAPES.map((shape) => {
      return { what: `the same from ${TITLES[shape]}`, measured: against(horizon, shape), goal: '≤ 1.25 ×' };
    }),
    {
      what: 'peak memory of one edition from SQLite, and from each of those in PostgreSQL',
      measured: ['sqlite', ...SHAPES].map((name) => megabytes(peakOf(name))).join(', '),
      goal: '-',
    },
  ];
}
