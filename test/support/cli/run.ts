// Runs the real command as a person would, compiled, in a process of its own.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compiledCommand } from '../compiled.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface Run {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `playbill WORDS…`; resolves when it has ended, however it ended. */
export function playbill(
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
