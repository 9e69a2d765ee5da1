// The rule as a service behind a proxy that cannot run it. The proxy passes each request on
// unchanged. The service answers with a refusal, the file, or a header that tells the proxy where
// the file is. It never reads X-Forwarded-Uri, X-Original-URI or similar headers, which a client
// could forge.

import { readFileSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { bucketTree } from './bucket-tree.ts';
import { type AuthorizerConfiguration, FILE_PLACEHOLDER, type ReadableFolder } from './configuration.ts';
import { type Environment, textOrNull } from '../../remote-tree/environment.ts';
import type { LoadText } from '../../remote-tree/load.ts';
import { liveKeyRing } from '../../remote-tree/live-key-ring.ts';
import { createServer, folderTree, type ServedTree } from '../../node-server/server.ts';

/** Limits of a connection to the service itself. Slow clients are the proxy's concern. */
const LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 2000,
  // Longer than proxies keep an idle connection: otherwise one may be closed just as a proxy uses
  // it again.
  keepAliveTimeout: 90_000,
};
const CONNECTIONS_MAX = 4096;
/** How long a connection may be idle before it is closed. */
const IDLE_MS = 120_000;

/** How long a key ring in a folder is kept. */
const FOLDER_KEPT_SECONDS = 1;

/**
 * A server that is not listening yet. `environment`: secrets of hmac keys, and credentials of a
 * bucket; `clock`: seconds since 1970; `log` gets one line for each 503. Throws Error for invalid
 * settings.
 */
export function createAuthorizer(
  configuration: AuthorizerConfiguration,
  environment: Environment,
  clock: () => number,
  log: (line: string) => void,
): Server {
  const { tree, profiles, ringGrace } = configuration;
  const options = {
    root: '',
    tree: tree.kind === 'folder' ? handedTree(tree, clock, ringGrace) : bucketTree(tree, environment, clock, ringGrace),
    settings: configuration,
    profiles,
    clock,
    secretOf: (name: string) => textOrNull(environment[name]),
    at: null,
    isUnsigned: false,
    isProxied: true,
    accessLog: ({ cause }: { readonly cause: string | null }) => {
      if (cause !== null) log(`503: the tree cannot be read: ${cause}`);
    },
  };
  const server = createServer(options, LIMITS);
  server.maxConnections = CONNECTIONS_MAX;
  server.timeout = IDLE_MS;
  // Answer a request with `Expect: 100-continue` at once: the rule reads no body, so the client
  // need not send it.
  for (const event of ['checkContinue', 'checkExpectation'] as const)
    server.on(event, (incoming, outgoing) => server.emit('request', incoming, outgoing));
  return server;
}

/** A tree in a folder. With `fileHeaders` the proxy sends its files. */
function handedTree(
  { publicRoot, keyRing, fileHeaders }: ReadableFolder,
  clock: () => number,
  ringGrace: number,
): ServedTree {
  const folder = folderTree('', publicRoot, keyRing);
  const ring: LoadText = async () => {
    const text = readFileSync(keyRing, 'utf8');
    return { text: async () => text };
  };
  const live = { ...folder, keyRing: () => liveKeyRing(ring, clock(), ringGrace, FOLDER_KEPT_SECONDS) };
  if (fileHeaders === null) return live;
  return {
    ...live,
    open: async (path) =>
      statSync(join(publicRoot, path), { throwIfNoEntry: false })?.isFile() === true
        ? fileHeaders.map(([name, value]) => [name, value.replace(FILE_PLACEHOLDER, path)])
        : null,
  };
}
