// A tree as earlier versions left it, made of one of this version: a manifest was one file, named
// by its id alone, which is what `current`, `hold` and `notified` had in them.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../src/contract/manifest.ts';
import { manifestIn, releaseNames, removeManifest } from './manifests.ts';

/** The text of a manifest of schema 1. */
function olderText({ tool, now, horizonSeconds, tzdata, fronts, files }: Manifest): string {
  const lines = (elements: readonly unknown[]): string =>
    elements.length === 0 ? '[]' : `[\n${elements.map((element) => JSON.stringify(element)).join(',\n')}\n]`;
  const head = JSON.stringify({ schema: 1, tool, now, horizonSeconds, tzdata }).slice(0, -1);
  return `${head},"fronts":${lines(fronts)},"files":${lines(files)}}\n`;
}

/** Makes an older tree of a tree. Gives back the ids of its releases, oldest first. */
export function makeOlder(root: string): readonly string[] {
  const idOf = new Map<string, string>();
  for (const name of releaseNames(root)) {
    const path = `releases/${name}.json`;
    const text = olderText(manifestIn(root, path));
    const id = createHash('sha256').update(text).digest('hex').slice(0, 16);
    removeManifest(root, path);
    writeFileSync(join(root, `releases/${id}.json`), text);
    idOf.set(name, id);
  }
  for (const file of ['current', 'hold', 'notified']) {
    const path = join(root, 'releases', file);
    if (!existsSync(path)) continue;
    const named = [...idOf].find(([name]) => readFileSync(path, 'utf8').includes(name));
    writeFileSync(path, `${named?.[1] ?? ''}\n`);
  }
  if (existsSync(join(root, 'releases/grace'))) rmSync(join(root, 'releases/grace'));
  return [...idOf.values()];
}
