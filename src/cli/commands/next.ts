// `playbill next`: prints when each front's documents change next, for a scheduler.

import { findingMessage } from '../output/messages.ts';
import { formatInstant, parseInstant, type Instant } from '../../catalogue/instant.ts';
import type { NextResultJson } from '../../contract/results/status.ts';
import { EXIT, TRY_AGAIN } from '../exit-codes.ts';
import { MOMENT_FORMS } from '../moment.ts';
import type { PlaybillCommand } from '../command.ts';
import { stateCell, tableText } from '../output/table.ts';
import { spanText, type Style, type Terminal } from '../output/terminal.ts';

export function addNextCommand(program: PlaybillCommand): void {
  program
    .command('next')
    .summary('print the next change of every front and overall, for a scheduler')
    .description(
      'Reads the pointers and prints when the next edition of each front comes into force, or when its snapshot ends: from then ' +
        'on it may be wrong. For an expired snapshot, prints when it ended.',
    )
    .outFlag('the tree to look at')
    .instantFlag('--at', `look for changes after this instant, ${MOMENT_FORMS} (default: the current time)`)
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill next --at 2026-05-01T12:00:00+03:00
  playbill next --json | jq -r .next                    the earliest of all fronts

No build is needed for an edition to come into force: an edge chooses it by the clock. Build again before a snapshot
ends.

Exit codes: 0 printed, 1 a pointer is broken, 2 wrong usage, no tree, or nothing published,
${TRY_AGAIN}.`)
    .runs(async (flags, { terminal, now }) => {
      const at = flags.at ?? now();
      const { nextChanges } = await import('../../operations/status.ts');
      const { next, findings } = await nextChanges(flags.out, at);
      for (const finding of findings) terminal.log(findingMessage(finding));
      terminal.print(flags.json === true ? JSON.stringify(next) : nextText(next, at, terminal));
      return next.fronts.some(({ kind }) => kind === 'unknown') ? EXIT.findings : EXIT.done;
    });
}

const WHAT = { end: 'end of the snapshot', expired: 'the snapshot has expired', unknown: 'the pointer is broken' };

/** The states in which an edge may answer wrongly now. */
const STYLES: Partial<Record<NextResultJson['fronts'][number]['kind'], Style>> = { expired: 'bad', unknown: 'bad' };

function nextText({ next, fronts }: NextResultJson, at: Instant, terminal: Terminal): string {
  const until = (instant: string | null): string => spanText((parseInstant(instant ?? '') ?? at) - at);
  const rows = fronts.map(({ front, kind, next: change, endpoints }) => [
    front,
    change ?? '-',
    change === null ? '-' : until(change),
    stateCell(kind === 'edition' ? endpoints.join(', ') : WHAT[kind], STYLES[kind], terminal),
  ]);
  const overall = next === null ? 'not known' : `${next}, ${next < formatInstant(at) ? '' : 'in '}${until(next)}`;
  return `${tableText(['front', 'next change', 'in', 'what'], rows, terminal)}\n\nNext: ${overall}`;
}
