// What the deployable folders have in common. A folder can be deployed as it is, has its own
// README, and contains the names of secrets but never a secret.

import type { KeyRing } from '../../contract/key-ring.ts';
import { HMAC } from '../rule/key-store.ts';
import { RING_KEPT, type SettingsFile } from '../rule/settings.ts';
import { renderedPart, type Values } from '../template.ts';
import type { DeploymentFiles, TargetOptions } from './target.ts';

/** The first words of each README. They let `edge build` recognise a folder that it wrote. */
export const README_TITLE = '# The edge rule of Playbill';

/** The size of the code as a host counts it. */
export async function codeBytes(files: DeploymentFiles): Promise<number> {
  const code = files.filter(([name]) => /\.m?js$/.test(name)).map(([, text]) => text);
  const compressed = new Blob(code).stream().pipeThrough(new CompressionStream('gzip'));
  return (await new Response(compressed).arrayBuffer()).byteLength;
}

/** Code that begins with its configuration, as the entries of the bundles declare it. */
export const configured = (configuration: object, bundle: string): string =>
  `const PLAYBILL = ${JSON.stringify(configuration)};\n${bundle}`;

/** Files sorted by their names. */
export const inOrder = (files: DeploymentFiles): DeploymentFiles => files.toSorted(([a], [b]) => (a < b ? -1 : 1));

/**
 * The distinct names of the secrets that the key ring's hmac keys refer to, sorted. Throws Error
 * for a name that cannot be an environment variable.
 */
export function secretNames(keyRing: KeyRing): readonly string[] {
  const names = new Set(Object.values(keyRing.keys).flatMap((key) => (key.alg === HMAC ? key.secretRef : [])));
  for (const name of names) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new Error(`secret_ref: expected the name of an environment variable, found ${JSON.stringify(name)}`);
  }
  return [...names].toSorted();
}

/**
 * The key ring's file. Throws Error if it is not given and the public folder, having another name,
 * may be outside a tree.
 */
export function keyRingOf({ keyRingPath, publicRoot }: Pick<TargetOptions, 'keyRingPath' | 'publicRoot'>): string {
  if (keyRingPath !== null) return keyRingPath;
  throw new Error(
    `expected --key-ring FILE, since --public-root is not the folder "public" of a tree: "${publicRoot}"`,
  );
}

/**
 * The paths that a server of the operator's passes on to the rule: those that it serves, and both
 * without the slash at their end, which it refuses as it does in a server of its own. Throws Error
 * for a base that servers, which compare decoded and normalised paths, could not match.
 */
export function rulePaths(base: string): readonly string[] {
  if (!/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/.test(base))
    throw new Error(`--base: expected letters, digits, "-", "_", "." and "~" between slashes, found "${base}"`);
  return ['/products/', '/products', '/fronts/categories/', '/fronts/categories'].map((path) => base + path);
}

/** The sentences that several READMEs have in common, and whether the edge needs these secrets. */
export const commonValues = ({ ringGrace }: SettingsFile, secrets: readonly string[]): Values => ({
  ownFiles: renderedPart('own-files.md'),
  noSecretNeeded: renderedPart('no-secrets.md'),
  emptySecret: renderedPart('empty-secret.md'),
  ringUnreadable: renderedPart('ring-unreadable.md', { ringGrace }),
  ringKept: RING_KEPT,
  ringGrace,
  names: codeList(secrets),
  secrets: secrets.length > 0,
  noSecrets: secrets.length === 0,
});

/** A list of names in Markdown. */
export const codeList = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
