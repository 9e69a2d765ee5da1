// The set-up of a checkout, as every npm script begins with it, in a checkout that has only the
// SQLite driver.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { temporaryFolderOfFile } from '../support/trees.ts';
import { OTHER_NODES as nodes } from '../support/nodes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const checkout = temporaryFolderOfFile();
const driver = `${checkout}/node_modules/better-sqlite3/prebuilds/${process.platform}-${process.arch}.node`;

beforeAll(() => {
  mkdirSync(`${checkout}/scripts`);
  mkdirSync(`${checkout}/.node`);
  for (const path of ['scripts/setup.mjs', '.npmrc', '.node/package.json', '.node/package-lock.json']) {
    copyFileSync(root + path, join(checkout, path));
  }
  const { lockfileVersion, packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
    lockfileVersion: number;
    packages: Record<string, { version?: string }>;
  };
  const names = ['better-sqlite3', 'node-addon-api'];
  const [version = ''] = names.map((name) => packages[`node_modules/${name}`]?.version);
  const own = { name: 'checkout', dependencies: { 'better-sqlite3': version } };
  const entries = names.map((name) => [`node_modules/${name}`, packages[`node_modules/${name}`]]);
  const lock = { ...own, lockfileVersion, packages: { '': own, ...Object.fromEntries(entries) } };
  writeFileSync(`${checkout}/package.json`, JSON.stringify(own));
  writeFileSync(`${checkout}/package-lock.json`, JSON.stringify(lock));
});

