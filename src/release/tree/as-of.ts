// The instant as of which a front is right: usually its pointer's `now`. If a later build kept the
// pointer because a new one would have said the same, it is the `now` of that build's release.

import type { Manifest, ManifestFront } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';

/**
 * `listing` is the current release's entry for the front with exactly this pointer, if it has one.
 */
export function asOf(pointer: Pointer, listing: ManifestFront | undefined, manifest: Manifest | null): string {
  if (listing?.held === null && manifest !== null) return manifest.now;
  return listing?.asOf ?? pointer.now;
}
