// Creates servers over a tree: the edge rule, and the preview. The caller makes them listen.

import type { Server } from 'node:http';
import { formatInstant, type Instant, instantOf } from '../catalogue/instant.ts';
import { HMAC } from '../edge/rule/key-store.ts';
import { faultOfSettings } from '../edge/rule/settings.ts';
import { comparedBytes } from '../edge/remote-tree/edition-bytes.ts';
import {
  createServer,
  folderTree,
  isLoopback,
  type ServedTree,
  type ServeOptions,
} from '../edge/node-server/server.ts';
import { keyRingParser } from '../edge/node-server/served-key-ring.ts';
import { AppError } from '../errors.ts';
import type { PageBundle } from '../preview/bundle.ts';
import { PreviewData, type PreviewCatalogue } from '../preview/preview-data.ts';
import { createPreviewServer } from '../preview/server.ts';
import type { TreeFiles } from '../release/tree/files.ts';
import { orThrow } from '../release/tree/found.ts';
import { isKeyOver } from '../release/tree/key-validity.ts';
import { pathOf, PUBLIC_FOLDER } from '../render/paths.ts';
import { isInBucket, openTree, freshTrees } from '../storage/open-tree.ts';

/**
 * The edge rule over local HTTP, and the keys that it will refuse because their secret is missing.
 * @throws AppError address-refused, edge-option-invalid, tree-missing
 */
export async function serveTree(
  host: string,
  options: ServeOptions,
): Promise<{ readonly server: Server; readonly keysWithoutSecret: readonly KeyWithoutSecret[] }> {
  if (options.isUnsigned && !isLoopback(host)) {
    throw new AppError(
      'address-refused',
      `expected a loopback address with --unsigned, found ${host}: others could read without a key`,
      'leave out --host, or leave out --unsigned',
    );
  }
  const files = await openTree(options.root);
  const tree = isInBucket(options.root) ? servedTree(files) : folderTree(options.root);
  const fault = faultOfSettings(options.settings);
  if (fault !== null) throw new AppError('edge-option-invalid', fault, 'see: playbill serve --help');
  return {
    server: createServer({ ...options, tree }),
    keysWithoutSecret: options.isUnsigned ? [] : await keysWithoutSecret(tree, options),
  };
}

/** Lets the edge rule read a tree in a bucket; by itself it reads only folders. */
function servedTree(files: TreeFiles): ServedTree {
  const read = async (path: string): Promise<Buffer | null> => {
    const bytes = await files.read(path);
    return !bytes.ok && bytes.why === 'missing' ? null : Buffer.from(orThrow(bytes));
  };
  const parseKeyRing = keyRingParser();
  return {
    keyRing: async () => parseKeyRing(Buffer.from(orThrow(await files.read(pathOf({ kind: 'key-ring' }))))),
    pointer: async (front) => (await read(pathOf({ kind: 'pointer', front })))?.toString() ?? null,
    open: async (path) => {
      const bytes = await read(`${PUBLIC_FOLDER}/${path}`);
      return bytes && comparedBytes(path, new Uint8Array(bytes));
    },
  };
}

type KeyWithoutSecret = readonly [keyid: string, name: string];

/**
 * Keys that are or will be valid, but whose secret is missing. Empty if the key ring cannot be
 * read: every request then gets a 503.
 */
async function keysWithoutSecret(
  tree: ServedTree,
  { secretOf, clock }: ServeOptions,
): Promise<readonly KeyWithoutSecret[]> {
  const now = formatInstant(instantOf(Math.floor(clock())));
  try {
    const { keys } = await tree.keyRing();
    return Object.entries(keys).flatMap(([keyid, key]) => {
      return key.alg === HMAC && !isKeyOver(key, now) && !secretOf(key.secretRef)
        ? [[keyid, key.secretRef] as const]
        : [];
    });
  } catch {
    return [];
  }
}

interface PreviewOptions {
  readonly out: string;
  readonly host: string;
  /** The catalogue that explains missing products; null: the page shows only the tree. */
  readonly catalogue: PreviewCatalogue | null;
  readonly page: PageBundle;
  readonly now: () => Instant;
  readonly onBug: (message: string) => void;
}

/**
 * The preview page of a tree, for this machine only.
 * @throws AppError address-refused, tree-missing
 */
export async function servePreview({ out, host, ...options }: PreviewOptions): Promise<Server> {
  if (!isLoopback(host)) {
    throw new AppError(
      'address-refused',
      `expected a loopback address, found ${host}: others could read the tree`,
      'leave out --host; to see the page from another machine, forward the port (ssh -L)',
    );
  }
  return createPreviewServer({ data: new PreviewData(await freshTrees(out)), ...options });
}
