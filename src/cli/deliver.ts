// Delivers a notice to a hook: to a command on its stdin, or to a URL by POST. The command and the
// URL's path are never printed, because they may contain a token.

import { messageOf } from '../errors.ts';
import type { CommandContext } from './context.ts';
import type { Hook } from './hook-argument.ts';

/** Between SIGTERM and SIGKILL. */
const KILL_AFTER_MS = 2000;

/**
 * Delivers a notice and waits until it is accepted, `seconds` have passed, or an interrupt.
 * @returns what went wrong, or null
 */
export async function deliver(
  hook: Hook,
  notice: object,
  context: CommandContext,
  seconds: number,
  tokenEnv: string | undefined,
): Promise<string | null> {
  const text = `${JSON.stringify(notice)}\n`;
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(`had not ended after ${seconds} s`), seconds * 1000);
  // The run is over by now: an interrupt ends the notification, and the rest is still printed.
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
