// Recipes are tried as they are: read from their folder, with nothing changed but the places that a
// test may not write to.

import { spawn } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

export const RECIPES = fileURLToPath(new URL('../../scripts/recipes/', import.meta.url));

/** The text of a recipe. */
export function recipe(name: string): string {
  return readFileSync(join(RECIPES, name), 'utf8');
}

/** A recipe for Kubernetes: the file of settings in its ConfigMap, and its CronJob. */
export function cronJobOf(text: string): { readonly settings: string; readonly cronJob: unknown } {
  const [configMap, cronJob, ...more] = parseAllDocuments(text).map((document): unknown => document.toJS());
  if (more.length > 0) throw new Error('expected a ConfigMap and a CronJob');
  const { data } = configMapSchema.parse(configMap);
  return { settings: data['playbill.json'], cronJob };
}

const configMapSchema = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('ConfigMap'),
  metadata: z.strictObject({ name: z.literal('playbill'), labels: z.record(z.string(), z.string()) }),
  data: z.strictObject({ 'playbill.json': z.string() }),
});

/**
 * The environment of a command that finds this file of settings, which stands in the place of
 * /etc/playbill/playbill.json. `places` maps the folders that it names to those of the test.
 */
export function withSettings(
  settings: string,
  folder: string,
  places: Readonly<Record<string, string>>,
): { readonly PLAYBILL_CONFIG: string } {
  const text = Object.entries(places).reduce((all, [place, here]) => all.replaceAll(place, here), settings);
  const path = join(folder, 'etc-playbill.json');
  writeFileSync(path, text, { mode: 0o644 });
  return { PLAYBILL_CONFIG: path };
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
