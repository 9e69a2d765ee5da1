// Writes a folder that deploys the edge rule to a runtime, with the key ring of a tree.

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { KeyRing } from '../../contract/key-ring.ts';
import { codeBytes, README_TITLE } from '../../edge/targets/deployment.ts';
import type { OriginOptions } from '../../edge/targets/origin.ts';
import type { DeploymentFiles, Target } from '../../edge/targets/target.ts';
import type { SiblingEncoding } from '../../edge/rule/encoding.ts';
import type { ProfileName } from '../../edge/rule/profile.ts';
import { faultOfSettings, type SettingsFile } from '../../edge/rule/settings.ts';
import { AppError, messageOf, withoutUser } from '../../errors.ts';
import { orThrow, treeMissing } from '../../release/tree/found.ts';
import { readKeyRing } from '../../release/tree/read.ts';
import { PUBLIC_FOLDER } from '../../render/paths.ts';
import { checkCertificate } from '../../storage/certificate.ts';
import { isInBucket, openTree } from '../../storage/open-tree.ts';
import { foreignFiles, writeFolder } from '../../storage/write-folder.ts';

/** How long a worker may reuse a pointer that it has read. */
const POINTER_SECONDS = 5;

export interface EdgeBuildOptions {
  readonly target: Target;
  /** The proxy in front of a service; null without `--proxy`. */
  readonly proxy: string | null;
  /** The address on which a service behind a proxy listens. */
  readonly authorizer: string;
  /** The folder to write. */
  readonly to: string;
  /** The tree whose key ring goes with the rule. */
  readonly out: string;
  /** Where the edge finds the tree's public folder; null: in `out`. */
  readonly publicRoot: string | null;
  /**
   * The key ring's file, a URL or a binding, whichever the target takes. null: in the tree, beside
   * the public folder.
   */
  readonly keyRingPath: string | null;
  /** The address on which the server, or the proxy, listens. */
  readonly listen: string;
  /** The names and the certificate of nginx's server; null without. */
  readonly serverName: string | null;
  readonly certificate: string | null;
  readonly certificateKey: string | null;
  /**
   * Where the target finds the tree. A name without a scheme is that of a binding, or means the
   * public folder.
   */
  readonly origin: OriginOptions;
  readonly encodings: readonly SiblingEncoding[];
  readonly settings: SettingsFile;
  /** The accepted signature profiles. */
  readonly profiles: readonly ProfileName[];
}

/**
 * Writes the folder of a target around its bundle. Files that the operator fills in are written
 * once.
 * @returns the files that it wrote, and the ids of keys that this target cannot verify
 * @throws AppError edge-option-invalid, certificate-unreadable, certificate-mismatch, tree-missing,
 * tree-unreadable, tree-not-writable, tree-full
 */
export async function buildEdge(
  options: EdgeBuildOptions,
  bundle: string,
): Promise<{ readonly files: DeploymentFiles; readonly refused: readonly string[] }> {
  const invalid = (message: string, cause?: unknown): AppError =>
    new AppError('edge-option-invalid', message, 'see: playbill edge build --help', cause);
  const fault = faultOfSettings(options.settings);
  if (fault !== null) throw invalid(fault);
  refuseTree(options);
  const ring = await readKeyRing(await openTree(options.out));
  if (!ring.ok && ring.why === 'missing') throw treeMissing(options.out, 'no key ring in it');
  const keyRing = orThrow(ring, 'tree-unreadable', options.out);
  const { name, codeBytesMax, refusedKeys, filledIn = [] } = options.target;
  let files: DeploymentFiles;
  try {
    files = filesOf(options, bundle, keyRing);
  } catch (error) {
    if (error instanceof AppError) throw error;
    // These messages quote addresses as typed: removes a password before it is printed.
    throw invalid(
      messageOf(error).replaceAll(/"([^"]*)"/g, (_, found: string) => `"${withoutUser(found)}"`),
      error,
    );
  }
  if (options.certificate !== null && options.certificateKey !== null)
    checkCertificate(options.certificate, options.certificateKey);
  const bytes = await codeBytes(files);
  if (bytes > (codeBytesMax ?? Infinity))
    throw invalid(`--target ${name}: expected at most ${codeBytesMax} bytes of compressed code, found ${bytes}`);
  const isFilledIn = (file: string): boolean => filledIn.includes(file);
  const foreign = foreignFiles(
    options.to,
    files.filter(([file]) => !isFilledIn(file)),
    README_TITLE,
  );
  if (foreign.length > 0) {
    const found = foreign.join(', ');
    throw invalid(
      `--to: expected a new folder or one that edge build wrote, found foreign files in ${options.to}: ${found}`,
    );
  }
  const written = writeFolder(options.to, files, '--to', isFilledIn);
  return { files: written, refused: refusedKeys(keyRing) };
}

