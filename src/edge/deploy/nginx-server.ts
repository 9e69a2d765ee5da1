// What a folder for nginx with njs has wherever the tree is: the configuration around the locations that send editions, the settings, the
// README. Pure texts. Refuses what would break out of its place in the configuration.

import { type Reason, REFUSALS } from '../rule/reasons.ts';
import { refuse } from '../rule/refusal.ts';
import type { SettingsFile } from '../rule/settings.ts';
import { codeList, type DeploymentFiles, OWN_FILES, README_TITLE } from './deployment.ts';

/** A server, as the kind of its tree makes it. */
export interface NginxServer {
  /** The bundle, as text. */
  readonly bundle: string;
  /** With what the rule needs to find the tree. */
  readonly settings: SettingsFile;
  /** Argument of `listen`, such as `8080` or `127.0.0.1:8080`. */
  readonly listen: string;
  /** Names of secrets that playbill-secrets.json must have. */
  readonly secrets: readonly string[];
  readonly tree: NginxTree;
  /** Files beside those that every server has. */
  readonly files: DeploymentFiles;
}

/** Where the tree is, as lines of the configuration and as text for an operator. */
export interface NginxTree {
  /** For the http block: variables that the rule sets. */
  readonly variables: string;
  /** In the server: behind `listen`, and behind the settings that every location has. */
  readonly root: string;
  readonly sending: string;
  /** The locations that send an edition, `again` among them. */
  readonly locations: string;
  /** In nginx.conf, before it includes the server. */
  readonly standalone: string;
  readonly readme: {
    /** Where the tree is read from, and by what right. */
    readonly tree: string;
    /** Secrets beyond those of the key ring, behind their list. */
    readonly secrets: string;
    /** More lines of how it is installed. */
    readonly install: string;
    readonly after: string;
    readonly limits: string;
  };
}

