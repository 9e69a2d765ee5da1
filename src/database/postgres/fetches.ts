// Sends the FETCHes of several cursors together, for a network lies between: the server prepares
// the next batch of every table while this process works on the last ones, and the delay counts
// once for all of them.

import type { TableName } from '../contract/tables.ts';
import type { Session } from './connect.ts';
import { queryResult } from './query-result.ts';

/** Its cursor ended when the transaction went back to its savepoint. */
export class CursorGone extends Error {}

export interface Cursor {
  readonly name: string;
  /** Of the session when it was declared. */
  readonly epoch: number;
  readonly tables: readonly TableName[];
}

interface Fetch extends Pick<Cursor, 'epoch' | 'tables'> {
  readonly text: string;
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
   * @throws AppError database-…; CursorGone
   */
  next(cursor: Cursor, size: number): Promise<unknown[][]> {
    return this.#moved(cursor, `fetch ${size}`);
  }

  /** Skips its next rows. @throws as `next` */
  async skip(cursor: Cursor, size: number): Promise<void> {
    if (size > 0) await this.#moved(cursor, `move ${size}`);
  }

  #moved(cursor: Cursor, how: string): Promise<unknown[][]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text: `${how} from ${cursor.name}`, ...cursor, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => void this.#session.inTurn(() => this.#send()));
    });
  }

  async #send(): Promise<void> {
    const { client } = this.#session;
    const { epoch } = this.#session;
    const [fetches, gone] = [
      this.#waiting.filter((fetch) => fetch.epoch === epoch),
      this.#waiting.filter((fetch) => fetch.epoch !== epoch),
    ];
    this.#waiting = [];
    for (const { reject } of gone) reject(new CursorGone());
    if (fetches.length === 0) return;
    let doneTotal = 0;
    const count = (): void => void (doneTotal += 1);
    client.connection.on('commandComplete', count);
    try {
      const text = fetches.map((fetch) => fetch.text).join('; ');
      const results = await queryResult(client, text);
      for (const [i, { resolve }] of fetches.entries()) resolve(results[i] ?? []);
    } catch (error) {
      // The first FETCH that did not complete is at fault; the others fail because the transaction
      // has ended, or their cursors.
      const faulty = fetches[doneTotal];
      await this.#session.outlive(error);
      const isOutlived = this.#session.epoch !== epoch;
      for (const fetch of fetches) {
        const isGone = isOutlived && faulty !== undefined && fetch !== faulty;
        fetch.reject(isGone ? new CursorGone() : this.#session.readError(error, faulty?.tables ?? []));
      }
    } finally {
      client.connection.off('commandComplete', count);
    }
  }
}
