// What `playbill status` would say of a front, in sentences, each with the command that helps.

import { HELD_REASONS, type HeldReason } from '../../../contract/held-reasons.ts';
import type { FrontAlarms, Overview } from '../../messages.ts';
import { buildCommand, checkCommand, dryRunCommand, resumeCommand, verifyCommand } from './commands.ts';
import { countText } from '../../../count-text.ts';

type Front = NonNullable<FrontAlarms['front']>;
type StaleState = NonNullable<Front['stale']>;
type LeftOut = NonNullable<NonNullable<Front['snapshot']>['leftOut']>;

const STALE: Readonly<Record<StaleState, string>> = {
  'pointer-missing': 'The pointer is missing: nothing can be served.',
  'pointer-invalid': 'The pointer is damaged: nothing can be served.',
  'from-future': 'It was built for a later time, and is served already.',
  expired: 'The horizon is over: what is served may be wrong by now.',
  expiring: 'Less than a quarter of the horizon is left: builds have stopped, or hold the front back.',
  'too-old': 'The snapshot is older than is allowed.',
};

const HELD: Readonly<Record<HeldReason, string>> = {
  findings: 'its rows cannot be read',
  'not-selected': 'the build was for other fronts',
  'rolled-back': 'a rollback holds it',
  'max-bad': 'errors would leave out too many products',
  'min-cards': 'it would have fewer cards than it must',
  'max-shrink': 'it would lose too many of its cards',
  'price-jump': 'too many prices would be a quarter, or four times, of what they were',
  'now-earlier': 'the build was for an earlier instant than what is published',
  'file-size-wrong': 'a published file has another size',
  'file-kind-wrong': 'something else is in the place of a file',
  'file-not-writable': 'a file could not be written',
  'shard-missing': 'its shard is missing',
};

/** Why a release has an older snapshot of the front. */
export function heldText(held: HeldReason): string {
  return HELD_REASONS[held] === 'choice' ? `Kept as it was: ${HELD[held]}.` : `Held back by ${held}: ${HELD[held]}.`;
}

export interface Alarm {
  /** As `status` prints it. */
  readonly code: string;
  /** `status` exits 1 for it. */
  readonly isBad: boolean;
  readonly text: string;
  readonly command: string | null;
}

/** Those that `status` exits 1 for first. */
export function alarmsOf(
  { hold, heldAt, front, findings }: FrontAlarms,
  code: string,
  addresses: Pick<Overview, 'root' | 'database'>,
): readonly Alarm[] {
  const alarms: Alarm[] = [];
  const note = (one: string, isBad: boolean, text: string, command: string | null): void =>
    void alarms.push({ code: one, isBad, text, command });
  const stale = front?.stale ?? null;
  const build = buildCommand(addresses);
  if (front === null) note('not published', false, 'No release has this front.', build);
  if (stale !== null) {
    const isBroken = stale === 'pointer-missing' || stale === 'pointer-invalid';
    const command = stale === 'from-future' ? `${build} --force` : isBroken ? verifyCommand(addresses) : build;
    note(stale, true, STALE[stale], command);
  }
  for (const { severity, code: one, message, hint } of findings)
    note(one, severity === 'error', `${message}${hint === undefined ? '' : ` (${hint})`}.`, null);
  if (hold !== null) {
    const where = hold.release === null ? 'the tree' : `the tree at release ${hold.release}`;
    note('held', false, `A rollback holds ${where}: builds publish nothing.`, resumeCommand(addresses, null));
  }
  if (heldAt !== null) {
    const text = `A rollback holds the front at release ${heldAt}: builds do not publish it.`;
    note('held', false, text, resumeCommand(addresses, code));
  }
  const { held = null, leftOut = null } = front?.snapshot ?? {};
  if (held !== null && heldAt === null)
    note(held, false, `The last build kept an older snapshot: ${HELD[held]}.`, dryRunCommand(addresses, code));
  if (leftOut !== null) note('left out', false, leftOutText(leftOut), checkCommand(addresses));
  return alarms.toSorted((a, b) => Number(b.isBad) - Number(a.isBad));
}

/** The rows are the first hundred. */
function leftOutText({ products, sessions, rows }: LeftOut): string {
  const parts = [countText(products, 'product'), countText(sessions, 'session')].filter((one) => !one.startsWith('0 '));
  const counts = new Map<string, number>();
  for (const { code } of rows) counts.set(code, (counts.get(code) ?? 0) + 1);
  const codes = [...counts].map(([code, count]) => `${code} ${count}`).join(', ');
  return `Errors in the catalogue leave out ${parts.join(' and ')}${codes === '' ? '' : ` (${codes})`}.`;
}
