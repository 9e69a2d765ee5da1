// `edge build` with a certificate for nginx: what it checks before it writes anything.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { playbill } from '../support/cli/run.ts';
import { type Certificate, makeCertificate } from '../support/edge/certificate.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const out = join(root, 'out');
let own: Certificate;
let other: Certificate;

beforeAll(() => {
  mkdirSync(join(out, 'edge'), { recursive: true });
  mkdirSync(join(out, 'public'));
  writeFileSync(join(out, 'edge/keyring.json'), '{"schema":1,"keys":{}}\n');
  own = makeCertificate(root, 'own.example');
  other = makeCertificate(root, 'other.example');
});

const build = (to: string, certificate: string, key: string) => {
  const places = ['--target', 'nginx', '--out', out, '--to', to];
  const tls = ['--listen', '443 ssl', '--certificate', certificate, '--certificate-key', key];
  return playbill(['edge', 'build', ...places, ...tls]);
};

test('a certificate with its key and its chain is named by absolute paths', async () => {
  const chain = join(root, 'chain.pem');
  writeFileSync(chain, readFileSync(own.certificate, 'utf8') + readFileSync(other.certificate, 'utf8'));
  const to = join(root, 'edge');
  expect((await build(to, chain, own.key)).status).toBe(0);
  const server = readFileSync(join(to, 'playbill.conf'), 'utf8');
  expect(server).toContain(`ssl_certificate "${chain}";\n  ssl_certificate_key "${own.key}";`);
});

test.each<
  [
    name: string,
    files: () => readonly [certificate: string, key: string],
    code: string,
    said: () => string,
    hint: string,
  ]
>([
  [
    'no certificate',
    () => [join(root, 'none.pem'), own.key],
    'certificate-unreadable',
    () => `--certificate: expected a certificate in PEM at ${root}/none.pem, found: no such file or directory`,
    'name the file on the machine of the edge, and type this command there, as root (sudo)',
  ],
  [
    'a key in its place',
    () => [own.key, own.key],
    'certificate-unreadable',
    () => `--certificate: expected a certificate in PEM at ${own.key}, found something else`,
    'look at it: head -n 1 ',
  ],
  [
    'no key',
    () => [own.certificate, root],
    'certificate-unreadable',
    () => `--certificate-key: expected a private key in PEM without a passphrase at ${root}, found: `,
    'name the file on the machine of the edge',
  ],
  [
    'a key with a passphrase',
    () => {
      const locked = join(root, 'locked.key');
      execFileSync('openssl', ['pkey', '-aes256', '-passout', 'pass:secret', '-in', own.key, '-out', locked]);
      return [own.certificate, locked];
    },
    'certificate-unreadable',
    () => `at ${root}/locked.key, found a key with a passphrase`,
    `write a copy without one: openssl pkey -in `,
  ],
  [
    'the key of another certificate',
    () => [own.certificate, other.key],
    'certificate-mismatch',
    () =>
      `--certificate-key: expected the private key of ${own.certificate} ("CN=own.example"), found another in ${other.key}`,
    "the server's own certificate must be the first in its file; compare: openssl x509",
  ],
])('%s: nothing is written, and the error says what to type', async (_, files, code, said, hint) => {
  const to = join(root, 'refused');
  const { status, stderr } = await build(to, ...files());
  expect(status).toBe(2);
  expect(stderr).toContain(`error ${code}: `);
  expect(stderr).toContain(said());
  expect(stderr).toContain(`  hint: ${hint}`);
  expect(existsSync(to)).toBe(false);
});

test('a target without a server of its own takes no certificate', async () => {
  const words = ['edge', 'build', '--target', 'worker', '--out', out, '--certificate', own.certificate];
  const { status, stderr } = await playbill(words);
  expect(status).toBe(2);
  expect(stderr).toContain(
    `error edge-option-invalid: --certificate: expected none with --target worker, found "${own.certificate}"`,
  );
});
