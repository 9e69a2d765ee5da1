// The table of faults, matrix.txt beside the tests: each test says what it has tried and what came
// of it, and where the table says something else, the test file fails. `npm run faults` rewrites
// the table.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll } from 'vitest';
import { expectSection, type Ending, type MatrixRow, type Situation } from './matrix-text.ts';

/**
 * Says what was tried: `faults` of one situation that ended in one way. The same situation may be
 * reported many times.
 */
export type TellFault = (situation: Situation, ending: Ending, faults?: number | `at least ${number}`) => void;

/**
 * The rows of a test file; to be asked for once, at its top: when all its tests have passed, they
 * are compared with the table. Not where a run tries a sample of what the table counts.
 */
export function matrixOf(url: string, isCounted = true): TellFault {
  if (!isCounted) return () => undefined;
  const file = basename(url);
  const rows = new Map<string, MatrixRow>();
  // eslint-disable-next-line no-empty-pattern -- the runner wants a pattern here
  afterAll(({}, suite) => {
    // A test that failed has said why, and one that was left out has not said its rows.
    if (!isEveryTestPassed(suite)) return;
    const folder = process.env['FAULT_MATRIX'];
    if (folder !== undefined) writeFileSync(join(folder, `${file}.json`), JSON.stringify([...rows.values()]));
    else expectSection(file, [...rows.values()], readFileSync(new URL('matrix.txt', url), 'utf8'));
  });
  return ({ situation, sees, heals }, ending, faults = 1) => {
    const row = rows.get(situation) ?? { situation, sees, heals, endings: [], faults: 0 };
    if (row.sees !== sees || row.heals !== heals) throw new Error(`"${situation}" is reported in two ways`);
    const endings = [...new Set([...row.endings, ending])];
    const total = typeof row.faults === 'number' && typeof faults === 'number' ? row.faults + faults : faults;
    rows.set(situation, { situation, sees, heals, endings, faults: total });
  };
}

interface Task {
  readonly result?: { readonly state: string } | undefined;
  readonly tasks?: readonly Task[];
}

function isEveryTestPassed(task: Task): boolean {
  return task.tasks === undefined ? task.result?.state === 'pass' : task.tasks.every(isEveryTestPassed);
}
