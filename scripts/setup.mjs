// Makes a checkout ready, then runs a command in it:  node scripts/setup.mjs [--to-run] tsx scripts/start.ts
// Node.js first: where the machine's own is older than package.json asks for, the one that .node/package.json names is brought from npm,
// and everything after that runs on it. Then the packages of the lock file, and the SQLite driver, which is tried. With --to-run a fresh
// checkout gets only the packages that running takes, a tenth of all; the first command without it brings the others.
// Plain JavaScript that Node.js 16 understands, because it runs before anything is there. What it prints goes to stderr: stdout is for
// the command's results.

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

/** Ends with the exit code of wrong usage: somebody has to do something. */
function giveUp(text) {
  say(text);
  process.exit(2);
}

const NODE_NEEDED = 'Playbill needs Node.js 22.14 or newer (not 23)';

/** Whether this Node.js is one that package.json asks for. */
function isNodeNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major >= 24 || (major === 22 && minor >= 14);
}

/** The development packages that running takes. */
const TO_RUN = ['esbuild', 'luxon', 'preact', 'tsx'];

/**
 * npm writes what it installed into node_modules/.package-lock.json: the packages of the lock file less the optional ones left out.
 * `isToRun`: whether the packages that running takes are enough.
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

/** @returns whether npm ended well */
function npm(folder, environment, ...words) {
  const options = { cwd: `${root}${folder}`, env: environment, stdio: ['ignore', 2, 2] };
  return spawnSync('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], options).status === 0;
}

/** The folder of a Node.js that is new enough, brought where it is not there yet. Not in node_modules: `npm ci` would remove it. */
function bringNode() {
  const bin = `${root}.node/node_modules/.bin`;
  if (!isInstalled('.node/') || !existsSync(`${bin}/node`)) {
    say(`${NODE_NEEDED}, and this is ${process.versions.node}: bringing another from npm into .node/ …`);
    const isBrought = npm('.node/', process.env, 'ci');
    const tried = spawnSync(`${bin}/node`, ['--version'], { encoding: 'utf8' });
    if (!isBrought || tried.status !== 0) {
      const { platform, arch } = process;
      giveUp(`npm brought none that runs on this machine (${platform} ${arch}). ${NODE_NEEDED}: install one.`);
    }
  }
  return bin;
}

/** Whether the SQLite driver loads. In a process of its own: a damaged one may end it. */
function isDriverSound(environment) {
  const words = ['-e', "new (require('better-sqlite3'))(':memory:').close()"];
  return spawnSync('node', words, { cwd: root, env: environment, stdio: 'ignore' }).status === 0;
}

/** Installs what running takes, at the versions of the lock file: npm leaves out what the manifest does not lead to. */
function installToRun(environment) {
  const { name, dependencies, devDependencies = {}, allowScripts } = readJson('package.json');
  const lock = readJson('package-lock.json');
  const added = TO_RUN.filter((one) => one in devDependencies).map((one) => [one, devDependencies[one]]);
  const own = { name, dependencies: { ...dependencies, ...Object.fromEntries(added) }, allowScripts };
  // In a folder of its own, so that the checkout's manifest stays as it is.
  mkdirSync(`${root}.run`, { recursive: true });
  writeFileSync(`${root}.run/package.json`, JSON.stringify(own));
  writeFileSync(`${root}.run/package-lock.json`, JSON.stringify({ ...lock, packages: { ...lock.packages, '': own } }));
  if (!npm('.run/', environment, 'ci')) giveUp('npm ci failed: see above.');
  renameSync(`${root}.run/node_modules`, `${root}node_modules`);
  rmSync(`${root}.run`, { recursive: true });
}

function installPackages(environment, isToRun) {
  if (isToRun && !existsSync(`${root}node_modules`)) {
    say('Installing the packages that running takes; tests bring theirs …');
    installToRun(environment);
  } else if (!isInstalled('', isToRun)) {
    say('Installing the packages of package-lock.json …');
    if (!npm('', environment, 'ci')) giveUp('npm ci failed: see above.');
  }
  if (isDriverSound(environment)) return;
  say('The SQLite driver does not load: installing the packages once more …');
  if (npm('', environment, 'ci') && isDriverSound(environment)) return;
  say('There is no prebuilt SQLite driver for this machine: compiling one, which takes minutes …');
  if (npm('', environment, 'rebuild', 'better-sqlite3') && isDriverSound(environment)) return;
  giveUp(
    'The SQLite driver cannot be loaded. Compiling it takes a C++ compiler, make and python3; then type: npm rebuild better-sqlite3',
  );
}

/** Runs the command in this one's place: its exit code is ours, and so is the signal that ends it. */
function run(command, words, environment) {
  const child = spawn(command, words, { stdio: 'inherit', env: environment });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  // Ctrl+C on a terminal reaches the command by itself, and a second one would end it before it has finished.
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
const [command, ...words] = process.argv.slice(isToRun ? 3 : 2);
const node = isNodeNewEnough() ? dirname(process.execPath) : bringNode();
const environment = { ...process.env, PATH: [`${root}node_modules/.bin`, node, process.env.PATH].join(delimiter) };
installPackages(environment, isToRun);
if (command !== undefined) run(command, words, environment);
