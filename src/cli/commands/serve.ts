// `playbill serve`: the edge rule over local HTTP, on the tree of --out, for development and tests.

import type { Command } from 'commander';
import { formatInstant, instantOf, type Instant } from '../../catalogue/instant.ts';
import { durationArgument, instantArgument, portArgument } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { listening } from '../listening.ts';
import type { CommandContext } from '../context.ts';

interface ServeFlags {
  readonly out: string;
  readonly host: string;
  readonly port: number;
  readonly at?: Instant;
  readonly unsigned?: true;
  readonly base: string;
  readonly maxAge: number;
  readonly authority: boolean;
  readonly json?: true;
}

export function addServeCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .summary('the edge rule over local HTTP, for development and tests')
    .description(
      'Answers as an edge would, and follows the pointers as builds move them. Secrets of hmac keys are read from environment\n' +
        'variables of their names. Ends with Ctrl-C.',
    )
    .option('--out <folder>', 'the tree to serve', 'out')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--port <number>', 'the port; 0 for any that is free', portArgument('--port'), 8080)
    .option('--at <instant>', 'serve as of another instant, under no-store', instantArgument('--at'))
    .option('--unsigned', 'answer without signatures; on loopback addresses only')
    .option('--base <path>', 'the path before /products/', '')
    .option('--max-age <duration>', 'the longest max-age of an answer', durationArgument('--max-age'), 60)
    .option('--no-authority', 'do not require @authority to be signed')
    .option('--json', 'print the access log as JSON, one object a line')
    .addHelpText(
      'after',
      `
Examples:
  playbill serve
  playbill serve --unsigned --port 0
  playbill serve --at 2026-05-02T00:00:00+03:00 --unsigned      what midnight will bring

Exit codes: 0 ended, 2 wrong usage, no tree, or an address that cannot be listened on.`,
    )
    .action(async (flags: ServeFlags) => {
      context.exitCode = await runServe(flags, context);
    });
}

async function runServe(flags: ServeFlags, context: CommandContext): Promise<number> {
  const { terminal, clock, environment } = context;
  const { serveTree } = await import('../../operations/serve.ts');
  const server = serveTree(flags.host, {
    root: flags.out,
    settings: { base: flags.base, maxAge: flags.maxAge, requiresAuthority: flags.authority },
    clock,
    secretOf: (name) => environment(name) ?? null,
    at: flags.at ?? null,
    isUnsigned: flags.unsigned === true,
    accessLog: ({ now, method, target, front, status, reason, durationMs }) => {
      const at = formatInstant(instantOf(Math.floor(now)));
      const entry = { at, method, target, front, status, reason, durationMs: Math.round(durationMs * 10) / 10 };
      const { durationMs: ms } = entry;
      // What a client sent is printed as JSON text, so that it cannot break the line or the terminal.
      const line = `${at} ${status} ${method} ${JSON.stringify(target)} ${JSON.stringify(front)} ${ms} ms${reason === null ? '' : ` ${reason}`}`;
      terminal.print(flags.json === true ? JSON.stringify(entry) : line);
    },
  });
  const { address, port } = await listening(server, flags);
  const host = address.includes(':') ? `[${address}]` : address;
  terminal.log(
    `Serving ${flags.out} on http://${host}:${port}${flags.base}${flags.unsigned === true ? ', without signatures' : ''}; Ctrl-C ends it`,
  );
  context.onInterrupt = () => {
    server.close();
    server.closeAllConnections();
  };
  await new Promise((resolve) => server.once('close', resolve));
  return EXIT.done;
}
