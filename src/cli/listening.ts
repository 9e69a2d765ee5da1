// Runs an HTTP server until Ctrl-C, for `serve` and `preview`.

import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError, messageOf, systemCodeOf } from '../errors.ts';
import type { CommandContext } from './context.ts';

/**
 * Serves until interrupted. `onListening` gets the origin: `http://127.0.0.1:8080`.
 * @throws AppError address-in-use
 */
export async function serveUntilInterrupted(
  server: Server,
  wanted: { readonly host: string; readonly port: number },
  context: CommandContext,
  onListening: (origin: string) => void,
): Promise<void> {
  server.listen(wanted.port, wanted.host);
  await once(server, 'listening').catch((error: unknown) => {
    const message = `cannot listen on ${wanted.host}:${wanted.port}: ${messageOf(error)}`;
    const isTaken = systemCodeOf(error) === 'EADDRINUSE';
    const other = isTaken ? '--port, or --port 0 for any free one' : '--host';
    throw new AppError('address-in-use', message, `choose another with ${other}`, error);
  });
  context.onInterrupt(() => {
    server.close();
    server.closeAllConnections();
  });
  const { address, port } = server.address() as AddressInfo;
  onListening(`http://${address.includes(':') ? `[${address}]` : address}:${port}`);
  await once(server, 'close');
}
