// A folder and the same tree in a bucket. Before an operation the bucket gets the folder as it is;
// after it the folder gets what the bucket has. So a suite that prepares a folder, damages it and
// judges it runs on a bucket, with the same judges. Refuses what no bucket has: links, pipes,
// sockets.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import pLimit from 'p-limit';
import { AppError } from '../../../src/errors.ts';
import { KEY_RING_LOCK_FILE, LOCK_FILE } from '../../../src/render/paths.ts';
import { lockedTree } from '../../../src/storage/open-tree.ts';
import { md5Of, mirrorBucket, type MirrorBucket } from './mirror-bucket.ts';

/** What is in a bucket alone, or in a folder alone. */
const NOT_OF_THE_TREE = new RegExp(`^(${LOCK_FILE}|${KEY_RING_LOCK_FILE}|\\.probe/.*)$`.replaceAll('.lock', '\\.lock'));

const REQUESTS_AT_ONCE = 16;

const trees = new Map<string, MirroredTree>();
let treesMade = 0;
let operations = 0;

/** How many operations have been run on trees in the bucket so far. */
export function operationsSoFar(): number {
  return operations;
}

/** The tree in the bucket of a folder, which need not be there yet. */
export async function mirrored(root: string): Promise<MirroredTree> {
  const folder = resolve(root);
  const bucket = await mirrorBucket();
  const tree = trees.get(folder) ?? new MirroredTree(folder, bucket, `tree-${(treesMade += 1)}/`);
  trees.set(folder, tree);
  return tree;
}

/** Forgets the trees of folders that are gone, and removes them from the bucket. */
export async function forgetRemoved(): Promise<void> {
  for (const [folder, tree] of trees) {
    if (existsSync(folder)) continue;
    trees.delete(folder);
    await tree.clear();
  }
}

