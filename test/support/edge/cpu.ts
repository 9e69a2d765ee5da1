// CPU time of processes, from the scheduler: exact to the nanosecond, and the same however long a
// process has to wait for its turn.

import { readdirSync, readFileSync } from 'node:fs';

/** The descendants of a process, by process id. Linux only. */
export function descendants(of = process.pid): ReadonlySet<number> {
  const found = new Set<number>();
  const visit = (pid: number): void => {
    for (const child of childrenOf(pid)) {
      found.add(child);
      visit(child);
    }
  };
  visit(of);
  return found;
}

/**
 * What these processes have used so far, nanoseconds; what has ended in the meantime counts as
 * nothing.
 */
export function cpuOf(pids: Iterable<number>): number {
  let total = 0;
  for (const pid of pids)
    for (const thread of threadsOf(pid))
      total += Number(readText(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0]);
  return total;
}

const childrenOf = (pid: number): readonly number[] =>
  threadsOf(pid).flatMap((thread) =>
    readText(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

// A process or thread may end between two calls.
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
