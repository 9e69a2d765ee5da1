// The fast path against the whole profile: whatever the fast path reads, the profile reads alike.
// The requests are close to the form on purpose: those that both refuse would prove nothing.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rfc9421FastPath } from '../../src/edge/rule/rfc9421-fast-path.ts';
import { type FieldLine, fieldsAmong, type RuleRequest } from '../../src/edge/rule/request.ts';
import { rfc9421 } from '../../src/edge/rule/rfc9421.ts';
import { DEFAULT_SETTINGS } from '../../src/edge/rule/settings.ts';
import { readSigned } from '../support/edge/read-signed.ts';

const INPUT = 'sig=("@method" "@authority" "@path" "x-front");created=1777626000;keyid="moscow-1";tag="x-front"';
const SIGNATURE = 'sig=:B5pS1vTRk+OPJoMkinrQSQXng2ouRo94+jvsNVEv5Qc=:';

/** Between them lies what joins two lines of a field: they are one keyid, `a, b`. */
const halves = [INPUT.replace(/moscow-1.*/, 'a'), 'b";tag="x-front"'] as const;

function requestWith(fields: readonly FieldLine[], rest?: Partial<RuleRequest>): RuleRequest {
  const request = { method: 'GET', scheme: 'http', authority: 'Edge.test:80', target: '/products/?a=1' };
  return { ...request, ...fieldsAmong(fields), ...rest };
}

const signed = (input: string, signature: string, ...more: readonly FieldLine[]): RuleRequest =>
  requestWith([['x-front', 'moscow'], ['signature-input', input], ['signature', signature], ...more]);

describe('rfc9421FastPath', () => {
  test('reads what the client writes as the whole profile does', () => {
    const parsed = readSigned(rfc9421FastPath, signed(INPUT, SIGNATURE));
    expect(parsed).toEqual(readSigned(rfc9421, signed(INPUT, SIGNATURE)));
    expect(parsed).toMatchObject({ keyid: 'moscow-1', created: 1_777_626_000, expires: Infinity });
  });

  test.each<[string, RuleRequest]>([
    ['another label', signed(INPUT.replace('sig=', 'sig1='), SIGNATURE.replace('sig=', 'sig1='))],
    ['another order', signed(INPUT.replace('"@method" "@authority"', '"@authority" "@method"'), SIGNATURE)],
    ['one component more', signed(INPUT.replace('"x-front")', '"x-front" "@query")'), SIGNATURE)],
    ['one parameter more', signed(`${INPUT};expires=1777626001`, SIGNATURE)],
    ['another tag', signed(INPUT.replace('"x-front"', '"x"').replace(/x-front"$/, 'x"'), SIGNATURE)],
    ['a keyid with an escape', signed(INPUT.replace('moscow-1', String.raw`a\"b`), SIGNATURE)],
    ['a signature of another length', signed(INPUT, `sig=:${'A'.repeat(96)}:`)],
    ['base64 with surplus bits', signed(INPUT, SIGNATURE.replace('c=:', 'd=:'))],
    ['two members', signed(`${INPUT}, b=()`, SIGNATURE)],
    ['two lines', signed(INPUT, SIGNATURE, ['signature-input', 'b=()'])],
    [
      'two lines that are one member when they are joined',
      signed(halves[0], SIGNATURE, ['signature-input', halves[1]]),
    ],
    ['two lines of the signature', signed(INPUT, SIGNATURE, ['signature', SIGNATURE])],
    ['two fronts', signed(INPUT, SIGNATURE, ['x-front', 'kazan'])],
    [
      'no front',
      requestWith([
        ['signature-input', INPUT],
        ['signature', SIGNATURE],
      ]),
    ],
    ['no signature', requestWith([['x-front', 'moscow']])],
    ['an authority beyond ASCII', { ...signed(INPUT, SIGNATURE), authority: 'афиша.test' }],
  ])('leaves %s to the whole profile', (_, request) => {
    expect(readSigned(rfc9421FastPath, request)).toBe('signature-missing');
  });

  test('never reads anything differently', () => {
    // Pieces of the form, some of them spoilt: a run in which few are read would show nothing.
    const spoilt = (text: string): fc.Arbitrary<string> =>
      fc.oneof(
        { weight: 6, arbitrary: fc.constant(text) },
        {
          weight: 1,
          arbitrary: fc
            .tuple(
              fc.nat(text.length),
              fc.nat(2),
              fc.constantFrom('', '"', '\\', ' ', ',', '=', ':', '0', 'é', '\n', 'A'),
            )
            .map(([at, length, put]) => text.slice(0, at) + put + text.slice(at + length)),
        },
      );
    const keyid = fc.string({
      unit: fc.constantFrom('a', '-', ' ', ';', '=', ',', ')', '"', '\\', '~', 'é'),
      maxLength: 8,
    });
    const created = fc.oneof(
      fc.integer().map(String),
      fc.constantFrom('0', '-0', '00', '1.0', '123456789012345', '1234567890123456'),
    );
    const written = fc
      .tuple(created, keyid)
      .map(([instant, name]) => INPUT.replace('1777626000', instant).replace('moscow-1', () => name));
    const bytes = fc
      .constantFrom(32, 64, 33)
      .chain((length) => fc.uint8Array({ minLength: length, maxLength: length }))
      .map((raw) => `sig=:${Buffer.from(raw).toString('base64')}:`);
    const host = spoilt('Edge.test:80');
    let readTotal = 0;
    fc.assert(
      fc.property(
        fc.oneof(written, spoilt(INPUT)),
        fc.oneof(bytes, spoilt(SIGNATURE)),
        host,
        (input, signature, authority) => {
          const request = { ...signed(input, signature), authority };
          const parsed = readSigned(rfc9421FastPath, request);
          if (parsed === 'signature-missing') return;
          readTotal++;
          expect(parsed).toEqual(readSigned(rfc9421, request));
        },
      ),
      { numRuns: 3000 },
    );
    expect(readTotal).toBeGreaterThan(300);
  });

  test('proposes nothing: the profile behind it does', () => {
    expect(rfc9421FastPath.challenge(DEFAULT_SETTINGS)).toEqual([]);
  });
});
