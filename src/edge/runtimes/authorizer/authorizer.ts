// The rule as a service behind a proxy that cannot run it. The proxy hands on each request as the client sent it. The answer is a refusal, the
// file, or a header for the proxy that says where the file is. The service never reads X-Forwarded-Uri, X-Original-URI or the like, which a
// client could send.

import { readFile, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { bucketTree } from './bucket-tree.ts';
import { type AuthorizerConfiguration, FILE_PLACEHOLDER, type ReadableFolder } from './configuration.ts';
import { textOrNull, type WorkerEnvironment } from '../fetch-handler.ts';
import { liveKeyRing } from '../live-key-ring.ts';
import { absentAsNull, createServer, folderTree, type ServedTree } from '../node.ts';

/** Limits of a connection to the service itself. Slow clients are the proxy's concern. */
const LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 2000,
  // Longer than proxies keep an idle connection: otherwise one may be closed just as a proxy uses it again.
  keepAliveTimeout: 90_000,
};
const CONNECTIONS_MAX = 4096;
/** For how long an answer may wait to be read. */
const IDLE_MS = 120_000;

/** For how long a key ring in a folder is used without looking again. */
const FOLDER_KEPT_SECONDS = 1;

/**
 * A server that is not listening yet. `environment`: secrets of hmac keys, and credentials of a bucket; `clock`: seconds since 1970;
 * `log` gets one line for each 503. Throws Error for settings that cannot work.
 */
export function createAuthorizer(
  configuration: AuthorizerConfiguration,
  environment: WorkerEnvironment,
  clock: () => number,
  log: (line: string) => void,
): Server {
  const { tree, profiles } = configuration;
  const options = {
    root: '',
    tree: tree.kind === 'folder' ? handedTree(tree, clock) : bucketTree(tree, environment, clock),
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
  // `Expect: 100-continue` is never answered with an invitation to send the body.
  for (const event of ['checkContinue', 'checkExpectation'] as const)
    server.on(event, (incoming, outgoing) => server.emit('request', incoming, outgoing));
  return server;
}

/** A folder whose files the proxy sends, where it can. */
function handedTree({ publicRoot, keyRing, fileHeaders }: ReadableFolder, clock: () => number): ServedTree {
  const folder = folderTree('', publicRoot, keyRing);
  const ring = (): Promise<{ readonly body: null; text(): Promise<string> }> =>
    readFile(keyRing, 'utf8').then((text) => ({ body: null, text: async () => text }));
  const live = { ...folder, keyRing: () => liveKeyRing(ring, clock(), FOLDER_KEPT_SECONDS) };
  if (fileHeaders === null) return live;
  return {
    ...live,
    open: async (path) => {
      const found = await absentAsNull(stat(join(publicRoot, path)));
      return found?.isFile() === true
        ? fileHeaders.map(([name, value]) => [name, value.replace(FILE_PLACEHOLDER, path)])
        : null;
    },
  };
}
