// `playbill verify`: reports everything that is wrong with a tree, front by front, one finding per
// line.

import type { PlaybillCommand } from '../command.ts';
import { TRY_AGAIN } from '../exit-codes.ts';
import { BY_KIND } from '../output/finding-groups.ts';
import { FINDINGS_KEPT } from '../../findings.ts';
import { reportFindings } from '../output/findings.ts';
import { reportOption, type ReportFlag } from '../output/findings-reports.ts';
import { countText } from '../../count-text.ts';
import { bytesText } from '../output/terminal.ts';

const SIZES_ONLY = 'Checked by name and size only; to check the content of editions: playbill verify';

export function addVerifyCommand(program: PlaybillCommand): void {
  program
    .command('verify')
    .summary('check a tree without the database: digests, schemas, order, dates')
    .description(
      'Reads every file of a tree and checks digests and sizes, schemas, the order of editions, the dates in cards against the ' +
        'time in which each edition is in force, whether files agree with each other, and the key ring. Prints one finding per ' +
        'line: severity, code, path, what was expected and found. Writes nothing, follows no link, and opens no database.',
    )
    .outFlag('the tree to check')
    .flag('--sizes', 'check editions only by name and size, without reading them: fast, and cheap for a bucket')
    .jsonFlag(`print the result as JSON; at most ${FINDINGS_KEPT} findings, all of them counted`)
    .typedFlag<ReportFlag>(reportOption())
    .helpBelow(`
Examples:
  playbill verify                                       the tree in out
  playbill verify --out /srv/playbill | grep ^error     only what is damaged
  playbill verify --json | jq .errors                   for a monitor
  playbill verify --sizes --out s3://shop/tree          lists the bucket instead of reading every edition
  playbill verify --report github                       annotations in a workflow run
  playbill verify --report junit > verify.xml           for other CI services

Errors are damage: readers may get something wrong, or a release cannot be restored. Warnings are unexpected files, and
leftovers of an interrupted run, which the next build cleans up. To repair a damaged edition, run build --force, or
remove it and run build: the build writes again what the new snapshot needs. Any build replaces a damaged pointer or key
ring. Remove a damaged manifest, or a folder where a file belongs, yourself.

--sizes finds editions that are missing or truncated, but not one that was altered and still has its size. All other
files are checked as usual.

Exit codes: 0 no errors (perhaps warnings), 1 errors found, 2 no tree, or one of a newer schema,
${TRY_AGAIN}.`)
    .runs(async (flags, { terminal, now }) => {
      const { verify, wholePath } = await import('../../operations/verify.ts');
      const bar = terminal.progress('verifying');
      const checked = { fronts: 0, editions: 0, bytes: 0, releases: 0 };
      const checkedText = (): string =>
        `${countText(checked.fronts, 'front')}, ${countText(checked.editions, 'edition file')} ` +
        `(${bytesText(checked.bytes)}), ${countText(checked.releases, 'release')}`;
      const findings = verify(flags.out, checked, bar.show, flags.sizes === true, now());
      const fileOf = (place: string): string => wholePath(flags.out, place);
      const format = { isJson: flags.json === true, format: flags.report, fileOf };
      const unchecked = flags.sizes === true ? SIZES_ONLY : null;
      return await reportFindings(
        { command: 'verify', findings, checked, checkedText, unchecked, groupings: { github: BY_KIND }, ...format },
        terminal,
      );
    });
}
