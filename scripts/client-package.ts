// Makes the package playbill-client for storefronts: only the compiled client, its types and the
// OpenAPI document, without dependencies. Version, licence and `private` are copied from playbill.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiText } from '../src/cli/commands/openapi.ts';
import { copyDocuments } from './carried-documents.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The parts of the compiled folder that it contains. The client's types refer to the edge rule's
 * type of a key pair.
 */
const PARTS = ['client', 'edge/web-crypto/key-pair.d.ts'];

/** Writes the package from the `compiled` folder into `folder`, which it replaces. */
export async function writeClientPackage(compiled: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  for (const part of PARTS) {
    mkdirSync(dirname(join(folder, part)), { recursive: true });
    cpSync(join(compiled, part), join(folder, part), { recursive: true });
  }
  const places = new Map([
    ['LICENSE', 'LICENSE'],
    ['src/client/README.md', 'README.md'],
  ]);
  copyDocuments(places, folder);
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  writeFileSync(join(folder, 'openapi.json'), `${await openApiText(own.version, '/')}\n`);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifestOf(own), null, 2)}\n`);
}

interface Manifest {
  readonly version: string;
  readonly [key: string]: unknown;
}

function manifestOf(own: Manifest) {
  return {
    name: 'playbill-client',
    version: own.version,
    private: own['private'],
    description: 'Signed requests for the catalogue of a storefront that Playbill publishes.',
    license: own['license'],
    keywords: ['playbill', 'storefront', 'http-message-signatures', 'rfc9421'],
    // These versions have AbortSignal.timeout, fetch and Web Crypto without a flag, and the syntax
    // of the compiler's target.
    engines: { node: '>=22' },
    type: 'module',
    sideEffects: false,
    exports: {
      '.': { types: './client/client.d.ts', default: './client/client.js' },
      './package.json': './package.json',
    },
  };
}
