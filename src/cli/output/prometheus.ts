// The Prometheus textfile of `status` and `build`: the state of every front in the tree, and of the
// last build. Times are given as timestamps as well as ages: in a file that is no longer rewritten
// an age stays the same, while a timestamp can still be compared with the clock.

import type { RequestsJson } from '../../contract/results/parts.ts';
import type { StatusResultJson } from '../../contract/results/status.ts';
import { parseInstant } from '../../catalogue/instant.ts';
import type { HeldReason } from '../../contract/held-reasons.ts';
import { EXIT } from '../exit-codes.ts';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

/** The beginning of every textfile that Playbill has written. */
export const METRICS_HEADER = '# HELP playbill_';

const TREE_METRICS = {
  playbill_release_info: 'The current release; always 1.',
  playbill_release_now_timestamp_seconds: 'The instant that the current release was built for.',
  playbill_release_horizon_seconds: 'How far beyond that instant the current release was rendered.',
  playbill_history_releases: 'Releases that the tree keeps besides the current one.',
  playbill_history_bytes: 'Size of the editions that the current release does not name.',
  playbill_stale: '1 if a front was stale or no front was published when this file was written, else 0.',
  playbill_rollback_hold: '1 if a rollback holds the tree, so that builds publish nothing, else 0.',
  playbill_keys_lost:
    '1 if edges refused everyone, because the key ring was damaged or none of its keys was valid, else 0.',
  playbill_front_stale_from_timestamp_seconds:
    'When the front becomes stale unless it is built again; 0 if its pointer is broken.',
  playbill_front_now_timestamp_seconds: 'The instant that the current snapshot was built for.',
  playbill_front_valid_until_timestamp_seconds: 'Until when the current snapshot is known to be right.',
  playbill_front_age_seconds: 'Age of the current snapshot when this file was written.',
  playbill_front_remaining_seconds:
    'How long the current snapshot remained right when this file was written; negative once it has expired.',
  playbill_front_cards: 'Cards in the edition in force.',
  playbill_front_editions: 'Editions of the current snapshot.',
  playbill_front_dropped: 'Products without a card, by the first reason that applies.',
  playbill_front_left_out: 'Products and sessions that errors in the catalogue leave out.',
  playbill_front_valid_keys: 'Keys of the front that were valid when this file was written.',
  playbill_front_held: '1 if the current release keeps an older snapshot of the front; the label says why.',
};

const BUILD_METRICS = {
  playbill_build_last_run_timestamp_seconds: 'When a build last ended, successful or not.',
  playbill_build_last_success_timestamp_seconds:
    'When a build last published all fronts, with exit code 0 or 7; 0 if none has.',
  playbill_build_exit_code: 'Exit code of the last build.',
  playbill_build_findings: 'Findings of the last build, warnings included.',
  playbill_build_on_publish_failed: '1 if --on-publish of the last build failed, else 0.',
  playbill_build_duration_seconds:
    'How long the last build took: to open the catalogue and the tree, to read the rows, to render and write the fronts, to publish, to prune, and to notify.',
  playbill_build_editions:
    'Editions of the last build: rendered, kept because the same file is published already, and written.',
  playbill_build_bucket_requests: 'Requests to the bucket in the last build, repeated ones included.',
  playbill_build_bucket_retries: 'Requests to the bucket that the last build repeated.',
  playbill_build_bucket_sent_bytes: 'Bytes that the last build sent to the bucket.',
};

const LAST_SUCCESS = /^playbill_build_last_success_timestamp_seconds (\d+)$/m;

/** How a run of `build` ended. */
export interface BuildEnd {
  readonly exitCode: number;
  /** null if the run ended before the catalogue was read. */
  readonly findings: number | null;
  readonly isOnPublishFailed: boolean;
  /** null if the tree is in a folder, or the run ended before its summary. */
  readonly requests: RequestsJson | null;
  /** null if the run ended before its summary. */
  readonly editions: EditionCounts | null;
  /** Fronts that keep their snapshot, and why; not those that were not selected. */
  readonly held: readonly { readonly front: string; readonly reason: HeldReason }[];
}

export interface EditionCounts {
  readonly rendered: number;
  /** Of these, some were rendered to find that they are the same. */
  readonly kept: number;
  readonly written: number;
}

