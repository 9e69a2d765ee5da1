// `playbill prune`: removes releases that are no longer kept, and editions that nothing refers to.

import type { PruneResultJson } from '../../contract/results/history.ts';
import { planLines, prunedText, requestLines } from '../output/releases.ts';
import type { PlaybillCommand } from '../command.ts';
import { TRY_AGAIN } from '../exit-codes.ts';
import { keepOf } from '../settings/settings.ts';
import { tableText } from '../output/table.ts';
import { countText } from '../../count-text.ts';
import { durationText, type Terminal } from '../output/terminal.ts';

export function addPruneCommand(program: PlaybillCommand): void {
  program
    .command('prune')
    .summary('remove old releases, and files that nothing refers to')
    .description(
      'Keeps the current release, those that pointers belong to, the last ones (--keep-last), the last of each hour and of each day ' +
        '(--keep-hourly, --keep-daily), and those superseded less than --grace ago. Removes the manifests of all others, then every ' +
        'edition that no kept release and no pointer refers to. The age of a release is measured by the instants that releases were built for, back ' +
        'from the newest and from the current one. A release is superseded at the instant that the next one was built for. Hours ' +
        'and days are UTC. While a rollback holds the tree, and for --grace from the first build after it, every release is kept. ' +
        'Builds prune by themselves.',
    )
    .keepFlags()
    .flag('--dry-run', 'print what would be removed, and what would be kept and why; remove nothing')
    .outFlag('the tree to clean up')
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill prune --dry-run                 what would be removed
  playbill build --no-prune && playbill prune --grace 6h      if copies of the tree lag behind

Exit codes: 0 done or nothing to do, 2 wrong usage, no tree, or a damaged manifest (it might refer to any file),
5 another run holds the lock, 6 the tree could not be written, or only in part (run the same command again to finish),
${TRY_AGAIN}.`)
    .writes()
    .runs(async (flags, { terminal }) => {
      const { pruneTree } = await import('../../operations/history.ts');
      const json = await pruneTree(flags.out, keepOf(flags), flags.dryRun === true);
      terminal.print(flags.json === true ? JSON.stringify(json) : summaryText(json, terminal));
    });
}

function summaryText(json: PruneResultJson, terminal: Terminal): string {
  const { isDryRun, keep, hold, releases, waitsFor, pruned, plan, requests } = json;
  const lines: string[] = [];
  if (isDryRun) {
    const rows = releases.map(({ id, now, kept }) => [id, now, kept ?? 'goes']);
    if (rows.length > 0) lines.push(tableText(['release', 'as of', 'why kept'], rows, terminal), '');
    lines.push(...planLines(plan));
  }
  const keptTotal = releases.filter(({ kept }) => kept !== null).length;
  lines.push(
    `${isDryRun ? 'Would prune' : 'Pruned'}: ${prunedText(pruned)}; ${countText(keptTotal, 'release')} kept, ` +
      `with a grace of ${durationText(keep.graceSeconds)}`,
  );
  lines.push(...requestLines(requests));
  for (const run of waitsFor)
    lines.push(
      `No edition is removed while a shard of run ${run} may be writing: start it again, or remove runs/${run} from the tree to abandon it`,
    );
  if (hold !== null) lines.push('A rollback holds the tree: every release is kept until: playbill rollback --resume');
  return lines.join('\n');
}
