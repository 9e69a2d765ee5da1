// The output of `build` and `finish`: the JSON result, a summary for people, and the exit code.

import { formatInstant, type Instant } from '../../catalogue/instant.ts';
import { HELD_REASONS } from '../../contract/held-reasons.ts';
import type { BuildResultJson } from '../../contract/results/build.ts';
import { shellWord } from '../../errors.ts';
import type { BuildResult } from '../../operations/publish-release.ts';
import type { RequestsMade } from '../../operations/writing-tree.ts';
import type { FrontResult } from '../../release/publish/render-front.ts';
import { treeFileOf } from '../../render/paths.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { notifyOfPublish, publishWarning, type Notified, type PublishHookFlags } from '../on-publish.ts';
import { plannedDiffLines } from './diff.ts';
import type { BuildEnd, EditionCounts } from './prometheus.ts';
import { historyLines, holdLines, keysGuardLines, planLines, prunedText, requestLines } from './releases.ts';
import { foldedText, tableText } from './table.ts';
import { countText } from '../../count-text.ts';
import { bytesText, durationText, findingText, styled, type Terminal } from './terminal.ts';

/**
 * The result as JSON, before the hook has been notified: without `notice`, and `warnings` is empty.
 */
export async function buildJson(
  result: BuildResult & RequestsMade,
  { horizonSeconds, isDryRun }: { readonly horizonSeconds: number; readonly isDryRun: boolean },
  now: Instant,
): Promise<BuildResultJson> {
  const { prunedTotals, totalsOf } = await import('../../release/tree/plan-totals.ts');
  const plan = [...result.outcomes.flatMap((outcome) => outcome.plan), ...result.plan];
  return {
    release: result.releaseId,
    hold: result.hold,
    now: formatInstant(now),
    horizonSeconds,
    isDryRun,
    fronts: result.outcomes.map((outcome) => ({
      front: outcome.code,
      held: outcome.held,
      snapshot: snapshotOf(outcome),
      put: totalsOf(outcome.plan, 'put'),
      kept: totalsOf(outcome.plan, 'keep'),
      guards: outcome.guards,
    })),
    guards: result.guards,
    allowed: result.allowed,
    put: totalsOf(plan, 'put'),
    kept: totalsOf(plan, 'keep'),
    removed: totalsOf(plan, 'remove'),
    pruned: prunedTotals(plan),
    history: result.history,
    ...(isDryRun ? { plan } : {}),
    ...(result.differences === undefined ? {} : { differences: result.differences }),
    ...(result.requests === null ? {} : { requests: result.requests }),
    isEveryFrontKnown: result.isEveryFrontKnown,
    findings: result.findings,
    findingsTotal: result.findingsTotal,
    warnings: [],
  };
}

/** Notifies the hook of what was published. */
export function notifyOfBuild(
  result: BuildResult,
  flags: PublishHookFlags,
  context: CommandContext,
  now: Instant,
): Promise<Notified> {
  const plan = [...result.outcomes.flatMap((outcome) => outcome.plan), ...result.plan];
  // While a rollback holds the tree, a build writes only the key ring.
  const done = result.hold === null ? plan : plan.filter(({ path }) => treeFileOf(path)?.kind === 'key-ring');
  const allowed = result.hold === null ? result.allowed : result.allowed.filter(({ code }) => code === 'keys-vanished');
  return notifyOfPublish({ ...result, plan: done, allowed }, flags, context, now);
}

/**
 * Prints the result; returns how the run ended. `database` is used in hints to `check-db`; null if
 * the command has no `--db`.
 */
export function printBuild(
  json: BuildResultJson,
  editions: EditionCounts,
  database: string | null,
  isJson: boolean,
  { terminal }: CommandContext,
): BuildEnd {
  terminal.print(isJson ? JSON.stringify(json) : summaryText(json, database, terminal));
  for (const warning of json.warnings) terminal.log(publishWarning(warning));
  return {
    exitCode: exitCodeOfBuild(json),
    findings: json.findingsTotal,
    isOnPublishFailed: json.warnings.some(({ code }) => code === 'on-publish-failed'),
    requests: json.requests ?? null,
    editions,
    held: json.fronts.flatMap(({ front, held }) =>
      held === null || held === 'not-selected' ? [] : [{ front, reason: held }],
    ),
  };
}

