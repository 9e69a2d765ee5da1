// `playbill build`: turns flags into options, runs the build or one shard of it, and prints the
// result.

import { hostname } from 'node:os';
import { formatInstant } from '../../catalogue/instant.ts';
import type { AppError } from '../../errors.ts';
import { databaseText } from '../../database/open.ts';
import { runArgument, shardArgument } from '../arguments.ts';
import { runShard, shardOf } from '../build-shard.ts';
import { MOMENT_FORMS } from '../moment.ts';
import type { FlagsOf, PlaybillCommand } from '../command.ts';
import { TRY_AGAIN } from '../exit-codes.ts';
import type { CommandContext } from '../context.ts';
import { withMetrics } from '../output/build-metrics.ts';
import { buildJson, editionCounts, notifyOfBuild, printBuild } from '../output/build-summary.ts';
import { Phases } from '../output/phases.ts';
import type { BuildEnd } from '../output/prometheus.ts';
import { bytesText } from '../output/terminal.ts';
import { withFailureNotice } from '../on-failure.ts';
import { catalogueIsRead, endWithParent, isLimited, runLimited } from '../read-timeout.ts';
import { refuseWeaker } from '../settings/refuse-weaker.ts';
import { keepOf, SETTINGS, type Setting } from '../settings/settings.ts';
import { growYoungGeneration, boundHeap } from '../heap.ts';

type BuildFlags = FlagsOf<typeof declareBuild>;

function declareBuild(program: PlaybillCommand) {
  return program
    .command('build')
    .summary('render the catalogue into a tree of static JSON and publish it')
    .description(
      'Reads the catalogue in one transaction, renders every edition that comes into force within the horizon, and publishes ' +
        'front by front: content first, pointers last. The published tree stays intact even if the build is interrupted.',
    )
    .dbFlag()
    .outFlag('the tree to publish into')
    .instantFlag('--now', `the instant the build is for, ${MOMENT_FORMS} (default: the current time)`)
    .setting(SETTINGS.horizon)
    .flag('--front <code...>', 'only these fronts; the others keep their snapshot')
    .flag('--dry-run', 'plan everything, write nothing')
    .flag('--force', 'override every guard, and rewrite damaged files')
    .allowFlag()
    .setting(SETTINGS.maxShrink)
    .setting(SETTINGS.maxBad)
    .setting(SETTINGS.precompress)
    .setting(SETTINGS.readTimeout)
    .keepFlags()
    .onPublishFlags()
    .onFailureFlags()
    .setting(SETTINGS.prometheus, 'write metrics to this textfile when the build ends, successful or not')
    .flag(
      '--shard <index/number>',
      'render only the fronts of one shard, 0/4 to 3/4; finish publishes them',
      shardArgument,
    )
    .flag('--run <id>', 'with --shard: the run that the shard belongs to; use each name once', runArgument)
    .flag('--snapshot <id>', 'with --shard: read the state that snapshot --hold keeps')
    .flag('--no-prune', 'do not remove old releases; leave that to: playbill prune')
    .jsonFlag().helpBelow(`
Examples:
  playbill build                                        as of now, six hours ahead
  playbill build --db c.sqlite --out may --now 2026-05-01T12:00:00+03:00      another instant, another tree
  playbill build --dry-run --json                       what would be written, removed and changed
  playbill build --on-publish 'jq -r ".changed[]" | xargs -r purge'       purge caches with your own command
  playbill build --prometheus /var/lib/node_exporter/playbill.prom        for alerts when builds stop or fail
  playbill build --shard 0/8 --run may                  the first of eight processes, on any machines

With --shard a process renders some of the fronts, and reads the products that they show. Start all with the same
options, on the same state of the catalogue (snapshot); without --now they take that of the first to start. A shard
exits 0 when its result is in the tree; finish reports what became of the fronts. Started again, a shard does only what
is missing.

If the database is busy, or its tables are replaced meanwhile, the build reads them once more, except with --snapshot.

If nothing changes on a front, nothing is written for it: it keeps its pointer, for up to a quarter of the horizon.

--on-publish runs after every pointer is durable and the lock is released, and only if readers can see a difference. If
it fails, the build prints a warning: the release stays published, the exit code does not change, and the next run with
--on-publish notifies of the same again. A dry run does not notify.

--on-failure runs if a build that has begun ends with another exit code than 0, 5 and 7; not for a dry run, a shard, or
wrong words. If it fails, the build prints a warning.

Exit codes: 0 done, 2 wrong usage or unreadable input, 3 some fronts failed, 4 a guard held a front back, or a
rollback holds the tree, 5 another run holds the lock, 6 the tree could not be written, or only in part,
7 published, but errors in rows left out products or sessions,
${TRY_AGAIN} (or --read-timeout is over).`);
}

