// The process of the service behind a proxy: `node authorizer.mjs`. Its configuration stands in front of the bundle; secrets come from the
// environment. SIGTERM and SIGINT let the requests under way come to their end.

import type { AuthorizerConfiguration } from './configuration.ts';
import { createAuthorizer } from './authorizer.ts';

declare const PLAYBILL: AuthorizerConfiguration;

/** For how long requests may go on after the signal that ends the process. */
const GRACE_MS = 10_000;

const log = (line: string): void => console.error(`playbill: ${line}`);

const { host, port } = PLAYBILL;
const server = createAuthorizer(PLAYBILL, process.env, () => Date.now() / 1000, log);
server.on('error', (error) => {
  log(error.message);
  process.exitCode = 1;
});
server.listen(port, host, () => log(`listening on ${host}:${port}`));

const end = (): void => {
  server.close();
  // A connection that was in use when the signal came is idle a moment later, and would be kept.
  setInterval(() => server.closeIdleConnections(), 50).unref();
  setTimeout(() => server.closeAllConnections(), GRACE_MS).unref();
};
process.once('SIGTERM', end);
process.once('SIGINT', end);
