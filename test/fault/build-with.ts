// A build as the command's, but on a store or a reader of the test's own.

import { buildInto, type BuildResult } from '../../src/build.ts';
import type { Instant } from '../../src/catalogue/instant.ts';
import type { CatalogueReader } from '../../src/database/open.ts';
import { PublishedTree } from '../../src/release/published.ts';
import type { ReleaseStore } from '../../src/release/release-store.ts';

export const HORIZON_SECONDS = 3600;

/** Builds into a store, HORIZON_SECONDS ahead. Neither locks nor sweeps, nor closes the reader. */
export async function buildWith(reader: CatalogueReader, store: ReleaseStore, now: Instant): Promise<BuildResult> {
  const options = {
    databasePath: '',
    outPath: '',
    horizonSeconds: HORIZON_SECONDS,
    frontCodes: null,
    isDryRun: false,
    workers: 1,
    cores: 1,
    cache: null,
    precompress: [],
    guards: { maxShrink: 0.5, allowShrink: false, force: false },
    pruneGraceSeconds: 3600,
    toolVersion: 'test',
    tzdata: process.versions['tz'] ?? '',
    onProgress: () => undefined,
  };
  return buildInto(store, await PublishedTree.read(store), reader, new Set(), options, now);
}
