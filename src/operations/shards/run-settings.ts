// Whether two processes belong to one run of shards: what they were started with, compared.

import type { RunSettings } from '../../contract/run.ts';
import { AppError } from '../../errors.ts';

/** What each setting comes from, for messages. */
const SOURCES: Readonly<Record<Exclude<keyof RunSettings, 'schema' | 'run'>, string>> = {
  shards: 'number of shards',
  now: '--now',
  horizonSeconds: '--horizon in seconds',
  tool: 'version of Playbill',
  tzdata: 'version of the time-zone rules',
  precompress: '--precompress',
  guards: '--max-shrink, --allow-shrink or --force',
};

/** Refuses settings that are not those of a run. @throws AppError run-differs */
export function refuseOtherSettings(run: RunSettings, given: Partial<RunSettings>): void {
  for (const [name, source] of Object.entries(SOURCES)) {
    const [expected, found] = [run, given].map((settings) => JSON.stringify(settings[name as keyof RunSettings]));
    if (found === undefined || found === expected) continue;
    const message = `${source}: expected ${expected}, with which run ${run.run} was begun, found ${found}`;
    const alike = name === 'shards' ? `type ${expected} for it` : 'start this shard like the others';
    throw new AppError('run-differs', message, `${alike}, or all of them as another run: --run`);
  }
}
