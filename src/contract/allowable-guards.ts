// The guards that `--allow` lets pass: one line each. Apart from the schemas, so that the command
// line can name them without loading zod.

export const ALLOWABLE_GUARDS = [
  'max-shrink',
  'min-cards',
  'max-bad',
  'price-jump',
  'now-earlier',
  'keys-vanished',
  'contract-lost',
] as const;

export type AllowableGuard = (typeof ALLOWABLE_GUARDS)[number];
