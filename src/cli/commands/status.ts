// `playbill status`: whether storefronts are kept fresh, for a person, a monitor and Prometheus.

import type { StatusResultJson } from '../../contract/watch-results.ts';
import type { DeepStatus } from '../../operations/status.ts';
import { EXIT } from '../exit-codes.ts';
import { FINDINGS_KEPT } from '../output/findings.ts';
import { buildMetricsOf, METRICS_HEADER, treeMetrics } from '../output/prometheus.ts';
import { holdLines } from '../output/releases.ts';
import { PROFILE_NAMES, type ProfileName } from '../../edge/rule/profile.ts';
import { AppError } from '../../errors.ts';
import type { FrontKey } from '../../edge-check/checked-edge.ts';
import { durationArgument, edgeUrlArgument } from '../arguments.ts';
import type { CommandContext } from '../context.ts';
import { edgeChecksText } from '../output/edge-check.ts';
import { escapeLine } from '../output/escape.ts';
import type { PlaybillCommand } from '../command.ts';
import { stateCell, tableText } from '../output/table.ts';
import { countText, findingText, spanText, type Terminal } from '../output/terminal.ts';

export function addStatusCommand(program: PlaybillCommand): void {
  program
    .command('status')
    .summary('age and remaining validity of every front; exit 1 when stale')
    .description(
      'Reads the pointers and the current release, and says of every front how old its snapshot is and how long it will stay ' +
        'right; and first of all whether a rollback holds the tree. A front is stale when its pointer is broken, when its snapshot ' +
        'is for a later time, when less than a quarter of the horizon is left, or when it is older than --max-age; so is a tree with ' +
        'no front at all. Opens no database.',
    )
    .outFlag('the tree to look at')
    .instantFlag('--at', 'as of another instant (default: the current time)')
    .flag('--max-age <duration>', 'older snapshots are stale', durationArgument)
    .flag('--prometheus <file>', 'also replace this textfile; what `build --prometheus` put there stays')
    .flag('--deep', 'also look for every edition by name and size; in a bucket, ask whether the store keeps conditions')
    .flag('--edge <url>', 'also ask an edge whether it goes by this tree, with each --key', edgeUrlArgument)
    .flag('--key <file...>', '--edge: keys to try, valid and revoked ones, as keys issue wrote them')
    .presetFlag('--profile <name>', '--edge: how it wants requests signed', PROFILE_NAMES[0], PROFILE_NAMES)
    .flag('--no-authority', '--edge: leave @authority out of signatures, where the edge was built so')
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill status                                       a table
  playbill status --max-age 30m                         for a check that wakes somebody: builds come every few minutes
  playbill status --prometheus /var/lib/node_exporter/playbill.prom > /dev/null
  playbill status --deep --out s3://shop/tree           once a day: what each build takes for granted
  playbill status --edge https://cdn.example --key moscow.key.json

States: fresh; expiring: less than a quarter of the horizon is left; expired: it may be wrong by now; too-old: older
than --max-age; from-future: made for a later time; pointer-missing, pointer-invalid: nothing can be served (see:
playbill verify).
Ages count from the last build that published a front, or found that nothing was to be published.
A front keeps an older snapshot when the last build held it back, for the reason that is named, or passed it over; it is
stale only when that snapshot is. So is a tree that a rollback holds: going back is deliberate.

--deep needs to write into a bucket: it makes a few small objects below .probe, and removes them.

--edge compares what can be seen from outside: each key is accepted if and only if it is valid by the key ring of the
tree, and the front of each valid key is as of the instant that its pointer has. An edge does not say which keys it
has: of a key that is not given nothing is known. All else about an edge is for: playbill edge check URL --key FILE

Exit codes: 0 every front is fresh, 1 one is stale or none is published, --deep found an error, or the edge differs or
could not be compared, 2 wrong usage, no tree, a file that cannot be written, or a store that does not keep conditions.`)
    .runs(async (flags, context) => {
      const { terminal, now, processId } = context;
      const keys = await keysFor(flags.edge, flags.key ?? [], flags.profile, context);
      const { readDeepStatus, readStatus } = await import('../../operations/status.ts');
      const status: StatusResultJson = await readStatus(flags.out, flags.maxAge ?? null, flags.at ?? now());
      if (flags.deep === true) status.deep = deepJson(await readDeepStatus(flags.out));
      if (flags.edge !== undefined) {
        const { compareEdge } = await import('../../operations/edge/check.ts');
        const address = {
          url: flags.edge,
          profile: flags.profile,
          coversAuthority: flags.authority,
          timeoutSeconds: EDGE_TIMEOUT,
          clock: context.clock,
        };
        status.edge = { url: flags.edge.href, checks: [...(await compareEdge(flags.out, address, keys))] };
      }
      if (flags.prometheus !== undefined) {
        const { readReplaceableFile, replaceTextFile } = await import('../../storage/text-file.ts');
        const before = readReplaceableFile(flags.prometheus, METRICS_HEADER);
        replaceTextFile(flags.prometheus, treeMetrics(status) + buildMetricsOf(before), processId);
      }
      terminal.print(flags.json === true ? JSON.stringify(status) : statusText(status, terminal));
      const isEdgeRight = status.edge?.checks.every(({ state }) => state === 'ok') ?? true;
      return status.isStale || (status.deep?.errors ?? 0) > 0 || !isEdgeRight ? EXIT.findings : EXIT.done;
    });
}

function deepJson({ conditions, checked, findings }: DeepStatus): NonNullable<StatusResultJson['deep']> {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const kept = findings.slice(0, FINDINGS_KEPT);
  return { conditions, checked: { ...checked }, errors, warnings: findings.length - errors, findings: kept };
}

/** How long an edge may take for an answer, in seconds. */
const EDGE_TIMEOUT = 10;

/** The keys that are tried at an edge, before anything is read. @throws AppError usage, key-file-unreadable, key-invalid */
async function keysFor(
  edge: URL | undefined,
  files: readonly string[],
  profile: ProfileName,
  context: CommandContext,
): Promise<readonly FrontKey[]> {
  if ((edge === undefined) !== (files.length === 0)) {
    const found = edge === undefined ? '--key alone' : '--edge alone: an edge does not say which keys it has';
    const hint = 'type it as --edge https://cdn.example --key FILE';
    throw new AppError('usage', `expected --edge with at least one --key, found ${found}`, hint);
  }
  const { frontKeyFrom } = await import('../key-file.ts');
  const keys: FrontKey[] = [];
  for (const file of files) keys.push(await frontKeyFrom(file, context, profile));
  return keys;
}

function edgeLines({ url, checks }: NonNullable<StatusResultJson['edge']>, terminal: Terminal): string[] {
  const right = checks.filter(({ state }) => state === 'ok').length;
  const keys = countText(checks.filter(({ check }) => check.startsWith('key ')).length, 'key');
  return [
    '',
    edgeChecksText(checks, terminal),
    '',
    `edge ${escapeLine(url)}, as far as ${keys} can show: ${right} of ${countText(checks.length, 'row')} as the tree has it`,
  ];
}

function statusText({ at, hold, release, fronts, findings, deep, edge }: StatusResultJson, terminal: Terminal): string {
  const lines: string[] = [];
  if (hold !== null) lines.push(...holdLines(hold.release, release?.id ?? null, terminal), '');
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
    lines.push(`${countText(fronts.length, 'front')} as of ${at}: ${verdict}${keepingText}`, current);
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
    `deep: ${editions} looked for by name and size, none read: ${found}`,
    ...(conditions === null ? [] : ['deep: the store honours conditional writes']),
  ];
}

/** Before the end of its time a snapshot is right still. */
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
  return tableText(header, rows, notes);
}
