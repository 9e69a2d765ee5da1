// Lines about releases that several commands print: a hold, a plan, requests to a bucket, what was
// pruned.

import type { PruneResultJson } from '../../contract/results/history.ts';
import type { HistoryJson, KeysGuard, RequestsJson } from '../../contract/results/parts.ts';
import { countText } from '../../count-text.ts';
import { bytesText, styled, type Terminal } from './terminal.ts';

/**
 * Says that a rollback holds the tree, and how to resume. `releaseId` is the release that the hold
 * names; null if the hold's file is damaged. `currentId` is null if it is not known. Coloured if a
 * terminal is given.
 */
export function holdLines(
  releaseId: string | null,
  currentId: string | null,
  terminal: Pick<Terminal, 'isColoured'> = { isColoured: false },
): string[] {
  const state =
    releaseId === null
      ? `${styled('releases/hold is damaged', 'bad', terminal)}, which holds the tree`
      : `${styled('Held', 'warning', terminal)} at release ${releaseId}`;
  const lines = [`${state}: builds publish nothing until: playbill rollback --resume`];
  if (releaseId !== null && currentId !== null && releaseId !== currentId) {
    lines.push(`That rollback was interrupted; finish it with: playbill rollback ${releaseId}`);
  }
  return lines;
}

/** Says which fronts a rollback holds, each at which release, and how to resume. */
export function heldFrontLines(heldFronts: Readonly<Record<string, string>>): string[] {
  return Object.entries(heldFronts).map(
    ([front, release]) =>
      `${front}: held at release ${release}: builds do not publish it until: playbill rollback --resume --front ${front}`,
  );
}

/** What the guard on keys has kept in the key ring, or has let go because a flag said so. */
export function keysGuardLines(
  guards: readonly KeysGuard[],
  terminal: Pick<Terminal, 'isColoured'> = { isColoured: false },
): string[] {
  return guards.map((guard) => `keys: ${keysGuardText(guard, terminal)}`);
}

export function keysGuardText(
  { code, message, isOverridden }: KeysGuard,
  terminal: Pick<Terminal, 'isColoured'> = { isColoured: false },
): string {
  const verdict = styled(isOverridden ? 'overridden' : 'held back by', 'warning', terminal);
  const outcome = isOverridden ? '' : `; they stay in the key ring (--allow ${code} lets them go)`;
  return `${verdict} ${code}: ${message}${outcome}`;
}

/** One line per file that a plan changes: what happens to it, and why. What it keeps is counted. */
export function planLines(plan: PruneResultJson['plan']): string[] {
  const kept = plan.filter(({ action }) => action === 'keep');
  const lines = plan
    .filter(({ action }) => action !== 'keep')
    .map(({ action, path, bytes, reason }) => `${action} ${path} (${bytesText(bytes)}): ${reason}`);
  if (kept.length === 0) return lines;
  const reasons = new Map<string, number>();
  for (const { reason } of kept) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const counts = [...reasons].map(([reason, count]) => `${count} ${reason}`).join(', ');
  const bytes = kept.reduce((sum, entry) => sum + entry.bytes, 0);
  return [...lines, `keep ${countText(kept.length, 'file')} (${bytesText(bytes)}): ${counts}`];
}

/** Counts the requests to a bucket, which are billed; empty for a folder. */
export function requestLines(requests: RequestsJson | null | undefined): string[] {
  if (requests === null || requests === undefined) return [];
  const { puts, gets, lists, deletes, retries, bytesSent } = requests;
  return [
    `Requests: ${puts} PUT (${bytesText(bytesSent)} sent), ${gets} GET, ${lists} LIST, ${deletes} DELETE, ${retries} repeated`,
  ];
}

/** What is kept besides the current release; empty if nothing is. */
export function historyLines({ releases, bytes }: HistoryJson): string[] {
  return releases === 0 ? [] : [`History: ${bytesText(bytes)} in ${countText(releases, 'release')}`];
}

/** `2 releases, 31 files (1.2 MB)`. */
export function prunedText({ releases, files, bytes }: PruneResultJson['pruned']): string {
  return `${countText(releases, 'release')}, ${countText(files, 'file')} (${bytesText(bytes)})`;
}