/** What became of the editions of a run, for its metrics. */
export function editionCounts({ outcomes }: BuildResult): EditionCounts {
  const plan = outcomes.flatMap((outcome) => outcome.plan);
  const [written, kept] = [
    plan.filter(({ action }) => action === 'put'),
    plan.filter(({ action }) => action === 'keep'),
  ];
  const compared = kept.filter(({ reason }) => reason === 'same-content');
  return { rendered: written.length + compared.length, kept: kept.length, written: written.length };
}

function snapshotOf({ listing }: FrontResult): BuildResultJson['fronts'][number]['snapshot'] {
  if (listing === null) return null;
  const { cards, dropped, editions, leftOut = null, nextChange, pointer } = listing;
  return { cards, dropped, editions, leftOut, nextChange, validUntil: pointer.validUntil };
}

/** 3 outranks 4, and 4 outranks 7. A front that was not selected is not a failure. */
function exitCodeOfBuild({ fronts, guards, hold, isEveryFrontKnown }: BuildResultJson): number {
  const held = new Set(fronts.flatMap((front) => (front.held === null ? [] : HELD_REASONS[front.held])));
  if (held.has('failure') || !isEveryFrontKnown) return EXIT.someFailed;
  if (held.has('guard') || hold !== null || guards.some(({ isOverridden }) => !isOverridden)) return EXIT.guarded;
  const isAnyLeftOut = fronts.some((front) => front.held === null && isLeftOut(front.snapshot));
  return isAnyLeftOut ? EXIT.rowsLeftOut : EXIT.done;
}

function isLeftOut(snapshot: BuildResultJson['fronts'][number]['snapshot']): boolean {
  return snapshot !== null && snapshot.leftOut !== null;
}

const FINDINGS_LISTED = 20;

function summaryText(result: BuildResultJson, db: string | null, terminal: Terminal): string {
  const isPlan = result.isDryRun || result.hold !== null;
  const published = result.fronts.filter((front) => front.held === null);
  const checkDb = db === null ? 'playbill check-db' : `playbill check-db --db ${shellWord(db)}`;
  const lines: string[] = [];
  const shown = result.fronts.filter((front) => front.held !== 'not-selected');
  if (shown.length > 0) lines.push(frontTable(shown, isPlan, terminal), '');
  lines.push(...result.fronts.flatMap((front) => heldLines(front, checkDb, terminal)));
  lines.push(...keysGuardLines(result.guards, terminal));
  for (const finding of result.findings.slice(0, FINDINGS_LISTED)) lines.push(findingText(finding, terminal));
  if (result.findingsTotal > FINDINGS_LISTED)
    lines.push(`… ${result.findingsTotal} findings in all; list them with: ${checkDb} --all`);
  lines.push(...ignoredErrors(result));
  // The differences come before the plan, which has a line for every file.
  if (result.differences !== undefined) lines.push(...plannedDiffLines(result.differences));
  lines.push(...planLines(result.plan ?? []));
  const { put, kept, removed, pruned } = result;
  lines.push(
    `${isPlan ? 'Would publish' : 'Published'} ${published.length} of ${countText(result.fronts.length, 'front')} as of ${result.now}, ` +
      `horizon ${durationText(result.horizonSeconds)}; ` +
      `release ${result.release ?? 'none'}${result.hold === null ? '' : ' stays current'}`,
    `Files: ${put.files} ${isPlan ? 'to put' : 'put'} (${bytesText(put.bytes)}), ` +
      `${kept.files} ${isPlan ? 'to keep' : 'kept'} (${bytesText(kept.bytes)}), ${removed.files} ${isPlan ? 'to remove' : 'removed'}`,
  );
  if (result.allowed.length > 0)
    lines.push(`${isPlan ? 'Would let pass' : 'Let pass'}: ${allowedText(result.allowed)}`);
  lines.push(...requestLines(result.requests));
  if (pruned.releases > 0 || pruned.files > 0)
    lines.push(`${isPlan ? 'Would prune' : 'Pruned'}: ${prunedText(pruned)}`);
  if (result.history !== null) lines.push(...historyLines(result.history));
  if (result.hold !== null) lines.push(...holdLines(result.hold.release, result.release));
  return lines.join('\n');
}

