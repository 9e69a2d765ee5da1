// `playbill build`: flags to options, and the result to a summary that can be read at 3 a.m.

import { Option } from 'commander';
import { formatInstant } from '../../catalogue/instant.ts';
import type { BuildResultJson } from '../../contract/results.ts';
import { shellWord } from '../../errors.ts';
import type { FrontResult } from '../../release/publish/render-front.ts';
import { treeFileOf } from '../../render/paths.ts';
import { compressionsArgument, DEFAULT_GRACE_SECONDS, percentageArgument } from '../arguments.ts';
import { withMetrics } from '../output/build-metrics.ts';
import type { BuildEnd } from '../output/prometheus.ts';
import { plannedDiffLines } from '../output/diff.ts';
import { EXIT } from '../exit-codes.ts';
import { notifyOfPublish, warningLine } from '../on-publish.ts';
import { holdLines, planLines, prunedText, requestLines } from '../output/releases.ts';
import type { FlagsOf, PlaybillCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { foldedText, tableText } from '../output/table.ts';
import { bytesText, countText, durationText, findingText, styled, type Terminal } from '../output/terminal.ts';

type BuildFlags = FlagsOf<typeof declareBuild>;

function declareBuild(program: PlaybillCommand) {
  return program
    .command('build')
    .summary('render the catalogue into a tree of static JSON and publish it')
    .description(
      'Loads the catalogue in one read transaction, renders every edition that the clock will bring within the horizon, ' +
        'and publishes front by front: content first, pointers last. What is published stays whole whatever happens.',
    )
    .dbFlag()
    .outFlag('the tree to publish into')
    .instantFlag('--now', 'the instant the build is for, with Z or an offset (default: the current time)')
    .durationFlag('--horizon', 'how far ahead editions are rendered; 0 for one edition', 6 * 3600)
    .flag('--front <code...>', 'only these fronts; the others keep their snapshot')
    .flag('--dry-run', 'plan everything, write nothing')
    .flag('--force', 'override every guard, and rewrite damaged files')
    .flag('--allow-shrink', 'override the guards on the number of cards')
    .presetFlag(
      '--max-shrink <percentage>',
      'how much of its cards a front may lose in one build',
      0.5,
      percentageArgument,
      '50%',
    )
    .typedFlag<{ readonly precompress?: ReturnType<typeof compressionsArgument> }>(
      new Option('--precompress <forms>', 'put compressed siblings beside new editions')
        .choices(['gzip', 'br', 'gzip,br'])
        .argParser((text) => compressionsArgument(text, '--precompress')),
    )
    .typedFlag<{ readonly cache?: unknown }>(new Option('--cache <folder>').hideHelp())
    .typedFlag(new Option('--no-cache').hideHelp())
    .typedFlag<{ readonly workers?: unknown }>(new Option('--workers <count>').hideHelp())
    .onPublishFlags()
    .flag('--prometheus <file>', 'replace this textfile at the end, however the build ends')
    .flag('--no-prune', 'leave releases that are not kept any longer to playbill prune')
    .jsonFlag('print the summary as JSON').helpBelow(`
Examples:
  playbill build                                        as of now, six hours ahead
  playbill build --now 2026-05-01T12:00:00+03:00 --out may          the catalogue as of another instant
  playbill build --dry-run --json                       what would be put and removed, and what would change
  playbill build --on-publish 'jq -r ".changed[]" | xargs -r purge'       with a purge of your own
  playbill build --prometheus /var/lib/node_exporter/playbill.prom        for alerts when builds stop or fail

A front without news keeps its pointer, for up to a quarter of the horizon: nothing is written for it.

--on-publish runs when every pointer is durable and the lock is free, and only if a reader can see a difference. Its
failure is a warning: what was published stands, and the exit code is that of the build. A dry run does not notify.

Exit codes: 0 done, 2 wrong usage or unreadable input, 3 some fronts failed, 4 a guard held a front back, or a
rollback holds the tree, 5 another run holds the lock, 6 the tree could not be written.`);
}

export function addBuildCommand(program: PlaybillCommand): void {
  declareBuild(program)
    .writes()
    .runs(async (flags, context) => {
      const run = (): Promise<BuildEnd> => runBuild(flags, context);
      const { exitCode } = await (flags.prometheus === undefined || flags.dryRun === true
        ? run()
        : withMetrics(flags.prometheus, flags.out, context, run));
      return exitCode;
    });
}

/** Builds, and prints the summary. */
async function runBuild(flags: BuildFlags, context: CommandContext): Promise<BuildEnd> {
  const { terminal } = context;
  const now = flags.now ?? context.now();
  const { build } = await import('../../operations/build.ts');
  // Flags of earlier versions: a crontab that still has them keeps working.
  if (flags.cache !== undefined)
    terminal.log('note: --cache and --no-cache do nothing any more: every build reads the whole catalogue');
  if (flags.workers !== undefined) terminal.log('note: --workers does nothing any more: a build is one thread');
  const bars = {
    load: await terminal.progress('loading   '),
    publish: await terminal.progress(flags.dryRun === true ? 'planning  ' : 'publishing'),
  };
  const result = await build(
    {
      databasePath: flags.db,
      outPath: flags.out,
      horizonSeconds: flags.horizon,
      frontCodes: flags.front ?? null,
      isDryRun: flags.dryRun === true,
      precompress: flags.precompress ?? [],
      guards: { maxShrink: flags.maxShrink, allowShrink: flags.allowShrink === true, force: flags.force === true },
      pruneGraceSeconds: flags.prune ? DEFAULT_GRACE_SECONDS : null,
      toolVersion: context.toolVersion,
      tzdata: context.tzdata,
      onProgress: (phase, done, total) => {
        if (phase === 'publish') bars.load.end();
        bars[phase].show(done, total);
      },
      onTransfer: (files, filesTotal, bytes) =>
        bars.publish.note(`; uploading ${files}/${filesTotal} files, ${bytesText(bytes)}`),
    },
    now,
  ).finally(() => {
    bars.load.end();
    bars.publish.end();
  });
  const { prunedTotals, totalsOf } = await import('../../release/publish/plan.ts');
  const plan = [...result.outcomes.flatMap((outcome) => outcome.plan), ...result.plan];
  // Of a held tree's plan only the key ring is written.
  const done = result.hold === null ? plan : plan.filter(({ path }) => treeFileOf(path)?.kind === 'key-ring');
  const json: BuildResultJson = {
    release: result.releaseId,
    hold: result.hold,
    now: formatInstant(now),
    horizonSeconds: flags.horizon,
    isDryRun: flags.dryRun === true,
    fronts: result.outcomes.map((outcome) => ({
      front: outcome.code,
      held: outcome.held,
      snapshot: snapshotOf(outcome),
      put: totalsOf(outcome.plan, 'put'),
      kept: totalsOf(outcome.plan, 'keep'),
      guards: outcome.guards,
    })),
    put: totalsOf(plan, 'put'),
    kept: totalsOf(plan, 'keep'),
    removed: totalsOf(plan, 'remove'),
    pruned: prunedTotals(plan),
    ...(flags.dryRun === true ? { plan } : {}),
    ...(result.differences === undefined ? {} : { differences: result.differences }),
    ...(result.requests === null ? {} : { requests: result.requests }),
    isEveryFrontKnown: result.isEveryFrontKnown,
    findings: result.findings,
    findingsTotal: result.findingsTotal,
    warnings: flags.dryRun === true ? [] : await notifyOfPublish(done, result.releaseId, flags, context, now),
  };
  terminal.print(flags.json === true ? JSON.stringify(json) : summaryText(json, flags.db, terminal));
  for (const warning of json.warnings) terminal.log(warningLine(warning));
  return {
    exitCode: exitCodeOfBuild(json),
    findings: json.findingsTotal,
    isOnPublishFailed: json.warnings.some(({ code }) => code === 'on-publish-failed'),
    requests: result.requests,
  };
}

function snapshotOf({ listing }: FrontResult): BuildResultJson['fronts'][number]['snapshot'] {
  if (listing === null) return null;
  const { cards, dropped, editions, nextChange, pointer } = listing;
  return { cards, dropped, editions, nextChange, validUntil: pointer.validUntil };
}

/** Holds that are failures, and no guard's. */
const FAILED = ['findings', 'file-size-wrong', 'file-kind-wrong', 'file-not-writable'] as const;

/** 3 outranks 4; a front that was not selected is no failure. */
function exitCodeOfBuild({ fronts, hold, isEveryFrontKnown }: BuildResultJson): number {
  const held = new Set(fronts.map((front) => front.held));
  const isAnyFailed = FAILED.some((code) => held.has(code));
  if (isAnyFailed || !isEveryFrontKnown) return EXIT.someFailed;
  if (hold !== null) return EXIT.guarded;
  if (held.has('min-cards') || held.has('max-shrink') || held.has('now-earlier')) return EXIT.guarded;
  return EXIT.done;
}

function summaryText(result: BuildResultJson, db: string, terminal: Pick<Terminal, 'isColoured'>): string {
  const isPlan = result.isDryRun || result.hold !== null;
  const published = result.fronts.filter((front) => front.held === null);
  const checkDb = `playbill check-db --db ${shellWord(db)}`;
  const lines: string[] = [];
  const shown = result.fronts.filter((front) => front.held !== 'not-selected');
  if (shown.length > 0) lines.push(frontTable(shown, isPlan), '');
  for (const { front, held, guards, snapshot } of result.fronts) {
    for (const { code, message, isOverridden } of guards) {
      const verdict = styled(isOverridden ? 'overridden' : 'held back by', 'warning', terminal);
      const override =
        code === 'now-earlier'
          ? '--force overrides it; or build into another folder with --out'
          : 'build --dry-run shows what goes; --allow-shrink overrides it';
      const remedy = isOverridden ? '' : ` (${override})`;
      lines.push(`${front}: ${verdict} ${code}: ${message}${remedy}`);
    }
    if (held === 'findings') {
      const stands = snapshot === null ? 'nothing is published of it yet' : 'its last snapshot stays';
      lines.push(`${front}: held back by findings; ${stands} (see: ${checkDb})`);
    }
    if (held === 'file-size-wrong')
      lines.push(`${front}: held back: a published file is damaged (build --force rewrites it)`);
    if (held === 'file-kind-wrong')
      lines.push(`${front}: held back: something else is where a file belongs (the finding says where)`);
    if (held === 'file-not-writable')
      lines.push(`${front}: held back: not allowed to write its files (the finding says what to allow)`);
  }
  for (const finding of result.findings.slice(0, 20)) lines.push(findingText(finding, terminal));
  if (result.findingsTotal > 20)
    lines.push(`… ${result.findingsTotal} findings in all; for every one: ${checkDb} --all`);
  lines.push(...harmlessErrors(result));
  // What a person wants to know comes first, before a line for each file.
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
  lines.push(...requestLines(result.requests));
  if (pruned.releases > 0 || pruned.files > 0)
    lines.push(`${isPlan ? 'Would prune' : 'Pruned'}: ${prunedText(pruned)}`);
  if (result.hold !== null) lines.push(...holdLines(result.hold.release, result.release));
  return lines.join('\n');
}

/** Why a build with errors exits 0. */
function harmlessErrors(result: BuildResultJson): string[] {
  const total = result.findings.filter(({ severity }) => severity === 'error').length;
  if (total === 0 || exitCodeOfBuild(result) !== EXIT.done) return [];
  const isCut = result.findingsTotal > result.findings.length;
  const errors = isCut ? 'The errors concern' : `${countText(total, 'error')} ${total === 1 ? 'concerns' : 'concern'}`;
  const none = result.fronts.some(({ held }) => held === 'not-selected') ? 'none of these fronts' : 'no front';
  return [`${errors} ${none}: nothing is held back`];
}

function frontTable(fronts: BuildResultJson['fronts'], isPlan: boolean): string {
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
    return first === undefined ? '' : foldedText('  ', [`without a card: ${first}`, ...others]);
  });
  return tableText(header, rows, notes);
}
