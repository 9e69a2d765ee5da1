// What a rule of check-db is: the tables that it needs, the rows that it looks at, and what it
// finds in them, as a pure function.

import { setImmediate } from 'node:timers/promises';
import type { Zone } from '../../catalogue/calendar.ts';
import type { Instant } from '../../catalogue/instant.ts';
import type { RowId } from '../../catalogue/row-id.ts';
import type { Finding } from '../../findings.ts';
import { checkedRows } from '../contract/query-builders.ts';
import type { ColumnsOf, RowChecker, RowOf } from '../contract/row-checker.ts';
import type { TableName } from '../contract/tables.ts';
import type { FoundRow, ShownRows } from './shown-rows.ts';
import type { Zones } from '../../catalogue/calendar.ts';
import type { CatalogueReader, Query } from '../reader.ts';

/** What rules may look at besides their rows. */
export interface Context {
  readonly reader: CatalogueReader;
  /** The tables that meet the contract. */
  readonly readable: ReadonlySet<TableName>;
  readonly shown: ShownRows;
  readonly zones: Zones;
  /** The zones of venues by id, but for unknown ones; null where sessions have their own. */
  readonly zoneOf: ReadonlyMap<RowId, Zone | null>;
  /** Version of the time-zone rules. */
  readonly tzdata: string;
  readonly now: Instant;
}

export interface Rule {
  /** The tables without which there is nothing to find. */
  readonly needs: readonly TableName[];
  /** Tables and columns, such as `price_tiers.amount_minor`, that must be without findings. */
  readonly unspoiled: readonly string[];
  /** @throws AppError database-unreadable, database-busy */
  readonly findings: (context: Context) => AsyncIterable<Finding>;
}

export type Rows = readonly unknown[][];

interface RowsOfRule {
  readonly query?: (context: Context) => Query;
  readonly needs?: readonly TableName[];
}

/**
 * A rule on each row that a checker accepts; the others have findings already. The rows are those
 * of the checker's table, or of a query with its columns.
 */
export function ruleOnRows<T extends TableName, const C extends ColumnsOf<T>>(
  checker: RowChecker<T, C>,
  findingsIn: (row: RowOf<T, C>, context: Context) => readonly Finding[],
  { query = () => checkedRows(checker), needs = [] }: RowsOfRule = {},
): Rule {
  return {
    needs: [checker.table, ...needs],
    unspoiled: [],
    findings: async function* (context) {
      for await (const batch of context.reader.batches(query(context))) {
        const found: FoundRow[] = [];
        for (const row of batch) {
          const findings = checker.accepts(row) ? findingsIn(row, context) : [];
          if (findings.length === 0) continue;
          found.push({ findings, values: Object.fromEntries(checker.columns.map((name, i) => [name, row[i]])) });
        }
        yield* await context.shown.weighed(checker.table, found);
        // Lets what was printed be written between two batches.
        await setImmediate();
      }
    },
  };
}

/** A rule on the few rows that each of several queries gives, seen together. */
export function ruleOnTotals(rule: {
  readonly needs: readonly TableName[];
  /** Totals of all rows mean nothing while some of them have other findings. */
  readonly unspoiled: readonly string[];
  readonly queries: (readable: ReadonlySet<TableName>) => readonly Query[];
  /** Takes the rows of each query. */
  readonly findingsIn: (...rows: Rows[]) => readonly Finding[];
}): Rule {
  const { needs, unspoiled, queries, findingsIn } = rule;
  return {
    needs,
    unspoiled,
    findings: async function* ({ reader, readable }) {
      const rows: Rows[] = [];
      for (const query of queries(readable)) rows.push(await reader.rows(query));
      yield* findingsIn(...rows);
    },
  };
}
