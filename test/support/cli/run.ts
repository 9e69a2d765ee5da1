// Runs the real command as a person would. `playbill` runs it inside the test's process: its
// parser, its commands and its terminal, on streams that are kept; a process for each run would
// cost more than most runs do. `playbillProcess` runs it compiled, in a process of its own, where a
// test is about the process: its environment, stdin, signals, or what else runs at the same time.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { instantOf, type Instant } from '../../../src/catalogue/instant.ts';
import type { CommandContext } from '../../../src/cli/context.ts';
import { terminalOn } from '../../../src/cli/output/terminal.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { compiledCommand } from '../compiled.ts';
import { testContext } from './parser.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface Run {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Words that need a process: commands that read stdin, catch signals, or serve until one comes;
 * help goes straight to stdout.
 */
const PROCESS_ONLY = ['import', 'serve', 'preview', '--help'];

/**
 * `playbill WORDS…`, in this process; names of secrets are looked up in `environment`, then in that
 * of the tests.
 */
export async function playbill(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Run> {
  return playbillAt(() => instantOf(Math.floor(Date.now() / 1000)), words, environment);
}

/** The same at an instant of its own, where that is no flag. */
export async function playbillAt(
  now: () => Instant,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const alone = PROCESS_ONLY.find((word) => words[0] === word || words.at(-1) === word);
  if (alone !== undefined) throw new Error(`playbill ${alone} needs a process of its own: use playbillProcess`);
  const variable = (name: string): string | undefined => environment[name] ?? process.env[name];
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string };
  return runHere(words, {
    now,
    clock: () => Date.now() / 1000,
    environment: variable,
    toolVersion: version,
    processId: String(process.pid),
    tzdata: process.versions['tz'] ?? 'unknown',
  });
}

/**
 * The same at an instant of its own and without an environment, but for `changes`; what it says
 * comes without its last line break.
 */
export async function outputOf(words: readonly string[], changes: Partial<CommandContext> = {}) {
  const { status, stdout, stderr } = await runHere(words, changes);
  return { code: status, printed: stdout.replace(/\n$/, ''), logged: stderr.replace(/\n$/, '') };
}

async function runHere(words: readonly string[], changes: Partial<CommandContext>): Promise<Run> {
  const [stdout, stderr] = [new KeptText(), new KeptText()];
  const context = testContext();
  const terminal = terminalOn(stdout, stderr, changes.environment ?? context.environment);
  const status = await runProgram(words, { ...context, terminal, ...changes });
  return { status, signal: null, stdout: stdout.text, stderr: stderr.text };
}

class KeptText extends Writable {
  text = '';

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(text: string, _encoding: BufferEncoding, done: () => void): void {
    this.text += text;
    done();
  }
}

/** `playbill WORDS…`, in a process of its own; resolves when it has ended, however it ended. */
export function playbillProcess(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Run> {
  const child = spawn(process.execPath, [compiledCommand(), ...words], {
    cwd: root,
    env: { ...process.env, ...environment },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr }));
  });
}
