// What the folders of nginx and of the authorizer behind nginx share: the three files of a server,
// checks of values that could break their syntax, the problem documents of nginx's own errors, and
// an nginx.conf for trying out.
//
// An operator includes the locations in a server of their own, whose settings they inherit: so each
// location overrides every setting that would change an answer, and nothing stands outside of one.
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
import { rendered, renderedPart } from '../../template.ts';
import { rulePaths } from '../deployment.ts';
import type { DeploymentFiles, TargetOptions } from '../target.ts';

/** Throws Error for a path that is not absolute or cannot be quoted in the configuration. */
export function checkPath(name: string, path: string): void {
  if (!/^\/[^"$\\\n\r]*$/.test(path))
    throw new Error(`${name}: expected an absolute path without quotes, backslashes and $, found "${path}"`);
}

/**
 * Throws Error for an address that nginx cannot listen on, and for a parameter that is none of
 * these. @returns whether it is for TLS
 */
function checkListen(listen: string): boolean {
  const [address = '', ...parameters] = listen.split(' ');
  // PORT or HOST:PORT; or ADDRESS or unix:/PATH. nginx itself would accept any word as a host name.
  const port = /^(?:(?:\*|[\w.-]+|\[[\da-f:.]+\]):)?(\d{1,5})$/i.exec(address)?.[1];
  const isValid =
    port === undefined
      ? /^(?:unix:\/[\w./-]+|\d+(?:\.\d+){3}|\[[\da-f:.]+\])$/i.test(address)
      : Number(port) >= 1 && Number(port) <= 65_535;
  const kinds = 'a port, an address with a port or unix:/PATH, such as 127.0.0.1:8080';
  if (!isValid) throw new Error(`listen: expected ${kinds}, found "${listen}"`);
  const unknown = parameters.find((one) => !/^(ssl|http2|default_server|ipv6only=(on|off))$/.test(one));
  if (unknown !== undefined)
    throw new Error(`listen: expected ssl, http2, default_server or ipv6only=off after ${address}, found "${unknown}"`);
  return parameters.includes('ssl');
}

/** Throws Error for a text that is not one or more names of hosts. */
function checkServerName(text: string): void {
  if (!/^(\*\.)?[\w-]+(\.[\w-]+)*( (\*\.)?[\w-]+(\.[\w-]+)*)*$/.test(text))
    throw new Error(`--server-name: expected the name of a host, such as tickets.example, found "${text}"`);
}

/**
 * The statuses of nginx's own errors, and the reasons that replace them. nginx uses 494 and 497
 * internally; its 500 becomes our 503.
 */
const OWN_REFUSALS: readonly (readonly [own: number, reason: Reason])[] = [
  [400, 'request-malformed'],
  [404, 'not-found'],
  [405, 'method-not-allowed'],
  [412, 'precondition-failed'],
  [413, 'content-too-large'],
  [414, 'uri-too-long'],
  [494, 'header-too-large'],
  [497, 'request-malformed'],
  [500, 'internal'],
  [501, 'not-implemented'],
  [505, 'http-version-not-supported'],
];
/** Those that occur once nginx has chosen a location of ours. */
const OF_LOCATIONS: readonly number[] = [400, 413, 500];
/** Those of a server behind it. */
const OF_PROXIES = [
  [502, 'internal'],
  [504, 'internal'],
] as const;

/** The problem document for an error of the proxy itself. */
export const documentOf = (reason: Reason): string => refuse(REFUSALS[reason].status, reason).body.trimEnd();

const errorPages = (refusals: readonly (readonly [own: number, reason: Reason])[]): string =>
  refusals.map(([own, reason]) => `  error_page ${own} =${REFUSALS[reason].status} /playbill-refusal;`).join('\n');

/** A server of a target. */
export interface NginxServer {
  /** The name of the target. */
  readonly target: string;
  /** Whether a service behind nginx answers. */
  readonly isProxy: boolean;
  readonly base: string;
  readonly options: Pick<TargetOptions, 'folder' | 'listen' | 'serverName' | 'certificate' | 'certificateKey'>;
  /** What belongs into the http block; `maps`: what both targets need there. */
  readonly http: (maps: string) => string;
  /** The inside of a location that answers a request. */
  readonly answer: (errorPages: string) => string;
  /** The locations; `paths`: those that answer. */
  readonly locations: (paths: string, refusal: string, errorPages: string) => string;
}

/**
 * The two parts for an operator's own configuration, and a whole server that includes both. They
 * name each other by the path of the folder: nginx resolves a relative path from its own. Throws
 * Error for options that cannot work.
 */
export function serverFiles(server: NginxServer): DeploymentFiles {
  const { target, isProxy, base } = server;
  const { folder, listen, serverName, certificate, certificateKey } = server.options;
  checkPath('--to', folder);
  // nginx takes the path of an include for a pattern.
  if (/[*?[]/.test(folder)) throw new Error(`--to: expected a path without "*", "?" and "[", found "${folder}"`);
  const isTls = checkListen(listen);
  if (serverName !== null) checkServerName(serverName);
  checkCertificate(listen, isTls, certificate, certificateKey);
  const ofProxies = isProxy ? OF_PROXIES : [];
  const inLocations = errorPages([...OWN_REFUSALS.filter(([own]) => OF_LOCATIONS.includes(own)), ...ofProxies]);
  const answer = server.answer(inLocations);
  const maps = renderedPart('nginx/maps.conf', {
    problems: [...new Set(OWN_REFUSALS.map(([, reason]) => reason))]
      .map((reason) => `  ${REFUSALS[reason].status} '${documentOf(reason)}\n';`)
      .join('\n'),
  });
  const paths = rulePaths(base).map((path) => `location = ${path} {\n${answer}\n}`);
  const whole = rendered('nginx/playbill.conf', {
    target,
    folder,
    listen,
    named: serverName !== null,
    serverName: serverName ?? '',
    tls: isTls,
    certificate: certificate ?? '',
    certificateKey: certificateKey ?? '',
    answer: answer.replaceAll(/^/gm, '  '),
    errorPages: errorPages([...OWN_REFUSALS, ...ofProxies]),
  });
  return [
    ['playbill-http.conf', server.http(maps)],
    ['playbill-locations.conf', server.locations(paths.join('\n'), renderedPart('nginx/refusal.conf'), inLocations)],
    ['playbill.conf', whole],
  ];
}

function checkCertificate(listen: string, isTls: boolean, certificate: string | null, key: string | null): void {
  if (certificate !== null) checkPath('--certificate', certificate);
  if (key !== null) checkPath('--certificate-key', key);
  if (isTls && (certificate === null || key === null))
    throw new Error(`expected --certificate FILE and --certificate-key FILE with --listen "${listen}"`);
  if (!isTls && (certificate !== null || key !== null))
    throw new Error(`expected --listen "443 ssl" with --certificate and --certificate-key, found "${listen}"`);
}

/**
 * A whole nginx.conf for trying out, with the module of njs if it is needed. nginx writes only
 * below its prefix.
 */
export const standalone = (njs: boolean): string => rendered('nginx/nginx.conf', { njs });
