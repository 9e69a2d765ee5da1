// As of which instant a front is right. Mostly its pointer says so. Where a later build found that the pointer says already what its own
// would, the pointer stayed, and the release says so.

import type { Manifest, ManifestFront } from '../../contract/manifest.ts';
import type { Pointer } from '../../contract/pointer.ts';

/** `listing`: as the current release lists the front with this pointer; undefined where it does not. */
export function asOf(pointer: Pointer, listing: ManifestFront | undefined, manifest: Manifest | null): string {
  if (listing?.held === null && manifest !== null) return manifest.now;
  return listing?.asOf ?? pointer.now;
}
