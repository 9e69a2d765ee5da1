// Sends the FETCHes of several cursors together: the server prepares the next batch of every table while this process works on the last
// ones, and the network delay counts once for all of them.

import type { Client } from 'pg';
import type { TableName } from '../contract/tables.ts';
import { queryResult } from './query-result.ts';

interface Fetch {
  readonly text: string;
  readonly tables: readonly TableName[];
  readonly resolve: (rows: unknown[][]) => void;
  readonly reject: (error: unknown) => void;
}

interface Connection {
  readonly client: Client;
  /** Runs a query when the connection is free. */
  readonly inTurn: <T>(query: () => Promise<T>) => Promise<T>;
  /** Turns an error into ours; the tables are those that were read. */
  readonly errorOf: (error: unknown, tables: readonly TableName[]) => unknown;
}

export class Fetches {
  readonly #connection: Connection;
  #waiting: Fetch[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The next rows of a cursor on some tables; sent with the next turn of the event loop. @throws the result of `errorOf` */
  next(cursor: string, size: number, tables: readonly TableName[]): Promise<unknown[][]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text: `fetch ${size} from ${cursor}`, tables, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => void this.#connection.inTurn(() => this.#send()));
    });
  }

  async #send(): Promise<void> {
    const { client, errorOf } = this.#connection;
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
      // The first FETCH that did not complete is at fault; the others fail because the transaction has ended.
      const { tables = [] } = fetches[doneTotal] ?? {};
      for (const { reject } of fetches) reject(errorOf(error, tables));
    } finally {
      client.connection.off('commandComplete', count);
    }
  }
}
