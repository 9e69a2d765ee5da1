// The command as somebody else gets it: packed by npm, and the archive installed by npm in an empty
// folder. The packages that it depends on are this checkout's, so that no registry is asked.

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledPackage } from '../compiled.ts';

const checkout = fileURLToPath(new URL('../../../', import.meta.url));

function succeed(command: string, words: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout.trim();
}

/**
 * Paths of the packages that an installation without development's has, as the lock file lists
 * them.
 */
export function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(`${checkout}package-lock.json`, 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  return Object.entries(packages).flatMap(([path, { dev, optional }]) =>
    path === '' || dev === true || optional === true ? [] : [path],
  );
}

/** Packs the package into `folder`. @returns the archive */
export function packCheckout(folder: string): string {
  return packFolder(compiledPackage(), folder);
}

/** Packs the package that another folder has into `folder`. @returns the archive */
export function packFolder(packed: string, folder: string): string {
  return join(folder, succeed('npm', ['pack', '--silent', packed], folder));
}

/**
 * Packs the checkout and installs the archive below `folder`.
 * @returns the folder of the installation
 */
export function installPacked(folder: string): string {
  return installArchive(packCheckout(folder), folder);
}

/** Installs an archive of `packCheckout` below `folder`. @returns the folder of the installation */
export function installArchive(archive: string, folder: string): string {
  const installation = join(folder, 'installation');
  for (const path of productionPackages()) {
    cpSync(join(checkout, path), join(installation, path), { recursive: true });
  }
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  succeed('npm', ['install', '--offline', ...quiet, archive], installation);
  return installation;
}
