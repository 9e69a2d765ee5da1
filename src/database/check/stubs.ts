// SQL for what a catalogue of views lacks and can do without: empty views for missing tables, and
// what to add to a view for missing columns. Never replaces what exists: SQL for that is a comment,
// for a person to decide.

import {
  addColumnsText,
  columnsOf,
  isOtherTable,
  nullOf,
  OTHER_TABLE_HINTS,
  TYPES,
} from '../contract/added-columns.ts';
import { canBeStub, type ContractProblem } from '../contract/check-schema.ts';
import { TABLE_NAMES, TABLE_RULES, type TableName } from '../contract/tables.ts';
import type { DatabaseKind } from '../reader.ts';

/** Where a database falls short of the contract, as `examineContract` finds it. */
interface Shortfall {
  readonly kind: DatabaseKind;
  readonly views: ReadonlySet<TableName>;
  readonly absent: ReadonlySet<TableName>;
  readonly problems: readonly Pick<ContractProblem, 'code' | 'table' | 'location' | 'column' | 'found'>[];
}

/**
 * Statements for absent tables that may be empty, and comments on everything else that is missing
 * or wrong.
 */
export function stubsText({ kind, views, absent, problems }: Shortfall): string {
  const stubs: string[] = [];
  const comments: string[] = [];
  for (const table of TABLE_NAMES) {
    if (absent.has(table) && canBeStub(table)) {
      stubs.push(table === 'front_keys' ? keysTable(kind) : emptyView(kind, table));
      continue;
    }
    if (absent.has(table)) {
      comments.push(skeleton(kind, table));
      continue;
    }
    const missing = problems.filter((problem) => problem.table === table && problem.code === 'column-missing');
    if (!views.has(table) && isOtherTable(table, missing.length)) {
      comments.push(`-- ${table}: ${OTHER_TABLE_HINTS[kind]}`);
      continue;
    }
    const optional: string[] = [];
    for (const { code, column, location, found } of problems.filter((problem) => problem.table === table)) {
      const isOptional = columnsOf(table).some(([name, { defaultSql }]) => name === column && defaultSql !== null);
      if (code === 'column-missing' && column !== undefined && isOptional) optional.push(column);
      // Not the message: it may quote names of the database, and with them ends of lines.
      else if (column !== undefined && found !== undefined) {
        const { declared } = Object.fromEntries(columnsOf(table))[column] ?? {};
        comments.push(`-- ${location} is ${found.replaceAll('\n', ' ')}, expected ${declared}; check-db says more.`);
      } else comments.push(`-- Nothing stands in for ${location}; check-db says more.`);
    }
    if (optional.length > 0) comments.push(`-- ${addColumnsText(kind, table, optional, views.has(table))}`);
  }
  if (comments.length > 0)
    comments.unshift('-- For you to add, since the tables and views themselves exist or must have rows:');
  return [...stubs, ...comments].join('\n');
}

function emptyView(kind: DatabaseKind, table: TableName): string {
  const columns = columnsOf(table)
    .map(([name, { declared }]) => `${nullOf(kind, declared)} AS ${name}`)
    .join(', ');
  if (kind === 'postgres') return `CREATE VIEW ${table} AS\nSELECT ${columns} WHERE false;\n`;
  return `CREATE VIEW IF NOT EXISTS ${table} AS\nSELECT ${columns} WHERE 0;\n`;
}

/** A view to be completed, as a comment: what has no default stands open. */
function skeleton(kind: DatabaseKind, table: TableName): string {
  const columns = columnsOf(table).map(([name, { declared, defaultSql }]) => {
    const value = defaultSql === 'NULL' ? nullOf(kind, declared) : (defaultSql ?? '…');
    // One of two that may be NULL, but not both.
    return `${name === 'starts_local' ? '…' : value} AS ${name}`;
  });
  return `-- CREATE VIEW ${table} AS\n-- SELECT ${columns.join(', ')}\n-- FROM …;`;
}

function keysTable(kind: DatabaseKind): string {
  const columns = columnsOf('front_keys').map(([name, { declared, isNullable }]) => {
    const isKey = TABLE_RULES.front_keys.key.includes(name);
    return `  ${name} ${TYPES[kind][declared]}${isNullable ? '' : ' NOT NULL'}${isKey ? ' PRIMARY KEY' : ''}`;
  });
  return `-- A table: the commands for keys write into it.
CREATE TABLE IF NOT EXISTS front_keys (
${columns.join(',\n')}
)${kind === 'sqlite' ? ' STRICT' : ''};
`;
}
