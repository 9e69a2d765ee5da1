// Checks the certificate that a server is to have before its configuration is written: nginx would
// find the same faults only when it reloads.

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AppError, messageOf, shellWord } from '../errors.ts';

/**
 * @param certificate the file with the certificate, in PEM, the server's own first
 * @param key the file with its private key, in PEM, without a passphrase
 * @throws AppError certificate-unreadable, certificate-mismatch
 */
export function checkCertificate(certificate: string, key: string): void {
  const own = parsed('--certificate', 'a certificate in PEM', certificate, (pem) => new X509Certificate(pem));
  const privateKey = parsed('--certificate-key', 'a private key in PEM without a passphrase', key, createPrivateKey);
  if (own.checkPrivateKey(privateKey)) return;
  throw new AppError(
    'certificate-mismatch',
    `--certificate-key: expected the private key of ${certificate} ("${own.subject.replaceAll('\n', ', ')}"), found another in ${key}`,
    `the server's own certificate must be the first in its file; compare: openssl x509 -noout -pubkey -in ${shellWord(certificate)}; openssl pkey -pubout -in ${shellWord(key)}`,
  );
}

function parsed<Parsed>(flag: string, expected: string, path: string, parse: (pem: string) => Parsed): Parsed {
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (error) {
    throw new AppError(
      'certificate-unreadable',
      `${flag}: expected ${expected} at ${path}, found: ${messageOf(error)}`,
      'name the file on the machine of the edge, and type this command there, as root (sudo) if only root can read it',
      error,
    );
  }
  try {
    return parse(pem);
  } catch (error) {
    const isEncrypted = pem.includes('ENCRYPTED');
    const copy = `openssl pkey -in ${shellWord(path)} -out ${shellWord(path)}.plain`;
    throw new AppError(
      'certificate-unreadable',
      `${flag}: expected ${expected} at ${path}, found ${isEncrypted ? 'a key with a passphrase' : 'something else'}`,
      isEncrypted ? `write a copy without one: ${copy}` : `look at it: head -n 1 ${shellWord(path)}`,
      error,
    );
  }
}