/** The files of the folder. Throws Error for a path or an address that would break out of its place in the configuration. */
export function serverFiles(server: NginxServer): DeploymentFiles {
  checkListen(server.listen);
  const { secrets: names, files } = server;
  const secrets = Object.fromEntries(names.map((name) => [name, '']));
  const example = [['playbill-secrets.example.json', `${JSON.stringify(secrets, null, 2)}\n`] as const];
  const all = [
    ['README.md', readme(server)] as const,
    ['nginx.conf', standalone(NJS, server.tree.standalone)] as const,
    ...(names.length > 0 ? example : []),
    ['playbill-settings.json', `${JSON.stringify(server.settings)}\n`] as const,
    ['playbill.conf', configuration(server)] as const,
    ['playbill.js', server.bundle] as const,
    ...files,
  ];
  return all.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const NJS = 'load_module /usr/lib/nginx/modules/ngx_http_js_module.so;\n\n';

/** An absolute path that can stand in quotes. Throws Error for another. */
export function checkPath(name: string, path: string): void {
  if (!/^\/[^"$\\\n\r]*$/.test(path))
    throw new Error(`${name}: expected an absolute path without quotes, backslashes and $, found "${path}"`);
}

/** Throws Error for what nginx cannot listen on. */
export function checkListen(listen: string): void {
  if (isAddress(listen)) return;
  const kinds = 'a port, an address with a port or unix:/PATH, such as 127.0.0.1:8080';
  throw new Error(`listen: expected ${kinds}, found "${listen}"`);
}

/** A port, behind an address or a name or alone; an address alone; a socket. nginx would take any other word as the name of a host. */
function isAddress(listen: string): boolean {
  const port = /^(?:(?:\*|[\w.-]+|\[[\da-f:.]+\]):)?(\d{1,5})$/i.exec(listen)?.[1];
  if (port !== undefined) return Number(port) >= 1 && Number(port) <= 65_535;
  return /^(?:unix:\/[\w./-]+|\d+(?:\.\d+){3}|\[[\da-f:.]+\])$/i.test(listen);
}

/** For the http block of any nginx. Relative names are relative to the folder of nginx.conf. */
function configuration({ listen, secrets, tree }: NginxServer): string {
  return `# The edge rule of Playbill: include this in the http block. Written by playbill edge build --target nginx; see README.md.

js_import playbill from playbill.js;

# Read when nginx starts or reloads. Where one of these files is missing, njs 0.7 fails the test of the configuration without a message.
js_preload_object playbill_settings from playbill-settings.json;
${secrets.length > 0 ? '' : '# '}js_preload_object playbill_secrets from playbill-secrets.json;

${tree.variables}

${PROBLEMS}

server {
  listen ${listen};
${tree.root}
  # Everything passes the rule; no file can be reached but through the named locations, which no client can name.
  location / {
    js_content playbill.answer;
    # A 304 has no content, and so no type.
    default_type "";
  }

  # njs reads a body before it asks the rule. No request needs one: it is refused before that (the smallest limit is 1: 0 means none at all).
  client_max_body_size 1;

  types {}
  default_type application/json;
  server_tokens off;
  recursive_error_pages on;

  # nginx makes its ETag and Last-Modified of size and time, in which two editions may agree; the rule sets its own.
  etag off;
  if_modified_since off;
  max_ranges 0;
  add_header Last-Modified "";

${tree.sending}
  gzip on;
  gzip_types application/json;
  gzip_min_length 1000;
  gzip_comp_level 4;
  gzip_proxied any;

${refusalLocation(OWN_REFUSALS)}

${tree.locations}

  # The edition was pruned after its pointer was read: the pointer of now names another.
  location @playbill_again {
    js_content playbill.again;
    default_type "";
  }

  location @playbill_unavailable {
    js_content playbill.unavailable;
  }
}
`;
}

/** What nginx itself answers with, by its own number, and the reason that it becomes: 494 is nginx's alone, and its 500 is our 503. */
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

/** The document that a proxy sends where it refuses by itself. */
export const documentOf = (reason: Reason): string => refuse(REFUSALS[reason].status, reason).body.trimEnd();

/** For the http block: what nginx refuses by itself, in the form of the rule's refusals. */
export const PROBLEMS = `# What nginx refuses by itself, in the form of the rule's refusals.
map $status $playbill_problem {
${OWN_REFUSALS.map(([, reason]) => `  ${REFUSALS[reason].status} '${documentOf(reason)}\n';`).join('\n')}
}
map $status $playbill_allow {
  405 "GET, HEAD";
}`;

/** For the server: has those statuses answered by these documents. */
export const refusalLocation = (
  refusals: typeof OWN_REFUSALS,
): string => `${refusals.map(([own, reason]) => `  error_page ${own} =${REFUSALS[reason].status} /playbill-refusal;`).join('\n')}
  # No named location: some of these come before any request has been read.
  location = /playbill-refusal {
    internal;
    # In HTTP/2 the body would be refused here once more.
    client_max_body_size 0;
    default_type application/problem+json;
    add_header Cache-Control no-store always;
    add_header Allow $playbill_allow always;
    return 200 $playbill_problem;
  }`;

/** An nginx of its own, for trying out: everything it writes stays below its prefix. */
export const standalone = (
  modules: string,
  more: string,
): string => `# An nginx with nothing but the rule: nginx -p "$PWD" -c nginx.conf (in this folder).

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
${more}  include playbill.conf;
}
`;

function readme({ secrets: names, listen, tree }: NginxServer): string {
  const own = tree.readme;
  const secrets = `First make \`playbill-secrets.json\`: without it nginx ends without a message. Copy \`playbill-secrets.example.json\`, put each secret
between its quotes, and make the file readable for root alone (\`chmod 600\`): nginx reads it before it drops its privileges. These
secrets are needed: ${codeList(names)}.

An empty secret refuses its keys, as a missing one does. A new key with a secret needs its line here, before the reload.${own.secrets}`;
  const noSecrets = `No key of this key ring needs a secret, and this configuration reads none. The first key of the algorithm \`hmac-sha256\` needs more
than a reload: run \`playbill edge build --target nginx\` again, with the options of before, and install what it writes.`;
  return `${README_TITLE} for nginx

Written by \`playbill edge build --target nginx\`. It needs nginx 1.22 or newer with the njs module, 0.7.9 or newer
(Debian: \`apt-get install nginx libnginx-mod-http-js\`). ${OWN_FILES}

\`playbill.conf\` is the server, for the http block, \`playbill.js\` the rule; \`nginx.conf\` is a whole nginx with nothing else, for trying out.

${own.tree}

The rule listens on \`${listen}\`.

## Secrets

${names.length === 0 ? noSecrets : secrets}

## Try it, then install it

To try it, in this folder: \`nginx -p "$PWD" -c nginx.conf\`. To install it:

    cp playbill* /etc/nginx/
    ln -s ../playbill.conf /etc/nginx/conf.d/playbill.conf
${own.install}    nginx -t && nginx -s reload

If \`nginx -t\` fails without a message, one of the files is missing that \`playbill.conf\` preloads: the settings, or the secrets.

## After a change of keys

${own.after}

## Limits of this runtime

- Keys of the algorithm \`ed25519\` are refused: njs has no Ed25519.
- A body of more than one byte is refused with 413 before anything of it is stored, \`If-Match\` and \`If-Unmodified-Since\` with 412.
${own.limits}- Over HTTP/3 nginx 1.25 to 1.29.4 does not show the port that was asked for: it is taken for the one that the rule listens on.
- Malformed requests (400, 414, 431, 501, 505) are answered by the first server of an address, which may be another one than this.
`;
}
