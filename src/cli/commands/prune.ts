// `playbill prune`: what nobody can go back to, or point at, any more.

import type { PruneResultJson } from '../../contract/release-results.ts';
import { DEFAULT_GRACE_SECONDS } from '../arguments.ts';
import { planLines, prunedText, requestLines } from '../output/releases.ts';
import type { PlaybillCommand } from '../command.ts';
import { tableText } from '../output/table.ts';
import { countText, durationText } from '../output/terminal.ts';

export function addPruneCommand(program: PlaybillCommand): void {
  program
    .command('prune')
    .summary('remove releases that are not kept any longer, and files that nobody names')
    .description(
      'Keeps the current release, those that pointers are of, the last 10, the last of each hour for a day and of each day for a ' +
        'week, and whatever was superseded less than --grace ago. Removes the manifests of all others, then every edition that ' +
        'neither a kept release nor a pointer names. Time is the instants that releases were built for, hours and days are UTC, ' +
        'ages count back from the newest release and from the current one; a release is superseded when the next one was built ' +
        'for. While a rollback holds the tree every release is kept, and for --grace from the first build that follows. Builds ' +
        'prune by themselves, with a grace of 1h.',
    )
    .durationFlag('--grace', 'how long a superseded release is kept in any case', DEFAULT_GRACE_SECONDS)
    .flag('--dry-run', 'say what would go and what stays and why; remove nothing')
    .outFlag('the tree to clean up')
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill prune --dry-run                 what would go
  playbill build --no-prune && playbill prune --grace 6h      where copies of the tree lag behind

Exit codes: 0 done or nothing to do, 2 wrong usage, no tree there, or a damaged manifest (it might name any file),
5 another run holds the lock, 6 the tree could not be written (the same command again finishes).`)
    .writes()
    .runs(async (flags, { terminal }) => {
      const { pruneTree } = await import('../../operations/history.ts');
      const json = await pruneTree(flags.out, flags.grace, flags.dryRun === true);
      terminal.print(flags.json === true ? JSON.stringify(json) : summaryText(json));
    });
}

function summaryText(json: PruneResultJson): string {
  const { isDryRun, graceSeconds, hold, releases, waitsFor, pruned, plan, requests } = json;
  const lines: string[] = [];
  if (isDryRun) {
    const rows = releases.map(({ id, now, kept }) => [id, now, kept ?? 'goes']);
    if (rows.length > 0) lines.push(tableText(['release', 'as of', 'why kept'], rows), '');
    lines.push(...planLines(plan));
  }
  const keptTotal = releases.filter(({ kept }) => kept !== null).length;
  lines.push(
    `${isDryRun ? 'Would prune' : 'Pruned'}: ${prunedText(pruned)}; ${countText(keptTotal, 'release')} kept, ` +
      `with a grace of ${durationText(graceSeconds)}`,
  );
  lines.push(...requestLines(requests));
  for (const run of waitsFor)
    lines.push(
      `No edition is removed while a shard of run ${run} may be writing: start it again, or remove runs/${run} from the tree to abandon it`,
    );
  if (hold !== null) lines.push('A rollback holds the tree: every release is kept until: playbill rollback --resume');
  return lines.join('\n');
}
