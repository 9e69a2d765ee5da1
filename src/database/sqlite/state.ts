// What identifies the state that a transaction on an SQLite file reads: the digest of the file, or,
// while rows are in the write-ahead log beside it, the end of the log that the transaction sees. No
// row is read for it.

import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { AppError, shellWord, systemCodeOf } from '../../errors.ts';

/**
 * The header of the log's index in `-shm`, which is there twice (sqlite.org/walformat.html): from
 * byte 16 on how many frames are valid, the pages of the database, the checksum of all frames, and
 * the log's salts.
 */
const INDEX_HEADER_BYTES = 48;
const LOG_END_FROM = 16;
const LOG_END_UNTIL = 40;
const FRAMES_UNTIL = 20;

/** File systems of which several hosts may see one file (statfs(2), and the kernels' own headers). */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0x00c36400, 'CephFS'],
  [0x65735546, 'FUSE'],
  [0x5346414f, 'AFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
]);

/** The end of a log: equal for two transactions that see the same of it. */
interface LogEnd {
  readonly isEmpty: boolean;
  readonly text: string;
}

/**
 * The files of a catalogue that a connection has open. They stay open as long as it does: closing
 * one would end the locks that this process has on it.
 */
export class CatalogueFiles implements Disposable {
  readonly #path: string;
  /** The file that was at the path before the connection was opened; undefined if it has gone. */
  readonly #inode: bigint | undefined;
  readonly #descriptors = new Map<string, number>();
  #digested: string | null = null;

  constructor(path: string) {
    this.#path = path;
    this.#inode = this.#inodeNow();
  }

  /**
   * The end of the log; null while it is being moved.
   * @throws AppError database-not-a-copy: other hosts would see another one; database-busy
   */
  logEnd(): LogEnd | null {
    const network = NETWORK_TYPES.get(statfsSync(this.#path).type);
    if (network !== undefined) throw notACopy(this.#path, network);
    const header = Buffer.alloc(2 * INDEX_HEADER_BYTES);
    const [one, other] = [header.subarray(0, INDEX_HEADER_BYTES), header.subarray(INDEX_HEADER_BYTES)];
    readSync(this.#descriptor('-shm'), header, 0, header.length, 0);
    if (!one.equals(other)) return null;
    const end = one.subarray(LOG_END_FROM, LOG_END_UNTIL);
    return {
      isEmpty: one.subarray(LOG_END_FROM, FRAMES_UNTIL).every((byte) => byte === 0),
      text: `log ${end.toString('hex')}`,
    };
  }

  /**
   * The digest of the file itself, while a transaction keeps others from writing into it.
   * @throws AppError database-busy: it was replaced
   */
  async digest(): Promise<string> {
    const fd = this.#descriptor('');
    this.#digested = this.#lookText();
    const hash = createHash('sha256');
    for await (const bytes of createReadStream(this.#path, { fd, start: 0, autoClose: false, highWaterMark: 1 << 20 }))
      hash.update(bytes as Uint8Array);
    this.confirmDigest();
    return `file ${hash.digest('hex')}`;
  }

  /**
   * Checks that the file is still what was digested: not everything that writes files knows of
   * SQLite's locks.
   * @throws AppError database-busy
   */
  confirmDigest(): void {
    if (this.#digested === null) return;
    if (this.#inodeNow() !== this.#inode || this.#lookText() !== this.#digested) throw changedError(this.#path);
  }

  #inodeNow(): bigint | undefined {
    return statSync(this.#path, { bigint: true, throwIfNoEntry: false })?.ino;
  }

  #lookText(): string {
    const { ino, size, mtimeNs } = fstatSync(this.#descriptor(''), { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  }

  #descriptor(suffix: string): number {
    const known = this.#descriptors.get(suffix);
    if (known !== undefined) return known;
    try {
      // SQLite puts the other files beside the one that a link leads to.
      const descriptor = openSync(`${realpathSync(this.#path)}${suffix}`, 'r');
      this.#descriptors.set(suffix, descriptor);
      return descriptor;
    } catch (error) {
      throw systemCodeOf(error) === 'ENOENT' ? changedError(this.#path, error) : error;
    }
  }

  [Symbol.dispose](): void {
    for (const descriptor of this.#descriptors.values()) closeSync(descriptor);
    this.#descriptors.clear();
  }
}

function changedError(path: string, cause?: unknown): AppError {
  const message = `expected ${path} to stay as it is while it is read, found it changed or replaced`;
  const hint = 'let what writes it end first, and give each copy a new name';
  return new AppError('database-busy', message, hint, cause);
}

function notACopy(path: string, network: string): AppError {
  const message = `expected shards to read a copy of the catalogue, found ${path} in WAL mode on ${network}: each host has a log of its own for it`;
  const hint = `on the host that writes it, make a copy for the shards to read: playbill snapshot --to COPY --db ${shellWord(path)}`;
  return new AppError('database-not-a-copy', message, hint);
}
