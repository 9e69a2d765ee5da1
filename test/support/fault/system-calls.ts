// The real command under strace: which calls of a run change the tree's files, and runs in which
// the system fails one of them, or the process is killed in it. Every call is named by its path, so
// that what threads do at the same time shifts no count.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Run } from './command.ts';

/** One call that changes the tree: the `nth` of its name on this path. */
export interface TreeCall {
  readonly name: string;
  readonly path: string;
  readonly nth: number;
}

const CHANGING =
  'openat,write,pwrite64,ftruncate,fsync,fdatasync,syncfs,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,symlink';
const LINE = /^(\d+) +(\w+)\((.*)$/;

/** Runs the command undisturbed and lists its calls that change files below `tree`, in order. */
export async function treeCallsOf(command: Command, words: readonly string[], tree: string): Promise<TreeCall[]> {
  const log = `${tree}.strace`;
  const through = ['strace', '-f', '-qq', '-y', '-s', '4096', '-o', log, '-e', `trace=${CHANGING}`];
  const run = await command.run(words, { through });
  if (run.code !== 0) throw new Error(`strace: ${run.stderr}`);
  const lines = readFileSync(log, 'utf8').split('\n');
  rmSync(log);
  const counts = new Map<string, number>();
  const calls: TreeCall[] = [];
  let main = '';
  for (const line of lines) {
    const [, thread = '', name = '', rest = ''] = LINE.exec(line) ?? [];
    if (main === '') main = thread;
    // Of a rename the first path, of a write or fsync that of the descriptor.
    const path = (/^\d+<([^>]+)>/.exec(rest) ?? /"([^"]+)"/.exec(rest))?.[1] ?? '';
    // What the other threads do is reading.
    if (thread !== main || !path.startsWith(`${tree}/`)) continue;
    const key = `${name} ${path}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    if (name !== 'openat' || /O_CREAT|O_WRONLY|O_RDWR/.test(rest))
      calls.push({ name, path: path.slice(tree.length + 1), nth });
  }
  return calls;
}

/** What is to happen in a call: an errno, or SIGKILL. */
export type Disturbance = 'EIO' | 'ENOSPC' | 'EACCES' | 'EMFILE' | 'EINTR' | 'SIGKILL';

/** Runs the command with one of its calls disturbed; null where that call was never made. */
export async function runDisturbed(
  command: Command,
  words: readonly string[],
  tree: string,
  { name, path, nth }: TreeCall,
  disturbance: Disturbance,
): Promise<Run | null> {
  const log = `${tree}.strace`;
  const what = disturbance === 'SIGKILL' ? 'signal=SIGKILL' : `error=${disturbance}`;
  const inject = ['-P', join(tree, path), '-e', `trace=${name}`, '-e', `inject=${name}:${what}:when=${nth}`];
  // Only errors are put in where the other calls are let pass unwatched, which is faster; signals
  // are then lost.
  const fast = disturbance === 'SIGKILL' ? [] : ['--seccomp-bpf'];
  const run = await command.run(words, { through: ['strace', '-f', ...fast, '-qq', '-o', log, ...inject] });
  const isDone = /INJECTED|killed by SIGKILL/.test(readFileSync(log, 'utf8'));
  rmSync(log);
  return isDone ? run : null;
}
