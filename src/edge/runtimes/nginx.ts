// The rule under nginx with njs, over a folder: js_content decides; an internal redirect to a named location, which no client can name, sends the file
// with sendfile and gzip_static. It sends nothing itself but 304s and refusals. Written in the syntax of njs 0.7 (README.md).

import { acceptedEncodings } from '../rule/encoding.ts';
import type { PointerText } from '../rule/pointer.ts';
import type { Refusal } from '../rule/refusal.ts';
import { fieldValue, type RuleRequest } from '../rule/request.ts';
import { readTarget, type RequestTarget, select } from '../rule/rule.ts';
import type { SettingsFile } from '../rule/settings.ts';
import { pointerPath } from '../rule/tree.ts';
import {
  authorized,
  type NjsBuffer,
  type NjsRequest,
  pointerTextOf,
  requestOf,
  send,
  sendUnavailable,
  setHeaders,
  withoutHeaders,
} from './nginx-request.ts';
import type { NjsCrypto } from './njs-crypto.ts';

declare const playbill_settings: SettingsFile;

/** The modules of njs that the rule uses. */
export interface NjsModules {
  readonly fs: { readFileSync(path: string): NjsBuffer };
  readonly crypto: NjsCrypto;
}

/**
 * The functions that the server configuration names. `answer` authorizes a request and selects its file; `again` selects once more, where
 * that file has vanished; `unavailable` is for a second one that has. `withoutLength` is a header filter.
 */
export function nginxHandlers(modules: NjsModules) {
  return {
    answer: (r: NjsRequest) => answer(r, modules),
    again: (r: NjsRequest) => again(withoutHeaders(r), modules),
    unavailable: sendUnavailable,
    withoutLength: (r: NjsRequest) => void delete r.headersOut['Content-Length'],
  };
}

async function answer(r: NjsRequest, modules: NjsModules): Promise<void> {
  const now = Date.now() / 1000;
  try {
    const request = requestOf(r);
    const target = await authorized(request, modules.crypto, now);
    sendSelected(r, request, target, now, modules, '@playbill_edition');
  } catch {
    sendUnavailable(r);
  }
}

/** Only authorized requests get here: no client can name this location, and nothing but a redirect of `answer` leads to it. */
function again(r: NjsRequest, modules: NjsModules): void {
  try {
    const request = requestOf(r);
    const target = readTarget(request, playbill_settings.base);
    sendSelected(r, request, target, Date.now() / 1000, modules, '@playbill_edition_again');
  } catch {
    sendUnavailable(r);
  }
}

function sendSelected(
  r: NjsRequest,
  request: RuleRequest,
  target: RequestTarget | Refusal,
  now: number,
  modules: NjsModules,
  location: string,
): void {
  if (target.kind === 'refuse') return send(r, target);
  const pointer = readPointer(modules, `${r.variables['document_root'] ?? ''}/${pointerPath(target.front)}`);
  const decision = select(target, pointer, playbill_settings.maxAge, now);
  if (decision.kind !== 'serve') return send(r, decision);
  setHeaders(r, decision.headers);
  // HEAD has a place of its own: nginx compresses nothing for it, and the length of the plain file would be wrong (RFC 9110, 8.6).
  const plain = request.method === 'HEAD' ? `${location}_head` : location;
  const takesBrotli = acceptedEncodings(fieldValue(request, 'accept-encoding'), ['br']).length > 0;
  r.variables['playbill_file'] = decision.file;
  // Where a request for `.br` goes on when the tree has no such sibling. gzip is negotiated by nginx itself.
  r.variables['playbill_plain'] = plain;
  r.internalRedirect(takesBrotli ? `${location}_br` : plain);
}

function readPointer(modules: NjsModules, path: string): PointerText | null {
  try {
    return pointerTextOf(modules.fs.readFileSync(path));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
