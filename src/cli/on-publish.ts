// `--on-publish` of build and rollback, `--on-change` of keys: notifies a command or a URL of what
// was published. A failure here does not undo the publish: it becomes a warning. The command and
// the URL's path are never printed, because they may contain a token.

import type { Instant } from '../catalogue/instant.ts';
import type { Allowed } from '../contract/manifest.ts';
import type { PublishNotice } from '../contract/publish-notice.ts';
import type { BuildResultJson } from '../contract/results/build.ts';
import type { PlanEntry } from '../contract/results/parts.ts';
import { AppError, messageOf } from '../errors.ts';
import type { Published } from '../operations/notices.ts';
import type { CommandContext } from './context.ts';
import type { Hook } from './hook-argument.ts';

/** Between SIGTERM and SIGKILL. */
const KILL_AFTER_MS = 2000;

/** The values of `--out` and `--on-publish`. */
export interface PublishHookFlags {
  readonly out: string;
  readonly onPublish?: Hook | undefined;
  readonly onPublishTimeout: number;
  readonly onPublishTokenEnv?: string | undefined;
}

/** The values of `--on-change`. */
export interface ChangeHookFlags {
  readonly onChange?: Hook | undefined;
  readonly onChangeTimeout: number;
  readonly onChangeTokenEnv?: string | undefined;
}

/** What the hook was sent, and what went wrong. */
export type Notified = Pick<BuildResultJson, 'notice' | 'warnings'>;

/**
 * Notifies the hook of what a run published, as of `now`, and of the changes of earlier runs that
 * it has missed, if readers can see a difference. The caller has released the lock, so the hook may
 * be slow and may itself run a command that writes the tree. Notifications can overlap; each
 * contains paths, not content.
 */
export async function notifyOfPublish(
  published: Published,
  { out, onPublish, onPublishTimeout, onPublishTokenEnv }: PublishHookFlags,
  context: CommandContext,
  now: Instant,
): Promise<Notified> {
  if (onPublish === undefined) return { warnings: [] };
  const { dueNotice, noteDelivery } = await import('../operations/notices.ts');
  let due: Awaited<ReturnType<typeof dueNotice>>;
  try {
    due = await dueNotice(out, published, now);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { notice: null, warnings: [failed(`what to notify of cannot be read: ${error.message}`)] };
  }
  if (due === null) return { notice: null, warnings: [] };
  const problem = await notify(onPublish, due.notice, context, onPublishTimeout, onPublishTokenEnv);
  if (problem === null) await noteDelivery(due, out);
  return { notice: due.notice, warnings: problem === null ? [] : [failed(problem)] };
}

/** Notifies the hook of `keys` of a changed key ring. @returns what went wrong, or null */
export async function notifyOfKeys(
  plan: readonly PlanEntry[],
  allowed: Allowed,
  releaseId: string | null,
  { onChange, onChangeTimeout, onChangeTokenEnv }: ChangeHookFlags,
  context: CommandContext,
  now: Instant,
): Promise<string | null> {
  if (onChange === undefined) return null;
  const { publishNotice } = await import('../release/publish/publish-notice.ts');
  const notice = publishNotice(plan, allowed, releaseId, now);
  return notice && (await notify(onChange, notice, context, onChangeTimeout, onChangeTokenEnv));
}

function failed(message: string): BuildResultJson['warnings'][number] {
  return { code: 'on-publish-failed', message };
}

/** A failed notification as text for stderr. */
export function warningLine({ code, message }: BuildResultJson['warnings'][number]): string {
  return (
    `warning ${code}: ${message}; the release is published all the same\n` +
    '  hint: the next run with --on-publish notifies of the same again'
  );
}

/**
 * Delivers a notice and waits until it is accepted, `seconds` have passed, or an interrupt.
 * @returns what went wrong, or null
 */
async function notify(
  hook: Hook,
  notice: PublishNotice,
  context: CommandContext,
  seconds: number,
  tokenEnv: string | undefined,
): Promise<string | null> {
  const text = `${JSON.stringify(notice)}\n`;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(`had not ended after ${seconds} s`), seconds * 1000);
  // Everything is published by now: an interrupt ends the notification, and the summary is still
  // printed.
  context.onInterrupt(() => stop.abort('was interrupted'));
  try {
    if (hook.kind === 'command') return await runCommand(hook, text, stop.signal);
    const token = tokenEnv === undefined ? undefined : context.environment(tokenEnv);
    return await callUrl(hook.url, token, text, context.toolVersion, stop.signal);
  } finally {
    clearTimeout(timer);
    context.onInterrupt(null);
  }
}

/**
 * Runs the command with the notice on stdin, which it need not read. Its output goes to stderr:
 * stdout is for the summary. Stopped, it ends with all that it started.
 */
async function runCommand(
  { command, folder }: Extract<Hook, { kind: 'command' }>,
  notice: string,
  stop: AbortSignal,
): Promise<string | null> {
  const { execa } = await import('execa');
  const { exitCode, signal, isCanceled, originalMessage } = await execa('sh', ['-c', command], {
    ...(folder === undefined ? {} : { cwd: folder }),
    input: notice,
    stdout: 2,
    stderr: 2,
    cancelSignal: stop,
    killDescendants: true,
    forceKillAfterDelay: KILL_AFTER_MS,
    // A signal to Playbill is its own to handle.
    cleanup: false,
    reject: false,
  });
  if (isCanceled) return `the command ${String(stop.reason)}`;
  if (signal !== undefined) return `the command was ended by ${signal}`;
  if (exitCode === undefined) return `the command cannot be started: ${originalMessage}`;
  return exitCode === 0 ? null : `the command ended with exit code ${exitCode}`;
}

/**
 * Sends one POST to the operator's URL. Does not follow redirects: the notice must reach no other
 * host.
 */
async function callUrl(
  url: URL,
  token: string | undefined,
  notice: string,
  toolVersion: string,
  stop: AbortSignal,
): Promise<string | null> {
  const call = `the call of ${url.protocol}//${url.host}`;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `playbill/${toolVersion}`,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: notice,
      redirect: 'manual',
      signal: stop,
    });
    await response.body?.cancel();
    return response.ok ? null : `${call} was answered ${response.status}`;
  } catch (error) {
    if (stop.aborted) return `${call} ${String(stop.reason)}`;
    const cause = error instanceof Error ? error.cause : undefined;
    return `${call} failed: ${messageOf(cause ?? error)}`;
  }
}
