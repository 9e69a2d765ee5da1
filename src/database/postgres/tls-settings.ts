// TLS to PostgreSQL with the sslmode of PostgreSQL's own tools (documentation, 34.19 "SSL Support"), so that an address means the same here
// as in psql. The driver alone would treat `prefer`, `require` and `verify-ca` as `verify-full`, and use no TLS where no mode is given.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { AppError, messageOf } from '../../errors.ts';
import type { Read } from './address-parts.ts';

export interface TlsSettings {
  /** For the driver; false for a connection without TLS. */
  readonly ssl: false | ConnectionOptions;
  /** Whether a server without TLS is accepted. */
  readonly isOptional: boolean;
}

export const IN_THE_CLEAR: TlsSettings = { ssl: false, isOptional: false };

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof MODES)[number];

/**
 * | sslmode | encrypts | trusts |
 * | --- | --- | --- |
 * | `disable` | never | |
 * | `allow`, `prefer`, none | where the server can | anybody |
 * | `require` | always | anybody; with a file of authorities, what they have signed |
 * | `verify-ca` | always | what the authorities of the file have signed |
 * | `verify-full` | always | the same with the server's own name; without a file, by the authorities of Node.js |
 *
 * The file is `sslrootcert`, else ~/.postgresql/root.crt where there is one; `system` stands for the authorities of Node.js, and for
 * `verify-full`. A certificate of one's own is `sslcert` with `sslkey`, else ~/.postgresql/postgresql.crt and .key.
 * Where certificates are verified, those revoked by `sslcrl`, or else by ~/.postgresql/root.crl if it exists, are refused.
 * Only `verify-full` protects against somebody who can change the traffic.
 *
 * @throws AppError database-unreadable
 */
export function tlsSettings(read: Read, home: string | null): TlsSettings {
  const rootName = read('sslrootcert');
  const mode = modeOf(read('sslmode'), rootName);
  if (mode === 'disable') return IN_THE_CLEAR;
  const ca = rootName === 'system' ? undefined : fileOf('sslrootcert', rootName, home, 'root.crt');
  const trust = trustOf(mode, ca);
  const crl = trust.rejectUnauthorized === true ? fileOf('sslcrl', read('sslcrl'), home, 'root.crl') : undefined;
  const cert = fileOf('sslcert', read('sslcert'), home, 'postgresql.crt');
  const key = cert === undefined ? undefined : fileOf('sslkey', read('sslkey'), home, 'postgresql.key');
  const ssl = { ...trust, crl, cert, key, passphrase: read('sslpassword') };
  return { ssl, isOptional: mode === 'allow' || mode === 'prefer' };
}

/** Whether the server's certificate is verified. */
export function isVerifying(read: Read): boolean {
  return modeOf(read('sslmode'), read('sslrootcert')).startsWith('verify');
}

function modeOf(text: string | undefined, rootName: string | undefined): Mode {
  if (rootName === 'system' && (text === undefined || text === 'verify-full')) return 'verify-full';
  const mode = text === undefined ? 'prefer' : MODES.find((one) => one === text);
  if (mode === undefined) {
    const message = `expected sslmode to be one of ${MODES.join(', ')}, found ${JSON.stringify(text)}`;
    throw new AppError('database-unreadable', message, 'over a network: sslmode=verify-full');
  }
  if (rootName !== 'system' || mode === 'disable') return mode;
  const message = `expected sslmode=verify-full with sslrootcert=system, found sslmode=${mode}`;
  throw new AppError('database-unreadable', message, 'a public authority signs for anybody: say sslmode=verify-full');
}

/** Always sets `rejectUnauthorized`: otherwise NODE_TLS_REJECT_UNAUTHORIZED=0 would switch verification off. */
function trustOf(mode: Mode, ca: string | undefined): ConnectionOptions {
  switch (mode) {
    case 'disable':
    case 'allow':
    case 'prefer':
      return { rejectUnauthorized: false };
    case 'require':
      return ca === undefined ? { rejectUnauthorized: false } : trustOf('verify-ca', ca);
    case 'verify-ca':
      if (ca !== undefined) return { rejectUnauthorized: true, ca, checkServerIdentity: () => undefined };
      throw new AppError(
        'database-unreadable',
        'expected a file of authorities for sslmode=verify-ca, found none',
        'name it: sslrootcert=FILE; or say sslmode=verify-full',
      );
    case 'verify-full':
      return { rejectUnauthorized: true, ca };
  }
}

/** The text of a PEM file: the named one, or else the one in ~/.postgresql; undefined where there is none. */
function fileOf(parameter: string, named: string | undefined, home: string | null, usual: string): string | undefined {
  const path = named ?? (home === null ? '' : join(home, '.postgresql', usual));
  if (path === '' || (named === undefined && !existsSync(path))) return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    if (text.includes('-----BEGIN ')) return text;
    throw new Error('no line in it begins with -----BEGIN');
  } catch (error) {
    const message = `expected ${parameter} to be a file in PEM, found: ${path}: ${messageOf(error)}`;
    throw new AppError(
      'database-unreadable',
      message,
      'correct its path or permissions, or convert it with openssl',
      error,
    );
  }
}
