// Generates the reference in src/cli/README.md: commands with their options, exit codes, error
// codes, finding codes, metrics.

import type { Command, Option } from 'commander';
import { EXIT } from '../src/cli/exit-codes.ts';
import { buildMetrics, treeMetrics } from '../src/cli/output/prometheus.ts';
import { ALL_SETTINGS, type Setting } from '../src/cli/settings/settings.ts';
import { EDGE_CHECKS } from '../src/edge-check/checks.ts';
import { ERRORS } from '../src/errors.ts';
import { FINDINGS } from '../src/findings.ts';
import {
  commandsOf,
  emptyContext,
  EXIT_MEANINGS,
  hasAllSettings,
  operandsOf,
  optionsOf,
  optionText,
  sentence,
} from './commands.ts';

/** The reference as markdown. */
export function referenceText(): string {
  const commands = commandsOf(emptyContext());
  const shared = sharedOptions(commands.flatMap(({ command }) => optionsOf(command)));
  return `${[
    '## Commands',
    'Results go to stdout, progress and messages to stderr. `--json` prints results for programs. `playbill <command> --help` has examples.',
    '### Options of many commands',
    table(['option', 'means'], [...shared].map(optionRow)),
    ...commands.map(({ words, command }) => commandText(words, command, shared)),
    '## Settings',
    'What `playbill.json` may hold. A dot means a group: `{ "guards": { "maxShrink": "20%" } }`.',
    table(['key', 'flag', 'default', 'for example', 'means'], ALL_SETTINGS.map(settingRow)),
    '## Exit codes',
    table(
      ['code', 'means'],
      Object.entries(EXIT).map(([name, code]) => [`**${code}**`, EXIT_MEANINGS[name as keyof typeof EXIT]]),
    ),
    '3 outranks 4, and 4 outranks 7. A run that Ctrl-C or another signal ends says nothing, and its code is 128 and the number of the signal (130); what is published stays whole, and the next run goes on. Warnings exit 0. Once something below `public/`, `edge/` or `releases/` was written, an error that would exit 2 exits 6.',
    '## Error codes',
    'An error ends a command. Its message says what was expected, what was found and where; its hint, what to type.',
    table(
      ['code', 'exit', 'when'],
      Object.entries(ERRORS).map(([code, { exit, meaning }]) => [`\`${code}\``, String(exit), meaning]),
    ),
    '## Finding codes',
    'Findings are collected, all in one run. An *error* in the catalogue holds back the fronts that it concerns; in a tree it makes `verify`\nexit 1.',
    table(
      ['code', 'means'],
      Object.entries(FINDINGS).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
    '## Checks of an edge',
    '`playbill edge check` prints a row for each, and what to do where the edge differs.',
    table(
      ['check', 'finds'],
      Object.entries(EDGE_CHECKS).map(([name, finds]) => [`\`${name}\``, finds]),
    ),
    '## Metrics',
    '`build --prometheus` and `status --prometheus` write these metrics in the Prometheus text format; all are gauges. A metric without a value is\nleft out: a front whose pointer is broken has only `playbill_front_stale_from_timestamp_seconds`.',
    table(['metric', 'labels', 'says'], metricRows()),
  ].join('\n\n')}\n`;
}

/** How many commands must have an option in the same words for it to stand in one place. */
const SHARED_BY = 5;

/** Options, by their flags and text, that many commands have in the same words. */
function sharedOptions(options: readonly Option[]): ReadonlyMap<string, string> {
  const counts = new Map<string, { readonly row: readonly [flags: string, text: string]; count: number }>();
  for (const option of options) {
    const row = [option.flags, optionText(option, asCode)] as const;
    const counted = counts.get(row.join(' ')) ?? { row, count: 0 };
    counts.set(row.join(' '), { row, count: counted.count + 1 });
  }
  return new Map([...counts.values()].filter(({ count }) => count >= SHARED_BY).map(({ row }) => row));
}

const optionRow = ([flags, text]: readonly [flags: string, text: string]): string[] => [
  `\`${cell(flags)}\``,
  cell(text),
];

function commandText(words: readonly string[], command: Command, shared: ReadonlyMap<string, string>): string {
  const isShared = (option: Option): boolean => shared.get(option.flags) === optionText(option, asCode);
  const shown = optionsOf(command);
  const rows = [
    ...operandsOf(command).map(([name, description]) => [`\`${name}\``, cell(description)]),
    ...shown
      .filter((option) => !isShared(option))
      .map((option) => optionRow([option.flags, optionText(option, asCode)])),
  ];
  const others = shown.filter(isShared).map(({ flags }) => `\`${flags}\``);
  return [
    `### \`${words.join(' ')}\``,
    sentence(command.summary()),
    ...(rows.length > 0 ? [table(['argument', 'means'], rows)] : []),
    ...(hasAllSettings(command) ? ['It takes the flags of all [settings](#settings).'] : []),
    ...(others.length > 0 ? [`${rows.length > 0 ? 'Also' : 'It takes'} ${others.join(', ')}.`] : []),
  ].join('\n\n');
}

const asCode = (text: string): string => `\`${text}\``;

function settingRow({ key, term, preset, variable, example, text }: Setting): string[] {
  const means = variable === undefined ? text : `${text}; ${variable} sets it, too`;
  const shownPreset = preset === undefined || preset === '' ? '' : `\`${preset}\``;
  return [`\`${key}\``, `\`${cell(term)}\``, shownPreset, `\`${JSON.stringify(example)}\``, cell(means)];
}

/**
 * Name, labels and help of every metric, taken from the output for a tree and a build that have all
 * of them.
 */
function metricRows(): string[][] {
  const at = '2026-05-01T09:00:00Z';
  const snapshot = {
    now: at,
    validUntil: at,
    staleFrom: at,
    ageSeconds: 0,
    remainingSeconds: 0,
    cards: 0,
    editions: { products: 1, categories: 1 },
    dropped: { over: 1 },
    leftOut: null,
    held: 'findings' as const,
  };
  const release = { id: '0123456789abcdef', now: at, horizonSeconds: 0, tool: '1', tzdata: '1' };
  const fronts = [{ front: 'moscow', stale: null, snapshot }];
  const requests = { puts: 0, gets: 0, lists: 0, deletes: 0, retries: 0, bytesSent: 0 };
  const editions = { rendered: 0, kept: 0, written: 0 };
  const end = { exitCode: 0, findings: 0, isOnPublishFailed: false, requests, editions, held: [], endedAt: 0 };
  const written =
    treeMetrics({
      at,
      isStale: false,
      hold: null,
      heldFronts: {},
      release,
      history: { releases: 0, files: 0, bytes: 0 },
      fronts,
      validKeys: { moscow: 1 },
      findings: [],
    }) + buildMetrics(end, new Map([['read', 0]]), '');
  return [...written.matchAll(/^# HELP (\S+) (.*)\n# TYPE .*\n\S+?(?:\{(.*)\})? /gm)].map(
    ([, name = '', help = '', labels = '']) => [
      `\`${name}\``,
      [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => `\`${label}\``).join(', '),
      cell(help.replace(/\.$/, '')),
    ],
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`);
}
