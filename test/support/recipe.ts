// Recipes are tried as they are: read from their folder, with nothing changed but the places that a
// test may not write to.

import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const RECIPES = fileURLToPath(new URL('../../scripts/recipes/', import.meta.url));

/** The text of a recipe. */
export function recipe(name: string): string {
  return readFileSync(join(RECIPES, name), 'utf8');
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, with this environment and no other. */
export function run(
  [file = '', ...words]: readonly string[],
  environment: Readonly<Record<string, string>>,
  options: { readonly cwd?: string; readonly uid?: number; readonly gid?: number } = {},
): Promise<Ran> {
  const child = spawn(file, words, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/**
 * The editions of a tree that have no sibling in gzip. Throws Error where there is no edition at
 * all.
 */
export function uncompressedEditions(tree: string): readonly string[] {
  const paths = readdirSync(tree, { recursive: true, encoding: 'utf8' });
  const editions = paths.filter((path) => /(products|categories)\.[0-9a-f]{16}\.json$/.test(path));
  if (editions.length === 0) throw new Error(`no edition in ${tree}`);
  return editions.filter((path) => !paths.includes(`${path}.gz`));
}
