// The instant as of which a front is right: usually its pointer's `now`. If a later build kept the
// pointer because a new one would have said the same, it is the `now` of that build's release, which
// a release that a rollback of other fronts made repeats as `asOf`.

import type { Manifest, ManifestFront } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';

/**
 * `listing` is the current release's entry for the front with exactly this pointer, if it has one.
 */
export function asOf(pointer: Pointer, listing: ManifestFront | undefined, manifest: Manifest | null): string {
  if (listing?.asOf !== undefined) return listing.asOf;
  return listing?.held === null && manifest !== null ? manifest.now : pointer.now;
}
