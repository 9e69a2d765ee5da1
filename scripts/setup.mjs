// Makes a checkout ready to run: installs the packages that the lock file names when they are not there as it names them.
// Plain JavaScript, because it runs before anything is installed. Everything it prints goes to stderr.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`playbill needs Node.js 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(2);
}

/** npm writes what it installed into node_modules/.package-lock.json: the packages of the lock file less the optional ones left out. */
function isInstalled() {
  const installedPath = `${root}node_modules/.package-lock.json`;
  if (!existsSync(installedPath)) return false;
  const wanted = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedPath, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional || installed[path]?.version === entry.version,
  );
}

if (!isInstalled()) {
  process.stderr.write(
    'Installing the packages of package-lock.json (the SQLite driver may be compiled: a minute or so) …\n',
  );
  // Not `npm ci`: it refuses a lock file made where some platform's optional binaries cannot be had, though this platform's are all
  // in it. `--no-save` installs what the lock file names and leaves it as it is. npm's stdout goes to our stderr: a command's stdout
  // is for its results.
  const { status } = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    process.stderr.write(
      'npm install failed: see above. A C++ compiler, make and python3 are needed where no prebuilt SQLite driver fits.\n',
    );
    process.exit(status ?? 1);
  }
}
