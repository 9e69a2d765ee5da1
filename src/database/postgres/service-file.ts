// Service files of PostgreSQL (documentation, "The Connection Service File"): named sets of
// parameters of a connection. The driver does not read them.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, messageOf } from '../../errors.ts';

/**
 * The parameters of a service, from the file that PGSERVICEFILE names, else from
 * ~/.pg_service.conf, else from the system's file.
 * @throws AppError database-unreadable: no such service, or an unreadable file
 */
export function serviceParameters(service: string, environment: NodeJS.ProcessEnv): ReadonlyMap<string, string> {
  const { PGSERVICEFILE, HOME = '/', PGSYSCONFDIR = '/etc/postgresql-common' } = environment;
  const personal = PGSERVICEFILE ?? join(HOME, '.pg_service.conf');
  const paths = [personal, join(PGSYSCONFDIR, 'pg_service.conf')].filter(
    (path) => path === PGSERVICEFILE || existsSync(path),
  );
  for (const path of paths) {
    const parameters = sectionOf(readService(path), service);
    if (parameters !== null) return parameters;
  }
  const where = paths.length === 0 ? 'no service file' : `no such section in ${paths.join(' and ')}`;
  const hint = `add a section [${service}] to ~/.pg_service.conf, or name the file in PGSERVICEFILE`;
  throw new AppError('database-unreadable', `expected a service ${JSON.stringify(service)}, found ${where}`, hint);
}

function readService(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const message = `expected a service file at ${path}, found: ${messageOf(error)}`;
    throw new AppError('database-unreadable', message, 'correct PGSERVICEFILE or the permissions of the file', error);
  }
}

/**
 * `name=value` lines from `[service]` up to the next section; null where there is no such section.
 */
function sectionOf(text: string, service: string): ReadonlyMap<string, string> | null {
  const lines = text.split('\n').map((line) => line.trim());
  const start = lines.indexOf(`[${service}]`) + 1;
  if (start === 0) return null;
  const parameters = new Map<string, string>();
  for (const line of lines.slice(start)) {
    if (line.startsWith('[')) break;
    if (line === '' || line.startsWith('#')) continue;
    const equals = line.indexOf('=');
    // Not the line itself, which may be a password.
    if (equals < 0) parameters.set('a line without =', '');
    else parameters.set(line.slice(0, equals).trim(), line.slice(equals + 1).trim());
  }
  return parameters;
}
