// Whom PostgreSQL and PgBouncer run as in tests: both refuse root, who then runs them as another
// user.

import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface User {
  readonly uid: number;
  readonly gid: number;
}

/** Null for anybody but root, who runs them himself. */
const OTHER_USER: User | null = process.getuid?.() === 0 ? userNamed('postgres', 'nobody') : null;

function userNamed(...names: readonly string[]): User {
  const users = readFileSync('/etc/passwd', 'utf8');
  for (const name of names) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm').exec(users) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(`expected a user ${names.join(' or ')} on this machine, found none`);
}

/** A fresh folder of that user, which everybody may enter. */
export function serverFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `playbill-${name}-`));
  chmodSync(folder, 0o755);
  giveToServer(folder);
  return folder;
}

/** Makes a file or folder that user's. */
export function giveToServer(path: string): void {
  if (OTHER_USER !== null) chownSync(path, OTHER_USER.uid, OTHER_USER.gid);
}

/**
 * The command line that runs a program as that user; the kernel sends it `signal` when this process
 * ends, even by SIGKILL.
 */
export function asServer(signal: 'QUIT' | 'KILL', command: string, ...args: readonly string[]): [string, string[]] {
  const { uid = 0, gid = 0 } = OTHER_USER ?? {};
  const user = OTHER_USER === null ? [] : [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  return ['setpriv', [...user, '--pdeathsig', signal, '--', command, ...args]];
}

/**
 * Writes `server.crt` with `server.key`, for localhost and 127.0.0.1, into a folder, and
 * `authority.crt`, the certificate of the authority that signed it.
 */
export function writeCertificate(folder: string): void {
  const at = (name: string) => join(folder, name);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '3650'];
  const request = (...args: readonly string[]) =>
    execFileSync('openssl', ['req', '-x509', ...key, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  request('-keyout', at('authority.key'), '-out', at('authority.crt'), '-subj', '/CN=Authority of the tests');
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-addext', 'basicConstraints=CA:FALSE'];
  const signer = ['-CA', at('authority.crt'), '-CAkey', at('authority.key')];
  request(...signer, ...names, '-keyout', at('server.key'), '-out', at('server.crt'), '-subj', '/CN=localhost');
  chmodSync(at('authority.crt'), 0o644);
  chmodSync(at('server.key'), 0o600);
  giveToServer(at('server.key'));
  giveToServer(at('server.crt'));
}
