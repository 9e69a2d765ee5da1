// Measures whole processes: time, peak memory, medians of interleaved rounds.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './table.ts';

/** Runs a process to its end; returns its seconds. @throws Error if it fails */
export function timed(command: string, argv: readonly string[], input = '', env = process.env): number {
  const started = process.hrtime.bigint();
  const stdio = ['pipe', 'ignore', 'pipe'] as const;
  const { status, stderr } = spawnSync(command, argv, { input, env, stdio: [...stdio], encoding: 'utf8' });
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (status !== 0) throw new Error(`${command} ${argv.join(' ')} exited with ${status}: ${stderr}`);
  return seconds;
}

/** The stdout of a process. @throws Error if it fails */
export function printed(command: string, argv: readonly string[], env = process.env): string {
  const { status, stdout, stderr } = spawnSync(command, argv, { env, encoding: 'utf8', maxBuffer: 1 << 30 });
  if (status !== 0) throw new Error(`${command} ${argv.join(' ')} exited with ${status}: ${stderr}`);
  return stdout;
}

/**
 * The peak memory of a Node script and the time of its processors, which it reports itself when it
 * ends: Linux's VmHWM. getrusage may report this process's own peak, which survives fork and exec.
 */
export function resourcesOf(argv: readonly string[], folder: string): { peakBytes: number; cpuSeconds: number } {
  const report = join(folder, 'resources');
  const preload = `data:text/javascript,import{readFileSync,writeFileSync}from'node:fs';process.on('exit',()=>{const{user,system}=process.cpuUsage();writeFileSync(${JSON.stringify(report)},/VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status','utf8'))[1]+' '+(user+system))})`;
  timed(process.execPath, ['--import', preload, ...argv]);
  const [kibibytes = NaN, microseconds = NaN] = readFileSync(report, 'utf8').split(' ').map(Number);
  return { peakBytes: kibibytes * 1024, cpuSeconds: microseconds / 1e6 };
}

/**
 * Median seconds by name. Runs the kinds of work in turn, so that changes in the machine's speed
 * affect all of them.
 */
export function interleaved(rounds: number, works: Readonly<Record<string, () => number>>): Record<string, number> {
  const runs: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of Object.entries(works)) (runs[name] ??= []).push(work());
  }
  return Object.fromEntries(Object.entries(runs).map(([name, seconds]) => [name, median(seconds)]));
}
