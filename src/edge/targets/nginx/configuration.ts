// What the folders of nginx and of the authorizer behind nginx share: checks of values that could break the configuration's syntax, the problem
// documents of nginx's own errors, and an nginx.conf for trying out.

import { type Reason, REFUSALS } from '../../rule/reasons.ts';
import { refuse } from '../../rule/refusal.ts';

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

/** For the server block: how long a client may take to send a request. By default nginx waits for a minute. */
export const CLIENT_TIMEOUTS = `  client_header_timeout 10s;
  client_body_timeout 10s;`;

/** The statuses of nginx's own errors, and the reasons that replace them. nginx uses 494 internally; its 500 becomes our 503. */
export const OWN_REFUSALS: readonly (readonly [own: number, reason: Reason])[] = [
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

/** The problem document for an error of the proxy itself. */
export const documentOf = (reason: Reason): string => refuse(REFUSALS[reason].status, reason).body.trimEnd();

/** For the http block: what a signature covers as `@authority`. */
export const AUTHORITY = `# The host that a request is for. A request line with a host in it overrides the header (RFC 9112, 3.2.2).
map $request $playbill_authority {
  "~^\\S+ +[A-Za-z][A-Za-z0-9+.-]*://(?<playbill_host>[^/?#\\s]*)" $playbill_host;
  default $http_host;
}`;

/** For the http block: the documents of nginx's own errors. */
export const PROBLEMS = `# The problem documents of nginx's own errors, in the form of the rule's refusals.
map $status $playbill_problem {
${OWN_REFUSALS.map(([, reason]) => `  ${REFUSALS[reason].status} '${documentOf(reason)}\n';`).join('\n')}
}
map $status $playbill_allow {
  405 "GET, HEAD";
}`;

/** For the server block: sends those documents. */
export const refusalLocation = (
  refusals: typeof OWN_REFUSALS,
): string => `${refusals.map(([own, reason]) => `  error_page ${own} =${REFUSALS[reason].status} /playbill-refusal;`).join('\n')}
  # Not a named location, because some errors occur before a request is read.
  location = /playbill-refusal {
    internal;
    # Otherwise nginx would refuse an HTTP/2 body here a second time.
    client_max_body_size 0;
    default_type application/problem+json;
    add_header Cache-Control no-store always;
    add_header Allow $playbill_allow always;
    return 200 $playbill_problem;
  }`;

/** A whole nginx.conf for trying out. nginx writes only below its prefix. */
export const standalone = (
  modules: string,
): string => `# An nginx that serves only the rule. In this folder, run: nginx -p "$PWD" -c nginx.conf

${modules}worker_processes auto;
pid nginx.pid;
error_log stderr warn;
daemon off;

events {}

http {
  access_log off;
  client_body_temp_path temp;
  proxy_temp_path temp;
  fastcgi_temp_path temp;
  uwsgi_temp_path temp;
  scgi_temp_path temp;
  include playbill.conf;
}
`;
