// Whether a key of the ring is valid at an instant: in [notBefore, notAfter), up to revokedAt, as
// edges judge it (edge/rule/verify-signature.ts).

import type { KeyRing, KeyRingEntry } from '../../contract/key-ring.ts';
import type { Finding } from '../../findings.ts';
import { pathOf } from '../../render/paths.ts';

/** `at`: the text of an instant. */
export function isKeyValid(key: KeyRingEntry, at: string): boolean {
  return !(key.notBefore !== null && at < key.notBefore) && !isKeyOver(key, at);
}

/** Whether a key has expired or is revoked. */
export function isKeyOver({ notAfter, revokedAt }: KeyRingEntry, at: string): boolean {
  return [notAfter, revokedAt].some((end) => end !== null && end <= at);
}

/** How many valid keys each of these fronts has. */
export function validKeysOf(fronts: readonly string[], ring: KeyRing | null, at: string): ReadonlyMap<string, number> {
  const valid = new Map(fronts.map((front) => [front, 0]));
  for (const key of Object.values(ring?.keys ?? {})) {
    const count = valid.get(key.front);
    if (count !== undefined && isKeyValid(key, at)) valid.set(key.front, count + 1);
  }
  return valid;
}

/**
 * The published fronts that an edge refuses to everyone, because no valid key speaks for them. If
 * these are all, and the ring has keys, keys have been lost: an error. A ring that never had any
 * may be intended.
 */
export function missingKeys(fronts: readonly string[], ring: KeyRing, at: string): readonly Finding[] {
  const without = [...validKeysOf(fronts, ring, at)].flatMap(([front, keys]) => (keys === 0 ? [front] : []));
  const find = (severity: Finding['severity'], place: string, found: string, front = 'CODE'): Finding => {
    const message = `expected a valid key, found ${found}: edges refuse every request; issue one: playbill keys issue --front ${front}`;
    return { severity, code: 'no-valid-key', place, message };
  };
  const areLost = without.length === fronts.length && Object.keys(ring.keys).length > 0;
  return areLost && fronts.length > 0
    ? [find('error', pathOf({ kind: 'key-ring' }), 'keys, but none that is valid for a published front')]
    : without.map((front) => find('warning', pathOf({ kind: 'pointer', front }), 'none for the front', front));
}
