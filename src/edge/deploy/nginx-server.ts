// The parts of a folder for nginx with njs that do not depend on where the tree is: most of the configuration, the settings and the README.
// Refuses values that could break the configuration's syntax.

import { type Reason, REFUSALS } from '../rule/reasons.ts';
import { refuse } from '../rule/refusal.ts';
import type { SettingsFile } from '../rule/settings.ts';
import { codeList, type DeploymentFiles, EMPTY_SECRET, NO_SECRETS, OWN_FILES, README_TITLE } from './deployment.ts';

/** What the configuration and the README are made from. */
export interface NginxServer {
  /** The bundle, as text. */
  readonly bundle: string;
  /** Includes where the rule finds the tree. */
  readonly settings: SettingsFile;
  /** Argument of `listen`, such as `8080` or `127.0.0.1:8080`. */
  readonly listen: string;
  /** The names of the secrets that playbill-secrets.json must contain. */
  readonly secrets: readonly string[];
  readonly tree: NginxTree;
  /** Additional files. */
  readonly files: DeploymentFiles;
}

/** The parts that depend on where the tree is. */
export interface NginxTree {
  /** For the http block: variables that the rule sets. */
  readonly variables: string;
  /** In the server block, after `listen`. */
  readonly root: string;
  /** In the server block, after the settings that every location inherits. */
  readonly sending: string;
  /** The locations that send an edition, first try and second. */
  readonly locations: string;
  /** In nginx.conf, before the line that includes the server. */
  readonly standalone: string;
  readonly readme: {
    /** Where nginx reads the tree, and which permissions it needs. */
    readonly tree: string;
    /** About secrets that do not belong to keys. */
    readonly secrets: string;
    /** Additional commands to install it. */
    readonly install: string;
    /** What to do after a change of keys or a build. */
    readonly after: string;
    readonly limits: string;
  };
}

/** The files of the folder. Throws Error for an address that nginx cannot listen on. */
export function serverFiles(server: NginxServer): DeploymentFiles {
  checkListen(server.listen);
  const secrets = Object.fromEntries(server.secrets.map((name) => [name, '']));
  const example: DeploymentFiles = [['playbill-secrets.example.json', `${JSON.stringify(secrets, null, 2)}\n`]];
  const files: DeploymentFiles = [
    ['README.md', readme(server)],
    ['nginx.conf', standalone(NJS, server.tree.standalone)],
    ...(server.secrets.length > 0 ? example : []),
    ['playbill-settings.json', `${JSON.stringify(server.settings)}\n`],
    ['playbill.conf', configuration(server)],
    ['playbill.js', server.bundle],
    ...server.files,
  ];
  return files.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const NJS = 'load_module /usr/lib/nginx/modules/ngx_http_js_module.so;\n\n';

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

/** For the http block. nginx resolves relative names from the folder of nginx.conf. */
function configuration({ listen, secrets, tree }: NginxServer): string {
  return `# The edge rule of Playbill: include this in the http block. Written by playbill edge build --target nginx; see README.md.

js_import playbill from playbill.js;

# nginx reads these files when it starts or reloads. If one is missing, njs 0.7 fails nginx -t without a message.
js_preload_object playbill_settings from playbill-settings.json;
${secrets.length > 0 ? '' : '# '}js_preload_object playbill_secrets from playbill-secrets.json;

${tree.variables}

${PROBLEMS}

server {
  listen ${listen};
${tree.root}
  # Every request goes through the rule. Only named locations send files, and clients cannot reach a named location.
  location / {
    js_content playbill.answer;
    # Otherwise a 304, which has no content, would get a Content-Type.
    default_type "";
  }

  # njs reads a body before it runs the rule, and no request needs one. 1 byte is the smallest limit: 0 means no limit.
  client_max_body_size 1;

  types {}
  default_type application/json;
  server_tokens off;
  recursive_error_pages on;

  # nginx derives its ETag and Last-Modified from size and time, which two editions may share. The rule sets its own ETag.
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

  # The edition was pruned after the rule read the pointer. Read the pointer again: it names another file by now.
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
  more: string,
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
${more}  include playbill.conf;
}
`;

function readme({ secrets: names, listen, tree }: NginxServer): string {
  const own = tree.readme;
  const secrets = `First create \`playbill-secrets.json\`: without it nginx exits without a message. Copy \`playbill-secrets.example.json\`, fill in each
secret, and make the file readable only by root (\`chmod 600\`): nginx reads it before it drops its privileges. It needs these secrets:
${codeList(names)}.

${EMPTY_SECRET} Before you issue a key with a new secret, add the secret here and run \`nginx -s reload\`.${own.secrets}`;
  const noSecrets = `${NO_SECRETS} This configuration reads none, so after you issue the first \`hmac-sha256\` key, run
\`playbill edge build --target nginx\` again with the same options and install the new files.`;
  return `${README_TITLE} for nginx

Written by \`playbill edge build --target nginx\`. It needs nginx 1.22 or newer with the njs module, 0.7.9 or newer
(Debian: \`apt-get install nginx libnginx-mod-http-js\`). ${OWN_FILES}

\`playbill.conf\` is the server, for the http block. \`playbill.js\` is the rule. \`nginx.conf\` runs an nginx with only this server, for trying out.

${own.tree}

The rule listens on \`${listen}\`.

## Secrets

${names.length === 0 ? noSecrets : secrets}

## Try it, then install it

To try it, in this folder: \`nginx -p "$PWD" -c nginx.conf\`. To install it:

    cp playbill* /etc/nginx/
    ln -s ../playbill.conf /etc/nginx/conf.d/playbill.conf
${own.install}    nginx -t && nginx -s reload

If \`nginx -t\` fails without a message, \`playbill-settings.json\` or \`playbill-secrets.json\` is missing.

## After a change of keys

${own.after}

## Limits of this runtime

- Keys of the algorithm \`ed25519\` are refused: njs has no Ed25519.
- A body of more than one byte gets 413, before nginx stores any of it. \`If-Match\` and \`If-Unmodified-Since\` get 412.
${own.limits}- Over HTTP/3 nginx 1.25 to 1.29.4 does not expose the port of the request. The rule assumes the port that it listens on.
- The first server of an address answers malformed requests (400, 414, 431, 501, 505). That may be a server other than this one.
`;
}