function environment(node: string): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${node}:${process.env['PATH'] ?? ''}` };
}

/** `node scripts/setup.mjs ARGV…` on a machine that has this Node.js. */
function setUp(node: string, ...argv: readonly string[]) {
  const options = { env: environment(node), encoding: 'utf8' } as const;
  const { status, signal, stdout, stderr } = spawnSync(
    `${node}/node`,
    [`${checkout}/scripts/setup.mjs`, ...argv],
    options,
  );
  return { status, signal, stdout, stderr };
}

const VERSION = ['node', '-p', 'process.versions.node'];
const LOAD = [
  'node',
  '-e',
  `new (require(${JSON.stringify(`${checkout}/node_modules/better-sqlite3`)}))(':memory:').close()`,
];

test('a Node.js that is new enough is used, and none is brought', () => {
  const first = setUp(nodes[26], ...VERSION);
  expect(first).toMatchObject({ status: 0, stdout: expect.stringMatching(/^26\./) });
  expect(first.stderr).toMatch(/^Installing the packages of package-lock\.json …\n/);
  expect(setUp(nodes[22], ...VERSION)).toMatchObject({ status: 0, stderr: '', stdout: '22.14.0\n' });
  expect(existsSync(`${checkout}/.node/node_modules`)).toBe(false);
  // Nothing was compiled.
  expect(existsSync(`${checkout}/node_modules/better-sqlite3/build`)).toBe(false);
});

test('on an older one another is brought, and everything runs on that', () => {
  const first = setUp(nodes[20], ...VERSION);
  expect(first).toMatchObject({ status: 0, stdout: expect.stringMatching(/^2[46]\./) });
  expect(first.stderr).toMatch(
    /^Playbill needs Node\.js 22\.14 or newer \(not 23\), and this is 20\.[^\n]* into \.node\/ …\n/,
  );
  // It is used from then on, also after `npm ci` by the machine's own, which empties node_modules.
  const byHand = spawnSync('npm', ['ci'], { cwd: checkout, env: environment(nodes[20]), encoding: 'utf8' });
  expect(byHand).toMatchObject({ status: 0, stderr: expect.not.stringContaining('EBADENGINE') });
  const nested = "require('child_process').spawnSync('node', ['-v'], { stdio: 'inherit' })";
  for (const own of [18, 20] as const) {
    const again = setUp(nodes[own], 'node', '-e', nested);
    expect(again).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^v2[46]\./) });
  }
});

test('a driver that is damaged or missing is installed again', () => {
  truncateSync(driver, 100_000);
  const damaged = setUp(nodes[26], ...LOAD);
  expect(damaged.stderr).toMatch(/^The SQLite driver does not load: installing the packages again …\n/);
  expect(damaged.status).toBe(0);
  rmSync(driver);
  expect(setUp(nodes[20], ...LOAD)).toMatchObject({ status: 0, stderr: expect.stringContaining('does not load') });
  expect(setUp(nodes[20], ...LOAD)).toMatchObject({ status: 0, stderr: '' });
});

test('the command has our input and output, and its exit code and signal are ours', async () => {
  const program =
    "process.stdin.pipe(process.stdout).on('finish', () => 0); process.stderr.write('x'); process.exitCode = 7";
  const piped = spawnSync(`${nodes[26]}/node`, [`${checkout}/scripts/setup.mjs`, 'node', '-e', program], {
    env: environment(nodes[26]),
    input: 'in and out',
    encoding: 'utf8',
  });
  expect(piped).toMatchObject({ status: 7, stdout: 'in and out', stderr: 'x' });
  expect(setUp(nodes[26], 'node', '-e', "process.kill(process.pid, 'SIGKILL')")).toMatchObject({ signal: 'SIGKILL' });
  expect(setUp(nodes[26], 'no-such-command')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('cannot be run'),
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const waiting = `process.on('${signal}', () => process.exit(9)); setInterval(() => 0, 1000); console.log('waiting')`;
    const child = spawn(`${nodes[20]}/node`, [`${checkout}/scripts/setup.mjs`, 'node', '-e', waiting], {
      env: environment(nodes[20]),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await ended, signal).toEqual([9, null]);
  }
});

test(
  'to run, a fresh checkout gets a part of the packages, at the versions of the lock file',
  { timeout: 600_000 },
  () => {
    const fresh = temporaryFolderOfFile();
    mkdirSync(`${fresh}/scripts`);
    for (const path of ['scripts/setup.mjs', '.npmrc', 'package.json', 'package-lock.json'])
      copyFileSync(root + path, join(fresh, path));
    const started = (): { status: number | null; stdout: string; stderr: string } => {
      const argv = [`${fresh}/scripts/setup.mjs`, '--to-run', 'tsx', '--version'];
      return spawnSync(`${nodes[26]}/node`, argv, { env: environment(nodes[26]), encoding: 'utf8' });
    };
    const first = started();
    expect(first).toMatchObject({ status: 0, stdout: expect.stringContaining('tsx v') });
    expect(first.stderr).toMatch(/^Installing the packages needed to run; the tests install the rest …\n/);
    expect(started()).toMatchObject({ status: 0, stderr: '' });
    const isThere = (name: string): boolean => existsSync(join(fresh, 'node_modules', name, 'package.json'));
    const imported = importedBySource();
    expect(imported).toEqual(expect.arrayContaining(['better-sqlite3', 'kysely', 'preact']));
    expect([...imported, 'luxon', 'tsx'].filter((name) => !isThere(name))).toEqual([]);
    expect(['workerd', 'bun', 'deno', 'vitest', 'typescript', 'playwright-core'].filter(isThere)).toEqual([]);
    const versionIn = (folder: string): unknown =>
      (JSON.parse(readFileSync(join(folder, 'node_modules/esbuild/package.json'), 'utf8')) as { version?: unknown })
        .version;
    expect(versionIn(fresh)).toBe(versionIn(root));
    expect(existsSync(`${fresh}/.run`)).toBe(false);
    expect(readFileSync(`${fresh}/package.json`, 'utf8')).toBe(readFileSync(`${root}package.json`, 'utf8'));
  },
);

test('where npm has no Node.js for the machine, it says which one to install', () => {
  for (const name of ['package.json', 'package-lock.json']) {
    writeFileSync(`${checkout}/.node/${name}`, JSON.stringify({ lockfileVersion: 3, packages: {} }));
  }
  rmSync(`${checkout}/.node/node_modules`, { recursive: true, force: true });
  const { status, stdout, stderr } = setUp(nodes[20], ...VERSION);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(
    /npm has no Node\.js that runs on this machine \(.*Node\.js 22\.14 or newer.*: install one\.\n$/,
  );
});

test('every place asks for the same Node.js', () => {
  const text = (path: string): string => readFileSync(root + path, 'utf8');
  expect(JSON.parse(text('package.json'))).toMatchObject({ engines: { node: '^22.14.0 || >=24' } });
  for (const path of ['scripts/setup.mjs', 'src/cli/main.ts']) {
    expect(text(path), path).toContain('major >= 24 || (major === 22 && minor >= 14)');
    expect(text(path), path).toContain('Playbill needs Node.js 22.14 or newer (not 23)');
  }
  expect(text('README.md')).toContain('Needed: Node.js 22.14 or newer, but not 23.');
});

/** The packages that the program's own files import, those of the preview's page included. */
function importedBySource(): readonly string[] {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;
  const names = globSync('src/**/*.{ts,tsx}', { cwd: root }).flatMap((path) => {
    const text = readFileSync(`${root}${path}`, 'utf8');
    return [...text.matchAll(/^(?:import|export) (?!type )(?:[^'=]* from )?'((?:@[^/']+\/)?[^./'][^/']*)/gm)].map(
      ([, name = '']) => name,
    );
  });
  return [...new Set(names)].filter((name) => name in dependencies || name in devDependencies);
}
