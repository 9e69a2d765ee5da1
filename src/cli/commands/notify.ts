// `playbill notify`: notifies of what is published and was missed, without a build.

import { EXIT, TRY_AGAIN } from '../exit-codes.ts';
import type { PlaybillCommand } from '../command.ts';
import type { NotifyResultJson } from '../../contract/results/history.ts';
import { AppError } from '../../errors.ts';
import { notifyOfPublish, publishWarning } from '../on-publish.ts';
import { countText } from '../../count-text.ts';

export function addNotifyCommand(program: PlaybillCommand): void {
  program
    .command('notify')
    .summary('notify caches of what the last notification did not name')
    .description(
      'Sends what readers of the current release can see changed since the release of the last successful notification: what a build ' +
        'with --on-publish sends at its end, for when that was killed, failed, or ran without the flag. If there never was one, all ' +
        'that is published counts as changed.',
    )
    .outFlag('the tree')
    .onPublishFlags()
    .jsonFlag()
    .helpBelow(`
Example:
  playbill notify --on-publish https://hooks.example/playbill

Exit codes: 0 notified, or nothing to notify of, 1 the notification failed, 2 wrong usage, no tree, or nothing published,
${TRY_AGAIN}.`)
    .writes()
    .runs(async (flags, context) => {
      if (flags.onPublish === undefined)
        throw new AppError('usage', 'expected --on-publish, found none', 'name the command or URL: --on-publish');
      const { releaseOfTree } = await import('../../operations/history.ts');
      const release = await releaseOfTree(flags.out, 'current');
      const now = release.now ?? context.now();
      const { notice = null, warnings } = await notifyOfPublish(
        { plan: [], allowed: [], release, replaced: null },
        flags,
        context,
        now,
      );
      const json: NotifyResultJson = { release: release.id, notice, warnings };
      context.terminal.print(flags.json === true ? JSON.stringify(json) : text(json));
      for (const warning of warnings) context.terminal.log(publishWarning(warning));
      return warnings.length > 0 ? EXIT.findings : EXIT.done;
    });
}

function text({ release, notice, warnings }: NotifyResultJson): string {
  if (warnings.length > 0) return `Not notified of release ${release}`;
  if (notice === null) return `Nothing to notify of: release ${release} is known`;
  const { changed, added, removed } = notice;
  return `Notified of release ${release}: ${countText(changed.length, 'path')} changed, ${added.length} added, ${removed.length} removed`;
}
