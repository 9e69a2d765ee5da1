// The tree that the benchmarks of the edge rule serve, and the keys of its clients.

import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { keyFrom } from '../../src/client/key-file.ts';
import type { ClientKey } from '../../src/client/signature.ts';
import { seedCatalogue } from '../seed.ts';
import { printed } from './timing.ts';

export type Endpoint = 'products' | 'categories';

export const PATHS = {
  products: '/products/',
  categories: '/fronts/categories/',
} as const satisfies Record<Endpoint, string>;

/** The host for which requests are signed. They are sent to ports of this machine. */
export const HOST = 'edge.test';

export type Headers = Readonly<Record<string, string>>;

/** The secret of the hmac key, as edges read it from their environment. */
export const SECRET = { name: 'PLAYBILL_BENCH', text: 'a secret of this benchmark alone' } as const;

export interface EdgeTree {
  readonly root: string;
  /** The front with the most editions. */
  readonly front: string;
  readonly editionsTotal: number;
  readonly hmacKeyFile: string;
  readonly keys: Readonly<Record<'hmac' | 'ecdsa', ClientKey>>;
  /** The path, below `public`, of the file that must be served right now. */
  editionFile(endpoint: Endpoint): string;
  /** Runs the compiled command. */
  playbill(...argv: readonly string[]): string;
}

/** Makes a tree of size S in a folder (`work`), with the compiled command (`dist`). */
export function makeEdgeTree(dist: string, work: string): EdgeTree {
  // nginx drops its privileges before it reads files.
  chmodSync(work, 0o755);
  const database = join(work, 'edge.sqlite');
  const root = join(work, 'edge-tree');
  const playbill = (...argv: readonly string[]): string =>
    printed(process.execPath, [join(dist, 'cli/main.js'), ...argv], { ...process.env, [SECRET.name]: SECRET.text });
  // Edges use the real clock, so the catalogue is made for today.
  const now = instantNow();
  seedCatalogue({ path: database, size: 'S', now, seed: 1 });
  playbill('build', '--db', database, '--out', root, '--now', now, '--horizon', '24h', '--precompress', 'gzip');
  const front = frontWithMostEditions(root);
  const issue = (keyid: string, ...more: readonly string[]): string => {
    const file = join(work, `${keyid}.json`);
    const places = ['--db', database, '--out', root, '--json'];
    writeFileSync(file, playbill('keys', 'issue', '--front', front, '--keyid', keyid, ...more, ...places));
    return file;
  };
  const hmacKeyFile = issue('bench-hmac', '--alg', 'hmac-sha256', '--secret-ref', SECRET.name);
  const keys = { hmac: keyIn(hmacKeyFile), ecdsa: keyIn(issue('bench-ecdsa')) };
  return {
    root,
    front,
    editionsTotal: readPointer(root, front).products.length,
    hmacKeyFile,
    keys,
    editionFile: (endpoint) => {
      const instant = instantNow();
      const entry = readPointer(root, front)[endpoint].findLast((one) => one.slice(0, 20) <= instant) ?? '';
      return `fronts/${front}/${endpoint}.${entry.slice(21)}.json`;
    },
    playbill,
  };
}

const keyIn = (file: string): ClientKey => keyFrom(readFileSync(file, 'utf8'), () => SECRET.text).key;

function readPointer(tree: string, front: string): Readonly<Record<Endpoint, readonly string[]>> {
  const text = readFileSync(join(tree, 'public/fronts', front, 'pointer.json'), 'utf8');
  return JSON.parse(text) as Record<Endpoint, string[]>;
}

function frontWithMostEditions(tree: string): string {
  const fronts = readdirSync(join(tree, 'public/fronts'));
  const count = (front: string): number => readPointer(tree, front).products.length;
  return fronts.reduce((most, front) => (count(front) > count(most) ? front : most));
}

/** The current second in the format of the database. */
function instantNow(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/**
 * Waits until something listens on a port.
 * @throws Error after ten seconds; the server has then printed on stderr what is wrong
 */
export async function untilListening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const socket = connect(port, '127.0.0.1');
    const isListening = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isListening) return;
    await setTimeout(50);
  }
  throw new Error(`nothing listens on port ${port}`);
}
