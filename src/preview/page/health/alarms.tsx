// What `playbill status` says of a front, with its exit code and the commands to type.

import type { VNode } from 'preact';
import type { Instant } from '../../../catalogue/instant.ts';
import type { FrontAlarms, Overview } from '../../messages.ts';
import { Command } from '../command.tsx';
import { alarmsOf } from '../text/alarms.ts';
import { statusCommand } from '../text/commands.ts';
import { durationText } from '../text/descriptions.ts';
import { shown } from '../text/safe-text.ts';

interface AlarmsProps {
  readonly alarms: FrontAlarms;
  readonly overview: Overview;
  readonly front: string;
  readonly chosen: Instant;
}

export function Alarms({ alarms, overview, front, chosen }: AlarmsProps): VNode {
  const all = alarmsOf(alarms, front, overview);
  const isQuiet = !all.some(({ isBad }) => isBad);
  const { remainingSeconds = 0, ageSeconds = 0 } = alarms.front?.snapshot ?? {};
  return (
    <>
      <p class={isQuiet ? 'verdict' : 'verdict bad'}>
        <b>{isQuiet ? 'No alarm.' : 'Alarm.'}</b>{' '}
        {alarms.front?.snapshot !== null && alarms.front !== null && (
          <span>
            {remainingSeconds > 0
              ? `Right for ${durationText(remainingSeconds)}`
              : `Stale for ${durationText(-remainingSeconds)}`}
            {ageSeconds >= 0 && `; confirmed ${durationText(ageSeconds)} earlier`}.
          </span>
        )}
      </p>
      <ul class="alarm-list">
        {all.map(({ code, isBad, text, command }) => (
          <li key={code + text} class={isBad ? 'is-bad' : ''}>
            <code>{code}</code>
            <p dir="auto">{shown(text)}</p>
            {command !== null && <Command text={command} />}
          </li>
        ))}
      </ul>
      <div class="exit">
        <p>
          Exit code <b>{alarms.exit}</b>
          {othersText(alarms)}:
        </p>
        <Command text={statusCommand(overview, chosen)} />
      </div>
    </>
  );
}

/** If others are stale, with this front or without. */
function othersText({ front, stale, fronts }: FrontAlarms): string {
  const isToo = (front?.stale ?? null) !== null;
  const others = stale - Number(isToo);
  if (others === 0) return '';
  return `; ${others} of the ${fronts - 1} other fronts ${others === 1 ? 'is' : 'are'} stale${isToo ? ', too' : ''}`;
}
