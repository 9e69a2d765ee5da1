// Formats the results of an edge check as a table. A difference is followed by what was expected,
// what was found, and what to do about it.

import type { EdgeCheck, EdgeCheckResultJson } from '../../contract/results/edge.ts';
import { escapeLine } from './escape.ts';
import { stateCell, tableText } from './table.ts';
import { countText } from '../../count-text.ts';
import { styled, type Style, type Terminal } from './terminal.ts';

const STATES: Readonly<Record<EdgeCheck['state'], readonly [shown: string, style: Style | undefined]>> = {
  ok: ['ok', 'good'],
  differs: ['differs', 'bad'],
  'not-checked': ['-', undefined],
};

export function edgeCheckText(result: EdgeCheckResultJson, terminal: Terminal): string {
  const { url, at, front, checks, ok, differs, notChecked } = result;
  const counts = [
    `${ok} ok`,
    styled(`${differs} ${differs === 1 ? 'differs' : 'differ'}`, differs === 0 ? 'good' : 'bad', terminal),
  ];
  if (notChecked > 0) counts.push(`${notChecked} not checked`);
  const head = `${countText(checks.length, 'check')} for ${front} at ${escapeLine(url)} as of ${at}: ${counts.join(', ')}`;
  return `${edgeChecksText(checks, terminal)}\n\n${head}`;
}

export function edgeChecksText(checks: readonly EdgeCheck[], terminal: Terminal): string {
  const rows = checks.map(({ check, state, expected }) => {
    const [shown, style] = STATES[state];
    // Of a key the expected answer may be either.
    const verdict = state === 'ok' && check.startsWith('key ') ? `${shown}, ${expected.split(':', 1).join('')}` : shown;
    return [check, stateCell(verdict, style, terminal)];
  });
  return tableText(['check', 'state'], rows, terminal, checks.map(noteOf));
}

/**
 * The lines below a row. A row that is ok has some only if what was found says more than what was
 * expected.
 */
function noteOf({ state, expected, found, hint }: EdgeCheck): string {
  const lines =
    state === 'differs'
      ? [`expected ${expected}`, `found ${found ?? ''}`, `hint: ${hint ?? ''}`]
      : state === 'not-checked'
        ? [`not checked: ${expected}`, `hint: ${hint ?? ''}`]
        : found === expected
          ? []
          : (found ?? '').split('; ');
  return lines.map((line) => `  ${escapeLine(line)}`).join('\n');
}
