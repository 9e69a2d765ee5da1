// Connects to PostgreSQL; without TLS where the server has none and the address allows it. Errors are the driver's.

import { Client, type ClientConfig } from 'pg';
import { AppError, systemCodeOf } from '../../errors.ts';
import { displayAddress } from './address-parts.ts';
import { connectionSettings } from './connection-settings.ts';

/**
 * @param environment variables by name
 * @throws AppError database-unreadable (an address, a service or a file that it names, a password that is missing); errors of the driver
 */
export async function connect(address: string, environment: NodeJS.ProcessEnv): Promise<Client> {
  const { config, withoutTls, isBindingRequired } = connectionSettings(address, environment);
  const boundTo = isBindingRequired ? displayAddress(address) : null;
  try {
    return await connected(config, boundTo);
  } catch (error) {
    if (withoutTls === null || !isRefusedTls(error)) throw error;
    return connected(withoutTls, boundTo);
  }
}

async function connected(config: ClientConfig, boundTo: string | null): Promise<Client> {
  const client = new Client(config);
  if (boundTo !== null) refuseUnbound(client, boundTo);
  // A connection that breaks between two queries is an error of the next one.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    // A server that waits for a password would keep this process for as long.
    client.connection.stream.destroy();
    throw error;
  }
}

/**
 * `channel_binding=require` (documentation, 34.1.2). The driver itself only binds where the server offers it. These handlers run before
 * the driver's, which then find a closed connection: neither the password nor a proof made from it is sent.
 */
function refuseUnbound({ connection }: Client, path: string): void {
  const refuse = (found: string): void => {
    const message = `expected channel binding at ${path}, found a server that ${found}`;
    const hint = 'it takes TLS and scram-sha-256 in pg_hba.conf; without it: leave out channel_binding';
    connection.emit('error', new AppError('database-unreadable', message, hint));
    connection.stream.destroy();
  };
  let isBound = false;
  connection.on('authenticationCleartextPassword', () => refuse('asks for the password in clear text'));
  connection.on('authenticationMD5Password', () => refuse('asks for the password by md5'));
  connection.on('authenticationSASL', ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
    if (!mechanisms.includes('SCRAM-SHA-256-PLUS')) refuse('does not offer it');
  });
  connection.on('authenticationSASLFinal', () => (isBound = true));
  connection.on('authenticationOk', () => {
    if (!isBound) refuse('asks for no password');
  });
}

/** A server without TLS, one whose TLS fails, or one whose pg_hba.conf admits only connections without it. */
function isRefusedTls(error: unknown): boolean {
  const code = systemCodeOf(error);
  if (code === '28000' || code === 'EPROTO' || code.startsWith('ERR_SSL_')) return true;
  return error instanceof Error && error.message === 'The server does not support SSL connections';
}
