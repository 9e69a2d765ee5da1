// `build --prometheus`: replaces the textfile at the end of every run, however it ended, so that an alert sees when builds fail (the
// exit code) and when they stop (the last success grows old). A killed run writes nothing, so the last success grows old as well.

import { AppError } from '../../errors.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { buildMetrics, METRICS_HEADER, treeMetrics, type BuildEnd } from './prometheus.ts';
import type { CommandContext } from '../context.ts';
import { errorText } from './terminal.ts';

/**
 * Runs a build, and writes how it ended. A file that cannot be replaced is refused before anything is built; later it is a
 * warning. @throws AppError metrics-not-writable, and what the build throws
 */
export async function withMetrics(
  path: string,
  out: string,
  context: CommandContext,
  run: () => Promise<BuildEnd>,
): Promise<BuildEnd> {
  const { readReplaceableFile } = await import('../../storage/text-file.ts');
  readReplaceableFile(path, METRICS_HEADER);
  try {
    const end = await run();
    await writeMetrics(path, out, end, context);
    return end;
  } catch (error) {
    const exitCode = error instanceof AppError ? exitCodeOf(error.code) : EXIT.bug;
    // The run that holds the lock writes its own metrics.
    if (exitCode !== EXIT.locked) {
      await writeMetrics(path, out, { exitCode, findings: null, isOnPublishFailed: false, requests: null }, context);
    }
    throw error;
  }
}

async function writeMetrics(path: string, out: string, end: BuildEnd, context: CommandContext): Promise<void> {
  const { readReplaceableFile, replaceTextFile } = await import('../../storage/text-file.ts');
  try {
    const tree = await treeMetricsOf(out, context);
    // Read only now: another run may have ended meanwhile, and its success is as good as ours.
    const before = readReplaceableFile(path, METRICS_HEADER);
    replaceTextFile(path, tree + buildMetrics({ ...end, endedAt: context.clock() }, before), context.processId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.terminal.log(errorText(error).replace(/^error/, 'warning'));
  }
}

/** Empty where no tree can be read: the exit code says why. */
async function treeMetricsOf(out: string, context: CommandContext): Promise<string> {
  const { readStatus } = await import('../../operations/status.ts');
  try {
    return treeMetrics(await readStatus(out, null, context.now()));
  } catch (error) {
    if (error instanceof AppError) return '';
    throw error;
  }
}
