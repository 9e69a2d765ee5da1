// Requests of a run, told apart by what they ask for, so that in the next run of the same work one
// of them can be chosen: those under way at the same time arrive in any order.

import type { Fault, FaultPlan } from './faults.ts';
import type { LoggedRequest } from './test-store.ts';

/** One request of a run: the n-th, from 1, that asks for this. */
export interface ChosenRequest {
  /** `PUT shop/tree/releases/current`, `GET shop/tree/.lock`, `LIST shop/tree/releases/`. */
  readonly name: string;
  readonly occurrence: number;
}

type Asked = Pick<LoggedRequest, 'method' | 'key' | 'query'>;

function nameOf({ method, key, query }: Asked): string {
  if (key === '') return `LIST ${query['prefix']} ${query['delimiter'] ?? 'deep'}`;
  // A probe has a folder of its own.
  return `${method} ${key.replace(/\.probe\/[^/]+/, '.probe/RUN')}`;
}

/** The requests of a run, in the order in which they came. */
export function requestsIn(log: readonly LoggedRequest[]): ChosenRequest[] {
  const counts = new Map<string, number>();
  return log.map((entry) => {
    const name = nameOf(entry);
    const occurrence = (counts.get(name) ?? 0) + 1;
    counts.set(name, occurrence);
    return { name, occurrence };
  });
}

/**
 * Says of each request of a run that begins now whether it is the chosen one, or (`isPersistent`)
 * the same made again.
 */
export function chooser({ name, occurrence }: ChosenRequest, isPersistent = false): (request: Asked) => boolean {
  let seen = 0;
  return (request) => {
    if (nameOf(request) !== name) return false;
    seen += 1;
    return isPersistent ? seen >= occurrence : seen === occurrence;
  };
}

/** Makes a fault of the chosen request, once or each time it is made. */
export function faultAt(chosen: ChosenRequest, fault: Fault, isPersistent = false): FaultPlan {
  const isChosen = chooser(chosen, isPersistent);
  return (request) => (isChosen(request) ? fault : null);
}
