// Generates the reference in src/cli/README.md: commands with their options, exit codes, error codes, finding codes, metrics. Only the meanings of
// codes are written here, everything else comes from the code. A code without a meaning does not compile.

import type { Command, Option } from 'commander';
import { EXIT } from '../src/cli/exit-codes.ts';
import { buildMetrics, treeMetrics } from '../src/cli/output/prometheus.ts';
import { ERROR_EXIT_CODES, type ErrorCode } from '../src/errors.ts';
import type { FindingCode } from '../src/findings.ts';
import { commandsOf, testContext } from '../test/support/cli/parser.ts';

const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done, or nothing to do',
  findings: 'findings, differences, or a stale front',
  usage: 'wrong usage or unreadable input; nothing of a tree was written',
  someFailed: 'some fronts failed; the others are published',
  guarded: 'a guard held back at least one front, or a whole import; or a rollback holds the tree',
  locked: 'another run holds the lock',
  notWritten: 'the tree could not be written, or only in part; what is published stays intact',
  bug: 'a bug in Playbill; the stack is printed',
  tryAgain:
    'another attempt may succeed: the database or the store is busy or does not answer; what is published stays intact',
};

const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  usage: 'an unknown or missing command, option or argument',
  'instant-invalid': 'an instant that is not a date and time with `Z` or an offset',
  'duration-invalid': 'a duration not written like `6h`, `90m`, `1h30m` or `0`',
  'percentage-invalid': 'a percentage not written like `50%`',
  'front-unknown': '`--front` names no active front',
  'key-unknown': '`keys revoke`: no key has this keyid',
  'key-exists': '`keys issue`: the keyid is taken',
  'key-invalid': 'the key lacks something that its algorithm needs, or has something that it does not take',
  'key-file-unreadable':
    '`--key` of `sign`, `edge check` and `status`: not a file that `keys issue` has written or printed',
  'key-file-exists': '`keys issue --to`: the file exists',
  'key-file-not-writable': '`keys issue --to`: the file cannot be created; no key was stored',
  'address-refused': '`serve --unsigned` or `preview` on an address that other machines can reach',
  'address-in-use': '`serve` or `preview`: the address is in use, or not one of this machine',
  'edge-option-invalid': 'an option of the edge rule that cannot work',
  'edge-bundle-missing': 'the installation lacks the bundles of the edge rule',
  'edge-unreachable': '`edge check`: no response from the edge: wrong name or port, invalid certificate, or a timeout',
  'page-bundle-missing': 'the installation lacks the page of `preview`',
  'driver-unusable': 'the SQLite driver is missing, damaged, or built for another machine',
  'database-missing': 'no file at `--db`, or no database of that name on the server',
  'database-unreadable': 'not an SQLite database, a damaged one, or no permission',
  'database-timeout': 'the catalogue was not read within `--read-timeout`; what is published stands',
  'database-busy':
    'another process is writing to the database, a table was replaced while it was read, or the server broke off; a build tries once more, and the next run again',
  'database-unreachable':
    'no PostgreSQL server answers at `--db`, its certificate is not trusted, or the connection was lost',
  'database-row-security':
    'a policy in PostgreSQL may hide rows from this user: which is to be seen, all or these, is for the address to say',
  'database-exists': 'a database exists already at the path for a new one',
  'database-not-writable': 'the database cannot be written',
  'contract-table-missing': 'the catalogue lacks a table',
  'contract-column-missing': 'a table lacks a column',
  'contract-column-type': 'a column is declared with a type that cannot hold its values',
  'import-line-invalid': 'a line that is not `{"table":…,"row":{…}}`',
  'import-row-invalid': 'a value that its column does not accept',
  'import-row-refused': 'the database refuses a row: its key exists, or a foreign key refers to no row',
  'import-file-unreadable': 'a file to import that cannot be read',
  'import-empty': 'a new catalogue would get no row: the command that writes the rows has probably failed',
  'import-shrinks': '`import --mirror`: more rows of a table would go than `--max-shrink` allows; nothing is changed',
  'export-value-unprintable': 'a value that JSON cannot represent',
  'snapshot-unknown': '`--snapshot` names no snapshot that is held',
  'run-differs':
    'a shard, or `finish`, with another `--now`, `--shards`, version or option than the run that `--run` names',
  'run-missing': '`finish`: no shard of the run has left a result',
  'run-damaged': 'a file below `runs/` that cannot be read',
  'run-state-differs': 'shards of one run that were rendered from different states of the catalogue',
  'tree-missing': 'no tree at `--out`',
  'tree-unreadable': 'a file of the tree cannot be read',
  'tree-newer-schema': 'a newer version of Playbill wrote the tree',
  'tree-locked': 'another run is writing the tree; for `keys`, it has been changing the key ring for ten seconds',
  'tree-not-writable': '`--out` is a file, read-only, or owned by someone else',
  'tree-full': 'no space left; what is published stays intact',
  'bucket-missing': 'no such bucket at `AWS_ENDPOINT_URL`, or at Amazon if that is not set',
  'region-missing': 'neither a region nor an endpoint is set',
  'region-wrong': 'the bucket is in another region',
  'credentials-missing': 'no credentials where S3 tools look for them',
  'credentials-refused': 'credentials that are unknown, wrong or expired',
  'clock-skewed': "this machine's clock differs too much from that of the store",
  'store-unreachable': 'no response from the store, or from the service that gives credentials',
  'store-busy': 'the store answered every attempt with an error of its own: too many requests, or an internal error',
  'store-unusable': 'the server at the endpoint is not an S3 store',
  'store-not-conditional': 'a store that ignores conditional writes: a tree in it could lose a release',
  'nothing-published': '`show`: the front, or an edition for this instant, is not published',
  'on-publish-invalid': '`--on-publish` with a URL that cannot be called',
  'on-change-invalid': '`--on-change` with a URL that cannot be called',
  'metrics-not-writable': '`--prometheus` names a file that cannot be replaced, or that Playbill did not write',
  'output-not-writable':
    'standard output is full or failed: the result is cut off; 6 of a command that writes, whose work stands',
  'release-unknown': 'a release that the tree does not keep, or the beginning of several ids',
  'product-unknown': '`explain --product` names no product of the catalogue',
  'release-damaged': 'a manifest does not match its name, or a file of the release to go back to is missing or damaged',
};

