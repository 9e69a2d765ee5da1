// What tests of whole trees share: a catalogue made from rows, a build in this process, and a
// reader that chooses editions as an edge does. No part of the program is replaced: real SQLite,
// real folders.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { build, type BuildOptions } from '../../src/operations/build.ts';
import type { BuildResult } from '../../src/operations/publish-release.ts';
import { parseInstant, type Instant } from '../../src/catalogue/instant.ts';
import type { KeyRingSettings } from '../../src/release/publish/next-key-ring.ts';
import type { Pointer } from '../../src/contract/pointer.ts';
import { createCatalogueFor, insertRows } from './catalogue.ts';
import { DEFAULT_KEEP, type Keep } from '../../src/release/history/retention.ts';

/** Rows of the catalogue's tables, as `import` takes them. */
export type Rows = Parameters<typeof insertRows>[1];

/** A fresh folder that is gone when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'playbill-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A fresh folder that is gone when the last test of the file has ended. */
export function temporaryFolderOfFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'playbill-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A catalogue database with these rows. */
export function catalogueAt(path: string, rows: Rows): string {
  const all = [...rows];
  const database = createCatalogueFor(path, all);
  insertRows(database, all);
  database.close();
  return path;
}

export function instant(text: string): Instant {
  const parsed = parseInstant(text);
  if (parsed === undefined) throw new Error(`no instant: ${text}`);
  return parsed;
}

/** As `keys issue` and `keys revoke` publish a change of keys. */
export const KEY_SETTINGS: KeyRingSettings = { guards: { maxShrink: 0.5, allow: [], force: false }, frontCodes: null };

/** What `prune --grace 0` keeps. */
export const NO_GRACE: Keep = { ...DEFAULT_KEEP, graceSeconds: 0 };

/** Builds as the command does, with its defaults but for what is given. */
export function buildTree(
  databasePath: string,
  outPath: string,
  now: Instant,
  options: Partial<BuildOptions> = {},
): Promise<BuildResult> {
  return build(
    {
      databasePath,
      outPath,
      horizonSeconds: 6 * 3600,
      frontCodes: null,
      isDryRun: false,
      precompress: [],
      guards: { maxShrink: 0.5, maxBad: 0.05, allow: [], force: false },
      keep: DEFAULT_KEEP,
      toolVersion: 'test',
      tzdata: process.versions['tz'] ?? '',
      onProgress: () => undefined,
      ...options,
    },
    now,
  );
}

/** Every file of a tree but the lock, by path, as text; sorted. */
export function filesOf(root: string): Map<string, string> {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => relative(root, join(root, path)))
    .filter((path) => statSync(join(root, path)).isFile() && !path.startsWith('.lock'))
    .sort();
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

export function pointerOf(files: ReadonlyMap<string, string>, front: string): Pointer {
  const text = files.get(`public/fronts/${front}/pointer.json`);
  if (text === undefined) throw new Error(`front ${front} is not published`);
  return JSON.parse(text) as Pointer;
}

/** The document that a request at an instant gets: the last entry that has begun. */
export function documentAt(
  files: ReadonlyMap<string, string>,
  front: string,
  endpoint: 'products' | 'categories',
  at: string,
): string {
  const entry = pointerOf(files, front)[endpoint].findLast((one) => one.slice(0, 20) <= at);
  return files.get(`public/fronts/${front}/${endpoint}.${entry?.slice(21)}.json`) ?? '';
}
