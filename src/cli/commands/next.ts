// `playbill next`: the next instant at which a front's documents change, for a scheduler.

import type { Command } from 'commander';
import { findingLine } from '../../findings.ts';
import { parseInstant, type Instant } from '../../catalogue/instant.ts';
import type { NextResultJson } from '../../contract/watch-results.ts';
import { instantArgument } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandContext } from '../context.ts';
import { shortened, spanText, tableText } from '../output/terminal.ts';

interface NextFlags {
  readonly out: string;
  readonly at?: Instant;
  readonly json?: true;
}

export function addNextCommand(program: Command, context: CommandContext): void {
  program
    .command('next')
    .summary('the next effective change of every front and overall, for a scheduler')
    .description(
      'Reads the pointers and says when another edition comes into force at each front: the first entry after the instant, or the\n' +
        'end of the snapshot, from when it is no longer known to be right. An expired snapshot is due since its end.',
    )
    .option('--out <folder>', 'the tree to look at', 'out')
    .option('--at <instant>', 'after this instant (default: the current time)', instantArgument('--at'))
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  playbill next
  playbill next --at 2026-05-01T12:00:00+03:00
  playbill next --json | jq -r .next                    the earliest of all fronts

Nothing has to be built for an edition to come into force: an edge chooses by the clock. The end of a snapshot is what
a build must come before.

Exit codes: 0 printed, 1 a pointer is broken, 2 wrong usage, no tree, or nothing published.`,
    )
    .action(async (flags: NextFlags) => {
      context.exitCode = await runNext(flags, context);
    });
}

async function runNext(flags: NextFlags, { terminal, now }: CommandContext): Promise<number> {
  const at = flags.at ?? now();
  const { readNextChanges } = await import('../../operations/status.ts');
  const { result, findings } = await readNextChanges(flags.out, at);
  for (const finding of findings) terminal.log(findingLine(finding));
  terminal.print(flags.json === true ? JSON.stringify(result) : nextText(result, at));
  return result.fronts.some(({ kind }) => kind === 'unknown') ? EXIT.findings : EXIT.done;
}

const WHAT = { end: 'end of the snapshot', expired: 'the snapshot has expired', unknown: 'the pointer is broken' };

function nextText({ next, fronts }: NextResultJson, at: Instant): string {
  const until = (instant: string | null): string => spanText((parseInstant(instant ?? '') ?? at) - at);
  const rows = fronts.map(({ front, kind, next: change, endpoints }) => [
    shortened(front, 24),
    change ?? '-',
    change === null ? '-' : until(change),
    kind === 'edition' ? endpoints.join(', ') : WHAT[kind],
  ]);
  const overall = next === null ? 'Next: not known' : `Next: ${next}, in ${until(next)}`;
  return `${tableText(['front', 'next change', 'in', 'what'], rows)}\n\n${overall}`;
}