const FINDING_MEANINGS: Readonly<Record<FindingCode, string>> = {
  'table-missing': '`check-db`: the catalogue lacks a table',
  'column-missing': '`check-db`: a table lacks a column',
  'column-type-wrong': '`check-db`: a column is declared with a type that cannot hold its values',
  'value-invalid': 'a value that its column does not accept',
  'dangling-id': 'an id that refers to no row',
  'duplicate-key': 'a key or slug that occurs twice',
  'zone-unknown': 'a time zone that the runtime does not know, or an offset instead of a zone',
  'zone-rules-differ':
    "warning: the server's zone rules are not those of this runtime, so a view that converts times moves some of them",
  'zone-drift': "warning: the wall time on the ticket differs from the one that today's zone rules give",
  'wall-time-skipped':
    "`starts_local` without `starts_at` is a time that does not exist, because the venue's clocks are put forward",
  'wall-time-repeated':
    'warning: `starts_local` without `starts_at` is a time that occurs twice, because clocks are set back; the earlier one is used',
  'year-unprintable': 'a session whose wall time lies outside the years 0000 to 9999',
  'key-material-wrong': 'a key without exactly what its algorithm needs',
  'keys-revived': 'warning: a key that is revoked in the key ring, and not in the catalogue; it stays revoked',
  'no-public-tier': 'warning: a session whose own ticket tiers are all private',
  'whole-unit-prices': '`check-db`: warning: more than half of the ticket prices in a currency look like whole units',
  'front-empty': '`check-db`: warning: an active front lists no product',
  'currency-unused':
    '`check-db`: warning: no product of an active front has a ticket tier in its currency, though some have tiers',
  'journal-mode-not-wal': 'warning: a long build blocks writers of the database',
  'pointer-missing': 'a front with editions but no pointer',
  'pointer-invalid': 'a pointer that cannot be read or contradicts itself',
  'manifest-invalid': 'a manifest that cannot be read, or contradicts itself or its name',
  'current-invalid': '`releases/current` names no release',
  'key-ring-invalid': 'the key ring cannot be read',
  'no-valid-key':
    'no published front has a valid key, though the key ring has keys; warning: a front has none, or the key ring has none at all',
  'file-missing': 'a file that a pointer or manifest names is missing',
  'file-size-wrong': 'a file whose size is not the one it was published with',
  'file-digest-wrong': 'content does not match the digest in the file name',
  'document-invalid': 'an edition that does not match its schema, or is not canonical JSON',
  'edition-order': 'entries of a pointer out of order',
  'edition-repeated': 'two consecutive editions with the same content',
  'slot-date-wrong': "a card's session for today, tomorrow or the weekend on another date than its edition's",
  'pointer-not-current':
    'a pointer differs from the current release: a publish was interrupted, or the file was changed by hand',
  stranger: 'warning: an unexpected file',
  'temporary-name': 'warning: a temporary file of an interrupted run; the next run removes it',
  'file-kind-wrong': 'a folder or a link where a file belongs',
  'file-not-writable': '`build`: files of a front that a bucket does not allow to be written; the front is held back',
  'shard-missing': '`finish`: a shard has left no result; its fronts are held back',
  'file-unreadable': 'a file that the system does not allow to be read',
  'endpoints-disagree': 'the two documents of a front show different categories at one instant',
  'weekend-unchecked': 'warning: the manifest does not say which days are the weekend',
  'secret-in-tree': 'key material that must not be in a tree',
  'tree-changed': 'the tree was published while it was being checked',
  'hold-invalid': '`releases/hold` names no kept release; the tree is held all the same',
  'hold-not-current': 'warning: a rollback was interrupted; run it again to complete it',
  'not-pruned': 'warning: `build` has published, but could not clean up afterwards',
};

