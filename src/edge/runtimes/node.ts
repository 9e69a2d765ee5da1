// The rule on node:http over a tree, on disk unless its caller reads it from elsewhere: what `playbill serve` runs, for development and
// tests, and what stands behind a proxy (authorizer/). Reads the key ring and the pointer for every request, so that it follows every
// change. It adds nothing to the rule but another instant to serve as of, and an access log. It reads no body.

import { open, readFile } from 'node:fs/promises';
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
import { keyRingFrom, type KeyStore, type SecretOf } from '../rule/key-store.ts';
import { anyOf, type ProfileName, type SignatureProfile } from '../rule/profile.ts';
import { rfc9421 } from '../rule/rfc9421.ts';
import type { Reason } from '../rule/reasons.ts';
import { refuse, type Refusal } from '../rule/refusal.ts';
import { type FieldLine, fieldsAmong, type RuleRequest } from '../rule/request.ts';
import { type EdgeResponse, respond, type Store } from '../rule/respond.ts';
import { authorize, readTarget, type RequestTarget } from '../rule/rule.ts';
import { faultOfSettings, type SettingsFile } from '../rule/settings.ts';
import { signedHeaders } from '../rule/signed-headers.ts';
import { pointerPath } from '../rule/tree.ts';
import { refuseMalformed } from './malformed-request.ts';
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
  /** Where the reason is `internal`: what could not be read. It is for the operator; no client gets it. */
  readonly cause: string | null;
  readonly durationMs: number;
}

