// The command as somebody else gets it: packed by npm, and the archive installed by npm in an empty folder. The packages that it depends
// on are this checkout's, so that no registry is asked.

import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const checkout = fileURLToPath(new URL('../../../', import.meta.url));

function succeed(command: string, words: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout.trim();
}

/** Paths of the packages that an installation without development's has, as the lock file lists them. */
export function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(`${checkout}package-lock.json`, 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  return Object.entries(packages).flatMap(([path, { dev, optional }]) =>
    path === '' || dev === true || optional === true ? [] : [path],
  );
}

/** Packs the checkout and installs the archive below `folder`. @returns the folder of the installation */
export function installPacked(folder: string): string {
  // Compiled beside the checkout, whose own dist/ may be in use.
  const source = join(folder, 'source');
  for (const path of ['package.json', 'data/schema.sql']) {
    mkdirSync(dirname(join(source, path)), { recursive: true });
    copyFileSync(`${checkout}${path}`, join(source, path));
  }
  succeed(`${checkout}node_modules/.bin/tsx`, ['scripts/compile.ts', join(source, 'dist')], checkout);
  const archive = succeed('npm', ['pack', '--ignore-scripts', '--silent'], source);

  const installation = join(folder, 'installation');
  for (const path of productionPackages()) {
    cpSync(join(checkout, path), join(installation, path), { recursive: true });
  }
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  succeed('npm', ['install', '--offline', ...quiet, join(source, archive)], installation);
  return installation;
}
