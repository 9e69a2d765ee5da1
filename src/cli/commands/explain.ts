// `playbill explain`: says why a product has a card on a front, or has none.

import { databaseText } from '../../database/open.ts';
import { MOMENT_FORMS } from '../moment.ts';
import type { PlaybillCommand } from '../command.ts';
import { TRY_AGAIN } from '../exit-codes.ts';

export function addExplainCommand(program: PlaybillCommand): void {
  program
    .command('explain')
    .summary('explain, rule by rule, why a product has a card at an instant or has none')
    .description(
      'Reads the product from the catalogue as a build for that instant would, and prints every rule with its outcome: front, ' +
        "listing, visibility, status, each session, each price tier, the card's flags and dates, its categories, groups, tags and " +
        "badges, and when the clock will next change any of it. Times are in the front's time zone; the start of a session is as " +
        'printed on the ticket.',
    )
    .requiredFlag('--front <code>', 'the front, as in X-Front')
    .requiredFlag('--product <slug>', 'the slug of the product')
    .instantFlag('--at', `the instant, ${MOMENT_FORMS} (default: the current time)`)
    .dbFlag()
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill explain --front moscow --product buran                     why is my show missing?
  playbill explain --front moscow --product buran --at 2026-05-02T10:00:00+03:00
  playbill explain --front moscow --product buran --json | jq .reason

The published documents may be older than the catalogue: "show" prints them, "build --dry-run" compares.

Exit codes: 0 explained, with or without a card, 2 wrong usage, no such front or product, or an unreadable database,
${TRY_AGAIN}.`)
    .runs(async (flags, context) => {
      const { explainProduct } = await import('../../operations/explain.ts');
      const explained = await explainProduct(
        { databasePath: flags.db, frontCode: flags.front, slug: flags.product, tzdata: context.tzdata },
        flags.at ?? context.now(),
      );
      const { explanationText } = await import('../output/explain.ts');
      const text = (): string => explanationText(explained, databaseText(flags.db));
      context.terminal.print(flags.json === true ? JSON.stringify(explained) : text());
    });
}
