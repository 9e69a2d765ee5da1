// Connects to PostgreSQL, without TLS where the address allows that and the server has none; and
// runs statements on the connection, one after the other.

import type { ClientConfig } from 'pg';
// Not from pg itself: where NODE_PG_FORCE_NATIVE is set, that needs another driver to be installed.
import Client from 'pg/lib/client.js';
import { systemCodeOf } from '../../errors.ts';
import { displayAddress } from './address.ts';
import type { CompiledSql } from './compile.ts';
import { connectionSettings, type ConnectionSettings, type RowSecurity } from './connection-settings.ts';
import { expressionProblem, readError } from './errors.ts';
import { queryResult } from './query-result.ts';

/** How long to wait for the end of a connection; by then nothing depends on its answer. */
const GOODBYE_MS = 1000;

type ErrorOf = (path: string, error: unknown) => unknown;

/** A connection, which throws AppErrors. `errorOf` makes them of errors of commands. */
export class Session {
  /** The address without a password. */
  readonly path: string;
  readonly client: Client;
  readonly rowSecurity: RowSecurity;
  readonly #errorOf: ErrorOf;
  #endedBy: unknown;
  /** How often the transaction went back to its savepoint, with which cursors end. */
  epoch = 0;
  #hasSavepoint = false;
  /** Resolves when all earlier queries have ended: a connection runs one at a time. */
  #queries: Promise<unknown> = Promise.resolve();

  private constructor(path: string, client: Client, rowSecurity: RowSecurity, errorOf: ErrorOf) {
    this.path = path;
    this.client = client;
    this.rowSecurity = rowSecurity;
    this.#errorOf = errorOf;
    // If the connection breaks between two queries, the next one fails with this error instead of
    // "no connection".
    client.on('error', (error: unknown) => (this.#endedBy ??= error));
  }

  /** @throws AppError database-… */
  static async open(address: string, errorOf: ErrorOf): Promise<Session> {
    const path = displayAddress(address);
    try {
      const settings = connectionSettings(address, process.env);
      return new Session(path, await connect(settings), settings.rowSecurity, errorOf);
    } catch (error) {
      throw readError(path, error);
    }
  }

  /**
   * Runs statements without values or rows.
   * @returns the server's word for what it did, such as COMMIT.
   * @throws AppError database-…
   */
  async command(text: string, errorOf: ErrorOf = this.#errorOf): Promise<string> {
    const { command } = await this.query(
      () => this.client.query(text),
      (error) => errorOf(this.path, error),
    );
    return command;
  }

  /** The rows of one statement. @throws AppError database-… */
  async run({ text, values, tables }: CompiledSql): Promise<unknown[][]> {
    const [rows = []] = await this.query(
      () => queryResult(this.client, text, values),
      (error) => this.readError(error, tables),
    );
    return rows;
  }

  /** Runs a query after all earlier ones; `errorOf` turns its error into ours. */
  async query<T>(query: () => Promise<T>, errorOf: (error: unknown) => unknown): Promise<T> {
    try {
      return await this.inTurn(async () => {
        try {
          return await query();
        } catch (error) {
          await this.outlive(error);
          throw error;
        }
      });
    } catch (error) {
      throw errorOf(this.#endedBy ?? error);
    }
  }

  /** Begins a transaction, in which no savepoint is set. */
  async begin(text: string): Promise<void> {
    this.#hasSavepoint = false;
    await this.command(text);
  }

  /** Sets a savepoint, from which the transaction goes on after an expression has thrown. */
  async setSavepoint(): Promise<void> {
    await this.command('savepoint playbill');
    this.#hasSavepoint = true;
  }

  /** Removes it. */
  async releaseSavepoint(): Promise<void> {
    this.#hasSavepoint = false;
    await this.command('release savepoint playbill');
  }

  /**
   * Goes back to the savepoint after what an expression has thrown: in the turn of the query that
   * failed, so that no later one fails with it.
   */
  async outlive(error: unknown): Promise<void> {
    if (!this.#hasSavepoint || expressionProblem(error) === null) return;
    // If that fails too, the session has ended.
    await this.client.query('rollback to savepoint playbill').then(
      () => (this.epoch += 1),
      () => undefined,
    );
  }

  /** The same with the errors of the driver, for whoever gives them to `readError`. */
  inTurn<T>(query: () => Promise<T>): Promise<T> {
    const answer = this.#queries.then(query);
    // Does not keep the answer itself in memory until the next query.
    const ended = (): void => undefined;
    this.#queries = answer.then(ended, ended);
    return answer;
  }

  /** An error of reading tables as ours. */
  readError(error: unknown, tables: readonly string[]): unknown {
    return readError(this.path, this.#endedBy ?? error, tables);
  }

  /** Closes the connection, without waiting for a server that does not answer. */
  async end(): Promise<void> {
    const timer = setTimeout(() => this.abort(), GOODBYE_MS);
    await this.client.end().catch(() => undefined);
    clearTimeout(timer);
  }

  /** The same at once, without a word to the server. */
  abort(): void {
    this.client.connection.stream.destroy();
  }
}

/** @throws AppError database-unreadable: no password; errors of the driver */
export async function connect({ config, withoutTls }: ConnectionSettings): Promise<Client> {
  try {
    return await connected(config);
  } catch (error) {
    if (withoutTls === null || !isRefusedTls(error)) throw error;
    return connected(withoutTls);
  }
}

async function connected(config: ClientConfig): Promise<Client> {
  const client = new Client(config);
  // A connection that breaks between two queries fails the next one.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    // A server that still waits for a password would keep this process alive.
    client.connection.stream.destroy();
    throw error;
  }
}

/**
 * The server has no TLS, fails at it, or has a line in pg_hba.conf that rejects whoever uses it.
 */
function isRefusedTls(error: unknown): boolean {
  const code = systemCodeOf(error);
  if (code === '28000' || code === 'EPROTO' || code.startsWith('ERR_SSL_')) return true;
  return error instanceof Error && error.message === 'The server does not support SSL connections';
}
