// Checks that a transaction reads one state of the catalogue (law 6); a snapshot of SQLite has the
// schema, too. PostgreSQL's covers rows, but names lead to the present tables, and a query runs by
// their present definitions: if a table is truncated or rewritten after the snapshot was taken, it
// looks empty; and if a schema is renamed, a partition detached or a view replaced, the rows are of
// another state (documentation, 13.6 "Caveats"). What has been read stays locked until the
// transaction ends, views with everything below them: the locks say what has to be checked.

import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { AppError } from '../../errors.ts';
import { TABLE_NAMES, type TableName } from '../contract/tables.ts';
import { compiled, type CompiledSql } from './compile.ts';
import type { PostgresTable } from './describe.ts';
import { presentOid } from './transaction.ts';

/** Objects with smaller oids are the server's own. */
const FIRST_OID = sql.raw('16384');

/**
 * Whether a row of the system's tables, which are read as of the snapshot, was changed since. Its
 * xmax is the transaction that did so, or one that has not ended or was rolled back, which is no
 * change. `txid_status` expects the full number, whose lower half xmax is; the snapshot's next
 * number is less than half a turn away from it.
 */
function isChanged(xmax: string): RawBuilder<SqlBool> {
  const id = sql.raw(`${xmax}::text::bigint`);
  const next = sql`(select next from snapshot)`;
  const full = sql`${next} + ((${id} - ${next} + 2147483648) & 4294967295) - 2147483648`;
  return sql<SqlBool>`case when ${id} = 0 then false else txid_status(${full}) = 'committed' end`;
}

/** System tables that define relations beside pg_class, and the column that names the relation. */
const DEFINITIONS: readonly (readonly [table: string, relation: string])[] = [
  ['pg_attribute', 'attrelid'],
  ['pg_rewrite', 'ev_class'],
  ['pg_inherits', 'inhparent'],
  ['pg_policy', 'polrelid'],
  ['pg_foreign_table', 'ftrelid'],
];

// An array, not a join, so that the server finds the few rows by index.
const RELATIONS = sql`any ((select oids from relations)::oid[])`;
/** Whatever may be read. A newer index does no harm. */
const IS_READ = sql`relkind in ('r', 'p', 'v', 'm', 'f')`;

/**
 * The functions that views call, and those that these call in turn: as far as the server knows, and
 * wherever a name occurs in the source of one, since the server does not look into it.
 */
const FUNCTIONS = sql`
  select d.refobjid from pg_catalog.pg_rewrite as r
    join pg_catalog.pg_depend as d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_proc'::regclass
    where r.ev_class = ${RELATIONS}
  union
  select called.oid from functions as f join pg_catalog.pg_proc as p on p.oid = f.oid cross join lateral (
    select refobjid from pg_catalog.pg_depend
      where classid = 'pg_proc'::regclass and objid = p.oid and refclassid = 'pg_proc'::regclass
    union all
    select oid from pg_catalog.pg_proc where oid >= ${FIRST_OID} and strpos(p.prosrc, proname) > 0
  ) as called(oid)`;

/**
 * Queries the names of what is newer than the snapshot: of the contract's tables as they were
 * described when the transaction began, of everything that this session has locked, and of the
 * functions and enumerations that it uses.
 */
export function newerThanSnapshot(described: ReadonlyMap<TableName, PostgresTable>): CompiledSql {
  const oids = TABLE_NAMES.map((name) => described.get(name)?.oid ?? null);
  const definitions = DEFINITIONS.map(
    ([table, relation]) =>
      sql`select ${sql.raw(relation)}, ${isChanged('xmax')} from ${sql.raw(`pg_catalog.${table}`)} where ${sql.raw(relation)} = ${RELATIONS}`,
  );
  return compiled(sql`
    with recursive snapshot as materialized (select txid_snapshot_xmax(txid_current_snapshot()) as next),
    contract(name, oid) as materialized (select * from unnest(${[...TABLE_NAMES]}::text[], ${oids}::oid[])),
    locked(oid) as materialized (
      select relation from pg_catalog.pg_locks where locktype = 'relation' and pid = pg_backend_pid() and relation >= ${FIRST_OID}
    ),
    relations(oids) as materialized (
      select array(select oid from locked union select oid from contract where oid is not null)
    ),
    definitions(oid, is_changed) as (
      -- REFRESH changes the row of a materialized view, but without CONCURRENTLY the file as well.
      select oid, case relkind when 'm' then relfilenode <> pg_relation_filenode(oid) else ${isChanged('xmax')} end
        from pg_catalog.pg_class where oid = ${RELATIONS}
      union all
      ${sql.join(definitions, sql` union all `)}
      union all
      select c.oid, ${isChanged('n.xmax')} from pg_catalog.pg_class as c
        join pg_catalog.pg_namespace as n on n.oid = c.relnamespace where c.oid = ${RELATIONS}
    ),
    functions(oid) as (${FUNCTIONS}),
    enumerations(oid) as materialized (select enumtypid from pg_catalog.pg_enum where ${isChanged('xmax')})
    select coalesce((select name from contract where contract.oid = c.oid), c.oid::regclass::text)
      from definitions as d join pg_catalog.pg_class as c on c.oid = d.oid where d.is_changed and c.${IS_READ}
    union
    select oid::regclass::text from locked
      where not exists (select from pg_catalog.pg_class as c where c.oid = locked.oid)
        and (pg_identify_object('pg_class'::regclass, oid, 0)).type in ('table', 'view', 'materialized view', 'foreign table')
    union
    select name from contract where oid is distinct from ${presentOid(sql.ref('name'))}
    union
    select name from contract where oid is null and exists (
      select from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
        where c.relname = contract.name and (${isChanged('c.xmax')} or ${isChanged('n.xmax')})
          and strpos(concat(current_setting('search_path'), ' ', current_user), n.nspname) > 0
    )
    union
    select proname from pg_catalog.pg_proc where oid = any (array(select oid from functions)) and ${isChanged('xmax')}
    union
    select typname from enumerations as e join pg_catalog.pg_type as t on e.oid in (t.oid, t.typbasetype, t.typelem)
      join pg_catalog.pg_attribute as a on a.atttypid = t.oid where a.attrelid = ${RELATIONS}
    order by 1`);
}

export function newerTablesError(path: string, names: readonly unknown[]): AppError {
  const message = `expected one state of the catalogue at ${path}, found ${names.join(', ')} replaced, altered, truncated or rewritten after the read began`;
  const hint =
    'the next run tries again; for a reload beside builds: DELETE rather than TRUNCATE, REFRESH MATERIALIZED VIEW CONCURRENTLY';
  return new AppError('database-busy', message, hint);
}
