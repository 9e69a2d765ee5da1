// The command as it is installed: compiled, run as a process of its own. Nothing of
// this process is in it, so it can be killed, stopped and starved for real.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { afterAll } from 'vitest';
import { compiledCommand } from '../compiled.ts';
import { buildResultSchema } from '../../../src/contract/results/build.ts';
import { errorResultSchema } from '../../../src/contract/results/parts.ts';

export interface Run {
  /** null where a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Run>;
}

export interface RunOptions {
  /** Put before the command: `['setpriv', '--…']`. */
  readonly through?: readonly string[];
  /** Beside that of the tests. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What step-signal.ts reads from the environment; without it, that is not loaded. */
  readonly steps?: { readonly tree: string; readonly signal?: string; readonly trace?: string };
}

/**
 * What to start a run through so that permission bits bind it: nothing, or the loss of root's right
 * to pass over them.
 */
export const AS_ANYONE: readonly string[] =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all'] : [];

export class Command {
  readonly #main = compiledCommand();
  /** For what is put beside it; gone when the tests of the file have ended. */
  readonly #folder: string;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'playbill-command-'));
    afterAll(() => rmSync(this.#folder, { recursive: true, force: true }));
    const hook = readFileSync(new URL('step-signal.ts', import.meta.url), 'utf8');
    writeFileSync(this.#hook, transformSync(hook, { loader: 'ts', format: 'esm' }).code);
  }

  get #hook(): string {
    return join(this.#folder, 'step-signal.mjs');
  }

  /** A folder for $PATH in which this command is `playbill`. */
  get folderForPath(): string {
    const folder = join(this.#folder, 'bin');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'playbill'), `#!/bin/sh\nexec "${process.execPath}" "${this.#main}" "$@"\n`, {
      mode: 0o755,
    });
    return folder;
  }

  start(words: readonly string[], { through = [], environment = {}, steps }: RunOptions = {}): Running {
    const node = [process.execPath, ...(steps === undefined ? [] : ['--import', this.#hook]), this.#main];
    const [file = '', ...rest] = [...through, ...node, ...words];
    const child = spawn(file, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...environment,
        ...(steps === undefined ? {} : { FAULT_TREE: steps.tree, FAULT_STEP: steps.signal ?? '' }),
        ...(steps?.trace === undefined ? {} : { FAULT_TRACE: steps.trace }),
      },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = new Promise<Run>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
    return { child, ended };
  }

  run(words: readonly string[], options: RunOptions = {}): Promise<Run> {
    return this.start(words, options).ended;
  }
}

/** The summary of `build --json`, checked against its schema. */
export function summaryOf(run: Run) {
  return buildResultSchema.parse(JSON.parse(run.stdout));
}

/** The code of the error that a run with `--json` ended with; it is on stderr too, with a hint. */
export function errorCodeOf(run: Run): string {
  const { error } = errorResultSchema.parse(JSON.parse(run.stdout));
  if (!run.stderr.includes(`error ${error.code}: `) || !/\n {2}hint: ./.test(run.stderr)) {
    throw new Error(`expected error ${error.code} and a hint on stderr, found: ${run.stderr}`);
  }
  return error.code;
}
