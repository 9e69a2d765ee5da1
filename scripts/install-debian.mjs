// Sees to it that the Debian packages named on the command line are there: node scripts/install-debian.mjs nginx wrk
// Installs what is missing where it may (root, apt); elsewhere it says what to type. Starts no service, and prints to stderr only.
// Exit 0, also where something is missing, so that work without it goes on; under CI=true a missing package is exit 1.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';

const POLICY = '/usr/sbin/policy-rc.d';
/** Read by the packages of PostgreSQL's servers. */
const CLUSTER_POLICY_FOLDER = '/etc/postgresql-common/createcluster.d';
const CLUSTER_POLICY = `${CLUSTER_POLICY_FOLDER}/playbill.conf`;

/** Runs a command with its output on our stderr; true when it ended with 0. */
function run(command, ...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(command, args, { stdio: ['ignore', 2, 2], env }).status === 0;
}

/** Those of the packages that dpkg does not report as wholly installed. */
function missingOf(packages) {
  return packages.filter((name) => {
    const { status, stdout } = spawnSync('dpkg-query', ['-W', '-f=${db:Status-Status}', name], { encoding: 'utf8' });
    return status !== 0 || stdout !== 'installed';
  });
}

/** Installs without starting daemons: maintainer scripts ask policy-rc.d first, and 101 means "may not". */
function install(packages) {
  const ownPolicy = !existsSync(POLICY);
  if (ownPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  // A server's package makes a cluster that starts with the machine; only the program is wanted here.
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
  // These packages enable their service for the next boot.
  const services = ['nginx', 'pgbouncer', 'slurmctld', 'slurmd', 'munge', 'caddy', 'haproxy'].filter((name) =>
    packages.includes(name),
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
    : `this is not a Debian system: install what these packages hold by other means`;
  process.stderr.write(`Missing: ${missing.join(', ')}; ${hint}\n`);
  if (process.env.CI === 'true') process.exit(1);
}
