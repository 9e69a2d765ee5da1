// The other commands of a build in shards: `playbill finish` publishes what the shards have
// rendered, `playbill snapshot` gives them one state of a catalogue to read.

import { setTimeout } from 'node:timers/promises';
import { parseInstant } from '../../catalogue/instant.ts';
import { runArgument, shardsArgument } from '../arguments.ts';
import type { FlagsOf, PlaybillCommand } from '../command.ts';
import { TRY_AGAIN } from '../exit-codes.ts';
import type { CommandContext } from '../context.ts';
import { AppError } from '../../errors.ts';
import { withMetrics } from '../output/build-metrics.ts';
import { buildJson, editionCounts, notifyOfBuild, printBuild } from '../output/build-summary.ts';
import { Phases } from '../output/phases.ts';
import type { BuildEnd } from '../output/prometheus.ts';
import { withFailureNotice } from '../on-failure.ts';
import { keepOf, SETTINGS } from '../settings/settings.ts';

type FinishFlags = FlagsOf<typeof declareFinish>;

function declareFinish(program: PlaybillCommand) {
  return program
    .command('finish')
    .summary('publish what the shards of a run have rendered')
    .description(
      'Reads the results that shards (build --shard) have written into the tree, checks that they belong to one run and one state ' +
        'of the catalogue, and publishes them as a build does: the same bytes, and the same release, whatever the number of ' +
        'shards. It opens no database. The fronts of a shard without a result keep their snapshots.',
    )
    .requiredFlag('--run <id>', 'the run that the shards were started with', runArgument)
    .requiredFlag('--shards <number>', 'how many shards the run has', shardsArgument)
    .durationFlag('--wait', 'how long to wait for shards that have not ended', 0)
    .outFlag('the tree to publish into')
    .allowFlag()
    .keepFlags()
    .onPublishFlags()
    .onFailureFlags()
    .setting(SETTINGS.prometheus, 'write metrics to this textfile at the end, successful or not')
    .flag('--no-prune', 'do not remove old releases; leave that to: playbill prune')
    .jsonFlag().helpBelow(`
Examples:
  playbill build --shard 0/2 --run may & playbill build --shard 1/2 --run may
  wait; playbill finish --run may --shards 2            one machine, two processes
  playbill finish --run may --shards 2 --wait 10m       started together with the shards

If a shard ends later, run the same command again to publish its fronts.

Exit codes: 0 done, 2 wrong usage, no result at all, or results that do not belong together, 3 a shard is missing or some
fronts failed, 4 a guard held a front back, or a rollback holds the tree, 5 another run holds the lock, 6 the tree could
not be written, or only in part, 7 published, but errors in rows left out products or sessions,
${TRY_AGAIN}.`);
}

export function addFinishCommand(program: PlaybillCommand): void {
  declareFinish(program)
    .writes()
    .runs(async (flags, context) => {
      const { prometheus, out } = flags;
      const phases = new Phases();
      const run = (): Promise<BuildEnd> => runFinish(flags, phases, context);
      const measured = prometheus === undefined ? run : () => withMetrics(prometheus, out, phases, context, run);
      const { exitCode } = await withFailureNotice('finish', flags, context, measured);
      return exitCode;
    });
}

async function runFinish(flags: FinishFlags, phases: Phases, context: CommandContext): Promise<BuildEnd> {
  const { finishRun } = await import('../../operations/shards/finish-run.ts');
  const result = await finishRun({
    outPath: flags.out,
    run: flags.run,
    shards: flags.shards,
    waitSeconds: flags.wait,
    keep: flags.prune ? keepOf(flags) : null,
    allow: flags.allow ?? [],
    toolVersion: context.toolVersion,
    onPhase: phases.begin,
  });
  // No shard has started if a rollback holds the tree: then there is no other instant.
  const now = parseInstant(result.settings?.now ?? '') ?? context.now();
  const settings = { horizonSeconds: result.settings?.horizonSeconds ?? 0, isDryRun: false };
  const json = await buildJson(result, settings, now);
  phases.begin('notify');
  const notified = await notifyOfBuild(result, flags, context, now);
  return printBuild({ ...json, ...notified }, editionCounts(result), null, flags.json === true, context);
}

/** How soon to notice that the server has ended the snapshot. */
const CONFIRM_EVERY_SECONDS = 10;

export function addSnapshotCommand(program: PlaybillCommand): void {
  program
    .command('snapshot')
    .summary('give the shards of a run one state of a catalogue to read')
    .description(
      'With --to, copies a catalogue in an SQLite file as it is now into a new file, which shards on any host can read. Run it on the ' +
        'host that writes the catalogue. With --hold, prints the id of a snapshot of a catalogue in PostgreSQL, and keeps it readable ' +
        'until the time is up or a signal ends the command: build --shard --snapshot reads that state, whatever is written ' +
        'meanwhile. Until then the server cannot remove old versions of rows.',
    )
    .flag('--to <file>', 'copy an SQLite file to this one, which must not exist')
    .flag('--hold', 'keep a snapshot in PostgreSQL for as long as this command runs')
    .durationFlag('--for', 'with --hold: how long', 3600)
    .dbFlag()
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill snapshot --to may.sqlite --db catalogue.sqlite       then: build --shard … --db may.sqlite
  playbill snapshot --hold --for 10m --db postgres://db.example/box &

Shards need either until they have ended; finish does not.

Exit codes: 0 copied, or the time is up, 2 wrong usage, a catalogue that cannot be read (any more), one of the other
kind, or a copy that cannot be written, ${TRY_AGAIN}.`)
    .runs(async (flags, { terminal }) => {
      const { copyCatalogue, holdSnapshot } = await import('../../database/open.ts');
      const { to } = flags;
      if ((to === undefined) === (flags.hold === undefined)) {
        const message = `expected one of --to and --hold, found ${to === undefined ? 'none' : 'both'}`;
        throw new AppError('usage', message, '--to for a catalogue in an SQLite file, --hold for one in PostgreSQL');
      }
      if (to !== undefined) {
        await copyCatalogue(flags.db, to);
        terminal.print(flags.json === true ? JSON.stringify({ copy: to }) : to);
        return;
      }
      await using held = await holdSnapshot(flags.db);
      terminal.print(flags.json === true ? JSON.stringify({ snapshot: held.id }) : held.id);
      for (let left = flags.for; left > 0; left -= CONFIRM_EVERY_SECONDS) {
        await setTimeout(Math.min(left, CONFIRM_EVERY_SECONDS) * 1000);
        await held.confirm();
      }
    });
}