export class MirroredTree {
  /** `s3://bucket/prefix` */
  readonly address: string;
  readonly #folder: string;
  readonly #bucket: MirrorBucket;
  readonly #prefix: string;
  /** The MD5 of each file, as folder and bucket had it when they were last the same. */
  #digests = new Map<string, string>();
  #hasLease = false;
  #requestsSeen = 0;
  #writers = 0;
  readonly #limit = pLimit(REQUESTS_AT_ONCE);
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string, bucket: MirrorBucket, prefix: string) {
    this.#folder = folder;
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.address = `s3://${bucket.store.bucket}/${prefix.slice(0, -1)}`;
  }

  /**
   * Runs what reads the tree, or opens it. The bucket is as the folder is, unless somebody is
   * writing there.
   */
  async reading<T>(root: string, work: () => Promise<T>): Promise<T> {
    operations += 1;
    await this.#inTurn(() => this.#upload());
    return this.named(root, work);
  }

  /** Runs what writes the tree, or begins to: then `written` has to follow. */
  async writing<T>(root: string, work: () => Promise<T>): Promise<T> {
    operations += 1;
    await this.#inTurn(() => this.#upload());
    await this.#inTurn(() => this.#leaveLease());
    this.#writers += 1;
    try {
      return await this.named(root, work);
    } catch (error) {
      await this.written();
      throw error;
    }
  }

  /** The folder gets what was written. */
  async written(): Promise<void> {
    this.#writers -= 1;
    if (this.#writers === 0) await this.#inTurn(() => this.#bringBack());
  }

  /** Errors speak of the folder, as the tests do; they say nothing else than they said. */
  async named<T>(root: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const text = (one: string): string => one.replaceAll(this.address, root);
      throw new AppError(error.code, text(error.message), text(error.hint), error.cause, error.details.map(text));
    }
  }

  async clear(): Promise<void> {
    const paths = [...(await this.#bucket.below(this.#prefix)).keys()];
    await Promise.all(paths.map((path) => this.#limit(() => this.#delete(path))));
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #upload(): Promise<void> {
    if (this.#writers > 0) return;
    if (this.#hasLease && !existsSync(this.#folder)) {
      await this.#delete(LOCK_FILE);
      this.#hasLease = false;
    }
    const files = filesBelow(this.#folder);
    const digests = new Map<string, string>();
    const changes: Promise<void>[] = [];
    for (const path of files) {
      const bytes = readFileSync(join(this.#folder, path));
      const digest = md5Of(bytes);
      if (this.#digests.get(path) !== digest) changes.push(this.#limit(() => this.#put(path, bytes)));
      digests.set(path, digest);
    }
    const gone = [...this.#digests.keys()].filter((path) => !digests.has(path));
    await Promise.all([...changes, ...gone.map((path) => this.#limit(() => this.#delete(path)))]);
    this.#digests = digests;
    this.#requestsSeen = this.#bucket.log?.length ?? 0;
  }

  /**
   * A lease that was given back says what the store can do: it is found out once, not for each tree
   * of each test.
   */
  async #leaveLease(): Promise<void> {
    if (this.#hasLease) return;
    await this.#put(LOCK_FILE, await leaseGivenBack(this.#bucket));
    this.#hasLease = true;
  }

  async #bringBack(): Promise<void> {
    const written = this.#writtenSince(this.#requestsSeen);
    this.#requestsSeen = this.#bucket.log?.length ?? 0;
    const objects = await this.#bucket.below(this.#prefix);
    for (const path of objects.keys()) if (NOT_OF_THE_TREE.test(path)) objects.delete(path);
    // As the lock does in a folder.
    mkdirSync(this.#folder, { recursive: true });
    for (const [path, object] of objects) {
      if (this.#digests.get(path) === object.md5 && !written.has(path)) continue;
      const temporary = `${this.#folder}.brought-back`;
      writeFileSync(temporary, await object.read());
      mkdirSync(dirname(join(this.#folder, path)), { recursive: true });
      renameSync(temporary, join(this.#folder, path));
    }
    for (const path of this.#digests.keys()) {
      if (objects.has(path)) continue;
      rmSync(join(this.#folder, path), { force: true });
      removeFolderOfFront(this.#folder, dirname(path));
    }
    this.#digests = new Map([...objects].map(([path, { md5 }]) => [path, md5]));
  }

  #put(path: string, bytes: Uint8Array): Promise<void> {
    return this.#bucket.store.put(this.#prefix + path, bytes);
  }

  #delete(path: string): Promise<void> {
    return this.#bucket.store.delete(this.#prefix + path);
  }

  /**
   * What was written again with the bytes that it had is a new file in the folder too: there are
   * judges of that.
   */
  #writtenSince(requests: number): Set<string> {
    const written = (this.#bucket.log ?? [])
      .slice(requests)
      .filter(({ method, key, status }) => method === 'PUT' && status === 200 && key.startsWith(this.#prefix));
    return new Set(written.map(({ key }) => key.slice(this.#prefix.length)));
  }
}

let probed: Promise<Buffer> | undefined;

function leaseGivenBack(bucket: MirrorBucket): Promise<Buffer> {
  const probe = async (): Promise<Buffer> => {
    await (await lockedTree(`s3://${bucket.store.bucket}/probed`)).release();
    const lease = (await bucket.below('probed/')).get(LOCK_FILE);
    if (lease === undefined) throw new Error('expected a lease that was given back, found none');
    return lease.read();
  };
  probed ??= probe();
  return probed;
}

/** Paths of the files of a tree, sorted; none where there is no folder. */
function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name).slice(folder.length + 1);
      if (!entry.isFile())
        throw new Error(`${path}: a bucket has files alone; leave this test to folders (mirror-suites.ts)`);
      return path;
    })
    .filter((path) => !NOT_OF_THE_TREE.test(path))
    .sort();
}

function removeFolderOfFront(root: string, folder: string): void {
  if (!/^public\/fronts\/[^/]+$/.test(folder)) return;
  if (existsSync(join(root, folder)) && readdirSync(join(root, folder)).length === 0) rmdirSync(join(root, folder));
}
