// `playbill demo`: creates a catalogue for the current time, then runs the operator's own commands
// on it: build and preview.

import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { formatInstant } from '../../catalogue/instant.ts';
import type { PlaybillCommand } from '../command.ts';

export function addDemoCommand(program: PlaybillCommand): void {
  program
    .command('demo')
    .summary('build a demo catalogue and show it in a browser')
    .description(
      'Creates a demo catalogue for the current time, builds it, and serves the preview on this machine only, until Ctrl-C.',
    )
    .flag('--to <folder>', 'keep the catalogue and the tree in this folder (default: remove both at the end)')
    .portFlag(8081)
    .withoutFile()
    .helpBelow(`
Examples:
  playbill demo
  playbill demo --to demo --port 0                      run again, it builds the same catalogue as of now

Exit codes: that of the build, after Ctrl-C; 2 wrong usage, or an address that cannot be listened on.`)
    .runs(async ({ to, port }, context) => {
      if (to !== undefined) {
        const { writeFolder } = await import('../../storage/write-folder.ts');
        writeFolder(to, [], '--to');
      }
      const folder = to ?? join(tmpdir(), `playbill-demo-${randomUUID()}`);
      const [databasePath, out] = [join(folder, 'catalogue.sqlite'), join(folder, 'out')];
      const now = formatInstant(context.now());
      // The settings are those of another catalogue.
      context.readsSettingsFile = false;
      const run = (argv: string[]) => program.parseAsync(argv, { from: 'user' });
      const remove = (): void => {
        if (to === undefined) rmSync(folder, { recursive: true, force: true });
      };
      context.onInterrupt((signal) => {
        remove();
        process.kill(process.pid, signal);
      });
      try {
        if (to === undefined) mkdirSync(folder, { mode: 0o700 });
        if (!existsSync(databasePath)) {
          const { demoText } = await import('../../../data/demo/rows.ts');
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
