// `playbill demo`: from nothing to a page, by the jobs that an operator runs, on a catalogue made for the current time.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { formatInstant } from '../../catalogue/instant.ts';
import type { PlaybillCommand } from '../command.ts';

export function addDemoCommand(program: PlaybillCommand): void {
  program
    .command('demo')
    .summary('a demo catalogue, built and shown as a page')
    .description(
      'Makes a demo catalogue as of now, builds it, and serves its preview on this machine alone until Ctrl-C.',
    )
    .flag('--to <folder>', 'keep the catalogue and the tree there; else both are removed at the end')
    .portFlag(8081)
    .helpBelow(`
Examples:
  playbill demo
  playbill demo --to demo --port 0                      again, it builds the catalogue that is there as of now

Exit codes: 0 ended, 2 wrong usage, or an address that cannot be listened on.`)
    .runs(async ({ to, port }, context) => {
      const folder = to ?? mkdtempSync(join(tmpdir(), 'playbill-demo-'));
      const [databasePath, out] = [join(folder, 'catalogue.sqlite'), join(folder, 'out')];
      const now = formatInstant(context.now());
      const run = (argv: string[]) => program.parseAsync(argv, { from: 'user' });
      try {
        const { demoText } = await import('../../../scripts/demo-rows.ts');
        const { importFiles } = await import('../../operations/import.ts');
        const rows = Readable.from([Buffer.from(demoText(now))]);
        if (!existsSync(databasePath)) await importFiles(['-'], rows, { databasePath, isReplacing: false });
        await run(['build', '--db', databasePath, '--out', out, '--now', now]);
        await run(['preview', '--out', out, '--port', String(port)]);
      } finally {
        if (to === undefined) rmSync(folder, { recursive: true, force: true });
      }
    });
}
