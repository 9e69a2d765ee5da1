// What the benchmarks of a catalogue of one size share.

import type { Run } from './timing.ts';

const SIZES = ['S', 'M', 'L'] as const;

export type Size = (typeof SIZES)[number];

export const isSize = (size: string): size is Size => SIZES.some((one) => one === size);

export interface SizeOptions {
  readonly size: Size;
  readonly rounds: number;
  /** The root of the checkout; the command is compiled. */
  readonly root: string;
  /** A folder in memory, for trees. */
  readonly memory: string;
  /** A folder on disk, for databases. */
  readonly disk: string;
  /** The kind of work to profile, and the folder for its CPU profiles; null for none. */
  readonly profile: { readonly work: string; readonly folder: string } | null;
}

/** Runs a playbill command; `work` is its name for --profile. */
export type Playbill = (work: string, ...argv: string[]) => Run;

export const NOW = '2026-05-01T09:00:00Z';

export function buildArgv(database: string, out: string, now: string, ...more: string[]): string[] {
  return ['build', '--db', database, '--out', out, '--now', now, ...more];
}
