// What `npm ci`, a maintainer's first command, takes: a lock file that names every package of every
// platform, and compiles nothing.

import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/trees.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>>; readonly gypfile?: boolean }>
  >;
}

function lockFileIn(folder: string): LockFile {
  return JSON.parse(readFileSync(`${root}${folder}package-lock.json`, 'utf8')) as LockFile;
}

/**
 * Optional dependencies without an entry: npm looks in the package's own node_modules, then in
 * those of the folders above.
 */
function missingIn({ packages }: LockFile): string[] {
  const isThere = (path: string, name: string): boolean => {
    const [above] = /^.*(?=\/?node_modules\/)/.exec(path) ?? [];
    return (
      `${path === '' ? '' : `${path}/`}node_modules/${name}` in packages ||
      (above !== undefined && isThere(above.replace(/\/$/, ''), name))
    );
  };
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isThere(path, name))
      .map((name) => `${path} → ${name}`),
  );
}

describe.each(['', '.node/', '.node/others/'])('%spackage-lock.json', (folder) => {
  test('has an entry for every optional package of every platform', () => {
    const whole = lockFileIn(folder);
    expect(missingIn(whole)).toEqual([]);
    const [name = ''] = Object.keys(whole.packages).filter((path) => path.endsWith('linux-arm64'));
    const { [name]: removed, ...rest } = whole.packages;
    expect(removed).toBeDefined();
    expect(missingIn({ packages: rest }), 'an entry that is missing is seen').toHaveLength(1);
  });

  test('is taken by npm ci', () => {
    const copy = temporaryFolder();
    for (const name of ['package.json', 'package-lock.json']) copyFileSync(`${root}${folder}${name}`, join(copy, name));
    const words = ['ci', '--dry-run', '--offline', '--no-audit', '--no-fund'];
    const { status, stderr } = spawnSync('npm', words, { cwd: copy, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
    expect(stderr).not.toContain('EBADENGINE');
  });
});

test('the SQLite driver is used as it comes', () => {
  // Its package.json says so, but npm asks the lock file, where it does not write this: after an
  // update of the driver, add it again. Without it `npm ci` needs a compiler, make, python3 and the
  // headers of Node.js.
  expect(lockFileIn('').packages['node_modules/better-sqlite3']?.gypfile).toBe(false);
});

test('versions are exact', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  const versions = { ...dependencies, ...devDependencies };
  expect(Object.entries(versions).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});
