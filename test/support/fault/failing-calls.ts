// The real command with a small library between it and the system, which lets one call on the files
// of a folder fail: any call, also those on files whose names differ from run to run, and also by
// doing half of it.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { IS_SOAK } from '../../speeds.ts';
import type { Command, Run, RunOptions } from './command.ts';

const SOURCE = fileURLToPath(new URL('failing-calls.c', import.meta.url));

/**
 * One call that a run makes: which one of all, from 1; its name; its path, with what is random in
 * it left out.
 */
export interface Call {
  readonly at: number;
  readonly name: string;
  readonly path: string;
}

type Errno = 'EIO' | 'ENOSPC' | 'EDQUOT' | 'EACCES' | 'EPERM' | 'EMFILE' | 'EINTR';

/**
 * What becomes of a call: it is not made; made, but reported as failed; made with half of the
 * bytes; or the process is killed before it.
 */
export type Failure = Errno | `${Errno} though done` | 'short' | 'SIGKILL';

/** What the system answers in earnest. */
export const FAILURES: Readonly<Record<string, readonly Failure[]>> = {
  open: ['EACCES', 'EMFILE', 'EINTR'],
  read: ['EIO', 'EINTR', 'short'],
  write: ['EIO', 'ENOSPC', 'EDQUOT', 'EINTR', 'short', 'EIO though done', 'SIGKILL'],
  ftruncate: ['EIO', 'EINTR', 'SIGKILL'],
  fsync: ['EIO', 'ENOSPC', 'EINTR', 'EIO though done', 'SIGKILL'],
  close: ['EIO', 'EDQUOT', 'SIGKILL'],
  chmod: ['EPERM', 'SIGKILL'],
  mkdir: ['ENOSPC', 'EACCES'],
  link: ['EIO', 'EPERM', 'ENOSPC', 'EIO though done', 'SIGKILL'],
  rename: ['EIO', 'EACCES', 'EIO though done', 'SIGKILL'],
  unlink: ['EIO', 'EACCES', 'EIO though done', 'SIGKILL'],
  rmdir: ['EIO', 'EACCES', 'SIGKILL'],
};

export class FailingCalls {
  readonly #command: Command;
  readonly #folder = mkdtempSync(join(tmpdir(), 'playbill-failing-'));

  /** To be made once, at the top of a test file. */
  constructor(command: Command) {
    this.#command = command;
    afterAll(() => rmSync(this.#folder, { recursive: true, force: true }));
    execFileSync('gcc', ['-Wall', '-shared', '-fPIC', '-o', this.#library, SOURCE, '-ldl']);
  }

  get #library(): string {
    return join(this.#folder, 'failing-calls.so');
  }

  /**
   * Runs the command undisturbed.
   * @returns how it ended, and its calls on a folder and what is in it, in order
   */
  async callsOf(
    words: readonly string[],
    below: string,
    options: RunOptions = {},
  ): Promise<{ readonly run: Run; readonly calls: readonly Call[] }> {
    const log = `${below}.calls`;
    const run = await this.#command.run(words, {
      ...options,
      environment: this.#environment(below, { FAIL_LOG: log }),
    });
    const lines = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
    rmSync(log, { force: true });
    const calls = lines.map((line, i) => {
      const [name = '', ...path] = line.split(' ');
      return { at: i + 1, name, path: path.join(' ').replace(/(\.import-)\w{6}/, '$1…') };
    });
    return { run, calls };
  }

  /** Runs the command and lets one of its calls fail. */
  run(
    words: readonly string[],
    below: string,
    { at }: Pick<Call, 'at'>,
    failure: Failure,
    options: RunOptions = {},
  ): Promise<Run> {
    const environment = this.#environment(below, { FAIL_AT: String(at), FAIL_HOW: howOf(failure) });
    return this.#command.run(words, { ...options, environment });
  }

  #environment(below: string, settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return { LD_PRELOAD: this.#library, FAIL_BELOW: below, FAIL_AT: '0', ...settings };
  }
}

/** A failure as failing-calls.c reads it. */
function howOf(failure: Failure): string {
  if (failure === 'short') return failure;
  if (failure === 'SIGKILL') return 'kill';
  const [errno = ''] = failure.split(' ');
  return `${failure === errno ? '' : '-'}${constants.errno[errno as Errno]}`;
}

/**
 * Every call with every failure; of equal calls on one file the first, the last and `between`
 * others, evenly spread.
 */
export function failuresOf(calls: readonly Call[], between: number): readonly (readonly [Call, Failure])[] {
  const kinds = new Map<string, Call[]>();
  for (const call of calls) {
    const kind = `${call.name} ${call.path}`;
    kinds.set(kind, [...(kinds.get(kind) ?? []), call]);
  }
  return [...kinds.values()].flatMap((kind) => {
    const step = Math.max(1, (kind.length - 1) / (between + 1));
    const some = kind.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step) || i === kind.length - 1);
    return some.flatMap((call) => (FAILURES[call.name] ?? []).map((failure) => [call, failure] as const));
  });
}

/**
 * Of such pairs every n-th, the last one, in which all is done but that call, and each failure of
 * each call that has not been tried before; all of them in `npm run soak`.
 */
export function someOf(
  pairs: readonly (readonly [Call, Failure])[],
  step: number,
  tried: Set<string>,
): readonly (readonly [Call, Failure])[] {
  if (IS_SOAK) return pairs;
  return pairs.filter(([{ name }, failure], i) => {
    const kind = `${failure} in ${name}`;
    const isNew = !tried.has(kind);
    tried.add(kind);
    return isNew || i % step === 0 || i === pairs.length - 1;
  });
}
