// `playbill serve`: serves a tree over local HTTP under the edge rule, for development and tests.

import { formatInstant, instantOf } from '../../catalogue/instant.ts';
import { PROFILE_NAMES } from '../../edge/rule/profile.ts';
import { DEFAULT_SETTINGS } from '../../edge/rule/settings.ts';
import { serveUntilInterrupted } from '../listening.ts';
import { MOMENT_FORMS } from '../moment.ts';
import type { PlaybillCommand } from '../command.ts';
import { SETTINGS } from '../settings/settings.ts';

export function addServeCommand(program: PlaybillCommand): void {
  program
    .command('serve')
    .summary('serve the tree over local HTTP as an edge does, for development and tests')
    .description(
      'Answers requests as an edge does, and picks up new releases while it runs. The secret of an hmac key is read from the ' +
        "environment variable that the key's secret_ref names. Ends with Ctrl-C.",
    )
    .outFlag('the tree to serve')
    .presetFlag('--host <address>', 'the address to listen on', '127.0.0.1')
    .portFlag(8080)
    .instantFlag('--at', `serve as of this instant, ${MOMENT_FORMS}, with Cache-Control: no-store`)
    .flag('--unsigned', 'accept requests without signatures; only on loopback')
    .setting(SETTINGS.base)
    .setting(SETTINGS.maxAge)
    .setting(SETTINGS.authority)
    .setting(SETTINGS.profiles)
    .jsonFlag('print the access log as JSON, one object per line')
    .helpBelow(`
Examples:
  playbill serve --unsigned --port 0
  playbill serve --at 2026-05-02T00:00:00+03:00 --unsigned      what midnight will bring

Exit codes: 0 ended, 2 wrong usage, no tree, or an address that cannot be listened on.`)
    .runs(async (flags, context) => {
      const { terminal, clock, environment } = context;
      const { serveTree } = await import('../../operations/serve.ts');
      const options: Parameters<typeof serveTree>[1] = {
        root: flags.out,
        settings: { ...DEFAULT_SETTINGS, base: flags.base, maxAge: flags.maxAge, requiresAuthority: flags.authority },
        profiles: flags.profile ?? [PROFILE_NAMES[0]],
        clock,
        secretOf: (name) => environment(name) ?? null,
        at: flags.at ?? null,
        isUnsigned: flags.unsigned === true,
        accessLog: ({ now, method, target, front, status, reason, cause, durationMs }) => {
          if (cause !== null) terminal.log(`the tree cannot be read: ${cause}`);
          const at = formatInstant(instantOf(Math.floor(now)));
          const entry = { at, method, target, front, status, reason, durationMs: Math.round(durationMs * 10) / 10 };
          const { durationMs: ms } = entry;
          // Text from a client is printed as JSON, so that it cannot forge lines or control the
          // terminal.
          const line = `${at} ${status} ${method} ${JSON.stringify(target)} ${JSON.stringify(front)} ${ms} ms${reason === null ? '' : ` ${reason}`}`;
          terminal.print(flags.json === true ? JSON.stringify(entry) : line);
        },
      };
      const { server, keysWithoutSecret } = await serveTree(flags.host, options);
      for (const [keyid, name] of keysWithoutSecret) {
        const what = `${keyid} needs the environment variable ${name}, which is not set`;
        terminal.log({ level: 'warning', code: 'secret-missing', message: `${what}: restart serve with it` });
      }
      const how = flags.unsigned === true ? ', without signatures' : '';
      await serveUntilInterrupted(server, flags, context, (origin) =>
        terminal.log(`Serving ${flags.out} on ${origin}${flags.base}${how}; Ctrl-C ends it`),
      );
    });
}
