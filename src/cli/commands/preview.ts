// `playbill preview`: a local page that shows a front as its visitors see it, at any instant of its editions.

import { existsSync, readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { AppError, messageOf } from '../../errors.ts';
import type { PageBundle } from '../../preview/bundle.ts';
import { portArgument } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { listening } from '../listening.ts';
import type { CommandContext } from '../context.ts';

interface PreviewFlags {
  readonly out: string;
  readonly host: string;
  readonly port: number;
  readonly json?: true;
}

export function addPreviewCommand(program: Command, context: CommandContext): void {
  program
    .command('preview')
    .summary('a local page that shows a front as its visitors see it')
    .description(
      'Serves a page on this machine alone: any front of any kept release, a slider over the time of its editions, what each of\n' +
        'them changes, two releases side by side, and how long every front stays right. Reads the tree; needs no database and no\n' +
        'signature. Pictures are loaded only where the page is asked for them. Ends with Ctrl-C.',
    )
    .option('--out <folder>', 'the tree to show', 'out')
    .option('--host <address>', 'the loopback address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port; 0 for any that is free', portArgument('--port'), 8081)
    .option('--json', 'print the address for machines')
    .addHelpText(
      'after',
      `
Examples:
  playbill preview
  playbill preview --out /srv/playbill --port 0

Exit codes: 0 ended, 2 wrong usage, no tree, or an address that is not loopback or cannot be listened on.`,
    )
    .action(async (flags: PreviewFlags) => {
      context.exitCode = await runPreview(flags, context);
    });
}

async function runPreview(flags: PreviewFlags, context: CommandContext): Promise<number> {
  const { terminal } = context;
  const { isLoopback } = await import('../../edge/runtimes/node.ts');
  if (!isLoopback(flags.host)) {
    throw new AppError(
      'address-refused',
      `expected a loopback address, found ${flags.host}: others could read the tree`,
      'leave out --host; to look from elsewhere, forward the port (ssh -L)',
    );
  }
  const { DirectoryReader } = await import('../../storage/directory/reader.ts');
  const { PreviewData } = await import('../../preview/preview-data.ts');
  const { createPreviewServer } = await import('../../preview/server.ts');
  const server = createPreviewServer({
    data: new PreviewData(DirectoryReader.open(flags.out)),
    page: await pageBundle(),
    now: context.now,
    onBug: (message) => terminal.log(`error bug: ${message}`),
  });
  const { address, port } = await listening(server, flags);
  const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}/`;
  terminal.print(flags.json === true ? JSON.stringify({ url }) : url);
  terminal.log(`Showing ${flags.out}; open the address in a browser. Ctrl-C ends it`);
  context.onInterrupt = () => {
    server.close();
    server.closeAllConnections();
  };
  await new Promise((resolve) => server.once('close', resolve));
  return EXIT.done;
}

/** The page that was made when the command was compiled; in a checkout it is made now. */
async function pageBundle(): Promise<PageBundle> {
  const shipped = (name: string): URL => new URL(`../preview/bundles/${name}`, import.meta.url);
  const [script, style] = [shipped('page.js'), shipped('page.css')];
  if (existsSync(script)) return { script: readFileSync(script, 'utf8'), style: readFileSync(style, 'utf8') };
  try {
    const { bundlePage } = await import('../../preview/bundle.ts');
    return await bundlePage();
  } catch (error) {
    throw new AppError(
      'page-bundle-missing',
      `expected the page at ${script.pathname}, found none: ${messageOf(error)}`,
      'compile again: npm run build',
      error,
    );
  }
}
