// What the tests of `verify` share: one tree made by the real build, copies of it to damage, and
// tables of damage with the findings that must come, no more and no fewer.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../src/findings.ts';
import { verifyTree } from '../../src/release/verify/verify.ts';
import { DirectoryReader } from '../../src/storage/folder/reader.ts';
import { demoCatalogueAt } from './demo-catalogue.ts';
import { buildTree, instant, temporaryFolder, temporaryFolderOfFile } from './trees.ts';

/** Moscow time: its date changes at 21:00Z, and a document with it. */
export const F = 'fonar';
/** Kuwait time: the weekend is Friday and Saturday. */
export const K = 'kuwait';
export const FRONTS = [F, K];

/**
 * A tree of two releases, so that there are editions that only the older one names; to be asked for
 * at the top of a file and left as it is. 1 May 2026 is a Friday.
 */
export function soundTree(): string {
  const root = join(temporaryFolderOfFile(), 'out');
  beforeAll(async () => {
    const database = demoCatalogueAt(join(dirname(root), 'demo.sqlite'), '2026-05-01T09:00:00Z');
    // With --force no pointer stays that names what the older release names.
    const guards = { maxShrink: 0.5, maxBad: 0.05, allow: [], force: true };
    for (const now of ['2026-05-01T09:00:00Z', '2026-05-01T11:00:00Z']) {
      await buildTree(database, root, instant(now), { horizonSeconds: 24 * 3600, frontCodes: FRONTS, guards });
    }
  });
  return root;
}

/** A copy that the test may damage. */
export function copyOf(sound: string): string {
  const root = join(temporaryFolder(), 'out');
  cpSync(sound, root, { recursive: true, filter: (path) => !path.endsWith('.lock') });
  return root;
}

export const nothingLooked = () => ({ fronts: 0, editions: 0, bytes: 0, releases: 0 });

export async function findingsOf(root: string, looked = nothingLooked()): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of verifyTree(DirectoryReader.open(root), looked, () => undefined)) findings.push(finding);
  return findings;
}

export const lineOf = ({ severity, code, place }: Finding): string => `${severity} ${code} ${place}`;

/** Damages a tree and says what must be found: `severity code path`, in any order. */
export type Damage = (root: string) => readonly string[];

export function describeDamages(group: string, sound: string, damages: Readonly<Record<string, Damage>>): void {
  describe(group, () => {
    test.each(Object.entries(damages))('%s', async (_name, damage) => {
      const root = copyOf(sound);
      const expected = damage(root);
      expect(expected.length).toBeGreaterThan(0);
      const found = await findingsOf(root);
      expect(found.map(lineOf).sort()).toEqual([...expected].sort());
    });
  });
}

export const pointerPath = (front: string): string => `public/fronts/${front}/pointer.json`;

export function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export function write(root: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** Removes a file or folder that must be there. */
export function remove(root: string, path: string): void {
  rmSync(join(root, path), { recursive: true });
}

/** Turns one bit, `place` (0 to 1) of the way into a file. */
export function flipBit(root: string, path: string, place: number): void {
  const bytes = readFileSync(join(root, path));
  const at = Math.floor(bytes.length * place);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(join(root, path), bytes);
}
