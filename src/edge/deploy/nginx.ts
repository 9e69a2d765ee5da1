// The folder for nginx with njs and a tree on disk, which nginx sends with sendfile and gzip_static. The tests run every line of the
// configuration.

import { type Deployment, type DeploymentFiles, secretNames } from './deployment.ts';
import type { NginxSettings } from '../runtimes/nginx.ts';
import { checkPath, type NginxTree, serverFiles } from './nginx-server.ts';

export interface NginxDeployment extends Deployment {
  /** Absolute path of the tree's `public` folder on the machine that runs nginx. */
  readonly publicRoot: string;
  /** Absolute path of the tree's key ring on that machine. The rule reads that file; `keyRing` only supplies the names of secrets. */
  readonly keyRingPath: string;
  /** Argument of `listen`, such as `8080` or `127.0.0.1:8080`. */
  readonly listen: string;
}

/** The files of the folder. Throws Error for a path or an address that could break the configuration's syntax. */
export function nginxFiles({ bundle, keyRing, settings, ...deployment }: NginxDeployment): DeploymentFiles {
  const { publicRoot, keyRingPath, listen } = deployment;
  checkPath('publicRoot', publicRoot);
  checkPath('keyRingPath', keyRingPath);
  const own: NginxSettings = { ...settings, keyRing: keyRingPath };
  const tree = folder(publicRoot, keyRingPath);
  return serverFiles({ bundle, settings: own, listen, secrets: secretNames(keyRing), tree, files: [] });
}

const folder = (publicRoot: string, keyRingPath: string): NginxTree => ({
  variables: `# Set by the rule: the file to send, relative to root, and the location that sends it without Brotli.
js_var $playbill_file;
js_var $playbill_plain;`,
  root: `  root "${publicRoot}";
`,
  sending: `  sendfile on;
  tcp_nopush on;

  # nginx sends the precompressed sibling (build --precompress gzip) if there is one, and otherwise compresses for each request.
  gzip_static on;`,
  locations: `${editionLocations('@playbill_edition', '@playbill_again')}
${editionLocations('@playbill_edition_again', '@playbill_unavailable')}`,
  standalone: '',
  readme: {
    tree: `nginx reads the tree from \`${publicRoot}\`, and for every request the key ring, with public keys and names of secrets, from
\`${keyRingPath}\`. Its worker processes need read access to both. Do not let another server serve the tree: its files are only for
clients that sign.`,
    secrets: '',
    install: '',
    after: `Nothing to do if nginx reads the tree itself: it refuses a revoked key from the next request on. If it reads a copy of the tree, copy
\`edge/keyring.json\` as well: write it under another name, then rename it into place. A new build of the catalogue needs no action either:
nginx reads the pointer for every request.`,
    limits: '',
  },
});

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
