// Manifests of a tree, put together from their three files as any program could, and written as
// this one does.

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest, ManifestHead } from '../../src/contract/manifest.ts';
import { manifestText } from '../../src/release/tree/manifest.ts';

/** The manifest at a path, from whatever reads the files of its tree. */
export function manifestFrom(read: (path: string) => string, path: string): Manifest {
  const head = JSON.parse(read(path)) as ManifestHead;
  const [fronts, files] = partPathsOf(head).map((part) => JSON.parse(read(part)) as unknown);
  return { ...head, fronts, files } as Manifest;
}

export function partPathsOf({ fronts, files }: ManifestHead): readonly [string, string] {
  return [`releases/fronts-${fronts}.json`, `releases/files-${files}.json`];
}

/** The manifest of a release, by its name or id, in the files of a tree. */
export function manifestOf(files: ReadonlyMap<string, string>, release: string): Manifest {
  return manifestFrom((path) => files.get(path) ?? '', manifestPathIn([...files.keys()], release));
}

/** The path of a release's manifest, by its name or id. */
export function manifestPathIn(paths: Iterable<string>, release: string): string {
  const found = [...paths].filter((path) => MANIFEST.test(path) && path.endsWith(`${release}.json`));
  if (found.length !== 1) throw new Error(`expected one manifest of ${release}, found ${found.length}`);
  return found[0] ?? '';
}

/** The whole path of a release's manifest in a folder, by its name or id. */
export function manifestPathOf(root: string, release: string): string {
  return join(root, manifestPathIn(releaseFiles(root), release));
}

const MANIFEST = /^releases\/(?:\d{8}T\d{6}Z-)?[0-9a-f]{16}\.json$/;

/** The names of the releases of which a folder has a manifest, sorted. */
export function releaseNames(root: string): string[] {
  return releaseFiles(root).flatMap((path) => (MANIFEST.test(path) ? [nameIn(path)] : []));
}

/** The name of a release, from the path of its manifest. */
export function nameIn(path: string): string {
  return path.slice('releases/'.length, -'.json'.length);
}

/** The id of a release, from its name. */
export function idIn(name: string): string {
  return name.slice(-16);
}

export function currentName(root: string): string {
  return readFileSync(join(root, 'releases/current'), 'utf8').trim();
}

export function currentManifestPath(root: string): string {
  return `releases/${currentName(root)}.json`;
}

export function manifestIn(root: string, path = currentManifestPath(root)): Manifest {
  return manifestFrom((one) => readFileSync(join(root, one), 'utf8'), path);
}

/** Manifests of releases that are not in force, sorted. */
export function otherManifestPaths(root: string): string[] {
  return releaseNames(root)
    .map((name) => `releases/${name}.json`)
    .filter((path) => path !== currentManifestPath(root));
}

/** Writes a manifest and its parts. Gives back its path. */
export function writeManifest(root: string, manifest: Manifest): string {
  const { release, text, parts } = manifestText(manifest);
  const path = `releases/${release.name}.json`;
  for (const file of [{ path, text }, ...parts]) {
    mkdirSync(dirname(join(root, file.path)), { recursive: true });
    writeFileSync(join(root, file.path), file.text);
  }
  return path;
}

/** Removes a manifest, and those of its parts that no other names. */
export function removeManifest(root: string, path: string): void {
  const head = JSON.parse(readFileSync(join(root, path), 'utf8')) as ManifestHead;
  rmSync(join(root, path));
  const named = new Set(
    releaseNames(root).flatMap((name) =>
      partPathsOf(JSON.parse(readFileSync(join(root, `releases/${name}.json`), 'utf8')) as ManifestHead),
    ),
  );
  for (const part of partPathsOf(head)) if (!named.has(part)) rmSync(join(root, part), { force: true });
}

function releaseFiles(root: string): string[] {
  const folder = join(root, 'releases');
  return existsSync(folder)
    ? readdirSync(folder)
        .map((name) => `releases/${name}`)
        .sort()
    : [];
}
