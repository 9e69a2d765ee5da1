// The password file (PostgreSQL's documentation, 34.16 "The Password File"). The driver can read it too, but warns on stderr that it will
// stop doing so.

import { readFileSync, statSync } from 'node:fs';

export interface PasswordFor {
  /** `localhost` for a socket. */
  readonly host: string;
  readonly port: number;
  readonly dbname: string;
  readonly user: string;
}

/** A password, or why there is none: completes "found". */
export type FoundPassword = { readonly password: string } | { readonly missing: string };

const FIELD = String.raw`((?:\\.|[^\\:])*)`;
/** The password ends at an unescaped colon. */
const LINE = new RegExp(String.raw`^${FIELD}:${FIELD}:${FIELD}:${FIELD}:((?:\\.|[^:])*)`, 's');

/** The password of the first line that matches. Like PostgreSQL's own tools, ignores a file that others may read. */
export function passwordIn(path: string, wanted: PasswordFor): FoundPassword {
  let text: string;
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { missing: `none, and ${path} is not a file` };
    if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0)
      return { missing: `none, and ${path} is not read, because others may read it (chmod 600)` };
    text = readFileSync(path, 'utf8');
  } catch {
    return { missing: 'none' };
  }
  const fields = [wanted.host, String(wanted.port), wanted.dbname, wanted.user];
  for (const line of text.split(/\r?\n/)) {
    const [, ...found] = line.startsWith('#') ? [] : (LINE.exec(line) ?? []);
    const password = found.pop();
    if (password === undefined || password === '') continue;
    if (found.every((field, i) => field === '*' || unescaped(field) === fields[i]))
      return { password: unescaped(password) };
  }
  return { missing: `none, and no line of ${path} that fits` };
}

function unescaped(field: string): string {
  return field.replaceAll(/\\(.)/gs, '$1');
}
