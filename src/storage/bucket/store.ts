// A tree in a bucket. Each object is written whole, by one request. Existing editions are never
// overwritten, and everything else is replaced only if it is unchanged since this run first read
// it. Listings are cached: with the lease nobody else changes the tree, and without it a store
// shows the tree at one time; to see a later state, open another store.

import { createHash, getFips } from 'node:crypto';
import { AppError } from '../../errors.ts';
import type { TreeEntry, TreeFolders } from '../../release/tree/files.ts';
import { found, missing, type Found } from '../../release/tree/found.ts';
import type { RefusedFile, ReleaseStore, StoredFile } from '../../release/tree/store.ts';
import { FRONTS_FOLDER, treeFileOf } from '../../render/paths.ts';
import type { Lease } from './lease.ts';
import { NotAllowed } from './refusals.ts';
import type { Dialect, Requests, Version } from './requests.ts';
import type { Uploads } from './uploads.ts';

/** What lets a store write. */
export interface Writing {
  readonly uploads: Uploads;
  readonly dialect: () => Promise<Dialect>;
  /** null for writes that do not need the lease: the key ring, and the content of shards. */
  readonly lease: Lease | null;
}

export class BucketStore implements ReleaseStore, TreeFolders {
  readonly root: string;
  readonly #requests: Requests;
  readonly #writing: Writing;
  /** Sizes, by path, of the objects that were listed or written. */
  readonly #sizes = new Map<string, number>();
  readonly #listed = new Map<string, Promise<void>>();
  /** The keys of `#sizes`, sorted; null if they must be sorted again. */
  #paths: readonly string[] | null = null;
  /** ETags, by path, as this run first read them or last wrote them. */
  readonly #versions = new Map<string, Version>();
  /** ETags of pointers, by path, as they were listed. */
  readonly #etags = new Map<string, string>();
  /** What was read or written under the lease of the kinds that `isRemembered` names, by path. */
  readonly #remembered = new Map<string, Uint8Array>();

  constructor(requests: Requests, writing: Writing) {
    this.root = requests.connection.address.root;
    this.#requests = requests;
    this.#writing = writing;
  }

