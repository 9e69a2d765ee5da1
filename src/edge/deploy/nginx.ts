// The folder for nginx with njs: the module, the configuration, the settings, and how to install them. Pure texts. The tests run every line
// of the configuration.

import { type Reason, REFUSALS } from '../rule/reasons.ts';
import { refuse } from '../rule/refusal.ts';
import { codeList, type Deployment, type DeploymentFiles, OWN_FILES, README_TITLE, secretNames } from './deployment.ts';

export interface NginxDeployment extends Deployment {
  /** Absolute path of the tree's `public` folder, as nginx will see it. */
  readonly publicRoot: string;
  /** Absolute path of the tree's key ring, likewise; nginx reads it itself, `keyRing` only has the names of secrets. */
  readonly keyRingPath: string;
  /** Argument of `listen`, such as `8080` or `127.0.0.1:8080`. */
  readonly listen: string;
}

/** The files of the folder. Throws Error for a path or an address that would break out of its place in the configuration. */
export function nginxFiles(deployment: NginxDeployment): DeploymentFiles {
  for (const name of ['publicRoot', 'keyRingPath'] as const) {
    const path = deployment[name];
    if (!/^\/[^"$\\\n\r]*$/.test(path))
      throw new Error(`${name}: expected an absolute path without quotes, backslashes and $, found "${path}"`);
  }
  if (!isAddress(deployment.listen))
    throw new Error(
      `listen: expected a port, an address with a port or unix:/PATH, such as 127.0.0.1:8080, found "${deployment.listen}"`,
    );
  const names = secretNames(deployment.keyRing);
  const secrets = Object.fromEntries(names.map((name) => [name, '']));
  return [
    ['README.md', readme(deployment, names)],
    ['nginx.conf', STANDALONE],
    ...(names.length > 0 ? [['playbill-secrets.example.json', `${JSON.stringify(secrets, null, 2)}\n`] as const] : []),
    ['playbill-settings.json', `${JSON.stringify(deployment.settings)}\n`],
    ['playbill.conf', configuration(deployment, names.length > 0)],
    ['playbill.js', deployment.bundle],
  ];
}

/** A port, behind an address or a name or alone; an address alone; a socket. nginx would take any other word as the name of a host. */
function isAddress(listen: string): boolean {
  const port = /^(?:(?:\*|[\w.-]+|\[[\da-f:.]+\]):)?(\d{1,5})$/i.exec(listen)?.[1];
  if (port !== undefined) return Number(port) >= 1 && Number(port) <= 65_535;
  return /^(?:unix:\/[\w./-]+|\d+(?:\.\d+){3}|\[[\da-f:.]+\])$/i.test(listen);
}

/** For the http block of any nginx. Relative names are relative to the folder of nginx.conf. */
function configuration(deployment: NginxDeployment, hasSecrets: boolean): string {
  const refusals = OWN_REFUSALS.map(([own, reason]) => ({ own, ...refuse(REFUSALS[reason].status, reason) }));
  return `# The edge rule of Playbill: include this in the http block. Written by playbill edge build --target nginx; see README.md.

js_import playbill from playbill.js;

# Read when nginx starts or reloads. Where one of these files is missing, njs 0.7 fails the test of the configuration without a message.
js_preload_object playbill_keyring from "${deployment.keyRingPath}";
js_preload_object playbill_settings from playbill-settings.json;
${hasSecrets ? '' : '# '}js_preload_object playbill_secrets from playbill-secrets.json;

# Set by the rule: the file to send, relative to root, and the location that sends it as it is.
js_var $playbill_file;
js_var $playbill_plain;

# What nginx refuses by itself, in the form of the rule's refusals.
map $status $playbill_problem {
${refusals.map(({ status, body }) => `  ${status} '${body.trimEnd()}\n';`).join('\n')}
}
map $status $playbill_allow {
  405 "GET, HEAD";
}

server {
  listen ${deployment.listen};
  root "${deployment.publicRoot}";

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
  sendfile on;
  tcp_nopush on;
  server_tokens off;
  recursive_error_pages on;

  # nginx makes its ETag and Last-Modified of size and time, in which two editions may agree; the rule sets its own.
  etag off;
  if_modified_since off;
  max_ranges 0;
  add_header Last-Modified "";

  # A sibling that the tree has (build --precompress gzip) is sent as it is; without one nginx compresses for each request.
  gzip_static on;
  gzip on;
  gzip_types application/json;
  gzip_min_length 1000;
  gzip_comp_level 4;
  gzip_proxied any;

${refusals.map(({ own, status }) => `  error_page ${own} =${status} /playbill-refusal;`).join('\n')}
  # No named location: some of these come before any request has been read.
  location = /playbill-refusal {
    internal;
    # In HTTP/2 the body would be refused here once more.
    client_max_body_size 0;
    default_type application/problem+json;
    add_header Cache-Control no-store always;
    add_header Allow $playbill_allow always;
    return 200 $playbill_problem;
  }

${editionLocations('@playbill_edition', '@playbill_again')}

  # The edition was pruned after its pointer was read: the pointer of now names another.
  location @playbill_again {
    js_content playbill.again;
  }
${editionLocations('@playbill_edition_again', '@playbill_unavailable')}

  location @playbill_unavailable {
    js_content playbill.unavailable;
  }
}
`;
}

/** What nginx itself answers with, by its own number, and the reason that it becomes: 494 is nginx's alone, and its 500 is our 503. */
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

/** The three locations that send a file: with `.br` tried first, as it is or in gzip, and for HEAD. `next` is for a file that is missing. */
function editionLocations(name: string, next: string): string {
  const errors = `error_page 403 404 500 = ${next};\n    error_page 412 /playbill-refusal;`;
  return `  location ${name} {
    rewrite ^ /$playbill_file break;
    ${errors}
  }
  location ${name}_head {
    rewrite ^ /$playbill_file break;
    js_header_filter playbill.withoutLength;
    ${errors}
  }
  location ${name}_br {
    try_files /$playbill_file.br $playbill_plain;
    gzip off;
    gzip_static off;
    add_header Last-Modified "";
    add_header Content-Encoding br;
    ${errors}
  }`;
}

/** An nginx of its own, for trying out: everything it writes stays below its prefix. */
const STANDALONE = `# An nginx with nothing but the rule: nginx -p "$PWD" -c nginx.conf (in this folder).

load_module /usr/lib/nginx/modules/ngx_http_js_module.so;

worker_processes auto;
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

function readme(deployment: NginxDeployment, names: readonly string[]): string {
  const secrets = `First make \`playbill-secrets.json\`: without it nginx ends without a message. Copy \`playbill-secrets.example.json\`, put each secret
between its quotes, and make the file readable for root alone (\`chmod 600\`): nginx reads it before it drops its privileges. These
secrets are needed: ${codeList(names)}.

An empty secret refuses its keys, as a missing one does. A new key with a secret needs its line here, before the reload.`;
  const noSecrets = `No key of this key ring needs a secret, and this configuration reads none. The first key of the algorithm \`hmac-sha256\` needs more
than a reload: run \`playbill edge build --target nginx\` again, with the options of before, and install what it writes.`;
  return `${README_TITLE} for nginx

Written by \`playbill edge build --target nginx\`. It needs nginx 1.22 or newer with the njs module, 0.7.9 or newer
(Debian: \`apt-get install nginx libnginx-mod-http-js\`). ${OWN_FILES}

\`playbill.conf\` is the server, for the http block, \`playbill.js\` the rule; \`nginx.conf\` is a whole nginx with nothing else, for trying out.
The tree is read from \`${deployment.publicRoot}\`; nginx's workers must be able to read it. The key ring, public keys and names of
secrets, is read from \`${deployment.keyRingPath}\`. The rule listens on \`${deployment.listen}\`.

## Secrets

${names.length === 0 ? noSecrets : secrets}

## Try it, then install it

To try it, in this folder: \`nginx -p "$PWD" -c nginx.conf\`. To install it:

    cp playbill* /etc/nginx/
    ln -s ../playbill.conf /etc/nginx/conf.d/playbill.conf
    nginx -t && nginx -s reload

No other server may serve that folder: its files are for clients that sign. If \`nginx -t\` fails without a message, one of the files is
missing that \`playbill.conf\` preloads: the key ring, the settings, or the secrets.

## After a change of keys

Copy the key ring, where the tree here is a copy, and run \`nginx -s reload\`: until then a revoked key keeps working. A new build of the
catalogue needs nothing: the pointers are read from disk at every request.

## Limits of this runtime

- Keys of the algorithm \`ed25519\` are refused: njs has no Ed25519.
- A body of more than one byte is refused with 413 before anything of it is stored, \`If-Match\` and \`If-Unmodified-Since\` with 412.
- Malformed requests (400, 414, 431, 501, 505) are answered by the first server of an address, which may be another one than this.
`;
}
