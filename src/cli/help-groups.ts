// Under which heading a long --help lists each option. What is in no group is what its command is
// about, and comes under the parser's own heading, Options.

import { Option, type Command } from 'commander';

export const GROUPS = {
  'Source:': ['db', 'front', 'now', 'at', 'read-timeout', 'shard', 'run', 'shards', 'wait', 'snapshot'],
  'Tree:': ['out', 's3-virtual-hosts', 'horizon', 'precompress', 'dry-run'],
  'History:': ['keep-last', 'keep-hourly', 'keep-daily', 'grace', 'no-prune'],
  'Guards:': ['allow', 'force', 'max-shrink', 'max-bad'],
  'Hooks:': ['on-publish', 'on-failure', 'on-change'].flatMap((name) => [name, `${name}-timeout`, `${name}-token-env`]),
  'Server:': ['listen', 'server-name', 'certificate', 'certificate-key', 'proxy', 'authorizer', 'host', 'port'],
  'Origin:': ['public-root', 'key-ring', 'origin', 'origin-endpoint', 'origin-region', 'encodings'],
  'Output:': ['prometheus', 'strict', 'pretty', 'json', 'quiet', 'log-format', 'config'],
};

/** A help with fewer options is read as a whole. */
const LONG = 12;

const HEADINGS = new Map<string, string>(
  Object.entries(GROUPS).flatMap(([heading, names]) => names.map((name) => [`--${name}`, heading] as const)),
);

/** Groups the options of a command that has many; all must be declared. */
export function groupOptions(command: Command): void {
  if (command.options.length < LONG) return;
  for (const option of command.options) {
    const heading = HEADINGS.get(option.long ?? '');
    if (heading !== undefined) option.helpGroup(heading);
  }
  command.addHelpOption(new Option('-h, --help', 'display help for command').helpGroup('Output:'));
}
