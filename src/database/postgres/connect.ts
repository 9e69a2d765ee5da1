// Connects to PostgreSQL, without TLS where the address allows that and the server has none. Errors are the driver's.

import type { ClientConfig } from 'pg';
// Not from pg itself: where NODE_PG_FORCE_NATIVE is set, that needs another driver to be installed.
import Client from 'pg/lib/client.js';
import { systemCodeOf } from '../../errors.ts';
import type { ConnectionSettings } from './connection-settings.ts';

/** @throws AppError database-unreadable: no password; errors of the driver */
export async function connect({ config, withoutTls }: ConnectionSettings): Promise<Client> {
  try {
    return await connected(config);
  } catch (error) {
    if (withoutTls === null || !isRefusedTls(error)) throw error;
    return connected(withoutTls);
  }
}

async function connected(config: ClientConfig): Promise<Client> {
  const client = new Client(config);
  // A connection that breaks between two queries fails the next one.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    // A server that still waits for a password would keep this process alive.
    client.connection.stream.destroy();
    throw error;
  }
}

/** The server has no TLS, fails at it, or has a line in pg_hba.conf that rejects whoever uses it. */
function isRefusedTls(error: unknown): boolean {
  const code = systemCodeOf(error);
  if (code === '28000' || code === 'EPROTO' || code.startsWith('ERR_SSL_')) return true;
  return error instanceof Error && error.message === 'The server does not support SSL connections';
}
