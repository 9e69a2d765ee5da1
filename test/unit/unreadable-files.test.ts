// Files that the system refuses to read: they may be sound, so they count neither as absent nor as
// damaged.

import { mkdirSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { prune } from '../../src/release/history/prune.ts';
import { readTreeStatus } from '../../src/release/status/read-status.ts';
import { showDocument } from '../../src/release/status/show.ts';
import type { TreeEntry } from '../../src/release/tree/files.ts';
import { orThrow, type Failure, type Found } from '../../src/release/tree/found.ts';
import { DirectoryStore } from '../../src/storage/folder/store.ts';
import { instant, NO_GRACE } from '../support/trees.ts';
import { currentManifestPath } from '../support/manifests.ts';
import { copyOf, F, K, pointerPath, soundTree } from '../support/verify-tree.ts';

const sound = soundTree();
const NOW = '2026-05-01T11:00:00Z';

/** A tree below some of whose paths the disk fails. */
class FailingStore extends DirectoryStore {
  readonly #refused: string;

  constructor(root: string, refused: string) {
    super(root);
    this.#refused = refused;
  }

  override async read(path: string): Promise<Found<Uint8Array>> {
    return path.startsWith(this.#refused) ? unreadable(path) : super.read(path);
  }

  /** A folder that cannot be listed fails every list that it is in. */
  override async list(folder: string): Promise<readonly string[]> {
    const isFolder = statSync(`${this.root}/${this.#refused}`, { throwIfNoEntry: false })?.isDirectory() === true;
    return isFolder && this.#refused.startsWith(folder) ? orThrow(unreadable(this.#refused)) : super.list(folder);
  }

  override async entries(folder: string): Promise<Found<readonly TreeEntry[]>> {
    return folder.startsWith(this.#refused) ? unreadable(folder) : super.entries(folder);
  }
}

function unreadable(location: string): Failure {
  return { ok: false, why: 'unreadable', location, message: 'cannot be read: EIO: i/o error', isReplaceable: false };
}

describe('a path that the system refuses to read', () => {
  test("a front's folder: status reports that front, and the others as they are", async () => {
    const { fronts, findings } = await readTreeStatus(new FailingStore(sound, `public/fronts/${F}`));
    expect(fronts.find(({ code }) => code === F)).toMatchObject({ pointer: null, problem: 'pointer-invalid' });
    expect(fronts.find(({ code }) => code === K)?.pointer).not.toBeNull();
    expect(findings).toEqual([
      expect.objectContaining({
        code: 'pointer-invalid',
        place: pointerPath(F),
        message: expect.stringContaining('EIO'),
      }),
    ]);
  });

  test('the folder of another front: show prints the document', async () => {
    const tree = new FailingStore(sound, `public/fronts/${F}`);
    expect((await showDocument(K, 'products', tree, instant(NOW))).timeliness).toBe('right');
    await expect(showDocument('paris', 'products', tree, instant(NOW))).rejects.toMatchObject({
      code: 'nothing-published',
    });
  });

  test('the hold: status says that the tree is held', async () => {
    expect((await readTreeStatus(new FailingStore(sound, 'releases/hold'))).hold).toEqual({ kind: 'damaged' });
  });

  test('the grace: prune removes nothing', async () => {
    const root = copyOf(sound);
    const failing = new FailingStore(root, 'releases/grace');
    await expect(prune({ keep: NO_GRACE, replaced: null }, failing)).rejects.toMatchObject({
      code: 'tree-unreadable',
    });
    mkdirSync(`${root}/releases/grace`);
    const obstructed = prune({ keep: NO_GRACE, replaced: null }, new DirectoryStore(root));
    await expect(obstructed).rejects.toMatchObject({ code: 'tree-unreadable' });
  });

  test('a manifest: prune removes nothing, and does not say that the manifest may be removed', async () => {
    const root = copyOf(sound);
    const store = new FailingStore(root, currentManifestPath(root));
    const error: unknown = await prune({ keep: NO_GRACE, replaced: null }, store).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'tree-unreadable', hint: 'check its owner and permissions' });
    for (const folder of ['public', 'releases']) {
      expect(await new DirectoryStore(root).list(folder)).toEqual(await new DirectoryStore(sound).list(folder));
    }
  });
});
