// The folder for nginx with njs over a tree on disk: what sends a file with sendfile and gzip_static. Pure texts. The tests run every line
// of the configuration.

import { type Deployment, type DeploymentFiles, secretNames } from './deployment.ts';
import type { NginxSettings } from '../runtimes/nginx.ts';
import { checkPath, type NginxTree, serverFiles } from './nginx-server.ts';

export interface NginxDeployment extends Deployment {
  /** Absolute path of the tree's `public` folder, as nginx will see it. */
  readonly publicRoot: string;
  /** Absolute path of the tree's key ring, likewise; the rule reads it, `keyRing` only has the names of secrets. */
  readonly keyRingPath: string;
  /** Argument of `listen`, such as `8080` or `127.0.0.1:8080`. */
  readonly listen: string;
}

/** The files of the folder. Throws Error for a path or an address that would break out of its place in the configuration. */
export function nginxFiles({ bundle, keyRing, settings, ...deployment }: NginxDeployment): DeploymentFiles {
  const { publicRoot, keyRingPath, listen } = deployment;
  checkPath('publicRoot', publicRoot);
  checkPath('keyRingPath', keyRingPath);
  const own: NginxSettings = { ...settings, keyRing: keyRingPath };
  const tree = folder(publicRoot, keyRingPath);
  return serverFiles({ bundle, settings: own, listen, secrets: secretNames(keyRing), tree, files: [] });
}

const folder = (publicRoot: string, keyRingPath: string): NginxTree => ({
  variables: `# Set by the rule: the file to send, relative to root, and the location that sends it as it is.
js_var $playbill_file;
js_var $playbill_plain;`,
  root: `  root "${publicRoot}";
`,
  sending: `  sendfile on;
  tcp_nopush on;

  # A sibling that the tree has (build --precompress gzip) is sent as it is; without one nginx compresses for each request.
  gzip_static on;`,
  locations: `${editionLocations('@playbill_edition', '@playbill_again')}
${editionLocations('@playbill_edition_again', '@playbill_unavailable')}`,
  standalone: '',
  readme: {
    tree: `The tree is read from \`${publicRoot}\`; nginx's workers must be able to read it. No other server may serve that folder: its files are
for clients that sign.

The key ring, public keys and names of secrets, is read from \`${keyRingPath}\`, at every request: the workers must be able to read that, too.`,
    secrets: '',
    install: '',
    after: `Nothing, where nginx reads the tree itself: a revoked key is refused from the next request on. Where the tree here is a copy, copy
\`edge/keyring.json\` with it, by renaming it into place. A new build of the catalogue needs nothing either: the pointers are read from
disk at every request, as the key ring is.`,
    limits: '',
  },
});

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
