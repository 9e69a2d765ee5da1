// `playbill verify`: everything that is wrong with a tree, one finding a line, printed front by front.

import type { PlaybillCommand } from '../command.ts';
import { FINDINGS_KEPT, reportFindings } from '../output/findings.ts';
import { reportOption, type ReportFlag } from '../output/findings-reports.ts';
import { bytesText, countText } from '../output/terminal.ts';

const SIZES_ONLY = 'By name and size alone: the content of editions was not checked; to check it: playbill verify';

export function addVerifyCommand(program: PlaybillCommand): void {
  program
    .command('verify')
    .summary('check a tree without the database: digests, schemas, order, dates')
    .description(
      'Reads every file of a tree and checks digests and sizes, schemas, the order of editions, the dates inside cards against ' +
        'the time at which each edition is in force, what files say of each other, and the key ring. Prints one finding a line: ' +
        'severity, code, path, what was expected and found. Writes nothing, follows no link, and opens no database.',
    )
    .outFlag('the tree to check')
    .flag('--sizes', 'look for editions by name and size alone, and read none: quick, and cheap for a bucket')
    .jsonFlag(`print the result as JSON; at most ${FINDINGS_KEPT} findings, all of them counted`)
    .typedFlag<ReportFlag>(reportOption())
    .helpBelow(`
Examples:
  playbill verify                                       the tree in out
  playbill verify --out /srv/playbill | grep ^error     only what is damaged
  playbill verify --json | jq .errors                   for a monitor
  playbill verify --sizes --out s3://shop/tree          with a few listings in place of a read per edition
  playbill verify --report github                       annotations of a workflow's run
  playbill verify --report junit > verify.xml           for other services

Errors are damage: a reader may get something wrong, or a release can no longer be put back. Warnings are unexpected
files, and what a stopped run leaves behind, which the next build mends. To mend a damaged edition, run build --force,
or remove it and run build: what the new snapshot needs is written again. A damaged pointer or key ring is replaced by
any build; a damaged manifest, and a folder in a file's place, is for you to remove.

--sizes finds an edition that is missing or cut off, and none that was altered and has its size still; what is not an
edition is checked as without it.

Exit codes: 0 no errors (warnings, perhaps), 1 errors found, 2 no tree there, or one of a newer schema.`)
    .runs(async (flags, { terminal }) => {
      const { verify, wholePath } = await import('../../operations/verify.ts');
      const bar = await terminal.progress('verifying');
      const checked = { fronts: 0, editions: 0, bytes: 0, releases: 0 };
      const checkedText = (): string =>
        `${countText(checked.fronts, 'front')}, ${countText(checked.editions, 'edition file')} ` +
        `(${bytesText(checked.bytes)}), ${countText(checked.releases, 'release')}`;
      try {
        const findings = verify(flags.out, checked, bar.show, flags.sizes === true);
        const fileOf = (place: string): string => wholePath(flags.out, place);
        const format = { isJson: flags.json === true, format: flags.report, fileOf };
        const unchecked = flags.sizes === true ? SIZES_ONLY : null;
        return await reportFindings(
          { command: 'verify', findings, checked, checkedText, unchecked, ...format, makeRoom: bar.end },
          terminal,
        );
      } finally {
        bar.end();
      }
    });
}