  /** The same tree with an empty cache. */
  fresh(): BucketStore {
    return new BucketStore(this.#requests, this.#writing);
  }

  async read(path: string, likely?: string): Promise<Found<Uint8Array>> {
    try {
      const known = this.#remembered.get(path);
      if (known !== undefined) return found(known);
      if (likely !== undefined && this.#isListedAs(path, likely)) {
        const bytes = new TextEncoder().encode(likely);
        this.#remember(path, bytes);
        return found(bytes);
      }
      const object = (await this.#isKnownAbsent(path)) ? null : await this.#requests.read(path);
      if (!this.#versions.has(path)) {
        this.#versions.set(path, object?.version ?? null);
        if (object !== null) this.#remember(path, object.bytes);
      }
      return object === null ? missing(path) : found(object.bytes);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'tree-unreadable') throw error;
      const message = `cannot be read: ${error.message}`;
      return { ok: false, why: 'unreadable', location: path, message, isReplaceable: false, hint: error.hint };
    }
  }

  async list(folder: string): Promise<readonly string[]> {
    await this.#listOnce(folder);
    return this.#pathsBelow(folder);
  }

  async entries(folder: string): Promise<Found<readonly TreeEntry[]>> {
    if (folder !== FRONTS_FOLDER && !folder.startsWith(`${FRONTS_FOLDER}/`))
      return found(entriesOf(await this.#requests.list(folder, false)));
    await this.#listOnce(FRONTS_FOLDER);
    const rest = this.#pathsBelow(folder).map((path) => path.slice(folder.length + 1));
    const folders = new Set(rest.flatMap((name) => (name.includes('/') ? [name.slice(0, name.indexOf('/'))] : [])));
    const objects = rest.filter((name) => !name.includes('/')).map((name) => ({ path: `${folder}/${name}` }));
    return found(entriesOf({ objects, folders: [...folders].map((name) => `${folder}/${name}`) }));
  }

  async size(path: string): Promise<Found<number>> {
    await this.#listOnce(path.startsWith(`${FRONTS_FOLDER}/`) ? FRONTS_FOLDER : path.slice(0, path.lastIndexOf('/')));
    const bytes = this.#sizes.get(path);
    return bytes === undefined ? missing(path) : found(bytes);
  }

  readonly askSize = async (path: string): Promise<Found<number>> => {
    const listed = await this.size(path);
    // An empty object has no first byte to ask for.
    if (!listed.ok || listed.value === 0) return listed;
    const bytes = await this.#requests.size(path);
    return bytes === null ? missing(path) : found(bytes);
  };

  async create(file: StoredFile): Promise<void> {
    // A copy: the caller reuses these bytes for the next edition.
    const copy = { ...file, bytes: file.bytes.slice() };
    const kind = treeFileOf(file.path);
    // The name of an edition is the digest of what it contains: what a listing shows in the right
    // size is not read again. A stopped run may have left a compressed sibling with other bytes,
    // made by another version of the library. It is just as good.
    const isListed = this.#sizes.get(file.path) === copy.bytes.length;
    const isNameEnough = kind?.kind === 'edition' && (kind.encoding !== 'identity' || isListed);
    await this.#writing.uploads.begin(copy, async () => {
      try {
        await this.#write(copy, null, isNameEnough);
      } catch (error) {
        // A store may refuse to write what is under retention before it looks at the condition.
        const isThere = isListed && error instanceof NotAllowed && (await this.#requests.size(file.path)) !== null;
        if (!isThere) throw error;
      }
    });
  }

  /** Creates an object; false if there is one of its name with other bytes. */
  async createOnce(file: StoredFile): Promise<boolean> {
    const dialect = await this.#writing.dialect();
    const { isWritten } = await this.#requests.write(file, null, dialect, () => this.#confirmLease());
    return isWritten;
  }

  settle(): Promise<readonly RefusedFile[]> {
    return this.#writing.uploads.settle();
  }

  async confirmLock(): Promise<void> {
    await this.#writing.lease?.renew();
  }

  async replace(files: readonly StoredFile[]): Promise<void> {
    await allDone(
      files.map(async (file) => {
        if (!this.#versions.has(file.path)) await this.read(file.path);
        const version = this.#versions.get(file.path) ?? null;
        await this.#writing.uploads.run(file.bytes.length, () => this.#write(file, version));
      }),
    );
  }

  async remove(paths: readonly string[]): Promise<void> {
    await allDone(
      paths.map(async (path) => {
        await this.#requests.remove(path, () => this.#confirmLease());
        this.#versions.set(path, null);
        this.#remembered.delete(path);
        this.#paths = this.#sizes.delete(path) ? null : this.#paths;
      }),
    );
  }

  async #write(file: StoredFile, version: Version, isNameEnough = false): Promise<void> {
    const { path, bytes } = file;
    const dialect = await this.#writing.dialect();
    const written = await this.#requests.write(file, version, dialect, () => this.#confirmLease(), isNameEnough);
    if (written.isWritten) {
      this.#versions.set(path, written.version);
      this.#remember(path, bytes);
      this.#sizes.set(path, bytes.length);
      this.#paths = null;
      return;
    }
    if (isNameEnough) return;
    // A retry must read the object again.
    this.#versions.delete(path);
    this.#remembered.delete(path);
    this.#etags.delete(path);
    const message = `another run has written ${this.root}/${path} in the meantime; it was not overwritten`;
    throw new AppError('tree-locked', message, 'run the same command again');
  }

  async #confirmLease(): Promise<void> {
    await this.#writing.lease?.confirm();
  }

  /**
   * Whether a file of a front does not exist according to the listing, which is reliable only for
   * the holder of the lease.
   */
  async #isKnownAbsent(path: string): Promise<boolean> {
    const listing = this.#listed.get(FRONTS_FOLDER);
    if (listing === undefined || this.#writing.lease === null || !path.startsWith(`${FRONTS_FOLDER}/`)) return false;
    await listing;
    return !this.#sizes.has(path);
  }

  /**
   * Whether the ETag of a pointer in the listing is the MD5 of a text, as it is in most stores. If so,
   * that is the version of the pointer. If the listing is older than the pointer, the store refuses to
   * replace it; whether it may be kept is for the caller to know.
   */
  #isListedAs(path: string, text: string): boolean {
    const etag = this.#etags.get(path);
    // Without MD5 (FIPS 140), everything is read.
    if (etag === undefined || getFips() === 1) return false;
    const version = `"${createHash('md5').update(text).digest('hex')}"`;
    if (etag !== version) return false;
    if (!this.#versions.has(path)) this.#versions.set(path, version);
    return true;
  }

  #remember(path: string, bytes: Uint8Array): void {
    if (this.#writing.lease !== null && isRemembered(path)) this.#remembered.set(path, bytes);
  }

  #listOnce(folder: string): Promise<void> {
    const earlier = this.#listed.get(folder);
    if (earlier !== undefined) return earlier;
    const listing = this.#requests.list(folder).then(({ objects }) => {
      for (const { path, bytes, etag } of objects) {
        this.#sizes.set(path, bytes);
        if (treeFileOf(path)?.kind === 'pointer') this.#etags.set(path, etag);
      }
      this.#paths = null;
    });
    this.#listed.set(folder, listing);
    return listing;
  }

  /** Known paths below a folder, sorted. */
  #pathsBelow(folder: string): readonly string[] {
    this.#paths ??= [...this.#sizes.keys()].sort();
    if (folder === '') return this.#paths;
    // `0` is the character after `/`.
    const [first, last] = [`${folder}/`, `${folder}0`].map((bound) => indexFrom(bound, this.#paths ?? []));
    return this.#paths.slice(first, last);
  }
}

/** Small files that only the holder of the lease writes, and reads several times. */
function isRemembered(path: string): boolean {
  const file = treeFileOf(path);
  // That of an earlier version may have ten megabytes.
  if (file?.kind === 'manifest') return file.release.now !== null;
  return file?.kind === 'pointer' || file?.kind === 'current';
}

/** The index of the first of sorted texts that is not less than a bound. */
function indexFrom(bound: string, sorted: readonly string[]): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function entriesOf(listing: {
  readonly objects: readonly { readonly path: string }[];
  readonly folders: readonly string[];
}): readonly TreeEntry[] {
  const entries: TreeEntry[] = [
    ...listing.folders.map((path) => ({ path, kind: 'folder' as const })),
    ...listing.objects.map(({ path }) => ({ path, kind: 'file' as const })),
  ];
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Unlike Promise.all, waits for all before it throws the first failure, so that nothing is written
 * after it returns.
 */
async function allDone(promises: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(promises)) if (result.status === 'rejected') throw result.reason;
}
