// Ways to damage a published tree by hand, or by a disk: each with what `verify` must find, what a
// build makes of it, and what heals it. They damage front bravo, or a file of all fronts.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { ManifestHead } from '../../../src/contract/manifest.ts';
import { currentManifestPath, partPathsOf } from '../manifests.ts';
import { filesOf, pointerOf } from '../trees.ts';
import { flipBit } from '../verify-tree.ts';
import type { Sees } from './matrix-text.ts';

export const FRONT = 'public/fronts/bravo';
const POINTER = `${FRONT}/pointer.json`;
const KEY_RING = 'edge/keyring.json';
const CURRENT = 'releases/current';

/** The first products edition of bravo, which the next build needs again. */
function editionIn(tree: string): string {
  return `${FRONT}/products.${pointerOf(filesOf(tree), 'bravo').products[0]?.slice(21)}.json`;
}

/** The list of files of the release in force. */
function filesPartIn(tree: string): string {
  return partPathsOf(JSON.parse(readFileSync(join(tree, currentManifestPath(tree)), 'utf8')) as ManifestHead)[1];
}

/** Puts a folder with something in it in the place of a file. */
function folderAt(path: string): void {
  rmSync(path, { recursive: true });
  mkdirSync(path);
  writeFileSync(join(path, 'mine'), 'mine');
}

/** Moves what is there out of the tree and puts a link to it in its place. */
function linkOut(tree: string, path: string): void {
  const outside = join(dirname(tree), 'outside');
  renameSync(join(tree, path), outside);
  symlinkSync(outside, join(tree, path));
}

function pipeAt(path: string): void {
  rmSync(path);
  expect(spawnSync('mkfifo', [path]).status).toBe(0);
}

/**
 * How what the build has not healed is healed: `build --force`; or what is in the way is removed,
 * and then a build.
 */
export type Remedy = 'force' | 'removal';

export interface Damage {
  /** Damages the tree, and says what `verify` must find: `severity code path`. */
  readonly damage: (tree: string) => readonly string[];
  /** What is in the way, where that is not the path of the first finding. */
  readonly blamed?: (tree: string) => string;
  readonly sees: Sees;
  readonly heals: string;
  readonly exit: number;
  /** Why bravo is held back; without it, bravo is published. */
  readonly held?: string;
  /** Without it, the build itself has healed the tree. */
  readonly remedy?: Remedy;
  /**
   * A manifest that cannot be read might name any file: the build says that it has removed none.
   */
  readonly unpruned?: true;
}

const BRAVO_BROKEN = 'this front nothing whole, the others new' as const;
const MOVED = 'move it away, and build';

