// The rule on node:http over a tree, on disk unless its caller reads it from elsewhere: what `playbill serve` runs, for development and
// tests. Reads the key ring and the pointer for every request, so that it follows every change. It adds nothing to the rule but another
// instant to serve as of, and an access log.

import { open, readFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { keyRingFrom, type KeyStore, type SecretOf } from '../rule/key-store.ts';
import { rfc9421 } from '../rule/rfc9421.ts';
import { withProfiles } from '../rule/profile.ts';
import type { Reason } from '../rule/reasons.ts';
import { refuse } from '../rule/refusal.ts';
import { type FieldLine, linesAmong, type RuleRequest } from '../rule/request.ts';
import { type EdgeResponse, respond, type Store } from '../rule/respond.ts';
import { authorize, readTarget } from '../rule/rule.ts';
import { faultOfSettings, type SettingsFile } from '../rule/settings.ts';
import { pointerPath } from '../rule/tree.ts';
import { webCryptoKeyStore } from './web-crypto.ts';

/** One answered request. It names no key: keys get into no log. */
export interface AccessLogEntry {
  /** Seconds since 1970. */
  readonly now: number;
  readonly method: string;
  readonly target: string;
  /** As sent; null when it was not. */
  readonly front: string | null;
  readonly status: number;
  /** Why it was refused; null when it was not. */
  readonly reason: Reason | null;
  readonly durationMs: number;
}

/** A file that is sent. */
export interface ServedFile {
  readonly bytes: number;
  content(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  close(): Promise<void>;
}

/** What a tree is read by. Everything is as it is at the moment, and rejects where it cannot be read. */
export interface ServedTree {
  keyRing(): Promise<string>;
  /** null where nothing is published for the front. */
  pointer(front: string): Promise<string | null>;
  /** A file below `public`; null where there is none. */
  open(path: string): Promise<ServedFile | null>;
}

export interface ServeOptions {
  /** The tree: the folder that holds `public` and `edge`. */
  readonly root: string;
  /** What is read in place of that folder. */
  readonly tree?: ServedTree;
  readonly settings: SettingsFile;
  /** Seconds since 1970, fractions welcome. */
  readonly clock: () => number;
  /** The secret of a name, for hmac keys; null when there is none. */
  readonly secretOf: SecretOf;
  /** Serve as of this instant (seconds since 1970), under `no-store`; null for the clock's. */
  readonly at: number | null;
  /** Serve without signatures to clients that reached a loopback address; on other addresses they are required. */
  readonly isUnsigned: boolean;
  readonly accessLog: (entry: AccessLogEntry) => void;
}

/** A server that is not listening yet. Throws Error for settings that cannot work. */
export function createServer(options: ServeOptions): Server {
  const fault = faultOfSettings(options.settings);
  if (fault !== null) throw new Error(fault);
  const tree = options.tree ?? folderTree(options.root);
  return createHttpServer((incoming, outgoing) => {
    // The client went away, or a file broke off: an answer under way cannot become another one.
    handle(options, tree, incoming, outgoing).catch(() => outgoing.destroy());
  });
}

/** Whether an address is one that only this machine can reach. */
export function isLoopback(address: string): boolean {
  return /^((::ffff:)?127(\.\d{1,3}){3}|::1|localhost)$/.test(address);
}

async function handle(
  options: ServeOptions,
  tree: ServedTree,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const startedMs = performance.now();
  const now = options.clock();
  const settings = withProfiles(options.settings, [rfc9421]);
  const request = requestOf(incoming);
  const isUnsigned = options.isUnsigned && isLoopback(incoming.socket.localAddress ?? '');
  const target = isUnsigned
    ? readTarget(request, settings.base)
    : await keysOf(tree, options.secretOf).then(
        (keys) => authorize(request, keys, settings, now),
        () => refuse(503, 'internal'),
      );
  const store = storeOf(tree);
  // What is served as of another instant must not be stored.
  const maxAge = options.at === null ? settings.maxAge : null;
  const response = await respond(request, target, store, maxAge, options.at ?? now);
  await send(response, request.method === 'HEAD', outgoing);
  const { decision } = response;
  const front = incoming.headers['x-front'];
  options.accessLog({
    now,
    method: request.method,
    target: request.target,
    front: typeof front === 'string' ? front : null,
    status: decision.status,
    reason: decision.kind === 'refuse' ? decision.reason : null,
    durationMs: performance.now() - startedMs,
  });
}

/** The keys of the key ring as it is at the moment. Rejects without a readable one. */
async function keysOf(tree: ServedTree, secretOf: SecretOf): Promise<KeyStore> {
  return webCryptoKeyStore(keyRingFrom(JSON.parse(await tree.keyRing())), secretOf);
}

function requestOf(incoming: IncomingMessage): RuleRequest {
  const { rawHeaders } = incoming;
  const fields = rawHeaders.flatMap((name, i): FieldLine[] =>
    i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1] ?? '']] : [],
  );
  return {
    method: incoming.method ?? '',
    scheme: 'encrypted' in incoming.socket ? 'https' : 'http',
    authority: incoming.headers.host ?? '',
    target: incoming.url ?? '',
    lines: linesAmong(fields),
  };
}

function storeOf(tree: ServedTree): Store<ServedFile> {
  return {
    encodings: ['br', 'gzip'],
    open: (path) => tree.open(path),
    readPointer: (front) => tree.pointer(front),
  };
}

/** A tree in a folder. */
export function folderTree(root: string): ServedTree {
  const publicRoot = join(root, 'public');
  return {
    keyRing: () => readFile(join(root, 'edge', 'keyring.json'), 'utf8'),
    pointer: (front) => absentAsNull(readFile(join(publicRoot, pointerPath(front)), 'utf8')),
    open: (path) => absentAsNull(openFile(join(publicRoot, path))),
  };
}

async function openFile(path: string): Promise<ServedFile> {
  const file = await open(path);
  const { size } = await file.stat();
  return { bytes: size, content: () => file.createReadStream({ autoClose: false }), close: () => file.close() };
}

async function absentAsNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function send(
  { decision, headers, content: file }: EdgeResponse<ServedFile>,
  isHead: boolean,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.statusCode = decision.status;
  for (const [name, value] of headers) outgoing.setHeader(name, value);
  if (file === null) {
    outgoing.end();
  } else if (typeof file === 'string') {
    outgoing.setHeader('Content-Length', Buffer.byteLength(file));
    outgoing.end(isHead ? '' : file);
  } else {
    try {
      outgoing.setHeader('Content-Length', file.bytes);
      if (isHead) outgoing.end();
      else await pipeline(file.content(), outgoing);
    } finally {
      await file.close();
    }
  }
}
