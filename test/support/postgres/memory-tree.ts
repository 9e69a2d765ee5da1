// A tree in memory, and a build into one: for thousands of builds of which only the files matter.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Instant } from '../../../src/catalogue/instant.ts';
import type { CatalogueReader } from '../../../src/database/reader.ts';
import { checkContract } from '../../../src/database/contract/check-schema.ts';
import { buildInto } from '../../../src/operations/build.ts';
import { found, missing, type Found } from '../../../src/release/tree/found.ts';
import { PublishedTree } from '../../../src/release/tree/published.ts';
import type { ReleaseStore, StoredFile } from '../../../src/release/tree/store.ts';
import { DEFAULT_KEEP } from '../../../src/release/history/retention.ts';

/** Of the key ring's lock, which is a file. */
const ROOT = mkdtempSync(join(tmpdir(), 'playbill-memory-'));
process.once('exit', () => rmSync(ROOT, { recursive: true, force: true }));

export class MemoryTree implements ReleaseStore {
  readonly root = ROOT;
  readonly knownDates = null;
  readonly askSize = null;
  readonly files = new Map<string, string>();

  async read(path: string): Promise<Found<Uint8Array>> {
    const text = this.files.get(path);
    return text === undefined ? missing(path) : found(Buffer.from(text));
  }

  async size(path: string): Promise<Found<number>> {
    const bytes = await this.read(path);
    return bytes.ok ? found(bytes.value.length) : bytes;
  }

  async list(folder: string): Promise<readonly string[]> {
    return [...this.files.keys()].filter((path) => folder === '' || path.startsWith(`${folder}/`)).sort();
  }

  async create({ path, bytes }: StoredFile): Promise<void> {
    this.files.set(path, Buffer.from(bytes).toString());
  }

  async settle(): Promise<readonly []> {
    return [];
  }

  async confirmLock(): Promise<void> {}

  async replace(files: readonly StoredFile[]): Promise<void> {
    for (const file of files) await this.create(file);
  }

  async remove(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.files.delete(path);
  }
}

/**
 * Builds into a tree, an empty one where none is given: what the build says, and the files
 * afterwards. Ends the reader.
 */
export async function builtInMemory(
  reader: CatalogueReader,
  now: Instant,
  { horizonSeconds = 0, store = new MemoryTree(), onLoad = (): void => undefined } = {},
) {
  const options = {
    databasePath: '',
    outPath: '',
    horizonSeconds,
    frontCodes: null,
    isDryRun: false,
    precompress: [],
    guards: { maxShrink: 0.5, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false },
    keep: DEFAULT_KEEP,
    toolVersion: 'test',
    tzdata: process.versions['tz'] ?? '',
    onProgress: (phase: 'load' | 'publish'): void => (phase === 'load' ? onLoad() : undefined),
  };
  const contract = await checkContract(reader);
  const published = await PublishedTree.read(store);
  const { releaseId, findings, outcomes } = await buildInto(store, published, reader, contract, options, now);
  return { releaseId, findings, held: outcomes.map(({ code, held }) => [code, held]), files: new Map(store.files) };
}
