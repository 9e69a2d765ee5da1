// What `serve` and `preview` do alike: listen, say where, and serve until Ctrl-C.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError, messageOf, systemCodeOf } from '../errors.ts';
import type { CommandContext } from './context.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Serves until an interrupt; `onListening` gets the origin, as a URL has it. @throws AppError address-in-use */
export async function serveUntilInterrupted(
  server: Server,
  wanted: Address,
  context: CommandContext,
  onListening: (origin: string) => void,
): Promise<void> {
  const { address, port } = await listening(server, wanted);
  onListening(`http://${address.includes(':') ? `[${address}]` : address}:${port}`);
  context.onInterrupt = () => {
    server.close();
    server.closeAllConnections();
  };
  await new Promise((resolve) => server.once('close', resolve));
}

function listening(server: Server, { host, port }: Address): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const hint =
        systemCodeOf(error) === 'EADDRINUSE'
          ? 'choose another with --port, or --port 0 for any that is free'
          : 'choose another with --host';
      reject(new AppError('address-in-use', `cannot listen on ${host}:${port}: ${messageOf(error)}`, hint, error));
    });
    server.listen(port, host, () => {
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('no address'));
      else resolve(address);
    });
  });
}
