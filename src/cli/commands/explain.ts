// `playbill explain`: why a product has a card on a front, or has none.

import type { PlaybillCommand } from '../command.ts';

export function addExplainCommand(program: PlaybillCommand): void {
  program
    .command('explain')
    .summary('why a product has a card or has none at an instant, rule by rule')
    .description(
      'Reads the product from the database as a build for that instant would, and prints every rule with its outcome: front, ' +
        "listing, visibility, status, each session, each price tier, the card's flags and dates, its categories, groups, tags and " +
        "badges, and when the clock will next change any of it. Times are the front's; a session starts as its ticket says.",
    )
    .requiredFlag('--front <code>', 'the front, as in X-Front')
    .requiredFlag('--product <slug>', 'the slug of the product')
    .instantFlag('--at', 'when, with Z or an offset (default: the current time)')
    .dbFlag()
    .jsonFlag('print the explanation as JSON')
    .helpBelow(`
Examples:
  playbill explain --front moscow --product buran                     why is my show missing?
  playbill explain --front moscow --product buran --at 2026-05-02T10:00:00+03:00
  playbill explain --front moscow --product buran --json | jq .reason

The answer is the database's. What is published may be older: "show" prints it, "build --dry-run" compares.

Exit codes: 0 explained, card or none, 2 wrong usage, no such front or product, or an unreadable database.`)
    .runs(async (flags, context) => {
      const { explainProduct } = await import('../../operations/explain.ts');
      const explained = await explainProduct(
        { databasePath: flags.db, frontCode: flags.front, slug: flags.product, tzdata: context.tzdata },
        flags.at ?? context.now(),
      );
      const { explanationText } = await import('../output/explain.ts');
      const { databaseText } = await import('../../operations/database-text.ts');
      const text = (): string => explanationText(explained, databaseText(flags.db));
      context.terminal.print(flags.json === true ? JSON.stringify(explained) : text());
    });
}
