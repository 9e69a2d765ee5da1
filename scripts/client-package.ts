// The client as a package of its own, playbill-client, for storefronts that need no catalogue: the compiled client, its types, and
// nothing to install beside it. Version, licence and whether it may be published are those of playbill.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What of the compiled folder it consists of; the types of a key pair are those of the edge rule. */
const PARTS = ['client', 'edge/rule/key-pair.d.ts'];

/** Writes the package into `folder`, which it replaces, from the folder that the client was compiled into. */
export function writeClientPackage(compiled: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const part of PARTS) {
    mkdirSync(dirname(join(folder, part)), { recursive: true });
    cpSync(join(compiled, part), join(folder, part), { recursive: true });
  }
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'README.md'), readmeText());
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function manifest() {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  return {
    name: 'playbill-client',
    version: own['version'],
    private: own['private'],
    description: 'Signed requests for the catalogue of a storefront that Playbill publishes.',
    license: own['license'],
    keywords: ['playbill', 'storefront', 'http-message-signatures', 'rfc9421'],
    // Where AbortSignal.timeout, fetch and Web Crypto are there without a flag; the syntax is what the compiler's target allows.
    engines: { node: '>=22' },
    type: 'module',
    sideEffects: false,
    exports: {
      '.': { types: './client/client.d.ts', default: './client/client.js' },
      './package.json': './package.json',
    },
  };
}

/** The README of src/client, up to what only a checkout has. */
function readmeText(): string {
  const [text = ''] = readFileSync(join(root, 'src/client/README.md'), 'utf8').split('\n[`scripts/storefront`]');
  return text.replace('# The client', '# playbill-client').replaceAll('playbill/client', 'playbill-client');
}
