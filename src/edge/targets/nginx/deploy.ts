// The folder for nginx with njs and a tree on disk, which nginx sends with sendfile and gzip_static. The tests run every line of the
// configuration.

import type { NginxSettings } from './request.ts';
import {
  codeList,
  type Deployment,
  type DeploymentFiles,
  EMPTY_SECRET,
  NO_SECRETS,
  OWN_FILES,
  README_TITLE,
  secretNames,
} from '../deployment.ts';
import {
  AUTHORITY,
  checkListen,
  checkPath,
  CLIENT_TIMEOUTS,
  OWN_REFUSALS,
  PROBLEMS,
  refusalLocation,
  standalone,
} from './configuration.ts';

export interface NginxDeployment extends Deployment {
  /** Absolute path of the tree's `public` folder on the machine that runs nginx. */
  readonly publicRoot: string;
  /** Absolute path of the tree's key ring on that machine. The rule reads that file; `keyRing` only supplies the names of secrets. */
  readonly keyRingPath: string;
  /** Argument of `listen`, such as `8080` or `127.0.0.1:8080`. */
  readonly listen: string;
}

/** The files of the folder. Throws Error for a path or an address that could break the configuration's syntax. */
export function nginxFiles(deployment: NginxDeployment): DeploymentFiles {
  const { bundle, keyRing, settings, publicRoot, keyRingPath, listen, profiles } = deployment;
  checkPath('publicRoot', publicRoot);
  checkPath('keyRingPath', keyRingPath);
  checkListen(listen);
  const own: NginxSettings = { ...settings, keyRing: keyRingPath, profiles: profiles.join(' ') };
  const names = secretNames(keyRing);
  const secrets = Object.fromEntries(names.map((name) => [name, '']));
  // Without secrets, the file as it is: nginx does not start if it is missing. Otherwise an example: the next one must not replace secrets.
  const secretsName = names.length > 0 ? 'playbill-secrets.example.json' : 'playbill-secrets.json';
  const files: DeploymentFiles = [
    ['README.md', readme(deployment, names)],
    ['nginx.conf', standalone(NJS)],
    [secretsName, `${JSON.stringify(secrets, null, 2)}\n`],
    ['playbill-settings.json', `${JSON.stringify(own)}\n`],
    ['playbill.conf', configuration(deployment)],
    ['playbill.js', bundle],
  ];
  return files.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const NJS = 'load_module /usr/lib/nginx/modules/ngx_http_js_module.so;\n\n';

/** For the http block. nginx resolves relative names from the folder of nginx.conf. */
function configuration({ listen, publicRoot }: NginxDeployment): string {
  return `# The edge rule of Playbill: include this in the http block. Written by playbill edge build --target nginx; see README.md.

js_import playbill from playbill.js;

# nginx reads these files when it starts or reloads. If one is missing, njs 0.7 fails nginx -t without a message.
js_preload_object playbill_settings from playbill-settings.json;
js_preload_object playbill_secrets from playbill-secrets.json;

# Set by the rule: the file to send, relative to root, and the location that sends it without Brotli.
js_var $playbill_file;
js_var $playbill_plain;

${AUTHORITY}

${PROBLEMS}

server {
  listen ${listen};
  root "${publicRoot}";

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
${CLIENT_TIMEOUTS}
  recursive_error_pages on;

  # nginx derives its ETag and Last-Modified from size and time, which two editions may share. The rule sets its own ETag.
  etag off;
  if_modified_since off;
  max_ranges 0;
  add_header Last-Modified "";

  sendfile on;
  tcp_nopush on;

  # nginx sends the precompressed sibling (build --precompress gzip) if there is one, and otherwise compresses for each request.
  gzip_static on;
  gzip on;
  gzip_types application/json;
  gzip_min_length 1000;
  gzip_comp_level 4;
  gzip_proxied any;

${refusalLocation(OWN_REFUSALS)}

${editionLocations('@playbill_edition', '@playbill_again')}
${editionLocations('@playbill_edition_again', '@playbill_unavailable')}

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

/** The three locations that send a file: plain or gzip, for HEAD, and Brotli if there is a `.br` sibling. `next` handles a missing file. */
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

function readme({ listen, publicRoot, keyRingPath }: NginxDeployment, names: readonly string[]): string {
  const secrets = `First create \`playbill-secrets.json\`: without it nginx exits without a message. Copy \`playbill-secrets.example.json\`, fill in each
secret, and make the file readable only by root (\`chmod 600\`): nginx reads it before it drops its privileges. It needs these secrets:
${codeList(names)}.

${EMPTY_SECRET}`;
  return `${README_TITLE} for nginx

Written by \`playbill edge build --target nginx\`. It needs nginx 1.22 or newer with the njs module, 0.7.9 or newer
(Debian: \`apt-get install nginx libnginx-mod-http-js\`). ${OWN_FILES}

\`playbill.conf\` is the server, for the http block. \`playbill.js\` is the rule. \`nginx.conf\` runs an nginx with only this server, for trying out.

nginx reads the tree from \`${publicRoot}\`, and for every request the key ring, with public keys and names of secrets, from
\`${keyRingPath}\`. Its worker processes need read access to both. Do not let another server serve the tree: its files are only for
clients that sign.

The rule listens on \`${listen}\`.

## Secrets

${names.length === 0 ? `${NO_SECRETS} \`playbill-secrets.json\` is an empty object.` : secrets}

Before you issue a key with a new secret, add its name and the secret to the installed \`/etc/nginx/playbill-secrets.json\`, and run
\`nginx -s reload\`. The commands below leave a file that is installed there as it is.

## Try it, then install it

To try it, in this folder: \`nginx -p "$PWD" -c nginx.conf\`. To install it:

    cp playbill.* playbill-settings.json /etc/nginx/
    test -e /etc/nginx/playbill-secrets.json || install -m 600 playbill-secrets.json /etc/nginx/
    ln -sf ../playbill.conf /etc/nginx/conf.d/playbill.conf
    nginx -t && nginx -s reload

If \`nginx -t\` fails without a message, \`playbill-settings.json\` or \`playbill-secrets.json\` is missing.

## After a change of keys

Nothing to do if nginx reads the tree itself: it refuses a revoked key from the next request on. If it reads a copy of the tree, copy
\`edge/keyring.json\` as well: write it under another name, then rename it into place. A new build of the catalogue needs no action either:
nginx reads the pointer for every request.

## Limits of this runtime

- Keys of the algorithm \`ed25519\` are refused: njs has no Ed25519.
- A body of more than one byte gets 413, before nginx stores any of it. \`If-Match\` and \`If-Unmodified-Since\` get 412.
- Over HTTP/3 nginx 1.25 to 1.29.4 does not expose the port of the request. The rule assumes the port that it listens on.
- The first server of an address answers malformed requests (400, 414, 431, 501, 505). That may be a server other than this one.
`;
}
