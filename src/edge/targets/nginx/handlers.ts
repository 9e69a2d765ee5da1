// The rule in nginx with njs, for a tree in a folder. js_content decides; an internal redirect to a
// named location, which clients cannot reach, sends the file with sendfile and gzip_static. Only
// 304s and refusals come from here. Written in the syntax of njs 0.7 (README.md).
//
// The cost of njs: additional instructions per request compared with a plain file, in thousands,
// measured with callgrind on nginx: 15 to enter njs, 43 for the module's top level (which runs for
// every request; 0.7 per function), 32 to create the request and the key store, 24 to read the
// target, 53 to read the signature, 100 to verify it (64 of them for SHA-256), 16 to read the
// pointer, 90 to find the edition, 33 to answer. A function call costs 0.4, a closure 0.3, an
// `instanceof` 0.5, a string method 1 to 2 plus 0.03 per character searched, a template 2 (`+`
// costs 1), an object literal 1 to 4, and a regular expression 6 to 9, or 40 if it is not a literal
// and must be compiled. Promises for each step of the verification cost 40 in all, so values that
// are available are used at once (`maybe-async.ts`). Decoding UTF-8 costs 0.06 per byte, and
// `indexOf` in a buffer half as much. Therefore the rule searches the pointer's bytes, from the
// nearer end, and decodes only what it compares. Minified syntax, functions instead of arrows, and
// comparing digests in a loop gain nothing. njs keeps nothing between requests, so every request
// reads the key ring. Its lines have equal width, and only the keyid of a compared line is decoded.
// Texts of more than 14 characters are allocated, which takes long enough to tell keys apart. So
// the text cut out of a line has the same length for every key.

import { acceptedEncodings } from '../../rule/encoding.ts';
import { andThen, type MaybeAsync, recover } from '../../rule/maybe-async.ts';
import { type FileText, findKeyIn, type FoundLine } from '../../rule/key-ring-text.ts';
import type { PointerText } from '../../rule/pointer.ts';
import type { Refusal } from '../../rule/refusal-response.ts';
import type { RuleRequest } from '../../rule/request.ts';
import { readTarget, type RequestTarget, select } from '../../rule/rule.ts';
import { pointerPath } from '../../rule/tree.ts';
import {
  authorized,
  logUnreadable,
  type NjsBuffer,
  type NginxSecrets,
  type NginxSettings,
  type NjsRequest,
  textOf,
  requestOf,
  send,
  sendUnavailable,
  setHeaders,
  unusablePointer,
  withoutHeaders,
} from './request.ts';
import type { NjsCrypto } from './njs-crypto.ts';

declare const PLAYBILL: NginxSettings;
declare const Buffer: { alloc(length: number): Uint8Array & NjsBuffer };

/** The module `fs` of njs; only the functions used here. */
interface NjsFiles {
  readFileSync(path: string): NjsBuffer;
  openSync(path: string, flags: 'r'): number;
  fstatSync(file: number): { readonly size: number };
  readSync(file: number, to: Uint8Array, offset: number, length: number, position: number): number;
  closeSync(file: number): void;
}

export interface NjsModules {
  readonly fs: NjsFiles;
  readonly crypto: NjsCrypto;
  readonly secrets: NginxSecrets;
}

/**
 * The functions that the server configuration calls. `answer` authorizes a request and selects its
 * file. If that has vanished, `again` selects a second time; if that has vanished too,
 * `unavailable` answers. `withoutLength` is a header filter.
 */
export function nginxHandlers(modules: NjsModules) {
  return {
    answer: (r: NjsRequest) => answer(r, modules),
    again: (r: NjsRequest) => again(withoutHeaders(r), modules),
    unavailable: (r: NjsRequest) => sendUnreadable(r, `${r.variables['playbill_file'] ?? ''} cannot be sent`),
    withoutLength: (r: NjsRequest) => void delete r.headersOut['Content-Length'],
  };
}

function answer(r: NjsRequest, modules: NjsModules): MaybeAsync<void> {
  const now = Date.now() / 1000;
  return recover(
    () => {
      const request = requestOf(r);
      return andThen(
        authorized(request, (keyid) => findKey(r, modules.fs, keyid), modules.secrets, modules.crypto, now),
        (target) => sendSelected(r, request, target, now, modules, '@playbill_edition'),
      );
    },
    (error) => sendUnreadable(r, messageOf(error)),
  );
}

/**
 * Only authorized requests get here: clients cannot reach a named location, and only `answer` leads
 * to this one.
 */
function again(r: NjsRequest, modules: NjsModules): void {
  try {
    const request = requestOf(r);
    const target = readTarget(request, PLAYBILL.base);
    sendSelected(r, request, target, Date.now() / 1000, modules, '@playbill_edition_again');
  } catch (error) {
    sendUnreadable(r, messageOf(error));
  }
}

/** Reads the key ring for every request, so that a revoked key is refused at once. */
function findKey(r: NjsRequest, fs: NjsFiles, keyid: string): FoundLine {
  const path = PLAYBILL.keyRing;
  let file = -1;
  try {
    file = fs.openSync(path, 'r');
    return findKeyIn(partsOf(fs, file), keyid);
  } catch (error) {
    logUnreadable(r, path + ': ' + messageOf(error));
    throw error;
  } finally {
    if (file >= 0) fs.closeSync(file);
  }
}

/**
 * Up to this size a file is read in one call: each call of njs costs as much as reading ten
 * kilobytes.
 */
const WHOLE_MAX = 65_536;

function partsOf(fs: NjsFiles, file: number): FileText {
  const length = fs.fstatSync(file).size;
  const read = (start: number, size: number): NjsBuffer => {
    const bytes = Buffer.alloc(size);
    fs.readSync(file, bytes, 0, size, start);
    return bytes;
  };
  if (length <= WHOLE_MAX) return textOf(read(0, length));
  return {
    length,
    slice: (start, end) => textOf(read(start, end - start)).slice(0, end - start),
    part: (start, end) => textOf(read(start, end - start)),
  };
}

function sendUnreadable(r: NjsRequest, why: string): void {
  logUnreadable(r, why);
  sendUnavailable(r);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '');

function sendSelected(
  r: NjsRequest,
  request: RuleRequest,
  target: RequestTarget | Refusal,
  now: number,
  modules: NjsModules,
  location: string,
): void {
  if (target.kind === 'refuse') return send(r, target);
  const variables = r.variables;
  const pointer = readPointer(modules, (variables['document_root'] ?? '') + '/' + pointerPath(target.front));
  const decision = select(target, pointer, PLAYBILL.maxAge, now);
  if (decision.status === 503) logUnreadable(r, unusablePointer(target.front));
  if (decision.kind !== 'serve') return send(r, decision);
  setHeaders(r, decision.headers);
  // HEAD has its own location: nginx does not compress for HEAD, so it would send the length of the
  // plain file (RFC 9110, 8.6).
  const plain = request.method === 'HEAD' ? location + '_head' : location;
  const takesBrotli = acceptedEncodings(request.field('accept-encoding'), ['br']).length > 0;
  variables['playbill_file'] = decision.file;
  // The fallback if the tree has no `.br` sibling. nginx negotiates gzip itself.
  variables['playbill_plain'] = plain;
  r.internalRedirect(takesBrotli ? location + '_br' : plain);
}

function readPointer(modules: NjsModules, path: string): PointerText | null {
  try {
    return textOf(modules.fs.readFileSync(path));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new Error(path + ': ' + messageOf(error), { cause: error });
  }
}
