// A PostgreSQL cluster of its own on this machine's loopback, in a temporary folder, on a free
// port, of Debian's binaries. It is quick and keeps nothing, and its server ends with the process
// that started it, even by SIGKILL. Text sorts as in English there, not by code unit, so that a
// query without its collation shows.

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../edge/runtimes/runtime.ts';
import { asServer, giveToServer, serverFolder, writeCertificate } from './server-user.ts';

export interface ClusterOptions {
  /**
   * How users show who they are, by TCP and by the socket; 'trust' where nothing is said: no
   * password is asked for.
   */
  readonly auth?: 'trust' | 'scram-sha-256' | 'md5' | 'password';
  /** Of the user postgres. */
  readonly password?: string;
  /**
   * Whether the server has a certificate, for localhost and 127.0.0.1, of the authority at
   * `authorityPath`.
   */
  readonly hasTls?: boolean;
  /** Lines of pg_hba.conf before those of `auth`: the first that fits decides. */
  readonly hba?: readonly string[];
  /** Settings of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
}

const BINARIES = '/usr/lib/postgresql/15/bin';

/**
 * A server that is not up after this hangs: a limit for what will never end, not for what is slow.
 */
const HANGS_AFTER_MS = 300_000;

const run = promisify(execFile);

export class Cluster implements AsyncDisposable {
  /** With `data`, the log and the socket. */
  readonly #folder = serverFolder('postgres');
  #port = 0;
  #server: ChildProcess | undefined;

  /** Creates a cluster and starts its server; resolves when that answers. */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const cluster = new Cluster();
    try {
      await cluster.#create(options);
      await cluster.startServer();
      return cluster;
    } catch (error) {
      const { log } = cluster;
      await cluster.stop();
      throw new Error(`PostgreSQL does not start: ${String(error)}\n${log.slice(-4000)}`, { cause: error });
    }
  }

  /**
   * A standby of another cluster, which has to let in `replication`: copied from it, and applying
   * what it writes.
   */
  static async replicaOf(primary: Cluster, settings: Readonly<Record<string, string>> = {}): Promise<Cluster> {
    const cluster = new Cluster();
    const data = join(cluster.#folder, 'data');
    const copy = ['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast', '--no-sync'];
    try {
      await run(
        ...asServer('KILL', join(BINARIES, 'pg_basebackup'), ...copy, `--dbname=${primary.url}`, `--pgdata=${data}`),
        { timeout: HANGS_AFTER_MS },
      );
      const own = Object.entries({ unix_socket_directories: cluster.#folder, ...settings });
      appendFileSync(join(data, 'postgresql.auto.conf'), own.map(settingLine).join(''));
      await cluster.startServer();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** The address of the database postgres, for the user postgres. */
  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  get port(): number {
    return this.#port;
  }

  /** Where its socket is. */
  get socketFolder(): string {
    return this.#folder;
  }

  get authorityPath(): string {
    return join(this.#folder, 'authority.crt');
  }

  /** What the server has logged. */
  get log(): string {
    try {
      return readFileSync(join(this.#folder, 'log'), 'utf8');
    } catch {
      return '';
    }
  }

  /** Of the server; undefined while none runs. */
  get processId(): number | undefined {
    return this.#server?.pid;
  }

  async #create({ auth = 'trust', password = 'secret', hasTls = false, hba = [], settings = {} }: ClusterOptions) {
    const [data, passwordFile] = [join(this.#folder, 'data'), join(this.#folder, 'password')];
    writeFileSync(passwordFile, `${password}\n`);
    const locale = ['--encoding=UTF8', '--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US'];
    const options = ['--username=postgres', `--pwfile=${passwordFile}`, `--auth=${auth}`, '--no-sync', ...locale];
    await run(...asServer('KILL', join(BINARIES, 'initdb'), ...options, `--pgdata=${data}`), {
      timeout: HANGS_AFTER_MS,
    });
    if (hasTls) writeCertificate(this.#folder);
    const tls = {
      ssl: 'on',
      ssl_cert_file: join(this.#folder, 'server.crt'),
      ssl_key_file: join(this.#folder, 'server.key'),
    };
    const all = Object.entries({
      ...QUICK,
      unix_socket_directories: this.#folder,
      ...(hasTls ? tls : {}),
      ...settings,
    });
    writeFileSync(join(data, 'postgresql.auto.conf'), all.map(settingLine).join(''));
    const everybody = [`local all all ${auth}`, `host all all all ${auth}`];
    writeFileSync(join(data, 'pg_hba.conf'), `${[...hba, ...everybody].join('\n')}\n`);
  }

  /**
   * Starts the server of a cluster whose server was stopped, on the same port; resolves when it
   * answers.
   */
  async startServer(): Promise<void> {
    // A free port may be taken before the server has it.
    for (let attempt = 1; ; attempt++) {
      const port = this.#port === 0 ? await freePort() : this.#port;
      const log = openSync(join(this.#folder, 'log'), 'a');
      giveToServer(join(this.#folder, 'log'));
      const command = asServer(
        'QUIT',
        join(BINARIES, 'postgres'),
        '-D',
        join(this.#folder, 'data'),
        '-p',
        String(port),
      );
      const server = spawn(...command, { stdio: ['ignore', log, log] });
      closeSync(log);
      this.#server = server;
      if (await isUp(server, port)) {
        this.#port = port;
        return;
      }
      this.#server = undefined;
      const isTaken = this.#port === 0 && this.log.includes('Address already in use');
      if (!isTaken || attempt === 10) throw new Error('its server ended, see its log');
    }
  }

  /** Ends the server at once, as a crash does: connections break off. */
  async stopServer(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGQUIT');
    await ended;
  }

  /** Ends the server and removes the folder. */
  async stop(): Promise<void> {
    await this.stopServer();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

function settingLine([name, value]: readonly [string, string]): string {
  return `${name} = '${value.replaceAll("'", "''")}'\n`;
}

/** Nothing has to survive, and nothing is left outside of the folder. */
const QUICK = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  dynamic_shared_memory_type: 'mmap',
  shared_buffers: '64MB',
};

/** Resolves when a server answers, whatever it answers; false where it has ended before. */
async function isUp(server: ChildProcess, port: number): Promise<boolean> {
  const failed = once(server, 'error').then(([error]: unknown[]) => Promise.reject(error));
  failed.catch(() => undefined);
  const start = performance.now();
  while (server.exitCode === null && server.signalCode === null) {
    const question = run(join(BINARIES, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]);
    const isReady = await Promise.race([
      failed,
      question.then(
        () => true,
        () => false,
      ),
    ]);
    // Another server may have the port, and answer in its place.
    if (isReady && server.exitCode === null) return true;
    if (performance.now() - start > HANGS_AFTER_MS) throw new Error('it does not answer');
    await sleep(50);
  }
  return false;
}
