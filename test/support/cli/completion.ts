// What a test of completion needs: a playbill on the path of a shell, and a tree and a catalogue to
// complete names from.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { instantOf } from '../../../src/catalogue/instant.ts';
import { keyRingSchema } from '../../../src/contract/key-ring.ts';
import { compiledCommand } from '../compiled.ts';
import { NOW, smallCatalogue } from '../fault/small-catalogue.ts';
import { buildTree, catalogueAt, instant } from '../trees.ts';

/**
 * Makes all of it in a folder: tree in `out` of four releases, with keys that have a colon,
 * catalogue in `c.sqlite`.
 * @returns the last release
 */
export async function completionFolder(folder: string): Promise<string> {
  const rows = smallCatalogue({ fronts: ['alpha', 'bravo'], productsPerFront: 2, sessionsPerProduct: 1, edition: 'x' });
  const database = catalogueAt(join(folder, 'c.sqlite'), rows);
  const out = join(folder, 'out');
  let last = '';
  for (const minute of [0, 10, 20, 30]) {
    const { releaseId } = await buildTree(database, out, instantOf(instant(NOW) + minute * 60));
    last = releaseId ?? '';
  }
  const path = join(out, 'edge/keyring.json');
  const ring = keyRingSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  const key = ring.keys['bravo-site'];
  writeFileSync(path, JSON.stringify({ ...ring, keys: { ...ring.keys, 'bravo:app-1': key, 'bravo:app-2': key } }));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/playbill'), `#!/bin/sh\nexec '${process.execPath}' '${compiledCommand()}' "$@"\n`, {
    mode: 0o755,
  });
  return last;
}

/**
 * Runs a script of a shell in such a folder.
 * @returns its lines; throws where anything went to stderr
 */
export function shellLines(shell: readonly [string, ...string[]], script: string, folder: string): string[] {
  const [file, ...words] = shell;
  const env = { PATH: `${join(folder, 'bin')}:/usr/bin:/bin`, HOME: folder, PLAYBILL_DB: 'c.sqlite' };
  const { stdout, stderr, error } = spawnSync(file, [...words, script], { cwd: folder, env, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (stderr !== '') throw new Error(stderr);
  return stdout.split('\n').filter((line) => line !== '');
}
