// Rows of one table in the order of a product's id, taken product by product: several tables are walked side by side in one
// pass, each read once for all fronts, with a batch of each in memory and no more.

import type { Compilable } from 'kysely';
import type { CatalogueReader } from './open.ts';

const ROWS_PER_BATCH = 2000;

export class RowStream {
  readonly #batches: AsyncGenerator<unknown[][]>;
  readonly #onStray: (row: readonly unknown[]) => void;
  #batch: unknown[][] = [];
  #at = 0;
  #isDone = false;

  /**
   * `query` orders by the product's id, which is its first column. `onStray` gets the rows that belong to no product asked
   * for: their id is no number, or no product has it.
   */
  constructor(reader: CatalogueReader, query: Compilable, onStray: (row: readonly unknown[]) => void) {
    this.#batches = reader.batches(query, ROWS_PER_BATCH);
    this.#onStray = onStray;
  }

  /** All rows of a product; ids are asked for in ascending order. */
  async take(productId: number): Promise<unknown[][]> {
    const rows: unknown[][] = [];
    for (;;) {
      while (this.#at < this.#batch.length) {
        const row = this.#batch[this.#at] ?? [];
        const id = row[0];
        // Databases sort NULL first, then numbers, then text: text is behind every id that we can still ask for.
        if (typeof id === 'number' ? id > productId : id !== null) return rows;
        this.#at += 1;
        if (id === productId) rows.push(row);
        else this.#onStray(row);
      }
      if (!(await this.#nextBatch())) return rows;
    }
  }

  /** The rows behind the last product: all of them strays. */
  async finish(): Promise<void> {
    do {
      for (const row of this.#batch.slice(this.#at)) this.#onStray(row);
    } while (await this.#nextBatch());
  }

  /** Lets go of the rows not read, where a load stops early. */
  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }

  async #nextBatch(): Promise<boolean> {
    if (this.#isDone) return false;
    const { done, value } = await this.#batches.next();
    this.#isDone = done === true;
    this.#batch = done === true ? [] : value;
    this.#at = 0;
    return !this.#isDone;
  }
}
