// Checks that a transaction reads one state of the catalogue (law 6). A snapshot covers rows, not tables: if a table is truncated or
// rewritten, or a materialized view refreshed, after the snapshot was taken, it looks empty; and if another table takes its name, the rows
// are of another state (PostgreSQL documentation, 13.6 "Caveats"). Once a table has been read, its lock prevents that until the
// transaction ends; so one check after the first read of each table is enough.

import { sql } from 'kysely';
import { AppError } from '../../errors.ts';
import { TABLE_NAMES } from '../schema/tables.ts';
import { compiled } from './compile.ts';

/**
 * The tables that are newer than the snapshot, by name. A query on pg_class sees the catalog as of the snapshot, functions see the present
 * one. The session's locks name the contract's tables and those behind views. A newer index does no harm.
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
