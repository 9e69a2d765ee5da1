// Whether what a transaction reads is one state of the catalogue (law 6). A snapshot is of rows, not of tables: to one that is older, a
// table that was truncated or rewritten, or a materialized view that was refreshed, is empty, and a table that has taken the name of
// another has rows of another state (PostgreSQL documentation, 13.6 "Caveats"). Nothing of that can happen to a table once it was read,
// because the lock on it is kept until the transaction ends.

import { sql } from 'kysely';
import { AppError } from '../../errors.ts';
import { TABLE_NAMES } from '../schema/tables.ts';
import { compiled } from './compile.ts';

/**
 * The names of tables that are newer than the snapshot. Rows of pg_class are those of the snapshot; functions know the present ones. The
 * locks are those of this session: on the contract's tables and on those behind views. Indexes may be newer.
 */
export const NEWER_TABLES = compiled(sql`
  select l.relation::regclass::text from pg_catalog.pg_locks as l left join pg_catalog.pg_class as c on c.oid = l.relation
  where l.locktype = 'relation' and l.pid = pg_backend_pid()
    and case when c.oid is null
      then (pg_identify_object('pg_class'::regclass, l.relation, 0)).type in ('table', 'view', 'materialized view')
      else c.relkind in ('r', 'm') and c.relfilenode not in (0, pg_relation_filenode(c.oid)) end
  union
  select name from unnest(${[...TABLE_NAMES]}::text[]) as contract(name) where to_regclass(quote_ident(name)) is not null
    and not exists (select from pg_catalog.pg_class as c where c.oid = to_regclass(quote_ident(name)) and c.relname = name)
  order by 1`);

export function newerTablesError(path: string, rows: readonly unknown[][]): AppError {
  const names = rows.map(([name]) => String(name)).join(', ');
  const message = `expected one state of the catalogue at ${path}, found ${names} replaced, truncated or rewritten after the read began`;
  const hint =
    'the next run tries again; for a reload beside builds: DELETE rather than TRUNCATE, REFRESH MATERIALIZED VIEW CONCURRENTLY';
  return new AppError('database-busy', message, hint);
}
