// Stands in for the reader of folders that tests of `verify`, `show` and `diff` open by themselves: the same folder, read from the bucket.
// A folder that is not there, or is no folder, is refused as the real reader does.

import type { TreeEntry, TreeFolders } from '../../../src/release/tree/files.ts';
import type { Found } from '../../../src/release/tree/found.ts';
import { DirectoryReader as RealReader } from '../../../src/storage/directory/reader.ts';
import { unlockedStore } from './mirror-open-tree.ts';

export class DirectoryReader implements TreeFolders {
  readonly root: string;
  #opening: Promise<TreeFolders> | undefined;

  private constructor(root: string) {
    this.root = root;
  }

  static open(root: string): DirectoryReader {
    RealReader.open(root);
    return new DirectoryReader(root);
  }

  async read(path: string): Promise<Found<Uint8Array>> {
    return (await this.#tree()).read(path);
  }

  async list(folder: string): Promise<readonly string[]> {
    return (await this.#tree()).list(folder);
  }

  async entries(folder: string): Promise<Found<readonly TreeEntry[]>> {
    return (await this.#tree()).entries(folder);
  }

  #tree(): Promise<TreeFolders> {
    this.#opening ??= unlockedStore(this.root);
    return this.#opening;
  }
}
