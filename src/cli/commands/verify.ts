// `playbill verify`: everything that is wrong with a tree, one finding a line, printed front by front.

import type { Command } from 'commander';
import type { Finding } from '../../findings.ts';
import type { FindingsResultJson } from '../../contract/results.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandContext } from '../context.ts';
import { printAll } from '../output/stdout.ts';
import { bytesText, countText, findingText, type Progress, type Terminal } from '../output/terminal.ts';

interface VerifyFlags {
  readonly out: string;
  readonly json?: true;
}

// A tree whose disk is failing has findings without end: under --json enough are kept to see what is wrong.
const FINDINGS_KEPT = 1000;

export function addVerifyCommand(program: Command, context: CommandContext): void {
  program
    .command('verify')
    .summary('check a tree without the database: digests, schemas, pointers, dates, strangers')
    .description(
      'Reads every file of a tree and derives again what can be derived from the files alone: digests and sizes, schemas and ' +
        'canonical form, the order of editions, references inside documents, the dates inside cards against the time at which ' +
        'each edition is in force, what releases list, the key ring. Prints one finding a line: severity, code, path, what was ' +
        'expected and found. Writes nothing, follows no link, and opens no database.',
    )
    .option('--out <folder>', 'the tree to check', 'out')
    .option('--json', `print the result as JSON; at most ${FINDINGS_KEPT} findings, all of them counted`)
    .addHelpText(
      'after',
      `
Examples:
  playbill verify                                       the tree in out
  playbill verify --out /srv/playbill | grep ^error     only what is damaged
  playbill verify --json | jq .errors                   for a monitor

Errors are damage: a reader may get something wrong, or a release can no longer be put back. Warnings are strangers,
and what a stopped run leaves behind, which the next build mends. To mend a damaged edition, run build --force,
or remove it and run build: what the new snapshot needs is written anew. A damaged pointer or key ring is replaced by
any build; a damaged manifest, and a folder in a file's place, is for you to remove.

Exit codes: 0 no errors (warnings, perhaps), 1 errors found, 2 no tree there, or one of a newer schema.`,
    )
    .action(async (flags: VerifyFlags) => {
      context.exitCode = await runVerify(flags, context);
    });
}

/** What was seen so far. */
interface Tally {
  readonly checked: { fronts: number; editions: number; bytes: number; releases: number };
  errors: number;
  warnings: number;
}

async function runVerify(flags: VerifyFlags, context: CommandContext): Promise<number> {
  const bar = await context.terminal.progress('verifying');
  const tally: Tally = { checked: { fronts: 0, editions: 0, bytes: 0, releases: 0 }, errors: 0, warnings: 0 };
  try {
    if (flags.json === true) {
      const findings: Finding[] = [];
      for await (const finding of talliedFindings(flags.out, tally, bar)) {
        if (findings.length < FINDINGS_KEPT) findings.push(finding);
      }
      const json: FindingsResultJson = { ...tally, findings };
      context.terminal.print(JSON.stringify(json));
    } else {
      await printAll(linesOf(flags.out, tally, bar, context.terminal), bar.end);
    }
  } finally {
    bar.end();
  }
  return tally.errors > 0 ? EXIT.findings : EXIT.done;
}

async function* talliedFindings(out: string, tally: Tally, bar: Progress): AsyncGenerator<Finding> {
  const { DirectoryReader } = await import('../../storage/directory/reader.ts');
  const { verifyTree } = await import('../../release/verify/verify.ts');
  for await (const finding of verifyTree(DirectoryReader.open(out), tally.checked, bar.show)) {
    if (finding.severity === 'error') tally.errors += 1;
    else tally.warnings += 1;
    yield finding;
  }
}

async function* linesOf(out: string, tally: Tally, bar: Progress, terminal: Terminal): AsyncGenerator<string> {
  for await (const finding of talliedFindings(out, tally, bar)) yield `${findingText(finding, terminal)}\n`;
  const { fronts, editions, bytes, releases } = tally.checked;
  const looked =
    `${countText(fronts, 'front')}, ${countText(editions, 'edition file')} (${bytesText(bytes)}), ` +
    countText(releases, 'release');
  yield `Checked ${looked}: ${countText(tally.errors, 'error')}, ${countText(tally.warnings, 'warning')}\n`;
}