/** The metrics of a tree. */
export function treeMetrics({
  isStale,
  release,
  hold,
  history,
  fronts,
  validKeys,
  findings,
}: StatusResultJson): string {
  const published = fronts.flatMap(({ front, snapshot }) => (snapshot === null ? [] : [{ front, ...snapshot }]));
  const perFront = (valueOf: (front: (typeof published)[number]) => number): Sample[] =>
    published.map((front) => [{ front: front.front }, valueOf(front)]);
  return metricsText(TREE_METRICS, {
    playbill_release_info:
      release === null ? [] : [[{ release: release.id, tool: release.tool, tzdata: release.tzdata }, 1]],
    playbill_release_now_timestamp_seconds: release === null ? [] : [[{}, secondsOf(release.now)]],
    playbill_release_horizon_seconds: release === null ? [] : [[{}, release.horizonSeconds]],
    playbill_history_releases: [[{}, history.releases]],
    playbill_history_bytes: [[{}, history.bytes]],
    playbill_stale: [[{}, Number(isStale)]],
    playbill_rollback_hold: [[{}, Number(hold !== null)]],
    playbill_keys_lost: [[{}, Number(areKeysLost(findings))]],
    playbill_front_stale_from_timestamp_seconds: fronts.map(({ front, snapshot }) => [
      { front },
      snapshot === null ? 0 : secondsOf(snapshot.staleFrom),
    ]),
    playbill_front_now_timestamp_seconds: perFront(({ now }) => secondsOf(now)),
    playbill_front_valid_until_timestamp_seconds: perFront(({ validUntil }) => secondsOf(validUntil)),
    playbill_front_age_seconds: perFront(({ ageSeconds }) => ageSeconds),
    playbill_front_remaining_seconds: perFront(({ remainingSeconds }) => remainingSeconds),
    playbill_front_cards: published.flatMap(({ front, cards }) => (cards === null ? [] : [[{ front }, cards]])),
    playbill_front_editions: published.flatMap(({ front, editions }) =>
      Object.entries(editions).map(([endpoint, count]): Sample => [{ front, endpoint }, count]),
    ),
    playbill_front_dropped: published.flatMap(({ front, dropped }) =>
      Object.entries(dropped).map(([reason, count]): Sample => [{ front, reason }, count]),
    ),
    playbill_front_left_out: published.flatMap(({ front, leftOut }) => [
      [{ front, kind: 'products' }, leftOut?.products ?? 0],
      [{ front, kind: 'sessions' }, leftOut?.sessions ?? 0],
    ]),
    playbill_front_valid_keys: Object.entries(validKeys).map(([front, count]) => [{ front }, count]),
    playbill_front_held: published.flatMap(({ front, held }) => (held === null ? [] : [[{ front, reason: held }, 1]])),
  });
}

/**
 * Whether edges refuse every request to every front. Not for a key ring that never had a key, which
 * is a warning.
 */
export function areKeysLost(findings: StatusResultJson['findings']): boolean {
  return findings.some(
    ({ code, severity }) => severity === 'error' && (code === 'no-valid-key' || code === 'key-ring-invalid'),
  );
}

/**
 * The metrics of a build. `endedAt` is in seconds since 1970. A failed run keeps the last success
 * of `before`, the previous text.
 */
export function buildMetrics(
  { exitCode, findings, isOnPublishFailed, requests, editions, endedAt }: BuildEnd & { readonly endedAt: number },
  durations: ReadonlyMap<string, number>,
  before: string,
): string {
  const earlier = Number(LAST_SUCCESS.exec(before)?.[1] ?? 0);
  const seconds = Math.floor(endedAt);
  const isSuccess = exitCode === EXIT.done || exitCode === EXIT.rowsLeftOut;
  return metricsText(BUILD_METRICS, {
    playbill_build_last_run_timestamp_seconds: [[{}, seconds]],
    playbill_build_last_success_timestamp_seconds: [[{}, isSuccess ? Math.max(seconds, earlier) : earlier]],
    playbill_build_exit_code: [[{}, exitCode]],
    playbill_build_findings: findings === null ? [] : [[{}, findings]],
    playbill_build_on_publish_failed: [[{}, Number(isOnPublishFailed)]],
    playbill_build_duration_seconds: [...durations].map(([phase, taken]) => [{ phase }, Number(taken.toFixed(3))]),
    playbill_build_editions: Object.entries(editions ?? {}).map(([action, count]) => [{ action }, Number(count)]),
    playbill_build_bucket_requests:
      requests === null
        ? []
        : [
            [{ method: 'put' }, requests.puts],
            [{ method: 'get' }, requests.gets],
            [{ method: 'list' }, requests.lists],
            [{ method: 'delete' }, requests.deletes],
          ],
    playbill_build_bucket_retries: requests === null ? [] : [[{}, requests.retries]],
    playbill_build_bucket_sent_bytes: requests === null ? [] : [[{}, requests.bytesSent]],
  });
}

/** The metrics of a build in an earlier text. `status` copies them unchanged. */
export function buildMetricsOf(before: string): string {
  const lines = before.split('\n').filter((line) => /^(# (HELP|TYPE) )?playbill_build_/.test(line));
  return lines.map((line) => `${line}\n`).join('');
}

/** Prometheus text format, version 0.0.4. A metric without a sample is left out. */
function metricsText<Name extends string>(
  helps: Readonly<Record<Name, string>>,
  samples: Readonly<Record<NoInfer<Name>, readonly Sample[]>>,
): string {
  return (Object.entries(helps) as [Name, string][])
    .filter(([name]) => samples[name].length > 0)
    .map(([name, help]) => {
      const lines = samples[name].map(([labels, value]) => `${name}${labelsText(labels)} ${value}\n`);
      return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
    })
    .join('');
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}

function secondsOf(instant: string): number {
  return parseInstant(instant) ?? 0;
}
