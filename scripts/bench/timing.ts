// Measures whole processes: time, processor time, peak memory; medians of interleaved rounds.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from './table.ts';

/** What a process took. */
export interface Run {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakBytes: number;
}

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
 * Runs a Node script to its end. It reports its memory and processor time itself when it ends, into
 * a file of `folder`: Linux's VmHWM, since getrusage may report this process's own peak, which
 * survives fork and exec. @throws Error if it fails
 */
export function measured(argv: readonly string[], folder: string, env = process.env): Run {
  const report = join(folder, 'resources');
  const preload = `data:text/javascript,import{readFileSync,writeFileSync}from'node:fs';process.on('exit',()=>{const{user,system}=process.cpuUsage();writeFileSync(${JSON.stringify(report)},/VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status','utf8'))[1]+' '+(user+system))})`;
  const seconds = timed(process.execPath, ['--import', preload, ...argv], '', env);
  const [kibibytes = NaN, microseconds = NaN] = readFileSync(report, 'utf8').split(' ').map(Number);
  return { seconds, peakBytes: kibibytes * 1024, cpuSeconds: microseconds / 1e6 };
}

/**
 * The median of what each kind of work gives, by name. Runs the kinds of work in turn, so that
 * changes in the machine's speed affect all of them.
 */
export function interleaved<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => number>>,
): Record<Name, number> {
  const runs = interleavedRuns(rounds, works);
  return mapped(runs, (values) => median(values));
}

/** The same of measured processes. */
export function interleavedProcesses<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Run>>,
): Record<Name, Run> {
  const runs = interleavedRuns(rounds, works);
  return mapped(runs, (of) => ({
    seconds: median(of.map(({ seconds }) => seconds)),
    cpuSeconds: median(of.map(({ cpuSeconds }) => cpuSeconds)),
    peakBytes: median(of.map(({ peakBytes }) => peakBytes)),
  }));
}

function interleavedRuns<Name extends string, T>(
  rounds: number,
  works: Readonly<Record<Name, () => T>>,
): Record<Name, T[]> {
  const runs = mapped(works, (): T[] => []);
  for (let round = 0; round < rounds; round++) for (const name of namesOf(works)) runs[name].push(works[name]());
  return runs;
}

function mapped<Name extends string, T, U>(of: Readonly<Record<Name, T>>, to: (value: T) => U): Record<Name, U> {
  return Object.fromEntries(namesOf(of).map((name) => [name, to(of[name])])) as Record<Name, U>;
}

function namesOf<Name extends string>(of: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(of) as Name[];
}
