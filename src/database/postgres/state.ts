// What identifies the state that a transaction on a server reads: of a held snapshot its id, with
// what tells servers and their starts apart; without one, the rows themselves, which the server adds
// up, so that it need not send them.

import { sql } from 'kysely';
import type { TableName } from '../contract/tables.ts';
import type { Query } from '../reader.ts';

/**
 * Ids of snapshots start from the beginning with the server, or with its processes after one has
 * crashed; numbers of transactions never do. No two servers start in one microsecond: the number
 * that a cluster has may not be asked for everywhere.
 */
export const SERVER_QUERY: Query = sql`
  select pg_postmaster_start_time()::text, current_database(), txid_current_snapshot()::text`;

/**
 * How many rows a table has, and two sums of hashes of their texts, which have no order. Names the
 * columns, so that a row of a view that throws can be found.
 */
export function rowsSum(table: TableName, columns: readonly string[]): Query {
  const row = sql`row(${sql.join(columns.map((column) => sql.ref(column)))})`;
  const sum = (seed: number) => sql`sum(hashtextextended(${row}::text, ${sql.lit(seed)})::numeric)::text`;
  return sql`select count(*)::text, ${sum(0)}, ${sum(1)} from ${sql.table(table)}`;
}
