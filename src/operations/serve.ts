// Servers over a tree in a folder: the edge rule, and the preview. They are not listening yet.

import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { formatInstant, type Instant, instantOf } from '../catalogue/instant.ts';
import { HMAC, keyRingFrom } from '../edge/rule/key-store.ts';
import { faultOfSettings } from '../edge/rule/settings.ts';
import { createServer, isLoopback, type ServeOptions } from '../edge/runtimes/node.ts';
import { AppError } from '../errors.ts';
import type { PageBundle } from '../preview/bundle.ts';
import { PreviewData, type PreviewCatalogue } from '../preview/preview-data.ts';
import { createPreviewServer } from '../preview/server.ts';
import { openTree } from '../storage/open-tree.ts';

/** The edge rule over local HTTP. @throws AppError address-refused, edge-option-invalid, tree-missing */
export async function serveTree(host: string, options: ServeOptions): Promise<Server> {
  if (options.isUnsigned && !isLoopback(host)) {
    throw new AppError(
      'address-refused',
      `expected a loopback address with --unsigned, found ${host}: others could read without a key`,
      'leave out --host, or leave out --unsigned',
    );
  }
  await openTree(options.root);
  const fault = faultOfSettings(options.settings);
  if (fault !== null) throw new AppError('edge-option-invalid', fault, 'see: playbill serve --help');
  return createServer(options);
}

/** Keys that are valid, or will be, but whose secret is not there: [keyid, name]. Empty where the key ring cannot be read, which is a 503. */
export function keysWithoutSecret({ root, secretOf, clock }: ServeOptions): (readonly [keyid: string, name: string])[] {
  const now = formatInstant(instantOf(Math.floor(clock())));
  const path = join(root, 'edge', 'keyring.json');
  try {
    const { keys } = keyRingFrom(JSON.parse(readFileSync(path, 'utf8')));
    return Object.entries(keys).flatMap(([keyid, key]) => {
      const isOver = [key.notAfter, key.revokedAt].some((end) => end !== null && end <= now);
      return key.alg === HMAC && !isOver && !secretOf(key.secretRef) ? [[keyid, key.secretRef] as const] : [];
    });
  } catch {
    return [];
  }
}

export interface ShowOptions {
  readonly out: string;
  readonly host: string;
  /** What else may be read; null for nothing but the tree. */
  readonly catalogue: PreviewCatalogue | null;
  readonly page: PageBundle;
  readonly now: () => Instant;
  readonly onBug: (message: string) => void;
}

/** A page that shows the tree, on this machine alone. @throws AppError address-refused, tree-missing */
export async function servePreview({ out, host, ...options }: ShowOptions): Promise<Server> {
  if (!isLoopback(host)) {
    throw new AppError(
      'address-refused',
      `expected a loopback address, found ${host}: others could read the tree`,
      'leave out --host; to look from elsewhere, forward the port (ssh -L)',
    );
  }
  return createPreviewServer({ data: new PreviewData(await openTree(out)), ...options });
}
