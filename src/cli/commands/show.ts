// `playbill show`: prints the document that a request at an instant gets, byte for byte.

import { formatInstant } from '../../catalogue/instant.ts';
import { ENDPOINTS } from '../../render/paths.ts';
import { EXIT, TRY_AGAIN } from '../exit-codes.ts';
import { MOMENT_FORMS } from '../moment.ts';
import type { PlaybillCommand } from '../command.ts';

export function addShowCommand(program: PlaybillCommand): void {
  program
    .command('show')
    .summary('print the document that a request at an instant gets')
    .description(
      'Chooses the edition as an edge does, by the pointer of the front, and prints its bytes as published. If the instant is ' +
        'outside the time that the snapshot covers, prints the nearest edition, with a warning on stderr.',
    )
    .requiredFlag('--front <code>', 'the front, as in X-Front')
    .presetFlag('--endpoint <name>', 'which document', ENDPOINTS[0], ENDPOINTS)
    .instantFlag('--at', `the instant of the request, ${MOMENT_FORMS} (default: the current time)`)
    .outFlag('the tree to read')
    .flag('--strict', 'exit 1 if the instant is outside the time that the snapshot covers')
    .flag('--pretty', 'indent the document for reading; no longer the published bytes')
    .jsonFlag('no effect: the document is JSON already')
    .helpBelow(`
Examples:
  playbill show --front moscow                                      what is served now
  playbill show --front moscow --at 2026-05-01T21:00:00Z            at midnight
  playbill show --front moscow --pretty | less                      to read
  playbill show --front moscow --endpoint categories | jq -r '.[].slug'

Exit codes: 0 printed, 1 --strict: printed, but outside the time that the snapshot covers, 2 wrong usage, no such tree or front, or a damaged file (see: playbill verify),
${TRY_AGAIN}.`)
    .runs(async (flags, { terminal, now }) => {
      const at = flags.at ?? now();
      const { openTree } = await import('../../storage/open-tree.ts');
      const { showDocument } = await import('../../release/status/show.ts');
      const tree = await openTree(flags.out);
      const { text, pointer, timeliness } = await showDocument(flags.front, flags.endpoint, tree, at);
      if (timeliness === 'early') {
        terminal.log({
          level: 'warning',
          message: `${formatInstant(at)} is before the snapshot's now ${pointer.now}: this is its first edition`,
        });
      }
      if (timeliness === 'stale') {
        const message = `the snapshot was right until ${pointer.validUntil}: at ${formatInstant(at)} its last edition is stale`;
        terminal.log({ level: 'warning', message: `${message}; run playbill build` });
      }
      // The document ends with a newline, and printExact adds one.
      terminal.printExact(flags.pretty === true ? JSON.stringify(JSON.parse(text), null, 2) : text.slice(0, -1));
      return flags.strict === true && timeliness !== 'right' ? EXIT.findings : EXIT.done;
    });
}
