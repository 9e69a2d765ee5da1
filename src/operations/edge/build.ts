// Writes the deployable edge rule for a runtime, with the key ring of a tree.

import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { KeyRing } from '../../contract/key-ring.ts';
import { authorizerFiles } from '../../edge/deploy/authorizer.ts';
import { PROXIES, type Proxy } from '../../edge/deploy/authorizer-proxies.ts';
import { README_TITLE, type DeploymentFiles } from '../../edge/deploy/deployment.ts';
import { lambdaEdgeFiles, refusedKeys } from '../../edge/deploy/lambda-edge.ts';
import { nginxBucketFiles } from '../../edge/deploy/nginx-bucket.ts';
import { nginxFiles } from '../../edge/deploy/nginx.ts';
import { nginxBundle, type OriginOptions, parseOrigin } from '../../edge/deploy/origin.ts';
import { isWorkerTarget, type WorkerTarget } from '../../edge/deploy/worker-deployment.ts';
import { workerFiles } from '../../edge/deploy/worker.ts';
import type { SiblingEncoding } from '../../edge/rule/encoding.ts';
import type { ProfileName } from '../../edge/rule/profile.ts';
import { faultOfSettings, type SettingsFile } from '../../edge/rule/settings.ts';
import { AppError, messageOf, withoutUser } from '../../errors.ts';
import { orThrow, treeMissing } from '../../release/tree/found.ts';
import { readKeyRing } from '../../release/tree/read.ts';
import { PUBLIC_FOLDER } from '../../render/paths.ts';
import { isInBucket, openTree } from '../../storage/open-tree.ts';
import { foreignFiles, writeFolder } from '../../storage/folder.ts';

/** How long a worker may go on with a pointer that it has read. */
const POINTER_SECONDS = 5;

export interface EdgeBuildOptions {
  readonly target: 'nginx' | 'authorizer' | 'lambda-edge' | WorkerTarget;
  /** authorizer: what stands in front of it; null: nothing was named. */
  readonly proxy: Proxy | null;
  /** authorizer: where it listens. */
  readonly authorizer: string;
  /** The folder to write. */
  readonly to: string;
  /** The tree whose key ring the rule takes along. */
  readonly out: string;
  /** Where the edge finds the tree's public folder; null: in the tree. */
  readonly publicRoot: string | null;
  /** nginx, authorizer: where it finds the key ring; null: beside the public folder. workers: a URL or a binding; null: in the module. */
  readonly keyRingPath: string | null;
  /** nginx, authorizer: the address of the server, or of the proxy. */
  readonly listen: string;
  /** Where a worker finds the tree; for nginx and the authorizer a bucket, or anything else for the public folder. */
  readonly origin: OriginOptions;
  /** nginx: the name server that it asks for a bucket's store. */
  readonly resolver: string;
  readonly encodings: readonly SiblingEncoding[];
  readonly settings: SettingsFile;
  /** The signature profiles in the bundle. */
  readonly profiles: readonly ProfileName[];
}

/**
 * Writes the folder around the bundle of a target. @returns its files, and the ids of keys that this target cannot verify
 * @throws AppError edge-option-invalid, tree-missing, tree-unreadable, tree-not-writable, tree-full
 */
export async function buildEdge(
  options: EdgeBuildOptions,
  bundle: string,
): Promise<{ readonly files: DeploymentFiles; readonly refused: readonly string[] }> {
  const invalid = (message: string, cause?: unknown): AppError =>
    new AppError('edge-option-invalid', message, 'see: playbill edge build --help', cause);
  const fault = faultOfSettings(options.settings);
  if (fault !== null) throw invalid(fault);
  for (const root of [join(options.out, PUBLIC_FOLDER), publicRootOf(options)])
    if (isWithin(options.to, root)) throw invalid(`--to: expected a folder that is not served, found one in ${root}`);
  const ring = await readKeyRing(await openTree(options.out));
  if (!ring.ok && ring.why === 'missing') throw treeMissing(options.out, 'no key ring in it');
  const keyRing = orThrow(ring, 'tree-unreadable', options.out);
  const files = await filesOf(options, bundle, keyRing).catch((error: unknown) => {
    // The rule's folder knows no secrets; an address that somebody has typed with one is quoted as it is.
    throw invalid(
      messageOf(error).replaceAll(/"([^"]*)"/g, (_, found: string) => `"${withoutUser(found)}"`),
      error,
    );
  });
  const foreign = foreignFiles(options.to, files, README_TITLE);
  if (foreign.length > 0) {
    const found = foreign.join(', ');
    throw invalid(
      `--to: expected a new folder or one that edge build wrote, found files of somebody else's in ${options.to}: ${found}`,
    );
  }
  writeFolder(options.to, files, '--to');
  return { files, refused: options.target === 'lambda-edge' ? refusedKeys(keyRing) : [] };
}