/** The reference as markdown. */
export function referenceText(): string {
  const codes = Object.keys(ERROR_MEANINGS) as ErrorCode[];
  return `${[
    '## Commands',
    'Results go to stdout, progress and messages to stderr. `--json` prints results for programs. `playbill <command> --help` has examples.',
    ...commandsOf(testContext()).map(({ words, command }) => commandText(words, command)),
    '## Exit codes',
    table(
      ['code', 'means'],
      Object.entries(EXIT).map(([name, code]) => [`**${code}**`, EXIT_MEANINGS[name as keyof typeof EXIT]]),
    ),
    '3 outranks 4. Warnings exit 0. Once something below `public/`, `edge/` or `releases/` was written, an error that would exit 2 exits 6.',
    '## Error codes',
    'An error ends a command. Its message says what was expected, what was found and where; its hint, what to type.',
    table(
      ['code', 'exit', 'when'],
      codes.map((code) => [`\`${code}\``, String(ERROR_EXIT_CODES[code]), ERROR_MEANINGS[code]]),
    ),
    '## Finding codes',
    'Findings are collected, all in one run. An *error* in the catalogue holds back the fronts that it concerns; in a tree it makes `verify`\nexit 1.',
    table(
      ['code', 'means'],
      Object.entries(FINDING_MEANINGS).map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
    '## Metrics',
    '`build --prometheus` and `status --prometheus` write these metrics in the Prometheus text format; all are gauges. A metric without a value is\nleft out: a front whose pointer is broken has only `playbill_front_stale_from_timestamp_seconds`.',
    table(['metric', 'labels', 'says'], metricRows()),
  ].join('\n\n')}\n`;
}

function commandText(words: readonly string[], command: Command): string {
  const shown = command.options.filter(({ hidden }) => !hidden);
  const names = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return [argument.required ? `<${name}>` : `[${name}]`, argument.description] as const;
  });
  const rows = [
    ...names.map(([name, description]) => [`\`${name}\``, cell(description)]),
    ...shown.map((option) => [`\`${cell(option.flags)}\``, cell(optionText(option))]),
  ];
  return [`### \`${words.join(' ')}\``, sentence(command.summary()), table(['argument', 'means'], rows)].join('\n\n');
}

function optionText(option: Option): string {
  const { description, mandatory, argChoices } = option;
  const choices = argChoices === undefined ? '' : ` (${argChoices.map((choice) => `\`${choice}\``).join(', ')})`;
  const preset = defaultOf(option);
  return `${description}${choices}${mandatory ? '; required' : ''}${preset === null ? '' : ` (default: \`${preset}\`)`}`;
}

/** A default as it is typed; null if there is none to show. */
function defaultOf({ negate, defaultValue, defaultValueDescription }: Option): string | null {
  if (negate || defaultValue === undefined || defaultValue === '') return null;
  return defaultValueDescription ?? String(defaultValue);
}

/** Name, labels and help of every metric, taken from the output for a tree and a build that have all of them. */
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
    held: 'findings' as const,
  };
  const release = { id: '0123456789abcdef', now: at, horizonSeconds: 0, tool: '1', tzdata: '1' };
  const fronts = [{ front: 'moscow', stale: null, snapshot }];
  const requests = { puts: 0, gets: 0, lists: 0, deletes: 0, retries: 0, bytesSent: 0 };
  const written =
    treeMetrics({ at, isStale: false, hold: null, release, fronts, validKeys: { moscow: 1 }, findings: [] }) +
    buildMetrics({ exitCode: 0, findings: 0, isOnPublishFailed: false, requests, endedAt: 0 }, '');
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

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
