// `--on-publish` of build and rollback, `--on-change` of keys: notifies a command or a URL of what
// was published. A failure here does not undo the publish: it becomes a warning.

import type { Instant } from '../catalogue/instant.ts';
import type { Allowed } from '../contract/manifest.ts';
import type { BuildResultJson } from '../contract/results/build.ts';
import type { PlanEntry } from '../contract/results/parts.ts';
import { AppError } from '../errors.ts';
import type { Published } from '../operations/notices.ts';
import type { CommandContext } from './context.ts';
import { deliver } from './deliver.ts';
import type { Hook } from './hook-argument.ts';
import type { Message } from './output/messages.ts';

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
  const problem = await deliver(onPublish, due.notice, context, onPublishTimeout, onPublishTokenEnv);
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
  return notice && (await deliver(onChange, notice, context, onChangeTimeout, onChangeTokenEnv));
}

function failed(message: string): BuildResultJson['warnings'][number] {
  return { code: 'on-publish-failed', message };
}

export function publishWarning({ code, message }: BuildResultJson['warnings'][number]): Message {
  return {
    level: 'warning',
    code,
    message: `${message}; the release is published all the same`,
    hint: 'the next run with --on-publish notifies of the same again',
  };
}