export function addBuildCommand(program: PlaybillCommand): void {
  declareBuild(program)
    .writes()
    .runs(async (flags, context) => {
      const shard = shardIn(flags, context);
      if (flags.readTimeout > 0 && !isLimited(context)) {
        if (shard !== null) return await runLimited(flags.db, flags.readTimeout, flags.now, context);
        return await runWithin(flags.readTimeout, flags, context);
      }
      if (flags.readTimeout > 0) endWithParent();
      if (shard !== null) {
        const { common, ended } = commonOptions(flags, context);
        const options = {
          ...common,
          ...shard,
          isNowGiven: flags.now !== undefined,
          snapshot: flags.snapshot ?? null,
          begun: `on ${hostname()} at ${formatInstant(context.now())}`,
        };
        return await runShard(options, flags, context).finally(ended);
      }
      const phases = new Phases();
      const { exitCode } = await watched(flags, phases, context, () => runBuild(flags, phases, context));
      return exitCode;
    });
}

/** The shard that was asked for. What the file of settings says beyond shards is for `finish`. */
function shardIn(flags: BuildFlags, { settings }: CommandContext): ReturnType<typeof shardOf> {
  const isTyped = (setting: Setting): boolean => settings.inForce.get(setting)?.source.kind === 'flag';
  return shardOf({
    ...flags,
    onPublish: isTyped(SETTINGS.onPublish) ? flags.onPublish : undefined,
    onFailure: isTyped(SETTINGS.onFailure) ? flags.onFailure : undefined,
    prometheus: isTyped(SETTINGS.prometheus) ? flags.prometheus : undefined,
    keepLast: isTyped(SETTINGS.keepLast) ? flags.keepLast : undefined,
    keepHourly: isTyped(SETTINGS.keepHourly) ? flags.keepHourly : undefined,
    keepDaily: isTyped(SETTINGS.keepDaily) ? flags.keepDaily : undefined,
    grace: isTyped(SETTINGS.keepGrace) ? flags.grace : undefined,
    noPrune: flags.prune ? undefined : true,
  });
}

/** Runs the same command in a child process. It writes its metrics, except where it is ended. */
async function runWithin(seconds: number, flags: BuildFlags, context: CommandContext): Promise<number> {
  try {
    return await runLimited(flags.db, seconds, flags.now, context);
  } catch (error) {
    await watched(flags, new Phases(), context, () => Promise.reject(error));
    throw error;
  }
}

/** Runs a build; unless it is a dry run, writes the textfile that was asked for and notifies of a failure. */
function watched(
  flags: BuildFlags,
  phases: Phases,
  context: CommandContext,
  run: () => Promise<BuildEnd>,
): Promise<BuildEnd> {
  const { prometheus, out } = flags;
  if (flags.dryRun === true) return run();
  const measured = prometheus === undefined ? run : () => withMetrics(prometheus, out, phases, context, run);
  return withFailureNotice('build', flags, context, measured);
}

async function runBuild(flags: BuildFlags, phases: Phases, context: CommandContext): Promise<BuildEnd> {
  const now = flags.now ?? context.now();
  const { build } = await import('../../operations/build.ts');
  const { common, ended } = commonOptions(flags, context);
  const isDryRun = flags.dryRun === true;
  const isNowOfClock = flags.now === undefined;
  const options = {
    ...common,
    frontCodes: flags.front ?? null,
    isDryRun,
    isNowOfClock,
    keep: flags.prune ? keepOf(flags) : null,
    onPhase: phases.begin,
  };
  const result = await build(options, now).finally(ended);
  const json = await buildJson(result, { horizonSeconds: flags.horizon, isDryRun }, now);
  phases.begin('notify');
  const notified = isDryRun ? {} : await notifyOfBuild(result, flags, context, now);
  const editions = editionCounts(result);
  return printBuild({ ...json, ...notified }, editions, databaseText(flags.db), flags.json === true, context);
}

/** The options that a build and a shard share. They show progress; call `ended` to remove it. */
function commonOptions(flags: BuildFlags, { terminal, settings, toolVersion, tzdata }: CommandContext) {
  boundHeap();
  const bars = {
    load: terminal.progress('loading   '),
    publish: terminal.progress(flags.dryRun === true ? 'planning  ' : 'publishing'),
  };
  const common = {
    databasePath: flags.db,
    outPath: flags.out,
    horizonSeconds: flags.horizon,
    precompress: flags.precompress,
    guards: {
      maxShrink: flags.maxShrink,
      maxBad: flags.maxBad,
      allow: flags.allow ?? [],
      force: flags.force === true,
    },
    checkCurrent: refuseWeaker(settings),
    toolVersion,
    tzdata,
    onProgress: (phase: 'load' | 'publish', done: number, total: number): void => {
      growYoungGeneration();
      if (phase === 'publish' && flags.readTimeout > 0) catalogueIsRead();
      bars[phase].show(done, total);
    },
    onTransfer: (files: number, filesTotal: number, bytes: number): void =>
      bars.publish.note(`; uploading ${files}/${filesTotal} files, ${bytesText(bytes)}`),
    onRetry: ({ message }: AppError): void => terminal.log({ level: 'note', message: `reading once more: ${message}` }),
  };
  return { common, ended: bars.publish.end };
}