function publicRootOf({ publicRoot, out }: EdgeBuildOptions): string {
  return resolve(publicRoot ?? join(out, PUBLIC_FOLDER));
}

/**
 * Throws AppError if the folder is in the tree, which is copied and served, or contains it: the
 * folder is installed somewhere.
 */
function refuseTree(options: EdgeBuildOptions): void {
  const { to, target } = options;
  const root = treeFolders(options).find((path) => isWithin(to, path) || isWithin(path, to));
  if (root === undefined) return;
  throw new AppError(
    'edge-option-invalid',
    `--to: expected a folder outside the tree that does not contain it, found "${to}" with the tree in "${root}"`,
    `name one beside the tree: --to edge-${target.name}`,
  );
}

/** The tree, and what the edge reads, which may be linked from it or be a copy of it. */
function treeFolders(options: EdgeBuildOptions): readonly string[] {
  const { out, publicRoot } = options;
  if (publicRoot === null && isInBucket(out)) return [];
  const read = publicRootOf(options);
  const edge = basename(read) === PUBLIC_FOLDER ? [join(dirname(read), 'edge')] : [];
  return [...(isInBucket(out) ? [] : [out]), read, ...edge];
}

function isWithin(folder: string, root: string): boolean {
  return !/^\.\.(\/|$)/.test(relative(realPath(root), realPath(folder)));
}

/** The path with its links resolved, as far as it exists. */
function realPath(path: string): string {
  const whole = resolve(path);
  return existsSync(whole) ? realpathSync(whole) : join(realPath(dirname(whole)), basename(whole));
}

function filesOf(options: EdgeBuildOptions, bundle: string, keyRing: KeyRing): DeploymentFiles {
  const { target, settings, listen, origin, encodings, profiles, proxy, authorizer } = options;
  refuseServer(options);
  const isInFolder = !origin.origin.includes('://');
  if (isInFolder) refuseBucketAsFolder(options);
  // A target that reads either, and the key ring with the tree.
  else if (target.reads.s3 !== undefined && !target.options.includes('keyRingAt')) refuseFolderOptions(options);
  const publicRoot = publicRootOf(options);
  return target.files({
    bundle,
    keyRing,
    settings,
    profiles,
    ...origin,
    proxy,
    authorizer,
    listen,
    ...serverOf(options),
    folder: resolve(options.to),
    publicRoot,
    keyRingPath: keyRingPathOf(options, publicRoot),
    keyRingAt: options.keyRingPath,
    encodings,
    pointerSeconds: POINTER_SECONDS,
  });
}

/** What only nginx has: the names of its server, and a certificate. */
const serverOf = ({ serverName, certificate, certificateKey }: EdgeBuildOptions) => ({
  serverName,
  certificate: certificate === null ? null : resolve(certificate),
  certificateKey: certificateKey === null ? null : resolve(certificateKey),
});

/** Throws Error if such an option is given for a target without a server of its own. */
function refuseServer({ target, serverName, certificate, certificateKey }: EdgeBuildOptions): void {
  if (target.options.includes('certificate')) return;
  const given = [
    ['--server-name', serverName],
    ['--certificate', certificate],
    ['--certificate-key', certificateKey],
  ].find(([, value]) => value !== null);
  if (given !== undefined)
    throw new Error(`${given[0]}: expected none with --target ${target.name}, found "${given[1]}"`);
}

/** Throws Error if an option names a folder although the edge reads a bucket. */
function refuseFolderOptions({ publicRoot, keyRingPath }: EdgeBuildOptions): void {
  if (publicRoot !== null) throw new Error(`--public-root: expected only without --origin, found "${publicRoot}"`);
  if (keyRingPath !== null) throw new Error(`--key-ring: expected only without --origin, found "${keyRingPath}"`);
}

/** Throws Error if the edge would read files although the tree is in a bucket. */
function refuseBucketAsFolder({ out, publicRoot }: EdgeBuildOptions): void {
  if (publicRoot !== null || !isInBucket(out)) return;
  throw new Error(`expected --origin ${out} or --public-root FOLDER, since the tree is in a bucket, found neither`);
}

/**
 * The key ring's file; null if it is not given and the public folder, having another name, may be
 * outside a tree.
 */
function keyRingPathOf({ keyRingPath }: EdgeBuildOptions, publicRoot: string): string | null {
  if (keyRingPath !== null) return resolve(keyRingPath);
  return basename(publicRoot) === PUBLIC_FOLDER ? join(dirname(publicRoot), 'edge/keyring.json') : null;
}
