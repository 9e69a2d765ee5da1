// Random headers: the rule never fails on them (no 503), and never accepts them (no 200). Against
// the pure core many times, against each real runtime a few hundred times.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareLines } from '../support/edge/exchange.ts';
import { RUNTIMES } from '../support/edge/runtimes/all.ts';
import type { Runtime } from '../support/edge/runtimes/runtime.ts';
import { makeWorld, type World } from '../support/edge/world.ts';

const RUNS: { readonly [name: string]: number } = { core: 3000 };

/** What may stand in a header's value on a wire: no line ends, no NUL. */
const anyByte = fc
  .integer({ min: 0x20, max: 0xff })
  .filter((code) => code !== 0x7f)
  .map((code) => String.fromCharCode(code));
const anyText = fc.string({ unit: anyByte, maxLength: 120 });

/** Pieces of which real signature headers are made, and some that only look like it. */
const piece = fc.constantFrom(
  'sig',
  'sig=',
  '=',
  '(',
  ')',
  '"',
  '\\',
  ';',
  ',',
  ' ',
  ':',
  '*',
  '"@method"',
  '"@path"',
  '"@authority"',
  '"x-front"',
  '"@query"',
  ';key="a"',
  ';created=1',
  ';created="1"',
  ';created',
  ';keyid="moscow-1"',
  ';keyid="__proto__"',
  ';tag="x-front"',
  ';alg="none"',
  ';expires=9',
  ';nonce="\\""',
  ':AAAA:',
  ':A:',
  'constructor',
  '__proto__',
  'x-front',
  'x-api-key;x-api-signed-headers;x-api-timestamp;x-front',
  'x-api-key',
  'moscow-hmac',
  '2026-05-01T09:00:00.000Z',
  'ab'.repeat(32),
  '%00',
  '../',
  '-1',
  '999999999999999',
  '9999999999999999',
  '0.1',
  '?1',
);
const nearly = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));

const value = fc.oneof(anyText, nearly);
const fieldName = fc.constantFrom(
  'X-Front',
  'Signature',
  'Signature-Input',
  'signature-input',
  'X-API-Key',
  'X-API-Timestamp',
  'X-API-Signed-Headers',
  'x-api-signed-headers',
  'X-API-Signature',
  'If-None-Match',
  'Accept-Encoding',
  'Accept',
  'X-Other',
);
const fields = fc.array(fc.tuple(fieldName, value), { maxLength: 7 });

/** The profiles, each with the headers that it reads, and a request as its own client writes it. */
const PROFILES = [
  { profile: 'rfc9421', sign: 'Sign: keyid=moscow-1', changed: ['Signature-Input', 'Signature', 'X-Front'] },
  {
    profile: 'signed-headers',
    sign: 'Sign-Headers: keyid=moscow-hmac',
    changed: ['X-API-Key', 'X-API-Timestamp', 'X-API-Signed-Headers', 'X-API-Signature', 'X-Front'],
  },
] as const;
const CASES = RUNTIMES.flatMap((runtime) => PROFILES.map((one) => ({ ...runtime, ...one })));

describe.each(CASES)('$name, $profile', ({ name, start, profile, sign, changed: names }) => {
  let world: World;
  let runtime: Runtime;
  beforeAll(async () => {
    world = await makeWorld(Math.floor(Date.now() / 1000), [profile]);
    runtime = await start(world);
  });
  afterAll(() => runtime.stop());
  const numRuns = RUNS[name] ?? 300;

  test('refuses any headers', async () => {
    const property = fc.asyncProperty(fields, fc.boolean(), async (lines, hasFront) => {
      const front = hasFront ? ['X-Front: moscow'] : [];
      const answer = await runtime.send([
        'GET /products/ HTTP/1.1',
        'Host: edge.test',
        ...front,
        ...lines.map(([key, text]) => `${key}: ${text}`),
      ]);
      expect([400, 401]).toContain(answer.status);
    });
    await fc.assert(property, { numRuns });
  });

  test('refuses a good signature with one character of it changed', async () => {
    const position = fc.nat();
    const property = fc.asyncProperty(position, anyByte, fc.constantFrom(...names), async (at, byte, which) => {
      const written = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow', sign];
      const lines = await prepareLines(written, runtime.now(), world);
      const changed = lines.map((line) => {
        if (!line.startsWith(`${which}: `)) return line;
        const from = which.length + 2 + (at % (line.length - which.length - 2));
        return line.slice(0, from) + byte + line.slice(from + 1);
      });
      fc.pre(changed.some((line, i) => line.trim() !== lines[i]));
      const answer = await runtime.send(changed);
      expect([400, 401]).toContain(answer.status);
    });
    await fc.assert(property, { numRuns });
  });
});
