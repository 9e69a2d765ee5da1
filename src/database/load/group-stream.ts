// Takes groups of rows from the database one range of ids at a time, so that each table is read
// only once.

import { isIdBefore } from '../../catalogue/row-id.ts';
import type { Group } from './groups.ts';

export class GroupStream {
  readonly #batches: AsyncGenerator<readonly Group[]>;
  #batch: readonly Group[] = [];
  #next = 0;

  /** Takes batches of groups in the order of their ids. */
  constructor(batches: AsyncGenerator<readonly Group[]>) {
    this.#batches = batches;
  }

  /** The groups not taken yet, by id, up to the given id; all of them where it is undefined. */
  async upTo(id: unknown): Promise<ReadonlyMap<unknown, Group>> {
    const groups = new Map<unknown, Group>();
    for (;;) {
      const group = this.#batch[this.#next];
      if (group === undefined) {
        const { done, value } = await this.#batches.next();
        if (done === true) return groups;
        this.#batch = value;
        this.#next = 0;
      } else if (id !== undefined && isIdBefore(id, group.id)) {
        return groups;
      } else {
        groups.set(group.id, group);
        this.#next += 1;
      }
    }
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }
}
