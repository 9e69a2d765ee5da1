// `playbill rollback`: returns to an older release and holds the tree there; with --resume, lets
// builds publish again.

import { formatInstant } from '../../catalogue/instant.ts';
import type { RollbackResultJson } from '../../contract/results/history.ts';
import { AppError, shellWord } from '../../errors.ts';
import type { PlanEntry } from '../../contract/results/parts.ts';
import { notifyOfPublish, publishWarning } from '../on-publish.ts';
import { heldFrontLines, holdLines, requestLines } from '../output/releases.ts';
import type { FlagsOf, PlaybillCommand } from '../command.ts';
import { TRY_AGAIN } from '../exit-codes.ts';
import type { CommandContext } from '../context.ts';
import { findingMessage, type Message } from '../output/messages.ts';
import { countText } from '../../count-text.ts';
import { folded } from '../output/text.ts';

type RollbackFlags = FlagsOf<typeof declareRollback>;

function declareRollback(program: PlaybillCommand) {
  return program
    .command('rollback')
    .summary('go back to a kept release, and hold the tree there')
    .description(
      'Checks that every file of the release is there, unchanged, then replaces the pointers, front by front. Fronts that the ' +
        'release does not have lose their pointers. Keys do not change: a rollback does not restore a revoked key. Until --resume, ' +
        'builds only plan: they publish nothing and exit 4, so that the next run from cron does not undo the rollback. With --front ' +
        'only these fronts go back, in a new release, and builds publish the others.',
    )
    .operand(
      '[release]',
      'the release to go back to: its id, at least four digits of it, or current~1, the one below the current one in: playbill releases',
    )
    .flag('--front <code...>', 'only these fronts; with --resume: let builds publish these again')
    .flag('--resume', 'let builds publish again; the release stays current until the next one')
    .flag('--sizes', 'trust the names and sizes of files, instead of reading every byte')
    .instantFlag('--now', 'with --front: the instant that the new release is for (default: the current time)')
    .outFlag('the tree to change')
    .onPublishFlags()
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill releases --changes              find the mistake; the release below it is good
  playbill diff 3f2a91c07be455d0 current   look at what has changed since
  playbill rollback 3f2a91c07be455d0       go back to it; run it again if it was interrupted
  playbill rollback --resume               when the catalogue is fixed; then build
  playbill rollback 3f2a91c07be455d0 --front kuwait       put one front back; the others go on
  playbill rollback --resume --front kuwait               let builds publish it again

--on-publish works as for build. Copies and caches must be updated after a rollback, too: by this hook or by hand.
If builds run every few minutes, current~1 is probably as bad as current: type the id of the last good release.

Exit codes: 0 done, 2 wrong usage, no such release, or a file of it is missing or damaged (nothing is changed),
5 another run holds the lock, 6 the tree could not be written, or only in part (run the same command again to finish),
${TRY_AGAIN}.`)
    .writes();
}

export function addRollbackCommand(program: PlaybillCommand): void {
  declareRollback(program).runs(async (name, flags, context) => {
    if ((name === undefined) !== (flags.resume === true)) {
      const found = name === undefined ? 'neither' : 'both';
      const message = `expected the id of a release or --resume, found ${found}`;
      throw new AppError('usage', message, 'see: playbill releases');
    }
    const [json, text] = name === undefined ? await resume(flags) : await rollBack(name, flags, context);
    context.terminal.print(flags.json === true ? JSON.stringify(json) : text);
  });
}

async function rollBack(
  word: string,
  flags: RollbackFlags,
  context: CommandContext,
): Promise<[RollbackResultJson, string]> {
  const { terminal, now } = context;
  const { out } = flags;
  const frontCodes = flags.front ?? null;
  const { releaseOfTree, rollBackTree } = await import('../../operations/history.ts');
  const { id, name, validUntil, expiringFrom } = await releaseOfTree(out, word, frontCodes);
  if (validUntil !== null && expiringFrom !== null && expiringFrom <= now()) {
    const isOver = validUntil <= formatInstant(now());
    const state = isOver
      ? `was right until ${validUntil}: edges serve its last edition, marked as stale`
      : `is right only until ${validUntil}: from then on edges serve its last edition, marked as stale`;
    terminal.log({ level: 'note', message: `a front of release ${id} ${state}`, hint: copyHint(out, frontCodes) });
  }
  const options = {
    isBySize: flags.sizes === true,
    fronts: frontCodes === null ? null : { codes: frontCodes, now: flags.now ?? now() },
  };
  const rolledBack = await rollBackTree(out, name, options);
  const { release, manifest, plan, fronts, replaced, findings, requests } = rolledBack;
  for (const finding of findings) terminal.log(findingMessage(finding));
  const pointersOf = (action: PlanEntry['action']): number =>
    plan.filter((entry) => entry.action === action && entry.path.endsWith('/pointer.json')).length;
  const pointers = { put: pointersOf('put'), kept: pointersOf('keep'), removed: pointersOf('remove') };
  const changed = fronts.filter(({ isChanged }) => isChanged);
  if (changed.length === 0 && id !== replaced?.id) terminal.log(sameWarning(id, replaced?.id ?? null, out));
  const unchangedTotal = fronts.length - changed.length;
  const isWhole = frontCodes === null;
  const total = countText(isWhole ? manifest.fronts.length : fronts.length, 'front');
  const lines = [
    `Rolled back to release ${id}${isWhole ? ` as of ${manifest.now}` : ''}: ${total}; ` +
      `pointers: ${pointers.put} put, ${pointers.kept} kept, ${pointers.removed} removed`,
    ...changed.map((change) => folded(`${change.front}: ${cardsText(change)}`, '  ', '    ')),
    ...(unchangedTotal === 0 ? [] : [`  ${countText(unchangedTotal, 'front')} shown as before`]),
    ...requestLines(requests),
    ...(isWhole ? holdLines(id, id) : heldFrontLines(heldFrontsOf(fronts, id))),
  ];
  const notified = await notifyOfPublish({ plan, allowed: [], release, replaced }, flags, context, rolledBack.now);
  for (const warning of notified.warnings) terminal.log(publishWarning(warning));
  const bill = requests === null ? {} : { requests };
  const held = isWhole ? { hold: { release: id } } : { hold: null, heldFronts: heldFrontsOf(fronts, id) };
  return [{ release: release.id, ...held, pointers, fronts, validUntil, ...bill, ...notified }, lines.join('\n')];
}

function heldFrontsOf(fronts: RollbackResultJson['fronts'], id: string): Record<string, string> {
  return Object.fromEntries(fronts.map(({ front }) => [front, id]));
}

function cardsText({ cardsBefore, cardsAfter }: RollbackResultJson['fronts'][number]): string {
  if (cardsBefore === cardsAfter) return `${countText(cardsBefore ?? 0, 'card')} as before, with other content`;
  return `cards ${cardsBefore ?? 'none'} → ${cardsAfter ?? 'none'}`;
}

/**
 * Frequent builds publish the same fault several times, so the previous release may be no better.
 */
function sameWarning(id: string, replacedId: string | null, out: string): Message {
  const tree = shellWord(out);
  const message = `nothing changes for visitors: release ${id} shows the same documents as ${replacedId ?? 'the tree did'}`;
  const hint = [
    'find the last good one by its cards, look at it, then go back to it:',
    `playbill releases --out ${tree}`,
    `playbill diff ID current --out ${tree}`,
    `playbill rollback ID --out ${tree}`,
  ];
  return { level: 'warning', message, hint };
}

/**
 * How to serve old data for longer than the release stays right: build from a copy of the old
 * database, and hold the tree, or these fronts, at that.
 */
function copyHint(out: string, frontCodes: readonly string[] | null): string[] {
  const fronts = frontCodes === null ? '' : ` --front ${frontCodes.join(' ')}`;
  const tree = `${shellWord(out)}${fronts}`;
  return [
    'if you have a copy of the old database, stop the builds from cron, build from the copy, and hold the tree at that:',
    `playbill rollback --resume --out ${tree}`,
    `playbill build --db COPY --out ${tree}`,
    `playbill rollback current --out ${tree}`,
  ];
}

async function resume({ out, front }: RollbackFlags): Promise<[RollbackResultJson, string]> {
  const { resumeTree } = await import('../../operations/history.ts');
  const { lifted, liftedFronts, current, requests } = await resumeTree(out, front ?? null);
  const what = lifted === null && liftedFronts.length > 0 ? ` ${liftedFronts.join(', ')}` : '';
  const isHeld = lifted !== null || liftedFronts.length > 0;
  const state = isHeld ? `Resumed: the next build publishes${what} again` : 'The tree was not held';
  const pointers = { put: 0, kept: 0, removed: 0 };
  const bill = requests === null ? {} : { requests };
  const text = `${state}; ${current === null ? 'no release' : `release ${current.id}`} is current`;
  return [
    { release: current?.id ?? null, hold: null, pointers, fronts: [], validUntil: null, ...bill, warnings: [] },
    [text, ...requestLines(requests)].join('\n'),
  ];
}
