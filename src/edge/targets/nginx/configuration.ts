// What the folders of nginx and of the authorizer behind nginx share: checks of values that could
// break the configuration's syntax, the problem documents of nginx's own errors, and an nginx.conf
// for trying out.
//
// nginx: clients cannot reach a named location, so `r.internalRedirect('@…')` is safe without
// `internal`, and headers set before it are kept. Without `default_type ""` where njs answers, a
// 304 gets a Content-Type. `rewrite … break` sends a file without the `stat` of `try_files`, which
// is used only for clients that accept br. nginx trims spaces from a header's value, but not tabs.
// nginx itself answers `If-Match` and `If-Unmodified-Since` with 412, and a request line such as
// `/../x` with 400. `error_page` turns its own errors into problem documents through a plain
// internal location, because some occur before there is a request to route. njs reads a whole body
// to disk before `js_content` runs; `client_max_body_size 1` refuses it first. `r.return` gives a
// 304 the length 0; `sendHeader` and `finish` do not. nginx does not compress for HEAD and would
// announce the plain file's length.

import { type Reason, REFUSALS } from '../../rule/refusal-codes.ts';
import { refuse } from '../../rule/refusal-response.ts';
import { rendered, renderedPart, type Values } from '../../template.ts';

/** Throws Error for a path that is not absolute or cannot be quoted in the configuration. */
export function checkPath(name: string, path: string): void {
  if (!/^\/[^"$\\\n\r]*$/.test(path))
    throw new Error(`${name}: expected an absolute path without quotes, backslashes and $, found "${path}"`);
}

/** Throws Error for an address that nginx cannot listen on. */
export function checkListen(listen: string): void {
  // PORT or HOST:PORT; or ADDRESS or unix:/PATH. nginx itself would accept any word as a host name.
  const port = /^(?:(?:\*|[\w.-]+|\[[\da-f:.]+\]):)?(\d{1,5})$/i.exec(listen)?.[1];
  const isValid =
    port === undefined
      ? /^(?:unix:\/[\w./-]+|\d+(?:\.\d+){3}|\[[\da-f:.]+\])$/i.test(listen)
      : Number(port) >= 1 && Number(port) <= 65_535;
  const kinds = 'a port, an address with a port or unix:/PATH, such as 127.0.0.1:8080';
  if (!isValid) throw new Error(`listen: expected ${kinds}, found "${listen}"`);
}

/**
 * The statuses of nginx's own errors, and the reasons that replace them. nginx uses 494 internally;
 * its 500 becomes our 503.
 */
const OWN_REFUSALS: readonly (readonly [own: number, reason: Reason])[] = [
  [400, 'request-malformed'],
  [404, 'not-found'],
  [405, 'method-not-allowed'],
  [412, 'precondition-failed'],
  [413, 'content-too-large'],
  [414, 'uri-too-long'],
  [494, 'header-too-large'],
  [500, 'internal'],
  [501, 'not-implemented'],
  [505, 'http-version-not-supported'],
];
/** With those of a server behind it. */
const OWN_REFUSALS_OF_PROXY = [...OWN_REFUSALS, [502, 'internal'], [504, 'internal']] as const;

/** The problem document for an error of the proxy itself. */
export const documentOf = (reason: Reason): string => refuse(REFUSALS[reason].status, reason).body.trimEnd();

/**
 * The parts that every configuration of nginx has, on the level that each is for: http or server.
 */
export const serverValues = (isProxy: boolean): Values => ({
  http: renderedPart('nginx/http.conf', {
    problems: OWN_REFUSALS.map(([, reason]) => `  ${REFUSALS[reason].status} '${documentOf(reason)}\n';`).join('\n'),
  }),
  clientTimeouts: renderedPart('nginx/client-timeouts.conf'),
  refusal: renderedPart('nginx/refusal.conf', {
    errorPages: (isProxy ? OWN_REFUSALS_OF_PROXY : OWN_REFUSALS)
      .map(([own, reason]) => `  error_page ${own} =${REFUSALS[reason].status} /playbill-refusal;`)
      .join('\n'),
  }),
});

/**
 * A whole nginx.conf for trying out, with the module of njs if it is needed. nginx writes only
 * below its prefix.
 */
export const standalone = (njs: boolean): string => rendered('nginx/nginx.conf', { njs });
