// PGlite, which is PostgreSQL compiled to WebAssembly, behind a port of 127.0.0.1: so the real
// driver and the real command connect to it, and `npm test` needs no server. It has one session. A
// connection has it from its first message until it ends, and the next ones wait. Not here, but in
// a cluster (cluster.ts): TLS, passwords, users and databases (any name is let in), cancelling, two
// transactions at once, COPY FROM STDIN.

import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import { fatalError, firstMessageIn, message, settingsIn, wholeMessagesIn } from './wire.ts';

/** A connection that waits longer than this waits for one that nobody will end. */
const HANGS_AFTER_MS = 300_000;

const REFUSED = Buffer.from('N');

/**
 * What PostgreSQL takes for a setting in a startup message; the rest of the names there are about
 * the connection.
 */
const NO_SETTINGS = new Set(['user', 'database', 'options', 'replication']);

/** PGlite would wait for the rows in a loop that ends nothing else, this process included. */
const COPY_IN = /\bcopy\b[^;]*\bfrom\s+stdin\b/i;

/**
 * The end of whatever a client has left half done: a query without its Sync, a transaction; and of
 * its settings.
 */
const RESET = [Buffer.from('S\0\0\0\x04', 'latin1'), message('Q', 'ROLLBACK'), message('Q', 'DISCARD ALL')];

export class PgliteServer implements AsyncDisposable {
  readonly #database: PGlite;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Ends when the connections that have come until now have. */
  #turns: Promise<void> = Promise.resolve();

  private constructor(database: PGlite) {
    this.#database = database;
    this.#server = createServer((socket) => void this.#serve(socket));
  }

  static async start(): Promise<PgliteServer> {
    const server = new PgliteServer(await PGlite.create());
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${(this.#server.address() as AddressInfo).port}/postgres`;
  }

  /** Lets the process end although the server listens. */
  unref(): void {
    this.#server.unref();
  }

  async #serve(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // Reading finds out as well.
    socket.on('error', () => undefined);
    const chunks = new Chunks(socket);
    let endTurn: (() => void) | undefined;
    try {
      const parameters = await startupOf(chunks, socket);
      if (parameters === null) return;
      endTurn = await this.#turn();
      await this.#session(parameters, chunks, socket);
    } catch (error) {
      socket.write(fatalError('08006', String(error)));
    } finally {
      if (endTurn !== undefined) for (const bytes of RESET) await this.#exchange(bytes);
      endTurn?.();
      socket.end();
    }
  }

  /**
   * Resolves when those before have ended; the next one waits until what it resolves to is called.
   */
  async #turn(): Promise<() => void> {
    const before = this.#turns;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#turns = before.then(() => ended);
    const patience = new AbortController();
    const isOver = sleep(HANGS_AFTER_MS, true, { ref: false, signal: patience.signal }).catch(() => false);
    if ((await Promise.race([before, isOver])) === true) {
      end();
      throw new Error('PGlite has one session, and the connection that has it does not end');
    }
    patience.abort();
    return end;
  }

  async #session(parameters: ReadonlyMap<string, string>, chunks: Chunks, socket: Socket): Promise<void> {
    try {
      const settings = [...parameters].filter(([name]) => !NO_SETTINGS.has(name));
      for (const [name, value] of [...settings, ...settingsIn(parameters.get('options') ?? '')])
        await this.#database.query('select set_config($1, $2, false)', [name, value]);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '22023';
      socket.write(fatalError(code, error instanceof Error ? error.message : String(error)));
      return;
    }
    socket.write(await this.#exchange(STARTUP));
    for (;;) {
      const { length, isLast } = wholeMessagesIn(chunks.bytes);
      const bytes = chunks.take(length);
      if (COPY_IN.test(bytes.toString('latin1'))) throw new Error('PGlite behind a port cannot COPY FROM STDIN');
      if (length > 0) socket.write(await this.#exchange(bytes));
      if (isLast || !(await chunks.more())) return;
    }
  }

  #exchange(bytes: Uint8Array): Promise<Uint8Array> {
    return this.#database.execProtocolRaw(bytes, { syncToFs: false });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#turns;
    await this.#database.close();
  }
}

/** A startup message of our own: PGlite heeds none of the names in it. */
const STARTUP = startupMessage();

function startupMessage(): Buffer {
  const body = Buffer.from('\0\x03\0\0user\0postgres\0database\0postgres\0\0', 'latin1');
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([length, body]);
}

/**
 * What a client wants to start with; null where it goes, or wants no session. Encryption is refused
 * as often as it is asked for.
 */
async function startupOf(chunks: Chunks, socket: Socket): Promise<ReadonlyMap<string, string> | null> {
  for (;;) {
    const first = firstMessageIn(chunks.bytes);
    if (first === null) {
      if (!(await chunks.more())) return null;
      continue;
    }
    chunks.take(first.length);
    if (first.kind === 'startup') return first.parameters;
    if (first.kind === 'cancel') return null;
    socket.write(REFUSED);
  }
}

/** What has come through a socket and has not been taken yet. */
class Chunks {
  bytes: Buffer = Buffer.alloc(0);
  readonly #incoming: AsyncIterator<Buffer>;

  constructor(socket: Socket) {
    this.#incoming = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  take(length: number): Buffer {
    const taken = this.bytes.subarray(0, length);
    this.bytes = this.bytes.subarray(length);
    return taken;
  }

  /** Waits for more; false where none will come. */
  async more(): Promise<boolean> {
    try {
      const next = await this.#incoming.next();
      if (next.done === true) return false;
      this.bytes = Buffer.concat([this.bytes, next.value]);
      return true;
    } catch {
      // A reset connection has ended too.
      return false;
    }
  }
}
