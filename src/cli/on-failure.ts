// `--on-failure` of build and finish: notifies a command or a URL of a run that began and
// failed. A failure here is a warning, and does not change the exit code.

import { formatInstant } from '../catalogue/instant.ts';
import type { FailureNotice } from '../contract/failure-notice.ts';
import { AppError, messageOf } from '../errors.ts';
import type { CommandContext } from './context.ts';
import { deliver } from './deliver.ts';
import { EXIT } from './exit-codes.ts';
import type { Hook } from './hook-argument.ts';
import type { BuildEnd } from './output/prometheus.ts';

/** The values of `--on-failure`. */
export interface FailureHookFlags {
  readonly onFailure?: Hook | undefined;
  readonly onFailureTimeout: number;
  readonly onFailureTokenEnv?: string | undefined;
}

/** Nothing has failed: another run does the work, or all fronts are published. */
const NO_FAILURES: readonly number[] = [EXIT.done, EXIT.locked, EXIT.rowsLeftOut];

/** Runs a build, and notifies the hook if it fails. @throws what the build throws */
export async function withFailureNotice(
  command: FailureNotice['command'],
  flags: FailureHookFlags,
  context: CommandContext,
  run: () => Promise<BuildEnd>,
): Promise<BuildEnd> {
  const failed = (found: Pick<FailureNotice, 'exitCode' | 'error' | 'held'>): Promise<void> =>
    notifyOfFailure({ schema: 1, command, at: formatInstant(context.now()), ...found }, flags, context);
  let end: BuildEnd;
  try {
    end = await run();
  } catch (error) {
    await failed({ ...failureOf(error), held: [] });
    throw error;
  }
  await failed({ exitCode: end.exitCode, error: null, held: [...end.held] });
  return end;
}

function failureOf(thrown: unknown): Pick<FailureNotice, 'exitCode' | 'error'> {
  if (!(thrown instanceof AppError)) {
    const hint = 'please report what the command has printed';
    return { exitCode: EXIT.bug, error: { code: 'bug', message: messageOf(thrown), details: [], hint } };
  }
  const { exitCode, code, message, details, hint } = thrown;
  return { exitCode, error: { code, message, details: [...details], hint } };
}

async function notifyOfFailure(
  notice: FailureNotice,
  { onFailure, onFailureTimeout, onFailureTokenEnv }: FailureHookFlags,
  context: CommandContext,
): Promise<void> {
  if (onFailure === undefined || NO_FAILURES.includes(notice.exitCode)) return;
  const problem = await deliver(onFailure, notice, context, onFailureTimeout, onFailureTokenEnv);
  if (problem !== null) context.terminal.log({ level: 'warning', code: 'on-failure-failed', message: problem });
}
