// What the processes of one run of shards have in common: the instant that the run is for, and the
// options that must be the same for all.

import { parseInstant, type Instant } from '../../catalogue/instant.ts';
import type { RunSettings } from '../../contract/run.ts';
import { AppError } from '../../errors.ts';
import { ALL_AGAIN } from '../../release/tree/runs.ts';

/** What sets each of them, for messages. */
const SOURCES: Readonly<Record<Exclude<keyof RunSettings, 'schema' | 'run' | 'begun'>, string>> = {
  shards: 'number of shards',
  now: '--now',
  horizonSeconds: '--horizon in seconds',
  tool: 'version of Playbill',
  tzdata: 'version of the time-zone rules',
  precompress: '--precompress',
  guards: '--max-shrink, --max-bad, --allow or --force',
};

/** Refuses settings that differ from those of a run. @throws AppError run-differs */
export function refuseOtherSettings(run: RunSettings, given: Partial<RunSettings>): void {
  for (const [name, source] of Object.entries(SOURCES)) {
    const [expected, found] = [run, given].map((settings) => JSON.stringify(settings[name as keyof RunSettings]));
    if (found === undefined || found === expected) continue;
    const message = `${source}: expected ${expected} as in the rest of run ${run.run}, begun ${run.begun}, found ${found}`;
    throw new AppError('run-differs', message, `use the same for all of the run, or ${ALL_AGAIN}`);
  }
}

/** The instant that a run is for. @throws AppError run-damaged */
export function nowOf({ run, now }: RunSettings): Instant {
  const instant = parseInstant(now);
  if (instant !== undefined) return instant;
  const message = `runs/${run}/run.json: now: expected a date of the calendar, found ${now}`;
  throw new AppError('run-damaged', message, ALL_AGAIN);
}
