// What the key ring becomes (containment.md, "Guards", Keys): the catalogue's keys, and those of
// the published ring that a faulty row or an empty table must not take away. Pure. Refuses to bring
// back a revoked key, whatever the catalogue says.

import { formatInstant, instantOf, SECONDS_PER_DAY, type Instant } from '../../catalogue/instant.ts';
import type { KeyRing, KeyRingEntry } from '../../contract/key-ring.ts';
import { TREE_SCHEMA } from '../../contract/primitives.ts';
import type { KeysGuard } from '../../contract/results/parts.ts';
import type { Finding } from '../../findings.ts';
import { isKeyOver, isKeyValid } from '../tree/key-validity.ts';
import { isAllowed, isMoreThanShare, type GuardOptions } from './guards.ts';

/** What the rows of one keyid say. Instants are canonical text. */
export interface CatalogueKey {
  /** null if a row has an error: then a published key stays as it is, within the dates below. */
  readonly entry: KeyRingEntry | null;
  /** Whether `front_id` leads to no front of which id and code are certain. */
  readonly isFrontUnknown: boolean;
  readonly notAfter: string | null;
  /** What stands there and cannot be read revokes at once. */
  readonly revokedAt: string | null;
}

/** The keys of a catalogue. */
export interface CatalogueKeys {
  /** By keyid. */
  readonly rows: ReadonlyMap<string, CatalogueKey>;
  /** The fronts of which id and code are certain. */
  readonly frontCodes: ReadonlySet<string>;
  /** Whether these are all fronts. */
  readonly isEveryFrontKnown: boolean;
  /** Fronts that the operator has disabled: their keys are not missed. */
  readonly disabledCodes: ReadonlySet<string>;
}

export interface KeyRingSettings {
  readonly guards: Pick<GuardOptions, 'maxShrink' | 'allow' | 'force'>;
  /** The fronts of which a guard may be overridden; null for all. */
  readonly frontCodes: readonly string[] | null;
}

export interface NextKeyRing {
  readonly ring: KeyRing;
  /**
   * The guard on vanished keys, for those that stay and for those that it was allowed to let go.
   */
  readonly guards: readonly KeysGuard[];
  readonly findings: readonly Finding[];
}

/**
 * A key that has expired or is revoked stays in the ring for this long, so that a database backup
 * put back does not revive it.
 */
const ENDED_KEPT_SECONDS = 30 * SECONDS_PER_DAY;

/**
 * `published`: the ring to replace, null if there is none. `publishedFronts`: the fronts that have
 * a pointer.
 */
export function nextKeyRing(
  keys: CatalogueKeys,
  published: KeyRing | null,
  publishedFronts: readonly string[],
  settings: KeyRingSettings,
  now: Instant,
): NextKeyRing {
  const at = formatInstant(now);
  const next = new Map<string, KeyRingEntry>();
  const vanished = new Map<string, KeyRingEntry>();
  const findings: Finding[] = [];
  const disputed = new Set<string>();
  for (const [keyid, { entry }] of keys.rows) if (entry !== null) next.set(keyid, entry);
  for (const [keyid, before] of Object.entries(published?.keys ?? {})) {
    const row = keys.rows.get(keyid);
    const entry = endedBy(row, row?.entry ?? before, before);
    if (row !== undefined && (row.entry !== null || isFaulty(row, before.front, keys))) next.set(keyid, entry);
    else if (isKeyOver(entry, at)) next.set(keyid, entry);
    else if (isKeyValid(entry, at)) vanished.set(keyid, entry);
    if (row === undefined || row.revokedAt === entry.revokedAt) continue;
    disputed.add(keyid);
    if (row.entry !== null) findings.push(revived(keyid, entry, row.revokedAt));
  }
  const guarded = publishedFronts.filter((code) => !keys.disabledCodes.has(code));
  const guards = vanishedGuards(published, vanished, next, guarded, settings, at);
  for (const { isOverridden, keyids } of guards) {
    for (const [keyid, entry] of vanished) if (!isOverridden && keyids.includes(keyid)) next.set(keyid, entry);
  }
  return { ring: ringOf(next, disputed, now), guards, findings };
}

/**
 * Dates end a key at once, those of a row with an error only ever earlier; a revocation is never
 * taken back. The rest of `entry` is the row's, or that of the published key if the row has an
 * error.
 */
