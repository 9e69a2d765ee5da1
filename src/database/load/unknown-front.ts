// No such front: what is near, or what there is.

import { AppError } from '../../errors.ts';
import { nearNames } from '../../suggestions.ts';

/** How many codes a hint lists. */
const CODES_SHOWN = 10;

/**
 * The error `front-unknown` for a code that is none of `codes`. `what` is what they are the codes
 * of.
 */
export function unknownFront(
  code: string,
  codes: readonly string[],
  what: 'front' | 'active front' = 'front',
): AppError {
  const near = nearNames(
    code,
    codes.map((name) => ({ name, title: name })),
  ).map(({ name }) => name);
  const some = [...codes].sort().slice(0, CODES_SHOWN).join(', ') + (codes.length > CODES_SHOWN ? ', …' : '');
  const message = `expected the code of ${what === 'front' ? 'a front' : 'an active front'}, found ${JSON.stringify(code)}`;
  return new AppError(
    'front-unknown',
    message,
    near.length > 0 ? `did you mean ${near.join(', ')}?` : `${what}s are: ${some || 'none'}`,
  );
}
