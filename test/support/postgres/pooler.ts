// PgBouncer on loopback in front of a server, with scripts/recipes/pgbouncer.ini: only hosts,
// ports, paths and the mode are others.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../edge/runtimes/runtime.ts';
import { asServer, giveToServer, serverFolder } from './server-user.ts';

const RECIPE = new URL('../../../scripts/recipes/pgbouncer.ini', import.meta.url);

interface PoolerOptions {
  /** The port of the server. */
  readonly port: number;
  /** Its database, which clients name as the recipe does: shop. */
  readonly database: string;
  /** Passwords by user. */
  readonly users: Readonly<Record<string, string>>;
  /** Instead of that of the recipe. */
  readonly mode?: 'statement' | 'session';
}

export class Pooler implements AsyncDisposable {
  readonly port: number;
  readonly #folder: string;
  readonly #process: ChildProcess;

  private constructor(port: number, folder: string, child: ChildProcess) {
    this.port = port;
    this.#folder = folder;
    this.#process = child;
  }

  static async start({ port, database, users, mode }: PoolerOptions): Promise<Pooler> {
    const folder = serverFolder('pgbouncer');
    const ownPort = await freePort();
    const replaced = (text: string, from: RegExp, to: string): string => {
      if (!from.test(text)) throw new Error(`expected ${String(from)} in the recipe`);
      return text.replace(from, to);
    };
    let text = readFileSync(RECIPE, 'utf8');
    text = replaced(text, /^shop = .*$/m, `shop = host=127.0.0.1 port=${port} dbname=${database}`);
    text = replaced(text, /^listen_port = .*$/m, `listen_port = ${ownPort}\nunix_socket_dir =`);
    text = replaced(text, /^auth_file = .*$/m, `auth_file = ${join(folder, 'userlist.txt')}`);
    if (mode !== undefined) text = replaced(text, /^pool_mode = .*$/m, `pool_mode = ${mode}`);
    const list = Object.entries(users).map(([user, password]) => `"${user}" "${password}"\n`);
    for (const [name, content] of [
      ['pgbouncer.ini', text],
      ['userlist.txt', list.join('')],
    ] as const) {
      writeFileSync(join(folder, name), content, { mode: 0o600 });
      giveToServer(join(folder, name));
    }
    const child = spawn(...asServer('KILL', '/usr/sbin/pgbouncer', join(folder, 'pgbouncer.ini')), {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    child.stderr?.setEncoding('utf8').on('data', (lines: string) => (log += lines));
    while (!(await isListening(ownPort))) {
      if (child.exitCode !== null) throw new Error(`PgBouncer does not start:\n${log}`);
      await sleep(20);
    }
    return new Pooler(ownPort, folder, child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await ended;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
