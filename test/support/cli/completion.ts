// What a test of completion needs: a playbill on the path of a shell, and a tree and a catalogue to complete names from.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledCommand } from '../compiled.ts';
import { NOW, smallCatalogue } from '../fault/small-catalogue.ts';
import { buildTree, catalogueAt, instant } from '../trees.ts';

/** Makes all of it in a folder: tree in `out`, catalogue in `c.sqlite`. @returns the release */
export async function completionFolder(folder: string): Promise<string> {
  const rows = smallCatalogue({ fronts: ['alpha', 'bravo'], productsPerFront: 2, sessionsPerProduct: 1, edition: 'x' });
  const database = catalogueAt(join(folder, 'c.sqlite'), rows);
  const { releaseId } = await buildTree(database, join(folder, 'out'), instant(NOW));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/playbill'), `#!/bin/sh\nexec '${process.execPath}' '${compiledCommand()}' "$@"\n`, {
    mode: 0o755,
  });
  return releaseId ?? '';
}

/** Runs a script of a shell in such a folder. @returns its lines; throws where anything went to stderr */
export function shellLines(shell: readonly [string, ...string[]], script: string, folder: string): string[] {
  const [file, ...words] = shell;
  const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HOME: folder, PLAYBILL_DB: 'c.sqlite' };
  const { stdout, stderr, error } = spawnSync(file, [...words, script], { cwd: folder, env, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (stderr !== '') throw new Error(stderr);
  return stdout.split('\n').filter((line) => line !== '');
}
