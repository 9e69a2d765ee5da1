// Sends the FETCHes of several cursors together, for a network lies between: the server prepares
// the next batch of every table while this process works on the last ones, and the delay counts
// once for all of them.

import type { TableName } from '../contract/tables.ts';
import type { Session } from './connect.ts';
import { queryResult } from './query-result.ts';

interface Fetch {
  readonly text: string;
  readonly tables: readonly TableName[];
  readonly resolve: (rows: unknown[][]) => void;
  readonly reject: (error: unknown) => void;
}

export class Fetches {
  readonly #session: Session;
  #waiting: Fetch[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * The next rows of a cursor on some tables; sent with the next turn of the event loop.
   * @throws AppError database-…
   */
  next(cursor: string, size: number, tables: readonly TableName[]): Promise<unknown[][]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text: `fetch ${size} from ${cursor}`, tables, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => void this.#session.inTurn(() => this.#send()));
    });
  }

  async #send(): Promise<void> {
    const { client } = this.#session;
    const fetches = this.#waiting;
    this.#waiting = [];
    let doneTotal = 0;
    const count = (): void => void (doneTotal += 1);
    client.connection.on('commandComplete', count);
    try {
      const text = fetches.map((fetch) => fetch.text).join('; ');
      const results = await queryResult(client, text);
      for (const [i, { resolve }] of fetches.entries()) resolve(results[i] ?? []);
    } catch (error) {
      // The first FETCH that did not complete is at fault; the others fail because the transaction
      // has ended.
      const { tables = [] } = fetches[doneTotal] ?? {};
      for (const { reject } of fetches) reject(this.#session.readError(error, tables));
    } finally {
      client.connection.off('commandComplete', count);
    }
  }
}
