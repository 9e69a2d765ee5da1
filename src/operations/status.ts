// The state of a tree for a monitor. Opens no database, writes nothing.

import { formatInstant, type Instant } from '../catalogue/instant.ts';
import type { StatusResultJson } from '../contract/watch-results.ts';
import { readTreeStatus, type TreeStatus } from '../release/status/read-status.ts';
import { statusOf } from '../release/status/status.ts';
import { DirectoryReader } from '../storage/directory/reader.ts';

/**
 * The state of a tree at an instant; `maxAgeSeconds` null: as old as it may be.
 * @throws AppError tree-missing, tree-unreadable, tree-newer-schema
 */
export async function readStatus(out: string, maxAgeSeconds: number | null, at: Instant): Promise<StatusResultJson> {
  const tree = await readTreeStatus(DirectoryReader.open(out));
  const fronts = statusOf(tree, maxAgeSeconds, at);
  const { hold, release } = tree;
  return {
    at: formatInstant(at),
    isStale: fronts.length === 0 || fronts.some(({ stale }) => stale !== null),
    hold: hold && { release: hold.releaseId },
    release: release && releaseOf(release),
    fronts: fronts.map(({ code, stale, snapshot }) => ({
      front: code,
      stale,
      snapshot: snapshot && {
        ...snapshot,
        now: formatInstant(snapshot.now),
        validUntil: formatInstant(snapshot.validUntil),
        staleFrom: formatInstant(snapshot.staleFrom),
      },
    })),
    findings: [...tree.findings],
  };
}

function releaseOf({ id, manifest }: NonNullable<TreeStatus['release']>): NonNullable<StatusResultJson['release']> {
  const { now, horizonSeconds, tool, tzdata } = manifest;
  return { id, now, horizonSeconds, tool, tzdata };
}
