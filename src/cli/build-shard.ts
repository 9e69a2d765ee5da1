// `playbill build --shard`: one shard of a build. Its exit code says whether its result is in the
// tree; `finish` reports on the fronts.

import { formatInstant, type Instant } from '../catalogue/instant.ts';
import type { ShardSummaryJson } from '../contract/run.ts';
import { AppError, shellWord } from '../errors.ts';
import type { ShardOptions } from '../operations/shards/build-shard.ts';
import type { Shard } from '../render/shards.ts';
import type { CommandContext } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { holdLines, keysGuardLines, requestLines } from './output/releases.ts';
import { countText } from '../count-text.ts';
import { bytesText } from './output/terminal.ts';

/** The flags that name a shard. */
export interface ShardFlags {
  readonly shard?: Shard | undefined;
  readonly run?: string | undefined;
  readonly snapshot?: string | undefined;
}

/** Flags of `build` that a shard does not take. */
const NOT_OF_A_SHARD = [
  'front',
  'dryRun',
  'onPublish',
  'onFailure',
  'prometheus',
  'keepLast',
  'keepHourly',
  'keepDaily',
  'grace',
  'noPrune',
] as const;

/** The shard that flags name; null for an ordinary build. @throws AppError usage */
export function shardOf(
  flags: ShardFlags & { readonly [Name in (typeof NOT_OF_A_SHARD)[number]]?: unknown },
): { readonly shard: Shard; readonly run: string } | null {
  const { shard, run, snapshot } = flags;
  if (shard === undefined && run === undefined && snapshot === undefined) return null;
  const refused = (message: string, hint: string): AppError => new AppError('usage', message, hint);
  if (shard === undefined) {
    const flag = run === undefined ? '--snapshot' : '--run';
    throw refused(`${flag}: expected --shard too, found none`, 'for example --shard 0/4');
  }
  if (run === undefined) {
    const hint = 'name the run, the same for all its shards, as --run 2026-05-01T1200';
    throw refused('--shard: expected --run too, found none', hint);
  }
  const name = NOT_OF_A_SHARD.find((one) => flags[one] !== undefined);
  if (name === undefined) return { shard, run };
  const flag = `--${name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}`;
  const isOfFinish = name !== 'front' && name !== 'dryRun';
  throw refused(
    `--shard: expected no ${flag} with it, found one`,
    isOfFinish ? 'give it to finish' : 'build without --shard',
  );
}

/** Renders a shard, and prints what became of it. */
export async function runShard(
  options: ShardOptions,
  flags: { readonly json?: true | undefined; readonly now?: Instant | undefined },
  context: CommandContext,
): Promise<number> {
  const { buildShard } = await import('../operations/shards/build-shard.ts');
  const { totalsOf } = await import('../release/tree/plan-totals.ts');
  const { run, shard } = options;
  const result = await buildShard(options, flags.now ?? context.now());
  const plan = result.results.flatMap((front) => front.plan);
  const json: ShardSummaryJson = {
    run,
    shard: shard.index,
    shards: shard.total,
    now: formatInstant(result.now),
    hold: result.hold,
    isRepeated: result.isRepeated,
    fronts: result.results.length,
    held: result.results.filter(({ held }) => held !== null).length,
    guards: result.guards,
    put: totalsOf(plan, 'put'),
    kept: totalsOf(plan, 'keep'),
    ...(result.requests === null ? {} : { requests: result.requests }),
  };
  context.terminal.print(flags.json === true ? JSON.stringify(json) : summaryText(json));
  return EXIT.done;
}

function summaryText(json: ShardSummaryJson): string {
  const { run, shard, shards, now, hold, fronts, held, guards, put, kept } = json;
  const guardLines = keysGuardLines(guards);
  if (hold !== null) return ['Nothing rendered', ...guardLines, ...holdLines(hold.release, hold.release)].join('\n');
  const lines = [
    ...guardLines,
    `Rendered shard ${shard} of ${shards} as of ${now}: ${countText(fronts, 'front')}${held === 0 ? '' : `, ${held} held back`}`,
    `Files: ${put.files} put (${bytesText(put.bytes)}), ${kept.files} kept (${bytesText(kept.bytes)})`,
    ...requestLines(json.requests),
  ];
  if (json.isRepeated) lines.push('An earlier start has written its result; that one counts');
  lines.push(`When all shards have ended: playbill finish --run ${shellWord(run)} --shards ${shards}`);
  return lines.join('\n');
}