/** Why a front is held back, and by which guards; overridden guards are listed, too. */
function heldLines(
  { front, held, guards, snapshot }: BuildResultJson['fronts'][number],
  checkDb: string,
  terminal: Pick<Terminal, 'isColoured'>,
): string[] {
  const lines = guards.map(({ code, message, isOverridden }) => {
    const verdict = styled(isOverridden ? 'overridden' : 'held back by', 'warning', terminal);
    const hint = code === 'max-bad' ? `see: ${checkDb}; ` : (GUARD_HINTS.get(code) ?? '');
    const override = `${hint}--allow ${code} --front ${front} overrides it`;
    return `${front}: ${verdict} ${code}: ${message}${isOverridden ? '' : ` (${override})`}`;
  });
  if (held === null && snapshot !== null && snapshot.leftOut !== null)
    lines.push(`${front}: ${leftOutText(snapshot.leftOut)}: bad data (see: ${checkDb})`);
  if (held === 'findings') {
    const state = snapshot === null ? 'nothing of it is published yet' : 'its last snapshot stays';
    lines.push(`${front}: held back by findings; ${state} (see: ${checkDb})`);
  }
  const why = HELD_BACK.get(held ?? '');
  if (why !== undefined) lines.push(`${front}: held back: ${why}`);
  return lines;
}

/** `max-shrink on alpha, bravo; contract-lost`. */
function allowedText(allowed: BuildResultJson['allowed']): string {
  return allowed.map(({ code, fronts }) => (fronts === null ? code : `${code} on ${fronts.join(', ')}`)).join('; ');
}

const GUARD_HINTS: ReadonlyMap<string, string> = new Map([
  ['max-shrink', 'build --dry-run shows what goes; '],
  ['price-jump', 'build --dry-run shows what changes; '],
  ['min-cards', 'build --dry-run shows what goes; '],
  ['now-earlier', 'or build into another folder with --out; '],
]);

/** `2 products, 1 session left out`. */
function leftOutText({ products, sessions }: { readonly products: number; readonly sessions: number }): string {
  const parts = [
    ...(products === 0 ? [] : [countText(products, 'product')]),
    ...(sessions === 0 ? [] : [countText(sessions, 'session')]),
  ];
  return `${parts.join(', ')} left out`;
}

const HELD_BACK: ReadonlyMap<string, string> = new Map([
  ['rolled-back', 'a rollback holds it (to let builds publish it: playbill rollback --resume --front CODE)'],
  ['file-size-wrong', 'a published file is damaged (build --force rewrites it)'],
  ['file-kind-wrong', 'something else is where a file belongs (the finding says where)'],
  ['file-not-writable', 'not allowed to write its files (the finding says what to allow)'],
  ['shard-missing', 'the work of its shard is not there (the finding says what is missing)'],
]);

/** Explains why a build with errors exits 0. */
function ignoredErrors(result: BuildResultJson): string[] {
  const total = result.findings.filter(({ severity }) => severity === 'error').length;
  if (total === 0 || exitCodeOfBuild(result) !== EXIT.done) return [];
  const isCut = result.findingsTotal > result.findings.length;
  const errors = isCut ? 'The errors leave' : `${countText(total, 'error')} ${total === 1 ? 'leaves' : 'leave'}`;
  const where = result.fronts.some(({ held }) => held === 'not-selected') ? ' of these fronts' : '';
  return [`${errors} out no product and no session${where}`];
}

function frontTable(fronts: BuildResultJson['fronts'], isPlan: boolean, width: Pick<Terminal, 'columns'>): string {
  const header = ['front', 'cards', 'editions', 'next change', 'put', isPlan ? 'keep' : 'kept', 'state'];
  const rows = fronts.map(({ front, held, snapshot, put, kept }) => [
    front,
    snapshot?.cards ?? 0,
    snapshot === null ? '-' : `${snapshot.editions.products}+${snapshot.editions.categories}`,
    snapshot?.nextChange?.replace('T', ' ').replace(':00Z', 'Z') ?? '-',
    put.files,
    kept.files,
    held ?? (isPlan ? 'planned' : 'published'),
  ]);
  const notes = fronts.map(({ snapshot }) => {
    const dropped = Object.entries(snapshot?.dropped ?? {}).map(([reason, count]) => `${count} ${reason}`);
    const [first, ...others] = dropped;
    return first === undefined ? '' : foldedText('  ', [`without a card: ${first}`, ...others], width);
  });
  return tableText(header, rows, width, notes);
}
