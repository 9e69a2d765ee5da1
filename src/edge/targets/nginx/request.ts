// Handles a request in njs: reads its headers, authorizes it, and sends answers that have no file.
// Written in the syntax of njs 0.7 (README.md).

import type { FileResponse } from '../../rule/file-response.ts';
import type { MaybeAsync } from '../../rule/maybe-async.ts';
import type { PointerText } from '../../rule/pointer.ts';
import type { FileText, FoundLine } from '../../rule/key-ring-text.ts';
import { anyOf, type ProfileName } from '../../rule/profile.ts';
import { refuse, type Refusal } from '../../rule/refusal-response.ts';
import { type FieldLine, linesAmong, type RuleRequest } from '../../rule/request.ts';
import { rfc9421FastPath } from '../../rule/rfc9421-fast-path.ts';
import { rfc9421 } from '../../rule/rfc9421.ts';
import { authorize, type Decision, type RequestTarget } from '../../rule/rule.ts';
import type { SettingsFile } from '../../rule/settings.ts';
import { pointerPath } from '../../rule/tree.ts';
import { type NjsCrypto, njsKeyStore } from './njs-crypto.ts';
import { profileOf } from '../../rule/profiles.ts';

/** A request in njs; only the members used here. */
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
  /** Writes a line to the error log. */
  error(message: string): void;
}

/** A buffer in njs; only the members used here. */
export interface NjsBuffer {
  readonly length: number;
  indexOf(text: string): number;
  lastIndexOf(text: string): number;
  toString(encoding: 'utf8', start: number, end: number): string;
}

/** The configuration that `edge build` writes at the start of the bundle. */
export interface NginxSettings extends SettingsFile {
  /** The absolute path of the key ring. */
  readonly keyRing: string;
  /** The accepted signing profiles. */
  readonly profiles: readonly ProfileName[];
}

declare const PLAYBILL: NginxSettings;

/** The secrets by their names, as the operator wrote them. */
export type NginxSecrets = () => { readonly [name: string]: unknown };

/** rfc9421, with the fast path for the form that nearly all clients send. */
const rfc9421InNjs = anyOf([rfc9421FastPath, rfc9421]);

/**
 * The first step of the rule. `find`: looks up a keyid in the current key ring; `now`: seconds
 * since 1970.
 */
export function authorized(
  request: RuleRequest,
  find: (keyid: string) => FoundLine,
  secrets: NginxSecrets,
  njsCrypto: NjsCrypto,
  now: number,
): MaybeAsync<RequestTarget | Refusal> {
  const keys = njsKeyStore(find, (name) => secretIn(secrets, name), njsCrypto);
  const profile = profileOf(PLAYBILL.profiles, rfc9421InNjs);
  return authorize(request, keys, profile, PLAYBILL, now);
}

export function requestOf(r: NjsRequest): RuleRequest {
  const variables = r.variables;
  const headers = r.headersIn;
  const lines = linesAmong(() => r.rawHeadersIn);
  return {
    method: r.method,
    scheme: variables['scheme'] ?? '',
    authority: variables['playbill_authority'] || authorityFrom(variables),
    // Not r.uri, which nginx has normalised: `//x/` and `/%75x/` would be other paths there.
    target: variables['request_uri'] ?? '',
    lines: (name) => lines(name).map(withoutTabs),
    field: (name) => {
      // Fast, because njs uses nginx's own index. It joins repeated lines of the fields read here.
      // For fields of which it shows only the first line, the rule uses `lines`.
      const value = headers[name];
      if (value === undefined) return null;
      // The other fields need no trimming: a tab makes them fail the fast path, and then `lines`
      // trims them.
      return name === 'x-front' || name === 'if-none-match' ? withoutTabs(value) : value;
    },
  };
}

/**
 * For requests without $http_host: over HTTP/3 from nginx 1.25 to 1.29.4, where `$host` has no
 * port, so the port of this server is assumed; and by HTTP/1.0, which may name no host at all:
 * `$host` would be the name of this server.
 */
function authorityFrom(variables: NjsRequest['variables']): string {
  if (variables['server_protocol'] !== 'HTTP/3.0') return '';
  const host = variables['host'] ?? '';
  const port = variables['server_port'] ?? '';
  return host && port ? host + ':' + port : host;
}

/**
 * nginx trims spaces from a value, but not tabs. Values that are not ASCII are left alone, because
 * `trim` removes more than spaces and tabs.
 */
function withoutTabs(value: string): string {
  return value.includes('\t') && !/[^\t -~]/.test(value) ? value.trim() : value;
}

/** null if there is no such secret. */
function secretIn(secrets: NginxSecrets, name: string): string | null {
  // Inherited properties, such as `constructor`, are not strings.
  const secret = secrets()[name];
  return typeof secret === 'string' ? secret : null;
}

/** Decodes only the parts that are used: decoding a whole file costs njs more than reading it. */
export function textOf(bytes: NjsBuffer): PointerText & FileText {
  const length = bytes.length;
  return {
    length,
    indexOf: (text) => bytes.indexOf(text),
    lastIndexOf: (text) => bytes.lastIndexOf(text),
    slice: (start, end) => bytes.toString('utf8', start < 0 ? length + start : start, end ?? length),
    part: (from) => ({ slice: (start, end) => bytes.toString('utf8', from + start, from + end) }),
  };
}

/** Removes the headers that the first selection set, before a second one. */
export function withoutHeaders(r: NjsRequest): NjsRequest {
  Object.keys(r.headersOut).forEach((name) => delete r.headersOut[name]);
  return r;
}

export function setHeaders(r: NjsRequest, headers: readonly FieldLine[]): void {
  const out = r.headersOut;
  headers.forEach((line) => (out[line[0]] = line[1]));
}

/** Sends a refusal or a 304. */
export function send(r: NjsRequest, decision: Exclude<Decision, FileResponse>): void {
  setHeaders(r, decision.headers);
  if (decision.kind === 'refuse') return r.return(decision.status, decision.body);
  // `return` would add `Content-Length: 0`, which a 304 must not have (RFC 9110, 8.6).
  r.status = decision.status;
  r.sendHeader();
  r.finish();
}

/** Logs a reason that clients do not see. */
export function logUnreadable(r: NjsRequest, why: string): void {
  r.error('playbill: the tree cannot be read: ' + why);
}

/** The reason for the log if the rule cannot use a front's pointer. */
export const unusablePointer = (front: string): string =>
  pointerPath(front) + " is torn, of another schema, or another front's";

/** Sends a 503, for an unreadable tree or an unexpected error. */
export function sendUnavailable(r: NjsRequest): void {
  send(withoutHeaders(r), refuse(503, 'internal'));
}
