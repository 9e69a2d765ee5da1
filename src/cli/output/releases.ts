// What several commands print about releases: a hold, and what was pruned.

import type { PruneResultJson } from '../../contract/release-results.ts';
import type { RequestsJson } from '../../contract/results.ts';
import { bytesText, countText, styled, type Terminal } from './terminal.ts';

/** That a tree is held, and how to release it, in colour where a terminal is given. `releaseId` null: the hold's own file is damaged. */
export function holdLines(
  releaseId: string | null,
  inForceId: string | null,
  terminal: Pick<Terminal, 'isColoured'> = { isColoured: false },
): string[] {
  const state =
    releaseId === null
      ? `${styled('releases/hold is damaged', 'bad', terminal)}, which holds the tree`
      : `${styled('Held', 'warning', terminal)} at release ${releaseId}`;
  const lines = [`${state}: builds publish nothing until: playbill rollback --resume`];
  if (releaseId !== null && releaseId !== inForceId) {
    lines.push(`That rollback was stopped; finish it with: playbill rollback ${releaseId}`);
  }
  return lines;
}

/** What a plan does to each file, and why. */
export function planLines(plan: PruneResultJson['plan']): string[] {
  return plan.map(({ action, path, bytes, reason }) => `${action} ${path} (${bytesText(bytes)}): ${reason}`);
}

/** The bill of a bucket, on a line of its own; none for a folder. */
export function requestLines(requests: RequestsJson | null | undefined): string[] {
  if (requests === null || requests === undefined) return [];
  const { puts, gets, lists, deletes, retries, bytesSent } = requests;
  return [
    `Requests: ${puts} PUT (${bytesText(bytesSent)} sent), ${gets} GET, ${lists} LIST, ${deletes} DELETE, ${retries} repeated`,
  ];
}

/** `2 releases, 31 files (1.2 MB)`. */
export function prunedText({ releases, files, bytes }: PruneResultJson['pruned']): string {
  return `${countText(releases, 'release')}, ${countText(files, 'file')} (${bytesText(bytes)})`;
}
