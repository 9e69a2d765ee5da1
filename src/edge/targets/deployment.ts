// What every target of `edge build` has in common. A target returns the texts of its files, and the caller writes them. The folder can be
// deployed as it is, has its own README, and contains the names of secrets but never a secret.

import type { KeyRing } from '../../contract/key-ring.ts';
import { HMAC } from '../rule/key-store.ts';
import type { ProfileName } from '../rule/profile.ts';
import type { SettingsFile } from '../rule/settings.ts';

/** How many bytes of code a host takes at most, after compression, on its largest plan. Other targets have no limit. */
export const CODE_BYTES_MAX: { readonly [target: string]: number } = {
  cloudflare: 10 * 2 ** 20,
  'lambda-edge': 2 ** 20,
  netlify: 20 * 2 ** 20,
  vercel: 4 * 2 ** 20,
};

/** The files of a deployable folder, sorted by name. */
export type DeploymentFiles = readonly (readonly [name: string, text: string])[];

/** The size of the code as a host counts it. */
export async function codeBytes(files: DeploymentFiles): Promise<number> {
  const code = files.filter(([name]) => /\.m?js$/.test(name)).map(([, text]) => text);
  const compressed = new Blob(code).stream().pipeThrough(new CompressionStream('gzip'));
  return (await new Response(compressed).arrayBuffer()).byteLength;
}

/** What every target needs. */
export interface Deployment {
  /** The bundle of the target, as text. */
  readonly bundle: string;
  readonly keyRing: KeyRing;
  readonly settings: SettingsFile;
  /** The accepted signing profiles. */
  readonly profiles: readonly ProfileName[];
}

/**
 * The distinct names of the secrets that the key ring's hmac keys refer to, sorted. Throws Error for a name that cannot be an environment
 * variable.
 */
export function secretNames(keyRing: KeyRing): readonly string[] {
  const names = new Set(Object.values(keyRing.keys).flatMap((key) => (key.alg === HMAC ? key.secretRef : [])));
  for (const name of names) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new Error(`secret_ref: expected the name of an environment variable, found ${JSON.stringify(name)}`);
  }
  return [...names].toSorted();
}

/** The first words of each README. They let `edge build` recognise a folder that it wrote. */
export const README_TITLE = '# The edge rule of Playbill';

/** Sentences that several READMEs share. */
export const OWN_FILES = `The next \`edge build\` replaces the files that it wrote here,
including your changes to them, and touches no other file.`;
export const NO_SECRETS = 'No key in this key ring needs a secret.';
export const EMPTY_SECRET = 'A key with an empty or missing secret is refused.';
export const keyRingUnreadable = ({
  ringGrace,
}: SettingsFile): string => `If it cannot read the key ring, it uses the last one for up to
${ringGrace} s (\`--ring-grace\`), and then refuses every request.`;

/** The permissions to read a tree in a bucket. `folder`: the tree's prefix with a slash at its end, or empty. */
export const bucketPermissions = (bucket: string, folder: string): string =>
  `- \`s3:GetObject\` on \`${bucket}/${folder}public/*\` and \`${bucket}/${folder}edge/keyring.json\`
- \`s3:ListBucket\` on \`${bucket}\`, so that the store answers 404 for a missing file. Without it the store answers 403 \`AccessDenied\`, which
  therefore counts as 404 until a front's pointer has been read: with credentials that never could read anything, the tree looks empty.`;

/** A list of names in Markdown. */
export const codeList = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
