// Any character for a random text. fast-check's own unit `binary` takes a second to load, in every
// file that it is loaded for.

import * as fc from 'fast-check';

/** Any code point but the halves of surrogate pairs. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10_f7ff })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));
