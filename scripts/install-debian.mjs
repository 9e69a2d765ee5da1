// Installs Debian packages: node scripts/install-debian.mjs nginx wrk As root with apt it installs
// what is missing; otherwise it says what to type. Starts no service, prints only to stderr. Exits
// 0 even if a package is missing, so that other work can go on; with CI=true it exits 1 then.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';

const POLICY = '/usr/sbin/policy-rc.d';
/** Read by the packages of PostgreSQL servers. */
const CLUSTER_POLICY_FOLDER = '/etc/postgresql-common/createcluster.d';
const CLUSTER_POLICY = `${CLUSTER_POLICY_FOLDER}/playbill.conf`;

/** Runs a command with its output on stderr. @returns whether it exited with 0 */
function run(command, ...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(command, args, { stdio: ['ignore', 2, 2], env }).status === 0;
}

/** The packages that dpkg does not report as fully installed. */
function missingOf(packages) {
  return packages.filter((name) => {
    const { status, stdout } = spawnSync('dpkg-query', ['-W', '-f=${db:Status-Status}', name], { encoding: 'utf8' });
    return status !== 0 || stdout !== 'installed';
  });
}

/**
 * Installs without starting daemons: maintainer scripts ask policy-rc.d first, and exit code 101
 * forbids it.
 */
function install(packages) {
  const ownPolicy = !existsSync(POLICY);
  if (ownPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  // The package of a server creates a cluster that starts at boot; we only want the programs.
  const isCluster = packages.some((name) => /^postgresql-\d+$/.test(name));
  if (isCluster) {
    mkdirSync(CLUSTER_POLICY_FOLDER, { recursive: true });
    writeFileSync(CLUSTER_POLICY, 'create_main_cluster = false\n');
  }
  try {
    run('apt-get', 'update', '-q');
    run('apt-get', 'install', '-q', '-y', '--no-install-recommends', ...packages);
  } finally {
    if (ownPolicy) rmSync(POLICY, { force: true });
    if (isCluster) rmSync(CLUSTER_POLICY, { force: true });
  }
  // These packages enable a service that starts at boot.
  const services = ['nginx', 'pgbouncer', 'slurmctld', 'slurmd', 'munge', 'caddy', 'haproxy', 'apache2'].filter(
    (name) => packages.includes(name),
  );
  if (services.length > 0 && existsSync('/run/systemd/system')) run('systemctl', 'disable', ...services);
}

const packages = process.argv.slice(2);
if (packages.length === 0 || packages.some((name) => !/^[a-z0-9][a-z0-9+.-]+$/.test(name))) {
  process.stderr.write('usage: node scripts/install-debian.mjs PACKAGE…   (names of Debian packages)\n');
  process.exit(2);
}

let missing = missingOf(packages);
if (missing.length > 0 && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
  process.stderr.write(`Installing Debian packages: ${missing.join(' ')} …\n`);
  install(missing);
  missing = missingOf(missing);
}
if (missing.length > 0) {
  const hint = existsSync('/usr/bin/apt-get')
    ? `type: sudo apt-get update && sudo apt-get install --no-install-recommends ${missing.join(' ')}`
    : `this is not a Debian system: install these programs by other means`;
  process.stderr.write(`Missing: ${missing.join(', ')}; ${hint}\n`);
  if (process.env.CI === 'true') process.exit(1);
}