function publicRootOf({ publicRoot, out }: EdgeBuildOptions): string {
  return resolve(publicRoot ?? join(out, PUBLIC_FOLDER));
}

function isWithin(folder: string, root: string): boolean {
  return `${realPath(folder)}/`.startsWith(`${realPath(root)}/`);
}

/** Without links, as far as the path exists. */
function realPath(path: string): string {
  const whole = resolve(path);
  return existsSync(whole) ? realpathSync(whole) : join(realPath(dirname(whole)), basename(whole));
}

async function filesOf(options: EdgeBuildOptions, bundle: string, keyRing: KeyRing): Promise<DeploymentFiles> {
  const { settings, listen, origin, encodings, resolver, profiles } = options;
  refuseBucketAsFolder(options);
  const publicRoot = publicRootOf(options);
  const common = { bundle, keyRing, settings };
  if (isWorkerTarget(options.target))
    return workerFiles({
      ...common,
      target: options.target,
      publicRoot,
      ...origin,
      encodings,
      pointerSeconds: POINTER_SECONDS,
      keyRingAt: options.keyRingPath,
      profiles,
    });

  const isBucket = readsBucket(origin);
  if (isBucket) refuseFolderOptions(options);
  if (options.target === 'lambda-edge')
    return lambdaEdgeFiles({ ...common, ...origin, encodings, pointerSeconds: POINTER_SECONDS, profiles });
  const keyRingPath = isBucket ? '' : keyRingPathOf(options, publicRoot);
  if (options.target === 'authorizer') {
    const { proxy, authorizer } = options;
    if (proxy === null)
      throw new Error(`expected --proxy ${PROXIES.join('|')} with --target authorizer, found neither`);
    return authorizerFiles({
      ...common,
      profiles,
      proxy,
      listen,
      authorizer,
      publicRoot,
      keyRingPath,
      ...origin,
      encodings,
    });
  }
  if (isBucket) return nginxBucketFiles({ ...common, ...origin, encodings, listen, resolver });
  return nginxFiles({ ...common, publicRoot, keyRingPath, listen });
}

/** Whether what is no worker reads the tree from a bucket. */
const readsBucket = ({ origin }: OriginOptions): boolean => nginxBundle(origin) === 'nginx-s3';

/** Throws Error where a folder is named beside a bucket. */
function refuseFolderOptions({ publicRoot, keyRingPath }: EdgeBuildOptions): void {
  if (publicRoot !== null) throw new Error(`--public-root: expected without --origin, found "${publicRoot}"`);
  if (keyRingPath !== null) throw new Error(`--key-ring: expected without --origin, found "${keyRingPath}"`);
}

/** Without an origin the edge reads files; a bucket has none. Throws Error where it would have to. */
function refuseBucketAsFolder({ target, out, publicRoot, origin }: EdgeBuildOptions): void {
  const readsFolder = isWorkerTarget(target) ? parseOrigin(origin).kind === 'binding' : !readsBucket(origin);
  if (!readsFolder || publicRoot !== null || !isInBucket(out)) return;
  throw new Error(`expected --origin ${out} (or --public-root FOLDER) where the tree is in a bucket, found neither`);
}

/** A tree has both in one folder; a public folder that bears another name may be anywhere. Throws Error where it cannot be known. */
function keyRingPathOf({ keyRingPath }: EdgeBuildOptions, publicRoot: string): string {
  if (keyRingPath !== null) return resolve(keyRingPath);
  if (basename(publicRoot) === 'public') return join(dirname(publicRoot), 'edge/keyring.json');
  throw new Error(
    `expected --key-ring FILE, since --public-root is not the folder "public" of a tree: "${publicRoot}"`,
  );
}