function endedBy(row: CatalogueKey | undefined, entry: KeyRingEntry, before: KeyRingEntry): KeyRingEntry {
  const revokedAt = earliest(before.revokedAt, row?.revokedAt ?? null);
  return {
    ...entry,
    revokedAt,
    notAfter: row?.entry ? entry.notAfter : earliest(entry.notAfter, row?.notAfter ?? null),
  };
}

/**
 * Whether a row without a usable key has an error, so that the published key stays. A row that
 * leads to no known front has one if the key's front still exists; if it does not, the front was
 * deleted. While a front cannot be read, the row may be of that one, unless the key's own front is
 * another: then the key was moved.
 */
function isFaulty(row: CatalogueKey, front: string, { frontCodes, isEveryFrontKnown }: CatalogueKeys): boolean {
  return !row.isFrontUnknown || frontCodes.has(front) === isEveryFrontKnown;
}

/**
 * A front is lost if it had a valid key and has none but vanished ones. Keys that the catalogue
 * itself ends are nobody's loss.
 */
function vanishedGuards(
  published: KeyRing | null,
  vanished: ReadonlyMap<string, KeyRingEntry>,
  next: ReadonlyMap<string, KeyRingEntry>,
  fronts: readonly string[],
  { guards, frontCodes }: KeyRingSettings,
  at: string,
): readonly KeysGuard[] {
  const isPublished = new Set(fronts);
  const has = new Set([...next.values()].filter((key) => isKeyValid(key, at)).map(({ front }) => front));
  const had = new Set(
    Object.entries(published?.keys ?? {}).flatMap(([keyid, before]) => {
      const after = vanished.get(keyid) ?? next.get(keyid);
      const isStillValid = after?.front === before.front && isKeyValid(before, at) && isKeyValid(after, at);
      return isStillValid && isPublished.has(before.front) ? [before.front] : [];
    }),
  );
  const lost = [...had].filter((front) => !has.has(front)).length;
  const isMost = isMoreThanShare(lost, had.size, guards.maxShrink);
  if (lost === 0 || !(isMost || lost === had.size)) return [];
  const isLetGo = ({ front }: KeyRingEntry): boolean =>
    isAllowed('keys-vanished', guards) && (frontCodes?.includes(front) ?? true);
  return [false, true].flatMap((isOverridden) => {
    const keyids = [...vanished].flatMap(([keyid, key]) => (isLetGo(key) === isOverridden ? [keyid] : [])).sort();
    if (keyids.length === 0) return [];
    const message = `${lost} of ${had.size} published fronts with a valid key would have none: the catalogue no longer has ${listed(keyids)}`;
    return [{ code: 'keys-vanished', message, isOverridden, keyids }];
  });
}

const KEYIDS_NAMED = 10;

function listed(keyids: readonly string[]): string {
  const more = keyids.length > KEYIDS_NAMED ? ` and ${keyids.length - KEYIDS_NAMED} more` : '';
  return `${keyids.slice(0, KEYIDS_NAMED).join(', ')}${more}`;
}

function revived(keyid: string, { revokedAt }: KeyRingEntry, found: string | null): Finding {
  const message =
    `revoked_at: expected ${revokedAt} or earlier, as published, found ${found ?? 'NULL'}: ` +
    `the key stays revoked; revoke it in the catalogue, too: playbill keys revoke ${keyid}`;
  return { severity: 'warning', code: 'keys-revived', place: `front_keys ${keyid}`, message, column: 'revoked_at' };
}

/**
 * Without what ended long ago, unless the catalogue says that it did not: then it would be back
 * with the next build. The last keys of a ring stay, to show that it had some.
 */
function ringOf(keys: ReadonlyMap<string, KeyRingEntry>, disputed: ReadonlySet<string>, now: Instant): KeyRing {
  const longAgo = formatInstant(instantOf(now - ENDED_KEPT_SECONDS));
  const all = [...keys].sort(([a], [b]) => (a < b ? -1 : 1));
  const recent = all.filter(([keyid, key]) => disputed.has(keyid) || !isKeyOver(key, longAgo));
  return { schema: TREE_SCHEMA, keys: Object.fromEntries(recent.length === 0 ? all : recent) };
}

/** Of two instants, as text; null is no instant. */
export function earliest(a: string | null, b: string | null): string | null {
  return a === null || (b !== null && b < a) ? b : a;
}
