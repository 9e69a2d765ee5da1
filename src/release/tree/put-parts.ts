// Writes the two parts of a manifest, before the manifest.

import type { PlanEntry } from '../../contract/results/parts.ts';
import { orNull } from './found.ts';
import type { ManifestText } from './manifest.ts';
import type { PublishedTree } from './published.ts';
import { replaceIfChanged } from './replace-if-changed.ts';
import type { ReleaseStore } from './store.ts';

/**
 * Writes the parts of a manifest that do not exist. Their name is their digest, so that a file of
 * the same size is believed, unless the current manifest is damaged, or `isForced`.
 */
export async function putParts(
  { parts }: ManifestText,
  published: PublishedTree,
  isForced: boolean,
  store: ReleaseStore,
): Promise<readonly PlanEntry[]> {
  const { askSize } = store;
  // A listing is no proof, except of what the current release names.
  const isThere = async (path: string, bytes: number): Promise<boolean> =>
    orNull(await (askSize === null || published.parts.includes(path) ? store.size(path) : askSize(path))) === bytes;
  return Promise.all(
    parts.map(async ({ path, text }): Promise<PlanEntry> => {
      const bytes = Buffer.byteLength(text);
      if (isForced || published.manifest === null || !(await isThere(path, bytes)))
        return replaceIfChanged(path, text, store);
      return { action: 'keep', path, bytes, reason: 'same-content' };
    }),
  );
}
