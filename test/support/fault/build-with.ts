// What fault tests build with: the command's words, the same build in this process, and one on a
// store or a reader of the test's own.

import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { buildInto } from '../../../src/operations/build.ts';
import type { BuildResult } from '../../../src/operations/publish-release.ts';
import type { Instant } from '../../../src/catalogue/instant.ts';
import type { CatalogueReader } from '../../../src/database/reader.ts';
import { PublishedTree } from '../../../src/release/tree/published.ts';
import type { Compression } from '../../../src/release/tree/files.ts';
import type { ReleaseStore } from '../../../src/release/tree/store.ts';
import { buildTree, instant } from '../trees.ts';
import { NOW } from './small-catalogue.ts';
import { DEFAULT_KEEP } from '../../../src/release/history/retention.ts';

export const HORIZON_SECONDS = 3600;

/**
 * Builds into a store, HORIZON_SECONDS ahead. Neither locks nor sweeps. Ends the reader.
 * `precompress`: what the store does.
 */
export async function buildWith(
  reader: CatalogueReader,
  store: ReleaseStore,
  now: Instant,
  precompress: readonly Compression[] = [],
): Promise<BuildResult> {
  const options = {
    databasePath: '',
    outPath: '',
    horizonSeconds: HORIZON_SECONDS,
    frontCodes: null,
    isDryRun: false,
    precompress,
    guards: { maxShrink: 0.5, maxBad: 0.05, allow: [], force: false },
    keep: DEFAULT_KEEP,
    toolVersion: 'test',
    tzdata: process.versions['tz'] ?? '',
    onProgress: () => undefined,
  };
  return buildInto(store, await PublishedTree.read(store), reader, { views: new Set(), absent: [] }, options, now);
}

/** The words of a build as most fault tests run it, as of the small catalogue's instant. */
export function wordsOf(database: string, out: string): string[] {
  return ['build', '--db', database, '--out', out, '--now', NOW, '--horizon', '1h', '--json'];
}

/** The same in this process: a third of the time, and the same bytes. */
export async function buildHere(database: string, out: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  await buildTree(database, out, instant(NOW), { horizonSeconds: HORIZON_SECONDS, toolVersion: version });
}

/**
 * Changes a catalogue as a view over anything might show it: no CHECK and no foreign key stands in
 * the way.
 */
export function changeDatabase(path: string, sql: string): void {
  const database = new Database(path);
  database.pragma('ignore_check_constraints = ON');
  database.pragma('foreign_keys = OFF');
  // Views refer to tables that are renamed and made again.
  database.pragma('legacy_alter_table = ON');
  database.exec(sql);
  database.close();
}

/** Works through tasks two at a time, as there are cores. */
export async function twoAtATime(tasks: Iterable<() => Promise<void>>): Promise<void> {
  const queue = tasks[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) await next.value();
  };
  // A failure in the one is thrown when the other has ended too, and its processes with it.
  const results = await Promise.allSettled([lane(), lane()]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
