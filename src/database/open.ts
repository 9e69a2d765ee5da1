// Opens a catalogue in one transaction, for reading (law 6) or for writing. Only this file decides
// which database an address names, and it loads the driver of that one alone.

import { existsSync } from 'node:fs';
import { AppError } from '../errors.ts';
import { isAddress } from './postgres/address.ts';
import type { CatalogueReader } from './reader.ts';
import type { CatalogueWriter } from './writer.ts';

/**
 * Opens the catalogue that `--db` names, an SQLite file or `postgres://…`, and begins its
 * transaction, which sees one state. `snapshot`: the id of a state that another process holds on
 * the server (`holdSnapshot`), to be read instead of the present one.
 * @throws AppError database-missing, database-unreadable, database-busy, snapshot-unknown
 */
export async function openCatalogue(address: string, snapshot: string | null = null): Promise<CatalogueReader> {
  if (isAddress(address)) {
    const { openReader } = await import('./postgres/reader.ts');
    return openReader(address, snapshot);
  }
  if (snapshot !== null) throw noServer('--snapshot');
  const { openReader } = await import('./sqlite/rows.ts');
  return openReader(address);
}

/**
 * Opens the catalogue that `--db` names and begins a transaction that writes. A catalogue that does
 * not exist is made, unless it is required.
 * @throws AppError database-…
 */
export async function openForWriting(
  address: string,
  need: { readonly isRequired: boolean } = { isRequired: false },
): Promise<CatalogueWriter> {
  if (isAddress(address)) {
    const { openWriter } = await import('./postgres/write.ts');
    return openWriter(address, need);
  }
  const { openWriter } = await import('./sqlite/write.ts');
  return openWriter(address, need);
}

/** How messages and hints show an address: without a password. */
export { displayAddress as databaseText } from './postgres/address.ts';

/**
 * Whether there is something to open. True for any server: only opening it shows whether it is
 * there.
 */
export function mayBeOpened(address: string): boolean {
  return isAddress(address) || existsSync(address);
}

/** A state of a catalogue that other processes can read until it is disposed of. */
export interface HeldSnapshot extends AsyncDisposable {
  readonly id: string;
  /**
   * Checks that the server still holds it.
   * @throws AppError database-… where its session has ended
   */
  confirm(): Promise<void>;
}

/**
 * Holds the present state of a catalogue on a server.
 * @throws AppError database-…, usage: a file needs none
 */
export async function holdSnapshot(address: string): Promise<HeldSnapshot> {
  if (!isAddress(address)) throw noServer('--hold');
  const { openReader } = await import('./postgres/reader.ts');
  const reader = await openReader(address, null);
  const dispose = (): PromiseLike<void> => reader[Symbol.asyncDispose]();
  try {
    const id = await reader.exportSnapshot();
    return { id, confirm: () => reader.confirmSession(), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/**
 * Copies the present state of a catalogue in a file into a new file.
 * @throws AppError database-…, usage: a server has no file
 */
export async function copyCatalogue(address: string, to: string): Promise<void> {
  if (isAddress(address)) {
    const message = '--to: expected a catalogue in an SQLite file, found one in PostgreSQL';
    throw new AppError('usage', message, 'hold a snapshot of it: playbill snapshot --hold');
  }
  const { copyDatabase } = await import('./sqlite/copy.ts');
  copyDatabase(address, to);
}

function noServer(flag: string): AppError {
  const message = `${flag}: expected a catalogue in PostgreSQL, found an SQLite file`;
  return new AppError('usage', message, 'of a file, make a copy for the shards to read: playbill snapshot --to COPY');
}
