// Service files of PostgreSQL (documentation, 34.17 "The Connection Service File"): named sets of parameters, in INI syntax. The driver
// does not support them.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, messageOf } from '../../errors.ts';
import type { Parameters } from './address-parts.ts';

/** Where distributions keep the file for all users. */
const SYSTEM_FOLDERS = ['/etc/postgresql-common', '/etc/sysconfig/pgsql', '/etc'];

/**
 * The parameters of a service, from the user's file or else from the system's.
 * @param home the user's folder; null where he has none
 * @throws AppError database-unreadable
 */
export function serviceParameters(service: string, environment: NodeJS.ProcessEnv, home: string | null): Parameters {
  const own = environment['PGSERVICEFILE'] ?? (home === null ? undefined : join(home, '.pg_service.conf'));
  const folder = environment['PGSYSCONFDIR'];
  const paths = [own, ...(folder === undefined ? SYSTEM_FOLDERS : [folder]).map((one) => join(one, 'pg_service.conf'))];
  const looked: string[] = [];
  for (const path of paths) {
    if (path === undefined || (path !== environment['PGSERVICEFILE'] && !existsSync(path))) continue;
    looked.push(path);
    const parameters = parametersIn(textOf(path), service, path);
    if (parameters !== null) return parameters;
  }
  const where = looked.length === 0 ? 'no service file' : `no such section in ${looked.join(' and ')}`;
  const hint = `add a section [${service}] to ~/.pg_service.conf, or name the file in PGSERVICEFILE`;
  throw new AppError('database-unreadable', `expected a service ${JSON.stringify(service)}, found ${where}`, hint);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const message = `expected a service file at ${path}, found: ${messageOf(error)}`;
    throw new AppError('database-unreadable', message, 'correct PGSERVICEFILE or the permissions of the file', error);
  }
}

/** The first section of that name, or null. If a parameter is repeated, its first line wins. */
function parametersIn(text: string, service: string, path: string): Parameters | null {
  let parameters: Map<string, string> | null = null;
  for (const [index, untrimmed] of text.split('\n').entries()) {
    const line = untrimmed.trim();
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('[')) {
      if (parameters !== null) return parameters;
      if (line === `[${service}]`) parameters = new Map();
      continue;
    }
    if (parameters === null) continue;
    const equals = line.indexOf('=');
    const name = line.slice(0, Math.max(equals, 0));
    if (!/^[a-z_]+$/.test(name) || name === 'service') {
      // Does not show the line, which may be a password.
      const message = `expected name=value in ${path}, found another text in line ${index + 1}`;
      throw new AppError('database-unreadable', message, 'correct the line: no blanks around the =, no other service');
    }
    if (!parameters.has(name)) parameters.set(name, line.slice(equals + 1));
  }
  return parameters;
}
