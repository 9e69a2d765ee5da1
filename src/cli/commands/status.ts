// `playbill status`: says whether every front is fresh, for people, monitors and Prometheus.

import { Option } from 'commander';
import type { StatusResultJson } from '../../contract/results/status.ts';
import type { DeepStatus } from '../../operations/status.ts';
import { EXIT, TRY_AGAIN } from '../exit-codes.ts';
import { FINDINGS_KEPT } from '../../findings.ts';
import { areKeysLost, buildMetricsOf, METRICS_HEADER, treeMetrics } from '../output/prometheus.ts';
import { heldFrontLines, holdLines } from '../output/releases.ts';
import type { ProfileName } from '../../edge/rule/profile.ts';
import { AppError } from '../../errors.ts';
import type { FrontKey } from '../../edge-check/checked-edge.ts';
import { durationArgument, edgeUrlArgument } from '../arguments.ts';
import type { CommandContext } from '../context.ts';
import { edgeChecksText } from '../output/edge-check.ts';
import { escapeLine } from '../output/escape.ts';
import { MOMENT_FORMS } from '../moment.ts';
import type { PlaybillCommand } from '../command.ts';
import { stateCell, tableText } from '../output/table.ts';
import { valueInFile } from '../settings/in-force.ts';
import { SETTINGS } from '../settings/settings.ts';
import { isAlarming } from '../../release/status/status.ts';
import { countText } from '../../count-text.ts';
import { findingText, spanText, type Terminal } from '../output/terminal.ts';

