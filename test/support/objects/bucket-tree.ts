// A tree in a bucket under test: put there and looked at behind the program's back, and judged by
// what a reader sees of it.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, vi } from 'vitest';
import { checkAsReader, stateOf, type Sight, type TreeState } from '../fault/readers-check.ts';
import type { StoredObject, TestStore } from './test-store.ts';

/** All objects of a bucket, by key. */
export type Objects = ReadonlyMap<string, StoredObject>;

const PREFIX = 'shop/tree';

/**
 * Under which no repetition waits for more than an eighth of a second; and a store may be silent
 * for as long as a test holds a request.
 */
const SETTINGS = { PLAYBILL_S3_BACKOFF_MS: '1', PLAYBILL_S3_TIMEOUT_SECONDS: '600' };

export class BucketTree {
  /** For `--out`. */
  readonly root: string;
  readonly store: TestStore;

  constructor(store: TestStore) {
    this.store = store;
    this.root = `s3://${store.bucket}/${PREFIX}`;
  }

  /** Makes the bucket hold these objects and no other. */
  async reset(objects: Objects): Promise<void> {
    for (const [key, { bytes }] of await this.store.objects()) {
      const wanted = objects.get(key);
      if (wanted === undefined) await this.store.delete(key);
      else if (Buffer.compare(bytes, wanted.bytes) !== 0) await this.store.put(key, wanted.bytes, wanted.headers);
    }
    const there = await this.store.objects();
    for (const [key, { bytes, headers }] of objects) if (!there.has(key)) await this.store.put(key, bytes, headers);
  }

  key(path: string): string {
    return `${PREFIX}/${path}`;
  }

  /** The text of a file; null where there is none. */
  async text(path: string): Promise<string | null> {
    return (await this.store.objects()).get(this.key(path))?.bytes.toString() ?? null;
  }

  /** Every file of the tree but the lock, by path, as text; sorted. */
  async files(): Promise<Map<string, string>> {
    const objects = [...(await this.store.objects())];
    return new Map(
      objects
        .map(([key, { bytes }]): [string, string] => [key.slice(PREFIX.length + 1), bytes.toString('latin1')])
        .filter(([path]) => path !== '.lock')
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  /** What the tree says at this moment. */
  state(): Promise<TreeState> {
    return this.#inFolder(stateOf);
  }

  /** The readers' judge, of this moment. @throws AssertionError */
  judge(before: TreeState, after: TreeState): Promise<Sight> {
    return this.#inFolder((folder) => checkAsReader(folder, before, after));
  }

  /**
   * The same where several releases may have followed each other: whatever it is that each front
   * shows, it is whole.
   */
  judgeWhole(): Promise<Sight> {
    return this.#inFolder((folder) => {
      const state = stateOf(folder);
      return checkAsReader(folder, state, state);
    });
  }

  async #inFolder<T>(look: (folder: string) => T): Promise<T> {
    const folder = mkdtempSync(join(tmpdir(), 'playbill-bucket-'));
    try {
      for (const [key, { bytes }] of await this.store.objects()) {
        const path = join(folder, key.slice(PREFIX.length + 1));
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, bytes);
      }
      return look(folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/**
 * Lets the program find a store, until the last test of the file; or until it is to find another
 * one.
 */
export function useStore({ environment }: TestStore, settings: Readonly<Record<string, string>> = {}): void {
  vi.unstubAllEnvs();
  for (const [name, value] of Object.entries({ ...environment, ...SETTINGS, ...settings })) vi.stubEnv(name, value);
}

/** To be called at the top of a file that calls `useStore`. */
export function leaveStoreAtEnd(): void {
  afterAll(() => {
    vi.unstubAllEnvs();
  });
}

/** Byte for byte the same files; whole trees are too much for `toEqual`. */
export function expectSameFiles(
  found: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>,
  message?: string,
): void {
  expect([...found.keys()].join(' '), message).toBe([...expected.keys()].join(' '));
  const different = [...found].filter(([path, text]) => text !== expected.get(path)).map(([path]) => path);
  expect(different, message).toEqual([]);
}
