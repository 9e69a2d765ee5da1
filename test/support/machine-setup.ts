// Before the first test: what the tests need from the machine is installed where that is allowed,
// and named where it is not.

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bringNewerNginx } from './edge/runtimes/newer-nginx.ts';
import { bringOtherNodes } from './nodes.ts';

/** Debian packages that tests use, and for what. */
const DEBIAN_PACKAGES = [
  'sqlite3',
  'nginx',
  'libnginx-mod-http-js',
  'caddy',
  'haproxy',
  'apache2',
  'rsync',
  'systemd',
  'chromium',
  'strace',
  'gcc',
  'libc6-dev',
  'fonts-noto-core',
  'ca-certificates',
  'curl',
  'openssl',
  'mandoc',
  'python3',
  'python3-cryptography',
  'php-cli',
  'golang-go',
  'zsh',
  'fish',
  'ceph-common',
  'ceph-mon',
  'ceph-osd',
  'radosgw',
  'postgresql-15',
  'pgbouncer',
  'slurmctld',
  'slurmd',
  'slurm-client',
  'munge',
] as const;

export function setup(): void {
  const script = fileURLToPath(new URL('../../scripts/install-debian.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [script, ...DEBIAN_PACKAGES], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('the machine lacks what the tests need: see the lines above');
  bringOtherNodes();
  bringNewerNginx();
}
