// `--on-publish` of build and rollback, `--on-change` of keys: notifies a command or a URL of what was published. The publish stands whatever
// happens here: a problem is text for the operator. The command's own text and the URL's path are never printed: they may contain a token.

import type { Instant } from '../catalogue/instant.ts';
import type { BuildResultJson, PlanEntry } from '../contract/results.ts';
import { AppError, messageOf } from '../errors.ts';
import type { CommandContext } from './context.ts';

/** How long after SIGTERM a command is killed. */
const KILL_AFTER_SECONDS = 2;

export type PublishHook =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'url'; readonly url: URL };

/** What begins like http:// is a URL, anything else a command for `sh`. @throws AppError on-publish-invalid, on-change-invalid */
export function publishHookArgument(text: string, flag: string): PublishHook {
  const invalid = (found: string): AppError =>
    new AppError(
      flag === '--on-change' ? 'on-change-invalid' : 'on-publish-invalid',
      `${flag}: expected a command or a URL, found ${found}`,
      `type it as ${flag} https://cdn.example/purge or ${flag} ./purge.sh; a user and password belong into a command`,
    );
  if (text.trim() === '') throw invalid('nothing');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1];
  if (scheme === undefined) return { kind: 'command', command: text };
  if (!/^https?$/i.test(scheme)) throw invalid(`a URL that is not http:// or https://, but ${scheme}://`);
  if (!URL.canParse(text)) throw invalid('an invalid URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw invalid('a URL with a user or password in it');
  return { kind: 'url', url };
}

/** The values of `--on-publish` and `--on-publish-timeout`. */
export interface PublishHookFlags {
  readonly onPublish?: PublishHook | undefined;
  readonly onPublishTimeout: number;
}

/**
 * Notifies the hook of what a plan published, as of `now`, if a reader can see a difference. The lock is free by now: the hook may take its
 * time, and may itself run a command that writes the tree. Notifications can overlap; each names paths, not their content.
 * @returns what went wrong
 */
export async function notifyOfPublish(
  plan: readonly PlanEntry[],
  releaseId: string | null,
  { onPublish, onPublishTimeout }: PublishHookFlags,
  context: CommandContext,
  now: Instant,
): Promise<BuildResultJson['warnings']> {
  if (onPublish === undefined) return [];
  const { publishNotice } = await import('../release/publish/publish-notice.ts');
  const notice = publishNotice(plan, releaseId, now);
  if (notice === null) return [];
  const problem = await notify(onPublish, `${JSON.stringify(notice)}\n`, context, onPublishTimeout);
  return problem === null ? [] : [{ code: 'on-publish-failed', message: problem }];
}

/** A problem of the hook as a line on stderr. */
export function warningLine({ code, message }: BuildResultJson['warnings'][number]): string {
  return (
    `warning ${code}: ${message}; what was published stands\n` +
    '  hint: no later run repeats it: do by hand what it would have done, or notify of every front with: playbill build --force'
  );
}

/**
 * Delivers a notice, and waits until it is accepted, for at most so many seconds, or until an interrupt. Returns what went wrong, or
 * null.
 */
async function notify(
  hook: PublishHook,
  notice: string,
  context: CommandContext,
  seconds: number,
): Promise<string | null> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(`had not ended after ${seconds} s`), seconds * 1000);
  // Everything is published: an interrupt ends the notification, not the summary.
  context.onInterrupt = () => stop.abort('was interrupted');
  try {
    if (hook.kind === 'command') return await runCommand(hook.command, notice, stop.signal);
    return await callUrl(hook.url, notice, context.toolVersion, stop.signal);
  } finally {
    clearTimeout(timer);
    context.onInterrupt = null;
  }
}

/** The notice goes to its stdin; what the command prints goes to stderr, as our stdout has the summary. */
async function runCommand(command: string, notice: string, stop: AbortSignal): Promise<string | null> {
  const { spawn } = await import('node:child_process');
  // A process group of its own: what the command starts ends with it.
  const child = spawn('sh', ['-c', command], { detached: true, stdio: ['pipe', 2, 2] });
  const signalGroup = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // The whole group has ended.
    }
  };
  let killTimer: NodeJS.Timeout | undefined;
  stop.addEventListener('abort', () => {
    signalGroup('SIGTERM');
    killTimer = setTimeout(() => signalGroup('SIGKILL'), KILL_AFTER_SECONDS * 1000);
  });
  // A command need not read its stdin.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(notice);
  try {
    return await new Promise((resolve) => {
      child.once('error', (error) => resolve(`the command cannot be started: ${messageOf(error)}`));
      child.once('exit', (code, signal) => {
        if (stop.aborted) resolve(`the command ${String(stop.reason)}`);
        else if (signal !== null) resolve(`the command was ended by ${signal}`);
        else resolve(code === 0 ? null : `the command ended with exit code ${code}`);
      });
    });
  } finally {
    clearTimeout(killTimer);
    if (stop.aborted) signalGroup('SIGKILL');
  }
}

/** One POST to the operator's URL and to no other: a redirect is a problem. */
async function callUrl(url: URL, notice: string, toolVersion: string, stop: AbortSignal): Promise<string | null> {
  const call = `the call of ${url.protocol}//${url.host}`;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `playbill/${toolVersion}` },
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
