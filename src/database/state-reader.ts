// A reader that computes a digest of all rows it returns, which identifies the state of the
// catalogue that a shard was rendered from. The shards of one run send the same queries in the same
// order, so equal digests mean equal rows. The time or size of a file would not do: a checkpoint
// changes the file but no row, and a server has other tables, which change all the time.

import { createHash, type Hash } from 'node:crypto';
import { wrap } from '../wrap.ts';
import type { CatalogueReader } from './reader.ts';

/** A reader, and the digest of all rows that it has returned so far. */
export interface StateReader {
  readonly reader: CatalogueReader;
  readonly digest: () => string;
}

/** Disposing of the reader disposes of the one given. */
export function stateReader(inner: CatalogueReader): StateReader {
  /** One for each query, in the order in which the queries began: several may be in progress. */
  const queries: Hash[] = [];
  const begin = (): Hash => {
    const hash = createHash('sha256');
    queries.push(hash);
    return hash;
  };
  const reader = wrap(inner, {
    rows: async (query) => {
      const hash = begin();
      const rows = await inner.rows(query);
      for (const row of rows) update(hash, row);
      return rows;
    },
    async *batches(query, rowsPerBatch) {
      const hash = begin();
      for await (const rows of inner.batches(query, rowsPerBatch)) {
        for (const row of rows) update(hash, row);
        yield rows;
      }
    },
    async *groups(grouping, range, groupsPerBatch) {
      const hash = begin();
      for await (const groups of inner.groups(grouping, range, groupsPerBatch)) {
        yield groups.map((group) => {
          const [rows, alongside] = [group.rows(), group.alongside()];
          // Rows of a group have no order: it may change when the server analyses its tables.
          const texts = rows.map((row, i) => textOf([row, alongside[i]])).sort();
          update(hash, [group.id, ...texts]);
          return { id: group.id, rows: () => rows, alongside: () => alongside };
        });
      }
    },
    restart: async () => {
      queries.length = 0;
      await inner.restart();
    },
  });
  return {
    reader,
    digest: () => {
      const all = createHash('sha256');
      for (const query of queries) all.update(query.copy().digest());
      return all.digest('hex');
    },
  };
}

function update(hash: Hash, row: readonly unknown[]): void {
  hash.update(`${textOf(row)}\n`);
}

/**
 * JSON quotes strings, so different rows give different texts. Integers too large for a number are
 * bigint, which JSON cannot write.
 */
function textOf(row: readonly unknown[]): string {
  const isPlain = row.every((value) => typeof value !== 'bigint');
  return JSON.stringify(isPlain ? row : row.map((value) => (typeof value === 'bigint' ? `${value}n` : value)));
}
