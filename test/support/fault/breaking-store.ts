// A store that breaks once, at a chosen place: the n-th of all ways in which the writes of a run
// can break. Each write breaks undone, done but reported as failed, and, where it puts many files,
// done for the first few of them.

import type { Found } from '../../../src/release/tree/found.ts';
import type { ReleaseStore, StoredFile } from '../../../src/release/tree/store.ts';

export class Breakage extends Error {}

export class BreakingStore implements ReleaseStore {
  readonly #inner: ReleaseStore;
  readonly #second: ReleaseStore;
  readonly #breakAt: number;
  #passed = 0;
  #created: StoredFile[] = [];

  /**
   * `second` is another store on the same tree: it gives names to a few of the files that `inner`
   * has created.
   */
  constructor(inner: ReleaseStore, second: ReleaseStore, breakAt: number) {
    this.#inner = inner;
    this.#second = second;
    this.#breakAt = breakAt;
  }

  get root(): string {
    return this.#inner.root;
  }

  get askSize(): ReleaseStore['askSize'] {
    return this.#inner.askSize;
  }

  read(path: string): Promise<Found<Uint8Array>> {
    return this.#inner.read(path);
  }

  size(path: string): Promise<Found<number>> {
    return this.#inner.size(path);
  }

  list(folder: string): Promise<readonly string[]> {
    return this.#inner.list(folder);
  }

  async create(file: StoredFile): Promise<void> {
    this.#created.push({ path: file.path, bytes: file.bytes.slice() });
    await this.#breakable(
      1,
      () => this.#inner.create(file),
      () => undefined,
    );
  }

  async settle() {
    const created = this.#created;
    this.#created = [];
    await this.#breakable(
      created.length,
      async () => void (await this.#inner.settle()),
      async (count) => {
        for (const { path, bytes } of created.slice(0, count)) await this.#second.create({ path, bytes });
        await this.#second.settle();
      },
    );
    return [];
  }

  confirmLock(): Promise<void> {
    return this.#inner.confirmLock();
  }

  async replace(files: readonly StoredFile[]): Promise<void> {
    await this.#breakable(
      files.length,
      () => this.#inner.replace(files),
      (count) => this.#inner.replace(files.slice(0, count)),
    );
  }

  async remove(paths: readonly string[]): Promise<void> {
    await this.#breakable(
      paths.length,
      () => this.#inner.remove(paths),
      (count) => this.#inner.remove(paths.slice(0, count)),
    );
  }

  /**
   * A write of some files: breaks with none of them done, with the first 1, 2 … done, or with all
   * of them done.
   */
  async #breakable(
    count: number,
    doAll: () => Promise<void>,
    doFirst: (count: number) => Promise<void> | undefined,
  ): Promise<void> {
    const wayTaken = this.#breakAt - this.#passed - 1;
    this.#passed += count + 1;
    if (wayTaken < 0 || wayTaken > count) return doAll();
    if (wayTaken === count) await doAll();
    else if (wayTaken > 0) await doFirst(wayTaken);
    throw new Breakage(`the store breaks: ${wayTaken} of ${count} files done`);
  }
}
