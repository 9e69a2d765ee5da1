// `playbill releases`: lists the releases that rollback can return to.

import { findingLine } from '../../findings.ts';
import type { ReleasesResultJson } from '../../contract/results/history.ts';
import { EXIT, TRY_AGAIN } from '../exit-codes.ts';
import { heldFrontLines, holdLines } from '../output/releases.ts';
import type { PlaybillCommand } from '../command.ts';
import { stateCell, tableText } from '../output/table.ts';
import { bytesText, type Terminal } from '../output/terminal.ts';

export function addReleasesCommand(program: PlaybillCommand): void {
  program
    .command('releases')
    .summary('list the kept releases, to which rollback can return')
    .description(
      'Lists the releases that the tree keeps, newest first: id, the instant it was built for, fronts, cards, the size of its ' +
        'editions (releases share files), whether it is current, until when it is right, and the median price.',
    )
    .outFlag('the tree to look at')
    .jsonFlag()
    .helpBelow(`
Example:
  playbill releases --json | jq -r '.releases[1].id'      the one before the newest

Exit codes: 0 listed, 1 a manifest is damaged (see: playbill verify), 2 no tree, or one of a newer schema,
${TRY_AGAIN}.`)
    .runs(async (flags, { terminal }) => {
      const { releasesOfTree } = await import('../../operations/history.ts');
      const json = await releasesOfTree(flags.out);
      if (flags.json === true) terminal.print(JSON.stringify(json));
      else {
        terminal.print(listText(json, terminal));
        for (const finding of json.findings) terminal.log(findingLine(finding));
      }
      return json.findings.some(({ severity }) => severity === 'error') ? EXIT.findings : EXIT.done;
    });
}

function listText({ releases, hold, heldFronts }: ReleasesResultJson, terminal: Terminal): string {
  const rows = releases.map(({ id, now, fronts, cards, bytes, isCurrent }) => [
    id,
    now,
    fronts,
    cards,
    bytesText(bytes),
    stateCell(isCurrent ? 'current' : '', 'good', terminal),
  ]);
  const header = ['release', 'as of', 'fronts', 'cards', 'size', 'state'];
  const notes = releases.map(({ validUntil, prices }) => {
    const facts = [
      ...(validUntil === null ? [] : [`right until ${validUntil}`]),
      ...(prices.length === 0 ? [] : [`median price ${pricesText(prices)}`]),
    ];
    return facts.length === 0 ? '' : `  ${facts.join('; ')}`;
  });
  const lines = rows.length === 0 ? ['No release is kept.'] : [tableText(header, rows, terminal, notes)];
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
