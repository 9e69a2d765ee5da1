// Timing of whole processes: rounds in turn, medians, peak memory.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './table.ts';

/** Runs a process to its end; returns its seconds. @throws Error where it fails: a bench of a failing command measures nothing. */
export function timed(command: string, words: readonly string[], input = '', env = process.env): number {
  const started = process.hrtime.bigint();
  const stdio = ['pipe', 'ignore', 'pipe'] as const;
  const { status, stderr } = spawnSync(command, words, { input, env, stdio: [...stdio], encoding: 'utf8' });
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} exited with ${status}: ${stderr}`);
  return seconds;
}

/** What a process prints. @throws Error where it fails */
export function printed(command: string, words: readonly string[], env = process.env): string {
  const { status, stdout, stderr } = spawnSync(command, words, { env, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} exited with ${status}: ${stderr}`);
  return stdout;
}

/**
 * Peak memory of a command of ours, reported by the process itself as it ends: Linux's VmHWM. That of getrusage may be this process's own,
 * which outlives fork and exec.
 */
export function peakBytes(words: readonly string[], folder: string): number {
  const peakFile = join(folder, 'peak');
  const preload = `data:text/javascript,import{readFileSync,writeFileSync}from'node:fs';process.on('exit',()=>writeFileSync(${JSON.stringify(peakFile)},/VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status','utf8'))[1]))`;
  timed(process.execPath, ['--import', preload, ...words]);
  return Number(readFileSync(peakFile, 'utf8')) * 1024;
}

/** Seconds by name: runs several kinds of work in turn, so that a machine whose speed drifts drifts for all of them. */
export function interleaved(rounds: number, works: Readonly<Record<string, () => number>>): Record<string, number> {
  const runs: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(works)) (runs[name] ??= []).push(work());
  }
  return Object.fromEntries(Object.entries(runs).map(([name, seconds]) => [name, median(seconds)]));
}