export function addStatusCommand(program: PlaybillCommand): void {
  program
    .command('status')
    .summary('print age and remaining validity of every front; exit 1 when stale')
    .description(
      'Reads the pointers and the current release, and prints how old the snapshot of every front is and how long it will stay ' +
        'right. Says first if a rollback holds the tree. A front is stale when its pointer is broken, when its snapshot is for a ' +
        'later time, when less than a quarter of the horizon is left, or when it is older than --max-age. A tree without fronts ' +
        'is stale, too. Also says which fronts have no valid key: edges refuse all their requests. Opens no database.',
    )
    .outFlag('the tree to look at')
    .instantFlag('--at', `as of another instant, ${MOMENT_FORMS} (default: the current time)`)
    .flag('--max-age <duration>', 'treat older snapshots as stale', durationArgument)
    .flag('--prometheus <file>', 'also write this textfile; the metrics of `build --prometheus` in it are kept')
    .flag(
      '--deep',
      'also check that every edition exists with the right size; in a bucket, that the store honours conditional writes',
    )
    .typedFlag<{ readonly edge?: URL | true }>(
      new Option(
        '--edge [url]',
        'also check, with every --key, whether an edge serves this tree (default: edge.url of the settings)',
      ).argParser((text: string) => edgeUrlArgument(text, '--edge')),
    )
    .flag('--key <file...>', '--edge: valid and revoked keys to try, as written by keys issue')
    .profileFlag('--edge: the signing profile that it expects')
    .setting(SETTINGS.authority, '--edge: leave @authority out of signatures, for an edge built with --no-authority')
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill status                                       a table
  playbill status --max-age 30m                         for an alert, if builds run every few minutes
  playbill status --prometheus /var/lib/node_exporter/playbill.prom > /dev/null
  playbill status --deep --out s3://shop/tree           once a day: builds do not check this
  playbill status --edge https://cdn.example --key moscow.key.json

States: fresh; expiring: less than a quarter of the horizon is left; expired: it may be wrong by now; too-old: older
than --max-age; from-future: built for a later time; pointer-missing, pointer-invalid: nothing can be served (see:
playbill verify).
Age counts from the last build that published the front or found it unchanged.
A front keeps an older snapshot if the last build held it back (the reason is shown) or left it out; it is stale only
when that snapshot is. The same holds for a tree that a rollback holds: the rollback was deliberate.

In a bucket, --deep writes a few small objects below .probe and removes them.

--edge compares what can be seen from outside: that each key is accepted if and only if it is valid in the tree's key
ring, and that the front of each valid key is served as of its pointer's instant. It knows nothing of keys that you do
not pass: an edge does not list its keys. For all other checks of an edge, run: playbill edge check URL --key FILE

Exit codes: 0 every front is fresh, 1 a front is stale, none is published, all keys are lost, --deep found an error, or the edge differs or
could not be compared, 2 wrong usage, no tree, a file that cannot be written, or a store that ignores conditional
writes, ${TRY_AGAIN}.`)
    .runs(async (flags, context) => {
      const { terminal, now, processId } = context;
      const edge = edgeOf(flags, context);
      const keys = await keysFor(edge, flags.key ?? [], flags.profile, context);
      const { readDeepStatus, readStatus } = await import('../../operations/status.ts');
      const status: StatusResultJson = await readStatus(flags.out, flags.maxAge ?? null, flags.at ?? now());
      if (flags.deep === true) status.deep = deepJson(await readDeepStatus(flags.out));
      if (edge !== undefined) {
        const { compareEdge } = await import('../../operations/edge/check.ts');
        const address = {
          url: edge,
          profile: flags.profile,
          coversAuthority: flags.authority,
          timeoutSeconds: EDGE_TIMEOUT_SECONDS,
          clock: context.clock,
        };
        status.edge = { url: edge.href, checks: [...(await compareEdge(flags.out, address, keys))] };
      }
      if (flags.prometheus !== undefined) {
        const { readReplaceableFile, replaceTextFile } = await import('../../storage/text-file.ts');
        const before = readReplaceableFile(flags.prometheus, METRICS_HEADER);
        replaceTextFile(flags.prometheus, treeMetrics(status) + buildMetricsOf(before), processId);
      }
      terminal.print(flags.json === true ? JSON.stringify(status) : statusText(status, terminal));
      const isEdgeRight = status.edge?.checks.every(({ state }) => state === 'ok') ?? true;
      return isAlarming(status) || (status.deep?.errors ?? 0) > 0 || !isEdgeRight ? EXIT.findings : EXIT.done;
    });
}

function deepJson({ conditions, checked, findings }: DeepStatus): NonNullable<StatusResultJson['deep']> {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const kept = findings.slice(0, FINDINGS_KEPT);
  return { conditions, checked: { ...checked }, errors, warnings: findings.length - errors, findings: kept };
}

/** The edge to check: named, or that of the settings, if --edge or --key asks for it. */
function edgeOf(
  { edge, key }: { readonly edge?: URL | true; readonly key?: readonly string[] },
  { settings }: CommandContext,
): URL | undefined {
  if (typeof edge === 'object') return edge;
  const url = valueInFile(SETTINGS.url, settings);
  if (edge === true && url === undefined) {
    const hint = 'for example --edge https://cdn.example, or "url" in "edge" of playbill.json';
    throw new AppError('usage', '--edge: expected a URL, found none', hint);
  }
  return edge === true || key !== undefined ? url : undefined;
}

/** The time limit for each response of an edge. */
const EDGE_TIMEOUT_SECONDS = 10;

/**
 * Reads the keys to try at the edge; refuses --edge without --key, and the reverse.
 * @throws AppError usage, key-file-unreadable, key-invalid
 */
async function keysFor(
  edge: URL | undefined,
  files: readonly string[],
  profile: ProfileName,
  context: CommandContext,
): Promise<readonly FrontKey[]> {
  if ((edge === undefined) !== (files.length === 0)) {
    const found = edge === undefined ? '--key alone' : '--edge alone: an edge does not say which keys it has';
    const hint = 'for example --edge https://cdn.example --key FILE';
    throw new AppError('usage', `expected --edge with at least one --key, found ${found}`, hint);
  }
  const { frontKeyFrom } = await import('../key-file.ts');
  const keys: FrontKey[] = [];
  for (const file of files) keys.push(await frontKeyFrom(file, context, profile));
  return keys;
}

function edgeLines({ url, checks }: NonNullable<StatusResultJson['edge']>, terminal: Terminal): string[] {
  const right = checks.filter(({ state }) => state === 'ok').length;
  const tried = countText(checks.filter(({ check }) => check.startsWith('key ')).length, 'key');
  const isAnyDifferent = checks.some(({ state }) => state === 'differs');
  const verb = isAnyDifferent ? 'differs from' : right === checks.length ? 'matches' : 'could not be compared with';
  return [
    '',
    edgeChecksText(checks, terminal),
    '',
    `Edge ${escapeLine(url)} ${verb} the tree: ${right} of ${countText(checks.length, 'check')} ok (${tried} tried)`,
  ];
}

function statusText(
  { at, hold, heldFronts, release, fronts, findings, deep, edge }: StatusResultJson,
  terminal: Terminal,
): string {
  const lines: string[] = [];
  if (hold !== null) lines.push(...holdLines(hold.release, release?.id ?? null, terminal), '');
  if (Object.keys(heldFronts).length > 0) lines.push(...heldFrontLines(heldFronts), '');
  if (fronts.length > 0) lines.push(frontTable(fronts, terminal), '');
  for (const finding of findings) lines.push(findingText(finding, terminal));
  const current = release === null ? 'no current release' : `release ${release.id} of ${release.now}`;
  if (fronts.length === 0) {
    lines.push(`No front is published as of ${at}; ${current}`, '  hint: publish with: playbill build');
  } else {
    const stale = fronts.filter((front) => front.stale !== null).length;
    const keeping = fronts.filter(({ snapshot }) => (snapshot?.held ?? null) !== null).length;
    const keepingText =
      keeping === 0 ? '' : `, ${countText(keeping, 'keeps an older snapshot', 'keep older snapshots')}`;
    const verdict = stale === 0 ? 'all fresh' : `${stale} stale`;
    const keysText = areKeysLost(findings) ? ', but no front has a usable key' : '';
    lines.push(`${countText(fronts.length, 'front')} as of ${at}: ${verdict}${keepingText}${keysText}`, current);
  }
  if (deep !== undefined) lines.push(...deepLines(deep, terminal));
  if (edge !== undefined) lines.push(...edgeLines(edge, terminal));
  return lines.join('\n');
}

function deepLines(deep: NonNullable<StatusResultJson['deep']>, terminal: Terminal): string[] {
  const { conditions, checked, errors, warnings, findings } = deep;
  const editions = countText(checked['editions'] ?? 0, 'edition file');
  const found = `${countText(errors, 'error')}, ${countText(warnings, 'warning')}`;
  return [
    ...findings.map((finding) => findingText(finding, terminal)),
    `deep: ${editions} checked by name and size, none read: ${found}`,
    ...(conditions === null ? [] : ['deep: the store honours conditional writes']),
  ];
}

/** States in which a snapshot is still right. */
const WARNINGS: readonly string[] = ['expiring', 'too-old'];

function frontTable(fronts: StatusResultJson['fronts'], terminal: Terminal): string {
  const header = ['front', 'age', 'right for', 'cards', 'editions', 'state'];
  const rows = fronts.map(({ front, stale, snapshot }) => [
    front,
    snapshot === null ? '-' : `${snapshot.ageSeconds < 0 ? 'in ' : ''}${spanText(Math.abs(snapshot.ageSeconds))}`,
    snapshot === null ? '-' : `${snapshot.remainingSeconds < 0 ? 'ended ' : ''}${spanText(snapshot.remainingSeconds)}`,
    String(snapshot?.cards ?? '-'),
    snapshot === null ? '-' : `${snapshot.editions.products}+${snapshot.editions.categories}`,
    stateCell(stale ?? 'fresh', stale === null ? 'good' : WARNINGS.includes(stale) ? 'warning' : 'bad', terminal),
  ]);
  const helds = fronts.map(({ snapshot }) => snapshot?.held ?? null);
  const notes = helds.map((held) => (held === null ? '' : `  keeps an older snapshot: ${held}`));
  return tableText(header, rows, terminal, notes);
}
