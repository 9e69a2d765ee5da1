// `build --prometheus`: replaces the textfile at the end of every run, failed or not. Alerts then
// see builds that fail (by the exit code) and builds that stop (by the age of the last success). A
// killed run writes nothing, so the last success ages as well.

import { AppError } from '../../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { buildMetrics, METRICS_HEADER, treeMetrics, type BuildEnd } from './prometheus.ts';
import type { CommandContext } from '../context.ts';
import type { Phases } from './phases.ts';
import { errorMessage } from './messages.ts';

/**
 * Runs a build and writes its outcome to the textfile. Refuses a file that cannot be replaced
 * before building; a failure to write it after the build is a warning.
 * @throws AppError metrics-not-writable, and what the build throws
 */
export async function withMetrics(
  path: string,
  out: string,
  phases: Phases,
  context: CommandContext,
  run: () => Promise<BuildEnd>,
): Promise<BuildEnd> {
  const { readReplaceableFile } = await import('../../storage/text-file.ts');
  readReplaceableFile(path, METRICS_HEADER);
  try {
    const end = await run();
    await writeMetrics(path, out, end, phases, context);
    return end;
  } catch (error) {
    const exitCode = error instanceof AppError ? error.exitCode : EXIT.bug;
    // The run that holds the lock writes its own metrics.
    if (exitCode !== EXIT.locked) {
      await writeMetrics(path, out, { ...NO_SUMMARY, exitCode }, phases, context);
    }
    throw error;
  }
}

/** What is known of a run that has printed no summary. */
const NO_SUMMARY = { findings: null, isOnPublishFailed: false, requests: null, editions: null, held: [] };

async function writeMetrics(
  path: string,
  out: string,
  end: BuildEnd,
  phases: Phases,
  context: CommandContext,
): Promise<void> {
  const { readReplaceableFile, replaceTextFile } = await import('../../storage/text-file.ts');
  try {
    const tree = await treeMetricsOf(out, context);
    // Read only now: another run may have ended in the meantime, and its success counts as well.
    const before = readReplaceableFile(path, METRICS_HEADER);
    const metrics = buildMetrics({ ...end, endedAt: context.clock() }, phases.seconds(), before);
    replaceTextFile(path, tree + metrics, context.processId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.terminal.log(errorMessage(error, 'warning'));
  }
}

/** Empty if the tree cannot be read: the exit code already says why. */
async function treeMetricsOf(out: string, context: CommandContext): Promise<string> {
  const { readStatus } = await import('../../operations/status.ts');
  try {
    return treeMetrics(await readStatus(out, null, context.now()));
  } catch (error) {
    if (error instanceof AppError) return '';
    throw error;
  }
}
