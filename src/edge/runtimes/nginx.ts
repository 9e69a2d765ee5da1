// The rule under nginx with njs: js_content decides; an internal redirect to a named location, which no client can ask for, sends the
// file with sendfile and gzip_static. Written in the syntax of njs 0.7 (README.md). It answers nothing itself but 304s and refusals.

import { acceptedEncodings } from '../rule/encoding.ts';
import { keyRingFileFrom } from '../rule/key-store.ts';
import type { PointerText } from '../rule/pointer.ts';
import { refuse } from '../rule/refusal.ts';
import { type FieldLine, fieldValue, type RuleRequest } from '../rule/request.ts';
import { decide, type Decision } from '../rule/rule.ts';
import { rfc9421FastPath } from '../rule/rfc9421-fast-path.ts';
import { rfc9421 } from '../rule/rfc9421.ts';
import { DEFAULT_SETTINGS, type SettingsFile } from '../rule/settings.ts';
import type { RuleSettings } from '../rule/profile.ts';
import { pointerPath } from '../rule/tree.ts';
import { type NjsCrypto, njsKeyRing } from './njs-crypto.ts';

/** What njs gives of a request; only what is used here. */
export interface NjsRequest {
  readonly method: string;
  readonly rawHeadersIn: readonly FieldLine[];
  readonly headersIn: { readonly [name: string]: string | undefined };
  readonly headersOut: { [name: string]: string };
  readonly variables: { [name: string]: string };
  status: number;
  return(status: number, body: string): void;
  sendHeader(): void;
  finish(): void;
  internalRedirect(location: string): void;
}

/** The bytes of a file in njs; only what is used here. */
interface NjsBuffer {
  readonly length: number;
  indexOf(text: string): number;
  toString(encoding: 'utf8', start: number, end: number): string;
}

/** The modules of njs that the rule uses. */
export interface NjsModules {
  readonly fs: { readFileSync(path: string): NjsBuffer };
  readonly crypto: NjsCrypto;
}

// What the server configuration preloads (js_preload_object): parsed once, at the price of a reload after a change.
declare const playbill_keyring: unknown;
declare const playbill_settings: SettingsFile;
declare const playbill_secrets: { readonly [name: string]: unknown };

/**
 * The functions that the server configuration names. `answer` decides, `again` is for an edition that is gone, `gone` for one twice gone;
 * `withoutLength` is a filter of headers.
 */
export function nginxHandlers(modules: NjsModules) {
  return {
    answer: (r: NjsRequest) => answer(r, modules, '@playbill_edition'),
    again: (r: NjsRequest) => answer(withoutHeaders(r), modules, '@playbill_edition_again'),
    gone: (r: NjsRequest) => send(withoutHeaders(r), refuse(503, 'internal', withForms(DEFAULT_SETTINGS)), NOWHERE),
    withoutLength: (r: NjsRequest) => void delete r.headersOut['Content-Length'],
  };
}

/** Settings with the same profile twice: first for what nearly all send. */
function withForms(file: SettingsFile): RuleSettings {
  return {
    profiles: [rfc9421FastPath, rfc9421],
    base: file.base,
    maxAge: file.maxAge,
    requiresAuthority: file.requiresAuthority,
  };
}

async function answer(r: NjsRequest, modules: NjsModules, location: string): Promise<void> {
  const now = Date.now() / 1000;
  try {
    const settings = withForms(playbill_settings);
    const keyRing = njsKeyRing(keyRingFileFrom(playbill_keyring), secretOf, modules.crypto);
    const root = r.variables['document_root'] ?? '';
    const request = requestOf(r);
    const pointers = { read: (front: string) => readPointer(modules, `${root}/${pointerPath(front)}`) };
    const decision = await decide(request, pointers, keyRing, settings, now);
    send(r, decision, locationsFor(request, location));
  } catch {
    send(r, refuse(503, 'internal', withForms(DEFAULT_SETTINGS)), NOWHERE);
  }
}

