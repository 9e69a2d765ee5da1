// The rule on node:http, for `playbill serve` (development and tests) and for the service behind a
// proxy (authorizer/). The tree is on disk unless the caller passes another. Looks at the key ring
// and the pointer for every request, so that changes take effect at once. It can serve as of
// another instant and has an access log; the rule has neither. It reads no body.
//
// Small files are read synchronously: a promise for each step costs twenty times as much as the
// step itself, and was more than half of what a request cost. Another request would not get further
// meanwhile, because each reads the key ring from the same disk.

import { readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { KeyRing } from '../../contract/key-ring.ts';
import type { SiblingEncoding } from '../rule/encoding.ts';
import type { KeyStore, SecretOf } from '../rule/key-store.ts';
import type { MaybeAsync } from '../rule/maybe-async.ts';
import type { ProfileName } from '../rule/profile.ts';
import type { Reason } from '../rule/refusal-codes.ts';
import { refuse, type Refusal } from '../rule/refusal-response.ts';
import { type FieldLine, fieldsAmong, type RuleRequest } from '../rule/request.ts';
import { type EdgeResponse, respond, type Store } from '../rule/respond.ts';
import { rfc9421 } from '../rule/rfc9421.ts';
import { authorize, readTarget, type RequestTarget } from '../rule/rule.ts';
import { faultOfSettings, type SettingsFile } from '../rule/settings.ts';
import { pointerPath } from '../rule/tree.ts';
import { refuseConnect, refuseMalformed } from './malformed-request.ts';
import { profileOf } from '../rule/profiles.ts';
import { nodeKeyStore } from './key-store.ts';
import { folderKeyRing } from './served-key-ring.ts';

/** One answered request. It names no key, because keys must not appear in logs. */
export interface AccessLogEntry {
  /** Seconds since 1970. */
  readonly now: number;
  readonly method: string;
  readonly target: string;
  /** The X-Front header; null if it is missing. */
  readonly front: string | null;
  readonly status: number;
  /** The reason of a refusal; null if the request was accepted. */
  readonly reason: Reason | null;
  /** If the reason is `internal`: what could not be read. Clients do not see it. */
  readonly cause: string | null;
  readonly durationMs: number;
}

/** The content of a file, or if it is large, the open file. */
export type ServedFile = Uint8Array | OpenFile;

interface OpenFile {
  readonly bytes: number;
  content(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Headers that tell a proxy which file to send. */
type FileHeaders = readonly FieldLine[];

/** Reads the current state of a tree. Each method rejects if it cannot be read. */
export interface ServedTree {
  keyRing(): Promise<KeyRing>;
  /** null if nothing is published for the front. `isFresh`: bypass a cache. */
  pointer(front: string, isFresh: boolean): Promise<string | null>;
  /**
   * A file below `public`, or the header lines that tell a proxy which file to send; null for a
   * missing file.
   */
  open(path: string): Promise<ServedFile | FileHeaders | null>;
  /** The encodings of precompressed siblings that may exist. Default: all. */
  readonly encodings?: readonly SiblingEncoding[];
}

/** A tree whose files this server sends. */
export interface FolderTree extends ServedTree {
  open(path: string): Promise<ServedFile | null>;
}

export interface ServeOptions {
  /** The tree: the folder that holds `public` and `edge`. */
  readonly root: string;
  /** Replaces that folder. */
  readonly tree?: ServedTree;
  readonly settings: SettingsFile;
  /** The signing profiles that are accepted. Default: `rfc9421`. */
  readonly profiles?: readonly ProfileName[];
  /** Seconds since 1970; may have a fraction. */
  readonly clock: () => number;
  /** The secret of a name, for hmac keys; null for an unknown name. */
  readonly secretOf: SecretOf;
  /** Serve as of this instant (seconds since 1970), with `no-store`; null for the clock's. */
  readonly at: number | null;
  /**
   * Serve without signatures to clients that connect to a loopback address and name one in Host.
   * Checking Host as well stops web pages whose host name resolves to this machine. All other
   * clients must sign, and so must pages of other sites.
   */
  readonly isUnsigned: boolean;
  /** Whether a proxy in front always overwrites X-Forwarded-Proto. */
  readonly isProxied?: boolean;
  readonly accessLog: (entry: AccessLogEntry) => void;
}

/** A server that is not listening yet. Throws Error for invalid settings. */
export function createServer(options: ServeOptions, limits: ServerOptions = {}): Server {
  const fault = faultOfSettings(options.settings);
  if (fault !== null) throw new Error(fault);
  const tree = options.tree ?? folderTree(options.root);
  // Answer a request without Host here: Node's own answer has no problem document.
  return createHttpServer({ requireHostHeader: false, ...limits }, (incoming, outgoing) => {
    // The client disconnected or reading the file failed. The answer has begun, so it can only be
    // cut off.
    handle(options, tree, incoming, outgoing).catch(() => outgoing.destroy());
  })
    .on('clientError', refuseMalformed)
    .on('connect', refuseConnect);
}

/** Whether only this machine can reach an address. */
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
  const { settings } = options;
  const request = requestOf(incoming, options.isProxied === true);
  const causes: string[] = [];
  const keys = async (): Promise<KeyStore> => nodeKeyStore(await noted(tree.keyRing(), causes), options.secretOf);
  const target = await targetOf(options, keys, incoming, request, now);
  const store = storeOf(tree, causes);
  // An answer as of another instant must not be stored.
  const maxAge = options.at === null ? settings.maxAge : null;
  const response = await respond(request, target, store, maxAge, options.at ?? now);
  const { decision } = response;
  const front = incoming.headers['x-front'];
  try {
    await send(response, request.method === 'HEAD', outgoing);
  } finally {
    // Log even if sending fails: a client may close the connection as soon as it has every byte.
    options.accessLog({
      now,
      method: request.method,
      target: request.target,
      front: typeof front === 'string' ? front : null,
      status: decision.status,
      reason: decision.kind === 'refuse' ? decision.reason : null,
      cause:
        decision.status === 503 ? (causes[0] ?? (target.kind === 'refuse' ? UNUSABLE_KEYS : UNUSABLE_POINTER)) : null,
      durationMs: performance.now() - startedMs,
    });
  }
}

const UNUSABLE_POINTER =
  "the front's pointer is torn, of another schema or front, or names an edition that is not there";

const UNUSABLE_KEYS = 'edge/keyring.json cannot be used';

/** Notes the message of an error before it is thrown again. */
async function noted<T>(working: Promise<T>, causes: string[]): Promise<T> {
  try {
    return await working;
  } catch (error) {
    causes.push(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

async function targetOf(
  { settings, profiles = ['rfc9421'], isUnsigned }: ServeOptions,
  keys: () => Promise<KeyStore>,
  incoming: IncomingMessage,
  request: RuleRequest,
  now: number,
): Promise<RequestTarget | Refusal> {
  // Exactly one Host (RFC 9112, 3.2): of two, the signature might cover one while a proxy routes by
  // the other.
  if (request.lines('host').length !== 1) return refuse(400, 'request-malformed');
  if (hasBody(incoming)) return refuse(413, 'content-too-large');
  const isLocal = isLoopback(incoming.socket.localAddress ?? '') && isLoopback(hostName(request.authority));
  if (isUnsigned && isLocal && incoming.headers['sec-fetch-site'] !== 'cross-site')
    return readTarget(request, settings.base);
  try {
    return await authorize(request, await keys(), profileOf(profiles, rfc9421), settings, now);
  } catch {
    return refuse(503, 'internal');
  }
}

/** Whether a body follows. Nothing reads it, so the connection closes after the answer. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** An authority without its port and without the brackets of an IPv6 address. */
function hostName(authority: string): string {
  return authority
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}

function requestOf(incoming: IncomingMessage, isProxied: boolean): RuleRequest {
  const { rawHeaders } = incoming;
  const fields = rawHeaders.flatMap((name, i): FieldLine[] => (i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? '']] : []));
  const { url = '', headers } = incoming;
  // The absolute form contains the authority, and Host must then be ignored (RFC 9112, 3.2.2).
  const [, authority = headers.host ?? '', target = url] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(url) ?? [];
  const isSecure = isProxied ? headers['x-forwarded-proto'] === 'https' : 'encrypted' in incoming.socket;
  return {
    method: incoming.method ?? '',
    scheme: isSecure ? 'https' : 'http',
    authority,
    target,
    ...fieldsAmong(fields),
  };
}

const BEST_FIRST: readonly SiblingEncoding[] = ['br', 'gzip'];

function storeOf(tree: ServedTree, causes: string[]): Store<ServedFile | FileHeaders> {
  return {
    encodings: BEST_FIRST.filter((encoding) => tree.encodings?.includes(encoding) ?? true),
    open: (path) => noted(tree.open(path), causes),
    readPointer: (front, isFresh) => noted(tree.pointer(front, isFresh), causes),
  };
}

/** A tree in a folder. */
export function folderTree(
  root: string,
  publicRoot = join(root, 'public'),
  keyRingPath = join(root, 'edge', 'keyring.json'),
): FolderTree {
  return {
    keyRing: folderKeyRing(keyRingPath, () => performance.now()),
    pointer: (front) => absentAsNull(() => readFileSync(join(publicRoot, pointerPath(front)), 'utf8')),
    open: (path) => absentAsNull(() => openFile(join(publicRoot, path))),
  };
}

/** Up to this size a file is read at once, bytes: a slow client occupies as much in either case. */
const WHOLE_MAX = 131_072;

/** Without an exception for a sibling that is missing: it costs more than the rest. */
function openFile(path: string): MaybeAsync<ServedFile | null> {
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (bytes === undefined) return null;
  return bytes > WHOLE_MAX ? openLarge(path, bytes) : readFileSync(path);
}

async function openLarge(path: string, bytes: number): Promise<OpenFile> {
  const file = await open(path);
  return { bytes, content: () => file.createReadStream({ autoClose: false }), close: () => file.close() };
}

/** The result of reading a file; null if the file is missing. */
async function absentAsNull<T>(read: () => MaybeAsync<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function send(
  { decision, headers, content: file }: EdgeResponse<ServedFile | FileHeaders>,
  isHead: boolean,
  outgoing: ServerResponse,
): Promise<void> {
  outgoing.statusCode = decision.status;
  for (const [name, value] of headers) outgoing.setHeader(name, value);
  if (decision.status === 413) outgoing.shouldKeepAlive = false;
  if (file === null) {
    outgoing.end();
  } else if (isFileHeaders(file)) {
    // nginx would copy Cache-Control itself to its answer, even to the 503 for a missing file.
    outgoing.setHeader('X-Playbill-Cache-Control', outgoing.getHeader('Cache-Control') ?? '');
    outgoing.removeHeader('Cache-Control');
    for (const [name, value] of file) outgoing.setHeader(name, value);
    outgoing.end();
  } else if (typeof file === 'string' || file instanceof Uint8Array) {
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

const isFileHeaders = (file: ServedFile | FileHeaders | string): file is FileHeaders => Array.isArray(file);
