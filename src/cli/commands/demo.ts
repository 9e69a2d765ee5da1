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

Exit codes: those of the build, once the page has been looked at; 2 wrong usage, or an address that cannot be listened on.`)
    .runs(async ({ to, port }, context) => {
      if (to !== undefined) {
        const { writeFolder } = await import('../../storage/folder.ts');
        writeFolder(to, [], '--to');
      }
      const folder = to ?? mkdtempSync(join(tmpdir(), 'playbill-demo-'));
      const [databasePath, out] = [join(folder, 'catalogue.sqlite'), join(folder, 'out')];
      const now = formatInstant(context.now());
      const run = (argv: string[]) => program.parseAsync(argv, { from: 'user' });
      const remove = (): void => {
        if (to === undefined) rmSync(folder, { recursive: true, force: true });
      };
      // Before the process's own handlers, which end it while the catalogue is made or built.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.prependOnceListener(signal, remove);
      try {
        if (!existsSync(databasePath)) {
          const { demoText } = await import('../../../scripts/demo-rows.ts');
          const { importFiles } = await import('../../operations/import.ts');
          const rows = Readable.from([Buffer.from(demoText(now))]);
          await importFiles(['-'], rows, { databasePath, isReplacing: false });
        }
        await run(['build', '--db', databasePath, '--out', out, '--now', now]);
        const { exitCode } = context;
        await run(['preview', '--db', databasePath, '--out', out, '--port', String(port)]);
        return exitCode;
      } finally {
        remove();
      }
    });
}