function requestOf(r: NjsRequest): RuleRequest {
  return {
    method: r.method,
    scheme: r.variables['scheme'] ?? '',
    authority: r.variables['http_host'] ?? '',
    // Not r.uri: nginx has already turned `//x/` and `/%75x/` into something else there.
    target: r.variables['request_uri'] ?? '',
    lines: (name) => linesOf(r, name),
  };
}

/** The fields that the rule itself asks for: of others njs may show the first line alone. */
const JOINED: { readonly [name: string]: true } = {
  'x-front': true,
  'signature-input': true,
  signature: true,
  'if-none-match': true,
  'accept-encoding': true,
};

/** r.headersIn joins repeated lines by a comma: a value without one was a line of its own. It finds them by nginx's own index. */
function linesOf(r: NjsRequest, name: string): readonly string[] {
  const value = r.headersIn[name];
  if (value === undefined) return [];
  // `__proto__` and `constructor` are names as well.
  const isOneLine = JOINED[name] === true && value.indexOf(',') < 0 && value.indexOf('\t') < 0;
  return isOneLine ? [value] : rawLinesOf(r, name);
}

function rawLinesOf(r: NjsRequest, name: string): readonly string[] {
  return r.rawHeadersIn.filter((line) => line[0].toLowerCase() === name).map((line) => withoutTabs(line[1]));
}

/** nginx takes only spaces off a value, and not tabs. `trim` would take more than blanks from what is not ASCII. */
function withoutTabs(value: string): string {
  return value.includes('\t') && !/[^\t -~]/.test(value) ? value.trim() : value;
}

/** The named locations of a request: where it goes, and where it goes on from there when the tree has no `.br`. */
interface Locations {
  readonly first: string;
  readonly plain: string;
}

/** Of what is not served. */
const NOWHERE: Locations = { first: '', plain: '' };

/**
 * nginx itself negotiates gzip; a client that takes br goes where `.br` is tried first. HEAD has a place of its own: nginx compresses
 * nothing for it, and the length of the plain file would be wrong (RFC 9110, 8.6).
 */
function locationsFor(request: RuleRequest, location: string): Locations {
  const plain = request.method === 'HEAD' ? `${location}_head` : location;
  const takesBrotli = acceptedEncodings(fieldValue(request, 'accept-encoding'), ['br']).length > 0;
  return { first: takesBrotli ? `${location}_br` : plain, plain };
}

/** The configuration has secrets only where a key needs one: a name that was never declared throws when it is read. */
function secretOf(name: string): string | null {
  if (typeof playbill_secrets === 'undefined') return null;
  // What every object inherits is no text.
  const secret = playbill_secrets[name];
  return typeof secret === 'string' ? secret : null;
}

function readPointer(modules: NjsModules, path: string): PointerText | null {
  try {
    const bytes = modules.fs.readFileSync(path);
    // Decoding all of a pointer would cost njs more than reading it.
    return {
      length: bytes.length,
      indexOf: (text) => bytes.indexOf(text),
      slice: (start, end) => bytes.toString('utf8', start, end ?? bytes.length),
    };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** A second decision about a request leaves nothing of the first one's headers behind. */
function withoutHeaders(r: NjsRequest): NjsRequest {
  const names = Object.keys(r.headersOut);
  for (let i = 0; i < names.length; i++) delete r.headersOut[names[i] ?? ''];
  return r;
}

function send(r: NjsRequest, decision: Decision, locations: Locations): void {
  for (let i = 0; i < decision.headers.length; i++) {
    const line = decision.headers[i];
    if (line !== undefined) r.headersOut[line[0]] = line[1];
  }
  if (decision.kind === 'serve') {
    r.variables['playbill_file'] = decision.file;
    r.variables['playbill_plain'] = locations.plain;
    r.internalRedirect(locations.first);
  } else if (decision.kind === 'unchanged') {
    // `return` would add the length of no content, which a 304 must not have (RFC 9110, 8.6).
    r.status = decision.status;
    r.sendHeader();
    r.finish();
  } else {
    r.return(decision.status, decision.body);
  }
}