export const DAMAGES: Readonly<Record<string, Damage>> = {
  'a bit of an edition is flipped': {
    damage: (tree) => {
      const path = editionIn(tree);
      flipBit(tree, path, 0.5);
      return [`error file-digest-wrong ${path}`];
    },
    sees: BRAVO_BROKEN,
    exit: 0,
    remedy: 'force',
    heals: '`build --force`, or remove it and build; a plain build looks at sizes only',
  },
  'an edition is cut short': {
    damage: (tree) => {
      const path = editionIn(tree);
      truncateSync(join(tree, path), 100);
      return [`error file-size-wrong ${path}`];
    },
    sees: BRAVO_BROKEN,
    exit: 3,
    held: 'file-size-wrong',
    remedy: 'force',
    heals: '`build --force`',
  },
  'an edition is gone': {
    damage: (tree) => {
      const path = editionIn(tree);
      rmSync(join(tree, path));
      return [`error file-missing ${path}`];
    },
    sees: 'the new release',
    exit: 0,
    heals: 'that build',
  },
  'a folder is in an edition’s place': {
    damage: (tree) => {
      const path = editionIn(tree);
      folderAt(join(tree, path));
      return [`error file-kind-wrong ${path}`];
    },
    sees: BRAVO_BROKEN,
    exit: 3,
    held: 'file-kind-wrong',
    remedy: 'removal',
    heals: MOVED,
  },
  'a link out of the tree is in an edition’s place': {
    damage: (tree) => {
      const path = editionIn(tree);
      linkOut(tree, path);
      return [`error file-kind-wrong ${path}`];
    },
    sees: 'the new release',
    exit: 3,
    held: 'file-kind-wrong',
    remedy: 'force',
    heals: '`build --force`',
  },
  'a pipe is in an edition’s place': {
    damage: (tree) => {
      const path = editionIn(tree);
      pipeAt(join(tree, path));
      return [`error file-kind-wrong ${path}`];
    },
    sees: BRAVO_BROKEN,
    exit: 3,
    held: 'file-kind-wrong',
    remedy: 'force',
    heals: '`build --force`',
  },
  'a pointer is torn': {
    damage: (tree) => {
      truncateSync(join(tree, POINTER), 60);
      return [`error pointer-invalid ${POINTER}`];
    },
    sees: 'the new release',
    exit: 0,
    heals: 'that build',
  },
  'a pointer names an edition that never was': {
    damage: (tree) => {
      const path = editionIn(tree);
      const text = readFileSync(join(tree, POINTER), 'utf8');
      const digest = path.slice(-21, -5);
      writeFileSync(join(tree, POINTER), text.replaceAll(digest, '0123456789abcdef'));
      return [`error file-missing ${path.replace(digest, '0123456789abcdef')}`, `error pointer-not-current ${POINTER}`];
    },
    sees: 'the new release',
    exit: 0,
    heals: 'that build',
  },
  'a pointer is gone': {
    damage: (tree) => {
      rmSync(join(tree, POINTER));
      return [`error pointer-missing ${POINTER}`];
    },
    sees: 'the new release',
    exit: 0,
    heals: 'that build',
  },
  'a folder is in a pointer’s place': {
    damage: (tree) => {
      folderAt(join(tree, POINTER));
      return [`error file-kind-wrong ${POINTER}`];
    },
    sees: BRAVO_BROKEN,
    exit: 3,
    held: 'file-kind-wrong',
    remedy: 'removal',
    heals: MOVED,
  },
  'a link out of the tree is in a pointer’s place': {
    damage: (tree) => {
      linkOut(tree, POINTER);
      return [`error file-kind-wrong ${POINTER}`];
    },
    sees: 'the new release',
    exit: 0,
    heals: 'that build',
  },
  'a pipe is in a pointer’s place': {
    damage: (tree) => {
      pipeAt(join(tree, POINTER));
      return [`error file-kind-wrong ${POINTER}`];
    },
    sees: 'the new release',
    exit: 0,
    heals: 'that build',
  },
  'a file is in the place of a front’s folder': {
    damage: (tree) => {
      rmSync(join(tree, FRONT), { recursive: true });
      writeFileSync(join(tree, FRONT), 'mine');
      return [`error file-kind-wrong ${FRONT}`];
    },
    sees: BRAVO_BROKEN,
    exit: 3,
    held: 'file-kind-wrong',
    remedy: 'removal',
    heals: MOVED,
  },
  'a link out of the tree is in the place of a front’s folder': {
    damage: (tree) => {
      linkOut(tree, FRONT);
      return [`error file-kind-wrong ${FRONT}`];
    },
    sees: 'the new release',
    exit: 3,
    held: 'file-kind-wrong',
    remedy: 'removal',
    heals: MOVED,
  },
  'a front’s folder is gone': {
    damage: (tree) => {
      const editions = [...filesOf(tree).keys()].filter((path) => /\/bravo\/(?:products|categories)/.test(path));
      rmSync(join(tree, FRONT), { recursive: true });
      return [`error pointer-missing ${POINTER}`, ...editions.map((path) => `error file-missing ${path}`)];
    },
    sees: 'the new release',
    exit: 0,
    heals: 'that build',
  },
  'the key ring is torn': {
    damage: (tree) => {
      truncateSync(join(tree, KEY_RING), 60);
      return [`error key-ring-invalid ${KEY_RING}`];
    },
    sees: 'the new release',
    exit: 0,
    heals: 'that build',
  },
  'a link out of the tree is in the key ring’s place': {
    damage: (tree) => {
      linkOut(tree, KEY_RING);
      return [`error file-kind-wrong ${KEY_RING}`];
    },
    sees: 'the new release',
    exit: 0,
    heals: 'that build',
  },
  'a folder is in the key ring’s place': {
    damage: (tree) => {
      folderAt(join(tree, KEY_RING));
      return [`error file-kind-wrong ${KEY_RING}`];
    },
    sees: 'the old release',
    exit: 6,
    remedy: 'removal',
    heals: `${MOVED}; keys come first, so nothing else is written before`,
  },
  'a folder is in the place of `current`': {
    damage: (tree) => {
      folderAt(join(tree, CURRENT));
      return [`error file-kind-wrong ${CURRENT}`];
    },
    sees: 'the new release',
    exit: 6,
    remedy: 'removal',
    heals: MOVED,
  },
  'a bit of the manifest in force is flipped': {
    damage: (tree) => {
      const path = currentManifestPath(tree);
      flipBit(tree, path, 0.5);
      return [`error file-digest-wrong ${path}`];
    },
    sees: 'the new release',
    exit: 0,
    remedy: 'removal',
    heals: 'remove it; the new release has its own; nothing is pruned before',
    unpruned: true,
  },
  'a bit of the file list of the release in force is flipped': {
    damage: (tree) => {
      flipBit(tree, filesPartIn(tree), 0.5);
      return [`error manifest-invalid ${filesPartIn(tree)}`];
    },
    blamed: currentManifestPath,
    sees: 'the new release',
    exit: 0,
    remedy: 'removal',
    heals: 'remove the manifest; the new release has its own; nothing is pruned before',
    unpruned: true,
  },
  'the file list of the release in force is gone': {
    damage: (tree) => {
      const path = filesPartIn(tree);
      rmSync(join(tree, path));
      return [`error manifest-invalid ${path}`];
    },
    blamed: currentManifestPath,
    sees: 'the new release',
    exit: 0,
    remedy: 'removal',
    heals: 'remove the manifest; the new release has its own; nothing is pruned before',
    unpruned: true,
  },
  'a folder is in the place of the manifest in force': {
    damage: (tree) => {
      const path = currentManifestPath(tree);
      folderAt(join(tree, path));
      return [`error file-kind-wrong ${path}`];
    },
    sees: 'the new release',
    exit: 0,
    remedy: 'removal',
    heals: 'move it away; the new release has its own; nothing is pruned before',
    unpruned: true,
  },
  'the manifest in force is gone': {
    damage: (tree) => {
      const path = currentManifestPath(tree);
      rmSync(join(tree, path));
      return [`error current-invalid ${CURRENT}`];
    },
    sees: 'the new release',
    exit: 0,
    heals: 'that build; the next release prunes again',
    unpruned: true,
  },
};