/** A file that is sent. */
export interface ServedFile {
  readonly bytes: number;
  content(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  close(): Promise<void>;
}

/** What goes to a proxy in place of a file. */
type FileHeaders = readonly FieldLine[];

/** What a tree is read by. Everything is as it is at the moment, and rejects where it cannot be read. */
export interface ServedTree {
  keyRing(): Promise<KeyRing>;
  /** null where nothing is published for the front. `isFresh`: read it again, even if it is kept. */
  pointer(front: string, isFresh: boolean): Promise<string | null>;
  /** A file below `public`, or the header lines that tell a proxy which file to send; null for a missing file. */
  open(path: string): Promise<ServedFile | FileHeaders | null>;
  /** The siblings that may exist; where it is left out, all. */
  readonly encodings?: readonly SiblingEncoding[];
}

/** A tree whose files are sent from here. */
export interface FolderTree extends ServedTree {
  open(path: string): Promise<ServedFile | null>;
}

export interface ServeOptions {
  /** The tree: the folder that holds `public` and `edge`. */
  readonly root: string;
  /** What is read in place of that folder. */
  readonly tree?: ServedTree;
  readonly settings: SettingsFile;
  /** Under which a request may be signed. Default: `rfc9421`. */
  readonly profiles?: readonly ProfileName[];
  /** Seconds since 1970, fractions welcome. */
  readonly clock: () => number;
  /** The secret of a name, for hmac keys; null for an unknown name. */
  readonly secretOf: SecretOf;
  /** Serve as of this instant (seconds since 1970), under `no-store`; null for the clock's. */
  readonly at: number | null;
  /**
   * Serve without signatures to clients that reached a loopback address and named one in Host: a page of the web can point a name of its
   * own at this machine. For all others signatures are required.
   */
  readonly isUnsigned: boolean;
  /** Whether a proxy stands in front that always sets X-Forwarded-Proto itself. */
  readonly isProxied?: boolean;
  readonly accessLog: (entry: AccessLogEntry) => void;
}

/** A server that is not listening yet. Throws Error for settings that cannot work. */
export function createServer(options: ServeOptions, limits: ServerOptions = {}): Server {
  const fault = faultOfSettings(options.settings);
  if (fault !== null) throw new Error(fault);
  const tree = options.tree ?? folderTree(options.root);
  // Node's own answer to a request without Host has no document; ours has.
  return createHttpServer({ requireHostHeader: false, ...limits }, (incoming, outgoing) => {
    // The client went away, or a file broke off: an answer under way cannot become another one.
    handle(options, tree, incoming, outgoing).catch(() => outgoing.destroy());
  }).on('clientError', refuseMalformed);
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
  const { settings } = options;
  const request = requestOf(incoming, options.isProxied === true);
  const causes: string[] = [];
  const keys = async (): Promise<KeyStore> => webCryptoKeyStore(await noted(tree.keyRing(), causes), options.secretOf);
  const target = await targetOf(options, keys, incoming, request, now);
  const store = storeOf(tree, causes);
  // What is served as of another instant must not be stored.
  const maxAge = options.at === null ? settings.maxAge : null;
  const response = await respond(request, target, store, maxAge, options.at ?? now);
  const { decision } = response;
  const front = incoming.headers['x-front'];
  try {
    await send(response, request.method === 'HEAD', outgoing);
  } finally {
    // Even when sending fails: a client may close the connection as soon as it has every byte.
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

/** A piece of work that leaves the message of its failure. */
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
  // Exactly one (RFC 9112, 3.2): of two, the signature may cover one while a proxy in front goes by the other.
  if (request.lines('host').length !== 1) return refuse(400, 'request-malformed');
  if (hasBody(incoming)) return refuse(413, 'content-too-large');
  if (isUnsigned && isLoopback(incoming.socket.localAddress ?? '') && isLoopback(hostName(request.authority)))
    return readTarget(request, settings.base);
  try {
    return await authorize(request, await keys(), profileOf(profiles), settings, now);
  } catch {
    return refuse(503, 'internal');
  }
}

/** Several as one, in their order. */
export function profileOf(names: readonly ProfileName[]): SignatureProfile {
  return anyOf(...names.map((name) => PROFILES[name]));
}

const PROFILES: { readonly [name in ProfileName]: SignatureProfile } = { rfc9421, 'signed-headers': signedHeaders };

/** Whether a body follows, which nobody reads: the connection ends with the answer. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/** An authority without its port, and without the brackets of an address of IPv6. */
function hostName(authority: string): string {
  return authority
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1');
}

/** The key ring in the text of its file. Throws Error for another text. */
export function parseKeyRing(text: string): KeyRing {
  try {
    return keyRingFrom(JSON.parse(text));
  } catch (error) {
    throw new Error(`edge/keyring.json: ${String(error)}`, { cause: error });
  }
}

function requestOf(incoming: IncomingMessage, isProxied: boolean): RuleRequest {
  const { rawHeaders } = incoming;
  const fields = rawHeaders.flatMap((name, i): FieldLine[] =>
    i % 2 === 0 ? [[name.toLowerCase(), rawHeaders[i + 1] ?? '']] : [],
  );
  const { url = '', headers } = incoming;
  // The absolute form names the authority itself, and Host counts for nothing then (RFC 9112, 3.2.2).
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
    keyRing: async () => parseKeyRing(await readFile(keyRingPath, 'utf8')),
    pointer: (front) => absentAsNull(readFile(join(publicRoot, pointerPath(front)), 'utf8')),
    open: (path) => absentAsNull(openFile(join(publicRoot, path))),
  };
}

async function openFile(path: string): Promise<ServedFile> {
  const file = await open(path);
  const { size } = await file.stat();
  return { bytes: size, content: () => file.createReadStream({ autoClose: false }), close: () => file.close() };
}

/** What is read of a file; null when it is missing. */
export async function absentAsNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
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
    // nginx would take the name itself along to what it answers where the file is missing.
    outgoing.setHeader('X-Playbill-Cache-Control', outgoing.getHeader('Cache-Control') ?? '');
    outgoing.removeHeader('Cache-Control');
    for (const [name, value] of file) outgoing.setHeader(name, value);
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

const isFileHeaders = (file: ServedFile | FileHeaders | string): file is FileHeaders => Array.isArray(file);
