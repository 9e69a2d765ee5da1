// A server of ours begins to listen: what `serve` and `preview` do alike.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError, messageOf, systemCodeOf } from '../errors.ts';

/** Where it listens, once it does. @throws AppError address-in-use */
export function listening(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<AddressInfo> {
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
