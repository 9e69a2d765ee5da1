// The process of the authorizer service: `node authorizer.mjs`. The bundle begins with its
// configuration; secrets come from the environment. On SIGTERM and SIGINT it finishes the requests
// in progress and exits.

import type { AuthorizerConfiguration } from './configuration.ts';
import { createAuthorizer } from './service.ts';

declare const PLAYBILL: AuthorizerConfiguration;

/** How long requests may continue after the signal. */
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
  // `close` closes only connections that are idle now. Those still in use must be closed when they
  // become idle.
  setInterval(() => server.closeIdleConnections(), 50).unref();
  setTimeout(() => server.closeAllConnections(), GRACE_MS).unref();
};
process.once('SIGTERM', end);
process.once('SIGINT', end);
