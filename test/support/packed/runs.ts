// A command run in a pipe or on a pseudo-terminal, on a given Node.js.

import { spawn, type ChildProcess } from 'node:child_process';
import { shellWord } from '../../../src/errors.ts';

export const PLACES = ['in a pipe', 'on a terminal'] as const;

export type Place = (typeof PLACES)[number];

export interface Ran {
  readonly status: number | null;
  /** What stdout and stderr got; on a terminal both are one. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  /** Resolves with the first match in what it prints; rejects where it ends without one. */
  readonly printed: (pattern: RegExp) => Promise<string>;
  /** Presses Ctrl+C, or sends what Ctrl+C sends. */
  readonly interrupt: () => void;
  readonly kill: () => void;
  readonly ended: Promise<Ran>;
}

export interface Where {
  readonly place: Place;
  /** The folder of `node`. */
  readonly node: string;
  /** The folder of `playbill`. */
  readonly bin: string;
  readonly cwd: string;
}

/** Begins `playbill ARGV…`, as whoever types it does: by its name. */
export function start(argv: readonly string[], { place, node, bin, cwd }: Where): Running {
  const env = { PATH: `${node}:${bin}:/usr/bin:/bin`, HOME: cwd, TERM: 'xterm', LANG: 'C.UTF-8' };
  const isPiped = place === 'in a pipe';
  const child = isPiped
    ? spawn('playbill', argv, { cwd, env })
    : // In the shell's place: otherwise Ctrl+C would be the shell's end as well, and the exit code its own.
      spawn('script', ['-qec', `exec playbill ${argv.map(shellWord).join(' ')}`, '/dev/null'], { cwd, env });
  const ended = endOf(child);
  let text = '';
  const watchers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: string) => {
      text += chunk;
      for (const watcher of watchers) watcher();
    });
  }
  return {
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(text);
          if (found !== null) resolve(found[0]);
        };
        watchers.add(look);
        look();
        void ended.then(
          () => reject(new Error(`playbill ${argv.join(' ')} ended without ${String(pattern)}: ${text}`)),
          reject,
        );
      }),
    interrupt: () => void (isPiped ? child.kill('SIGINT') : child.stdin.write('\u0003')),
    kill: () => void child.kill('SIGKILL'),
    ended,
  };
}

function endOf(child: ChildProcess): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}
