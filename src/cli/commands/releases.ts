// `playbill releases`: lists the releases that rollback can return to.

import { findingMessage } from '../output/messages.ts';
import type { ReleasesResultJson } from '../../contract/results/history.ts';
import { AppError } from '../../errors.ts';
import { lastArgument } from '../arguments.ts';
import { EXIT, TRY_AGAIN } from '../exit-codes.ts';
import { changesLines } from '../output/release-changes.ts';
import { heldFrontLines, historyLines, holdLines } from '../output/releases.ts';
import type { PlaybillCommand } from '../command.ts';
import { stateCell, tableText } from '../output/table.ts';
import { countText } from '../../count-text.ts';
import { bytesText, type Terminal } from '../output/terminal.ts';

/** More than a tree keeps, unless a rollback has held it for long. */
const RELEASES_LISTED = 100;

export function addReleasesCommand(program: PlaybillCommand): void {
  program
    .command('releases')
    .summary('list the kept releases, to which rollback can return')
    .description(
      'Lists the releases that the tree keeps, newest first: id, the instant it was built for, fronts, cards, the size of its ' +
        'editions (releases share files), whether it is current, until when it is right, and the median price.',
    )
    .outFlag('the tree to look at')
    .flag('--changes', 'compare each release with the one below it: what changed in the data')
    .flag('--front <code...>', 'with --changes: only on these fronts')
    .presetFlag('--last <number>', 'at most so many of the newest releases', RELEASES_LISTED, lastArgument)
    .jsonFlag()
    .helpBelow(`
Example:
  playbill releases --json | jq -r '.releases[1].id'      the one before the newest
  playbill releases --changes --front moscow            which release changed the prices?

--changes counts, front by front, cards that came and went, and cards with other names, prices, flags, seats, sessions,
or anything else but what today, tomorrow and the weekend show. Both releases are compared as of the newer one's instant,
and at the end of what both cover, so that the clock alone changes nothing and a price of tomorrow shows today.

Exit codes: 0 listed, 1 a manifest is damaged (see: playbill verify), 2 wrong usage, no tree, or one of a newer schema,
${TRY_AGAIN}.`)
    .runs(async (flags, { terminal }) => {
      const { releasesOfTree } = await import('../../operations/history.ts');
      if (flags.front !== undefined && flags.changes !== true)
        throw new AppError('usage', 'expected --changes with --front, found --front alone', 'add --changes');
      const changesOf = flags.changes === true ? { fronts: flags.front ?? null } : null;
      const json = await releasesOfTree(flags.out, { last: flags.last, changesOf });
      if (flags.json === true) terminal.print(JSON.stringify(json));
      else {
        terminal.print(listText(json, terminal));
        for (const finding of json.findings) terminal.log(findingMessage(finding));
      }
      return json.findings.some(({ severity }) => severity === 'error') ? EXIT.findings : EXIT.done;
    });
}

function listText(
  { releases, total, history, hold, heldFronts, findings }: ReleasesResultJson,
  terminal: Terminal,
): string {
  const rows = releases.map(({ id, now, fronts, cards, bytes, isCurrent }) => [
    id,
    now,
    fronts,
    cards,
    bytesText(bytes),
    stateCell(isCurrent ? 'current' : '', 'good', terminal),
  ]);
  const header = ['release', 'as of', 'fronts', 'cards', 'size', 'state'];
  const notes = releases.map(({ validUntil, prices, changes }) => {
    const facts = [
      ...(validUntil === null ? [] : [`right until ${validUntil}`]),
      ...(prices.length === 0 ? [] : [`median price ${pricesText(prices)}`]),
    ];
    const lines = facts.length === 0 ? [] : [`  ${facts.join('; ')}`];
    return [...lines, ...changesLines(changes, terminal)].join('\n');
  });
  const lines = rows.length === 0 ? ['No release is kept.'] : [tableText(header, rows, terminal, notes)];
  // Who has typed --last knows.
  const left = releases.length === RELEASES_LISTED ? total - releases.length - findings.length : 0;
  if (left > 0) lines.push(`… and ${countText(left, 'older one')}: --last ${total}`);
  lines.push(...historyLines(history));
  const current = releases.find(({ isCurrent }) => isCurrent);
  if (hold !== null) lines.push('', ...holdLines(hold.release, current?.id ?? null, terminal));
  if (Object.keys(heldFronts).length > 0) lines.push('', ...heldFrontLines(heldFronts));
  return lines.join('\n');
}

const CURRENCIES_SHOWN = 2;

function pricesText(prices: ReleasesResultJson['releases'][number]['prices']): string {
  const shown = prices.slice(0, CURRENCIES_SHOWN).map(({ currency, median }) => `${median} ${currency}`);
  return `${shown.join(', ')}${prices.length > CURRENCIES_SHOWN ? ' …' : ''}`;
}
