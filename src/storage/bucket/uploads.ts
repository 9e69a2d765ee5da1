// Uploads files into a bucket while the build continues. Limits the number and the bytes of pending
// uploads.

import type { RefusedFile, StoredFile } from '../../release/tree/store.ts';
import type { OnTransfer } from '../locked-tree.ts';
import { NotAllowed } from './refusals.ts';

const FILES_PENDING_MAX = 64;
const BYTES_PENDING_MAX = 64_000_000;

export class Uploads {
  readonly #onTransfer: OnTransfer;
  readonly #pending = new Set<Promise<void>>();
  #bytesPending = 0;
  #failure: { readonly error: unknown } | null = null;
  readonly #refused: RefusedFile[] = [];
  #files = 0;
  #filesTotal = 0;
  #bytes = 0;

  constructor(onTransfer: OnTransfer) {
    this.#onTransfer = onTransfer;
  }

  /**
   * Starts an upload and returns when another may start.
   * @throws what an earlier upload threw, unless its file was refused
   */
  async begin({ path, bytes: { length: bytes } }: StoredFile, upload: () => Promise<void>): Promise<void> {
    this.#throwFailure();
    const one = this.run(bytes, upload)
      .catch((error: unknown) => {
        if (error instanceof NotAllowed) this.#refused.push({ path, error });
        else this.#failure ??= { error };
      })
      .finally(() => {
        this.#pending.delete(one);
        this.#bytesPending -= bytes;
      });
    this.#pending.add(one);
    this.#bytesPending += bytes;
    while (this.#pending.size >= FILES_PENDING_MAX || this.#bytesPending >= BYTES_PENDING_MAX)
      await Promise.race(this.#pending);
  }

  /** Runs an upload and counts it. @throws what `upload` throws */
  async run(bytes: number, upload: () => Promise<void>): Promise<void> {
    this.#filesTotal += 1;
    await upload();
    this.#files += 1;
    this.#bytes += bytes;
    this.#onTransfer(this.#files, this.#filesTotal, this.#bytes);
  }

  /**
   * Waits for all uploads. Returns the files that were refused since the last call.
   * @throws what an upload threw
   */
  async settle(): Promise<readonly RefusedFile[]> {
    await this.drain();
    this.#throwFailure();
    return this.#refused.splice(0);
  }

  /** Waits for all uploads, successful or not. */
  async drain(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #throwFailure(): void {
    if (this.#failure === null) return;
    const { error } = this.#failure;
    this.#failure = null;
    throw error;
  }
}
