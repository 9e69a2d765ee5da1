// The rule on node:http over a tree on disk: what `playbill serve` runs, for development and tests. Reads the key ring and the pointer
// anew for every request, so it is hot as they change. It adds nothing to the rule but another instant to serve as of, and an access log.

import { open, readFile, type FileHandle } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Answer, answer, type Store } from '../rule/respond.ts';
import { type KeyRing, keyRingFileFrom } from '../rule/key-store.ts';
import type { Reason } from '../rule/reasons.ts';
import { type FieldLine, linesAmong, type RuleRequest } from '../rule/request.ts';
import { decide, type Decision, decideUnsigned } from '../rule/rule.ts';
import { faultOfSettings, type SettingsFile } from '../rule/settings.ts';
import { withProfiles } from '../rule/profiles.ts';
import { pointerPath } from '../rule/tree.ts';
import { webCryptoKeyRing } from './web-crypto.ts';

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

export interface ServeOptions {
  /** The tree: the folder that holds `public` and `edge`. */
  readonly root: string;
  readonly settings: SettingsFile;
  /** Seconds since 1970, fractions welcome. */
  readonly clock: () => number;
  /** The secret of a name, for hmac keys; null when there is none. */
  readonly secretOf: (name: string) => string | null;
  /** Serve as of this instant (seconds since 1970), under `no-store`; null for the clock's. */
  readonly at: number | null;
  /** Serve without signatures to clients that reached a loopback address; elsewhere they are asked for all the same. */
  readonly isUnsigned: boolean;
  readonly accessLog: (entry: AccessLogEntry) => void;
}

/** A server that is not listening yet. Throws Error for settings that cannot work. */
export function createServer(options: ServeOptions): Server {
  const fault = faultOfSettings(options.settings);
  if (fault !== null) throw new Error(fault);
  return createHttpServer((incoming, outgoing) => {
    const startedMs = performance.now();
    const now = options.clock();
    handle(options, incoming, outgoing, now).then(
      (decision) => options.accessLog(entryOf(incoming, decision, now, performance.now() - startedMs)),
      // The client went away, or a file broke off: an answer under way cannot become another one.
      () => outgoing.destroy(),
    );
  });
}

/** Whether an address is one that only this machine can reach. */
export function isLoopback(address: string): boolean {
  return /^((::ffff:)?127(\.\d{1,3}){3}|::1|localhost)$/.test(address);
}

async function handle(
  options: ServeOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  now: number,
): Promise<Decision> {
  const settings = withProfiles(options.settings);
  const request = requestOf(incoming);
  const at = options.at ?? now;
  const isUnsigned = options.isUnsigned && isLoopback(incoming.socket.localAddress ?? '');
  const store = directoryStore(join(options.root, 'public'));
  const answered = await answer(request, store, settings, async (pointers) =>
    isUnsigned
      ? decideUnsigned(request, pointers, settings, now, at)
      : decide(request, pointers, await readKeyRing(options), settings, now, at),
  );
  await send(answered, incoming.method === 'HEAD', outgoing);
  return answered.decision;
}

function requestOf(incoming: IncomingMessage): RuleRequest {
  const fields: FieldLine[] = [];
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
    fields.push([(incoming.rawHeaders[i] ?? '').toLowerCase(), incoming.rawHeaders[i + 1] ?? '']);
  }
  return {
    method: incoming.method ?? '',
    scheme: 'encrypted' in incoming.socket ? 'https' : 'http',
    authority: incoming.headers.host ?? '',
    target: incoming.url ?? '',
    lines: linesAmong(fields),
  };
}

async function readKeyRing(options: ServeOptions): Promise<KeyRing> {
  const text = await readFile(join(options.root, 'edge', 'keyring.json'), 'utf8');
  return webCryptoKeyRing(keyRingFileFrom(JSON.parse(text)), options.secretOf);
}

function directoryStore(root: string): Store<FileHandle> {
  const read = async (front: string): Promise<string | null> =>
    absentAsNull(readFile(join(root, pointerPath(front)), 'utf8'));
  return {
    encodings: ['br', 'gzip'],
    open: (path) => absentAsNull(open(join(root, path))),
    // Nothing is kept, so the first look is as fresh as the second.
    pointers: () => ({ read }),
  };
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
  { decision, headers, content }: Answer<FileHandle>,
  isHead: boolean,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.statusCode = decision.status;
  for (const [name, value] of headers) outgoing.setHeader(name, value);
  if (content === null) {
    outgoing.end();
  } else if (typeof content === 'string') {
    outgoing.setHeader('Content-Length', Buffer.byteLength(content));
    outgoing.end(isHead ? '' : content);
  } else {
    try {
      outgoing.setHeader('Content-Length', (await content.stat()).size);
      if (isHead) outgoing.end();
      else await pipeline(content.createReadStream({ autoClose: false }), outgoing);
    } finally {
      await content.close();
    }
  }
}

function entryOf(incoming: IncomingMessage, decision: Decision, now: number, durationMs: number): AccessLogEntry {
  const front = incoming.headers['x-front'];
  return {
    now,
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    front: typeof front === 'string' ? front : null,
    status: decision.status,
    reason: decision.kind === 'refuse' ? decision.reason : null,
    durationMs,
  };
}
