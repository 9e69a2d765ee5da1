// A run of the command, killed at one request that it makes of the store in memory.

import type { Command, Run } from '../fault/command.ts';
import { chooser, type ChosenRequest } from './chosen-requests.ts';
import type { MemoryStore } from './memory-store.ts';
import { methodOf } from './request-faults.ts';

/** Before the request is carried out, or after it, with no answer seen. */
export type Moment = 'before' | 'after';

/** The moments that differ: where nothing changes, both are the same. */
export function momentsOf(request: ChosenRequest): readonly Moment[] {
  return /^(GET|LIST)$/.test(methodOf(request)) ? ['after'] : ['before', 'after'];
}

/** How the run ended. What it had sent has then been carried out, or never will be. */
export async function killedAt(
  request: ChosenRequest,
  moment: Moment,
  words: readonly string[],
  command: Command,
  store: MemoryStore,
): Promise<Run> {
  const isChosen = chooser(request);
  const { child, ended } = command.start(words);
  if (moment === 'before')
    store.faults = (planned) => {
      if (!isChosen(planned)) return null;
      child.kill('SIGKILL');
      return { kind: 'reset' };
    };
  else
    store.afterApply = (logged) => {
      if (isChosen(logged)) child.kill('SIGKILL');
    };
  const run = await ended;
  await store.disconnectClients();
  store.faults = null;
  store.afterApply = null;
  return run;
}
