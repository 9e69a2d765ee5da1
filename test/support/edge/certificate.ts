// A real certificate, of its own authority, for a server on this machine.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export interface Certificate {
  /** The files with the certificate and its private key, in PEM. */
  readonly certificate: string;
  readonly key: string;
}

/** Made by openssl in a folder. `name`: of the files, and the host beside this machine's own. */
export function makeCertificate(folder: string, name = 'tickets.example'): Certificate {
  const [certificate, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  const names = `subjectAltName=DNS:${name},DNS:localhost,IP:127.0.0.1`;
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const files = ['-subj', `/CN=${name}`, '-addext', names, '-keyout', key, '-out', certificate];
  execFileSync('openssl', [...words, ...files], { stdio: ['ignore', 'ignore', 'pipe'] });
  return { certificate, key };
}
