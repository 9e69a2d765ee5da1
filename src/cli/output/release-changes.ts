// What `releases --changes` says below a release: a line for each front that it changed.

import type { FrontChanges, ReleaseChanges } from '../../contract/results/history.ts';
import { frontChangesParts } from '../../release/diff/changes-text.ts';
import { foldedText } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Nothing if it was not asked for (undefined). */
export function changesLines(
  changes: ReleaseChanges | null | undefined,
  width: Pick<Terminal, 'columns'>,
): readonly string[] {
  if (changes === undefined) return [];
  if (changes === null) return ['  no older release to compare with'];
  const { since, fronts } = changes;
  if (fronts.length === 0) return [`  nothing changed since ${since}`];
  return [`  since ${since}:`, ...fronts.map((front) => foldedText('    ', frontParts(front), width))];
}

function frontParts(changes: FrontChanges): readonly string[] {
  const [first = '', ...others] = frontChangesParts(changes, (at) => at);
  return [`${changes.front}: ${first}`, ...others];
}
