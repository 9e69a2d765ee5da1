// `build --read-timeout`: ends a build that does not finish reading the catalogue. SQLite works in
// the main thread until a query ends, and its driver cannot interrupt it. So the build runs in a
// child process, which this one can end at any moment: its lock is released, and what is published
// stands.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import { formatInstant, type Instant } from '../catalogue/instant.ts';
import { databaseText } from '../database/open.ts';
import type { CommandContext } from './context.ts';
import { durationText } from './output/terminal.ts';

/** In the environment of the child: the process that limits its time. */
const LIMITED_BY = 'PLAYBILL_LIMITED_BY';

/** The longest time that a timer of Node.js can take. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Whether this is the child. */
export function isLimited({ environment }: CommandContext): boolean {
  return environment(LIMITED_BY) === String(process.ppid);
}

/**
 * Runs the command of this process in a child, with `now` if it is given.
 * @returns its exit code; if a signal ended it, the same one ends this process
 * @throws AppError database-timeout, if it has not called `catalogueIsRead` after so many seconds
 */
export async function runLimited(
  db: string,
  seconds: number,
  now: Instant | undefined,
  context: CommandContext,
): Promise<number> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), Math.min(seconds * 1000, TIMER_MAX_MS));
  // The last of several counts: not a relative time, which would be another one by now.
  const fixed = now === undefined ? [] : ['--now', formatInstant(now)];
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1), ...fixed], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [LIMITED_BY]: String(process.pid) },
    // Its own process group: a terminal sends Ctrl-C to this process, which passes it on, and not
    // to both.
    detached: true,
  });
  child.once('disconnect', () => clearTimeout(timer));
  limit.signal.addEventListener('abort', () => child.kill('SIGKILL'));
  context.onInterrupt((signal) => child.kill(signal));
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  context.onInterrupt(null);
  if (limit.signal.aborted) {
    context.terminal.progress('').end();
    const message = `expected to read ${databaseText(db)} within ${durationText(seconds)}, found that it takes longer`;
    const hint =
      'allow more with --read-timeout; if a query never ends, look for a view that refers to itself (WITH RECURSIVE)';
    throw new AppError('database-timeout', message, hint);
  }
  if (signal !== null) process.kill(process.pid, signal);
  return code ?? 0;
}

/**
 * In the child: ends with the process that limits its time, however that one ends, even while
 * SQLite works.
 */
export function endWithParent(): void {
  const watch = `setInterval(() => process.ppid === ${process.ppid} || process.kill(process.pid, 'SIGKILL'), 500)`;
  new Worker(watch, { eval: true }).unref();
}

/** In the child: from now on its time is not limited. May be called again. */
export function catalogueIsRead(): void {
  if (process.connected) process.disconnect();
}
