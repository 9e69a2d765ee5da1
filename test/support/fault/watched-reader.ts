// A reader of a catalogue that is watched as it reads: for tests that change the catalogue at each
// of its reads.

import type { CatalogueReader } from '../../../src/database/reader.ts';
import { wrap } from '../../../src/wrap.ts';

/**
 * A reader that says which read comes next: the first, the second … A batch is a read of its own.
 */
export function readerWith(
  reader: CatalogueReader,
  beforeRead: (read: number) => void | Promise<void>,
): CatalogueReader {
  let reads = 0;
  async function* counted<T>(batches: AsyncGenerator<T>): AsyncGenerator<T> {
    await beforeRead((reads += 1));
    for await (const batch of batches) {
      yield batch;
      await beforeRead((reads += 1));
    }
  }
  return wrap(reader, {
    rows: async (query) => {
      await beforeRead((reads += 1));
      return reader.rows(query);
    },
    batches: (...args) => counted(reader.batches(...args)),
    groups: (...args) => counted(reader.groups(...args)),
  });
}
