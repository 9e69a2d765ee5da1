// Runs the real command as a person would. `playbill` runs it inside the test's process: its parser, its commands and its terminal, on
// streams that are kept; a process for each run would cost more than most runs do. `playbillProcess` runs it compiled, in a process of
// its own, where a test is about the process: its environment, stdin, signals, or what else runs at the same time.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { instantOf } from '../../../src/catalogue/instant.ts';
import type { CommandContext } from '../../../src/cli/context.ts';
import { terminalOn } from '../../../src/cli/output/terminal.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { compiledCommand } from '../compiled.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface Run {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Words that need a process: commands that read stdin, catch signals, or serve until one comes; help goes straight to stdout. */
const PROCESS_ONLY = ['import', 'serve', 'preview', '--help'];

/** `playbill WORDS…`, in this process; names of secrets are looked up in `environment`, then in that of the tests. */
export async function playbill(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const alone = PROCESS_ONLY.find((word) => words[0] === word || words.at(-1) === word);
  if (alone !== undefined) throw new Error(`playbill ${alone} needs a process of its own: use playbillProcess`);
  const [stdout, stderr] = [new KeptText(), new KeptText()];
  const variable = (name: string): string | undefined => environment[name] ?? process.env[name];
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string };
  const context: CommandContext = {
    terminal: terminalOn(stdout, stderr, variable),
    now: () => instantOf(Math.floor(Date.now() / 1000)),
    clock: () => Date.now() / 1000,
    environment: variable,
    toolVersion: version,
    processId: String(process.pid),
    onInterrupt: null,
    tzdata: process.versions['tz'] ?? 'unknown',
    exitCode: 0,
  };
  const status = await runProgram(words, context);
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
