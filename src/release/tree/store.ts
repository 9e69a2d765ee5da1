// What publishing asks of a place that keeps releases: a folder today, a bucket tomorrow. Small on purpose; paths are those of
// render/paths.ts. A dry run is a store that writes nothing, so that nobody here needs to know of it.

export interface ReleaseStore {
  /** The bytes of a file, or undefined where there is none. @throws Obstruction where something that is no file is there */
  read(path: string): Promise<Uint8Array | undefined>;
  /**
   * The size of a file in bytes, or undefined where there is none.
   * @throws Obstruction where something that is no file is there, or no folder around it
   */
  size(path: string): Promise<number | undefined>;
  /** The paths of all files below a folder ('' for all), sorted. */
  list(folder: string): Promise<readonly string[]>;
  /**
   * Puts a file that no reader looks for yet. The bytes are the caller's again when the call returns. The file may be seen
   * under its name only after `settle`.
   */
  create(path: string, bytes: Uint8Array): Promise<void>;
  /** Everything created so far is durable and bears its name. */
  settle(): Promise<void>;
  /**
   * Puts files in the places of others, in the order given; durable when done. Of each, a reader sees the old one or the new
   * one, whole.
   */
  replace(files: readonly StoredFile[]): Promise<void>;
  /** Removes files, in the order given; none being there is as good. Durable when done, and a folder left empty goes too. */
  remove(paths: readonly string[]): Promise<void>;
}

export interface StoredFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}
