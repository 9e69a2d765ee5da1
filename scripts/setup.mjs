// Prepares a checkout, then runs a command in it: node scripts/setup.mjs [--to-run] tsx
// scripts/start.ts If the machine's Node.js is too old, installs the one of .node/package.json from
// npm and uses it. Installs the packages of the lock file and checks that the SQLite driver loads.
// With --to-run, a fresh checkout gets only the packages needed to run, a tenth of all; the first
// command without it installs the rest. Plain JavaScript for Node.js 16, because it runs before
// anything is installed. Prints to stderr: stdout belongs to the command.

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function readJson(path) {
  return JSON.parse(readFileSync(`${root}${path}`, 'utf8'));
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Exits 2: the user must do something. */
function giveUp(text) {
  say(text);
  process.exit(2);
}

const NODE_NEEDED = 'Playbill needs Node.js 22.14 or newer (not 23)';

/** Whether this Node.js satisfies `engines` of package.json. */
function isNodeNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 14);
}

/** The development packages that are needed to run the command: the package bundles most of them. */
const TO_RUN = [
  '@aws-sdk/credential-provider-node',
  '@smithy/node-config-provider',
  '@smithy/signature-v4',
  '@tanstack/virtual-core',
  'commander',
  'esbuild',
  'execa',
  'fast-string-width',
  'fast-xml-parser',
  'kysely',
  'luxon',
  'p-limit',
  'pg',
  'pg-connection-string',
  'pgpass',
  'preact',
  'tsx',
  'undici',
  'zod',
];

/**
 * Whether the packages of the lock file are installed: npm lists those that it installed in
 * node_modules/.package-lock.json, without the optional ones that it left out. With `isToRun`, the
 * packages needed to run are enough.
 */
function isInstalled(folder, isToRun = false) {
  if (!existsSync(`${root}${folder}node_modules/.package-lock.json`)) return false;
  const wanted = readJson(`${folder}package-lock.json`).packages;
  const installed = readJson(`${folder}node_modules/.package-lock.json`).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional, dev }]) =>
      path === '' ||
      (installed[path]
        ? installed[path].version === version
        : optional || (isToRun && dev && !TO_RUN.includes(path.replace('node_modules/', '')))),
  );
}

/** @returns whether npm succeeded */
function npm(folder, environment, ...argv) {
  const options = { cwd: `${root}${folder}`, env: environment, stdio: ['ignore', 2, 2] };
  return spawnSync('npm', [...argv, '--no-audit', '--no-fund', '--loglevel=error'], options).status === 0;
}

/**
 * Installs a newer Node.js unless that is done, and returns its folder. Not in node_modules, where
 * `npm ci` would remove it.
 */
function installNode() {
  const bin = `${root}.node/node_modules/.bin`;
  if (!isInstalled('.node/') || !existsSync(`${bin}/node`)) {
    say(`${NODE_NEEDED}, and this is ${process.versions.node}: installing one from npm into .node/ …`);
    const isInstalledNow = npm('.node/', process.env, 'ci');
    const tried = spawnSync(`${bin}/node`, ['--version'], { encoding: 'utf8' });
    if (!isInstalledNow || tried.status !== 0) {
      const { platform, arch } = process;
      giveUp(`npm has no Node.js that runs on this machine (${platform} ${arch}). ${NODE_NEEDED}: install one.`);
    }
  }
  return bin;
}

/** Whether the SQLite driver loads. In a process of its own: a damaged one may end it. */
function isDriverSound(environment) {
  const words = ['-e', "new (require('better-sqlite3'))(':memory:').close()"];
  return spawnSync('node', words, { cwd: root, env: environment, stdio: 'ignore' }).status === 0;
}

/**
 * Installs only the packages needed to run, at the versions of the lock file: npm skips what a
 * reduced manifest does not need.
 */
function installToRun(environment) {
  const { name, dependencies, devDependencies = {}, allowScripts } = readJson('package.json');
  const lock = readJson('package-lock.json');
  const added = TO_RUN.filter((one) => one in devDependencies).map((one) => [one, devDependencies[one]]);
  const own = { name, dependencies: { ...dependencies, ...Object.fromEntries(added) }, allowScripts };
  // In a separate folder, so that the checkout's manifest does not change.
  mkdirSync(`${root}.run`, { recursive: true });
  writeFileSync(`${root}.run/package.json`, JSON.stringify(own));
  writeFileSync(`${root}.run/package-lock.json`, JSON.stringify({ ...lock, packages: { ...lock.packages, '': own } }));
  if (!npm('.run/', environment, 'ci')) giveUp('npm ci failed: see above.');
  renameSync(`${root}.run/node_modules`, `${root}node_modules`);
  rmSync(`${root}.run`, { recursive: true });
}

function installPackages(environment, isToRun) {
  if (isToRun && !existsSync(`${root}node_modules`)) {
    say('Installing the packages needed to run; the tests install the rest …');
    installToRun(environment);
  } else if (!isInstalled('', isToRun)) {
    say('Installing the packages of package-lock.json …');
    if (!npm('', environment, 'ci')) giveUp('npm ci failed: see above.');
  }
  if (isDriverSound(environment)) return;
  say('The SQLite driver does not load: installing the packages again …');
  if (npm('', environment, 'ci') && isDriverSound(environment)) return;
  say('There is no prebuilt SQLite driver for this machine: compiling one, which takes minutes …');
  if (npm('', environment, 'rebuild', 'better-sqlite3') && isDriverSound(environment)) return;
  giveUp(
    'The SQLite driver cannot be loaded. To compile it, install a C++ compiler, make and python3, then type: npm rebuild better-sqlite3',
  );
}

/** Runs the command; ends with its exit code, or by the signal that ended it. */
function run(command, argv, environment) {
  const child = spawn(command, argv, { stdio: 'inherit', env: environment });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  // On a terminal, Ctrl+C reaches the command anyway; a second SIGINT would end it before it has
  // finished.
  for (const signal of signals)
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  child.on('error', (error) => giveUp(`${command} cannot be run: ${error.message}`));
  child.on('exit', (code, signal) => {
    for (const one of signals) process.removeAllListeners(one);
    if (signal !== null) process.kill(process.pid, signal);
    else process.exitCode = code;
  });
}

const isToRun = process.argv[2] === '--to-run';
const [command, ...argv] = process.argv.slice(isToRun ? 3 : 2);
const node = isNodeNewEnough() ? dirname(process.execPath) : installNode();
const environment = { ...process.env, PATH: [`${root}node_modules/.bin`, node, process.env.PATH].join(delimiter) };
installPackages(environment, isToRun);
if (command !== undefined) run(command, argv, environment);
