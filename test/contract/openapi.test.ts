// The contract for others, judged by others: the OpenAPI document by a linter and a validator, its
// schemas by a public validator of JSON Schema over what real nginx answers under the signed rule,
// documents and refusals alike.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoRows } from '../../data/demo/rows.ts';
import { generatedFiles } from '../../scripts/generated.ts';
import { instantText } from '../../src/edge/rule/instant.ts';
import type { KeyRingEntry } from '../../src/contract/key-ring.ts';
import { REFUSALS } from '../../src/edge/rule/refusal-codes.ts';
import { printedBy } from '../support/cli/parser.ts';
import { prepareLines } from '../support/edge/exchange.ts';
import { OWN_REFUSALS } from '../support/edge/own-refusals.ts';
import { type NginxRuntime, startNginx } from '../support/edge/runtimes/nginx.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import { parseTranscript } from '../support/edge/transcript.ts';
import { headerValues, sendLines, type RawResponse } from '../support/edge/messages.ts';
import { makeWorld, type World } from '../support/edge/world.ts';
import { buildTree, catalogueAt, filesOf, instant } from '../support/trees.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const REASONS = Object.keys(REFUSALS).toSorted();
const ENDPOINTS = { products: '/products/', categories: '/fronts/categories/' } as const;

/** Rules of the linter's recommended set that cannot hold here, and why. */
const RULES_OFF = {
  // The API's own paths end in a slash, to the letter.
  'no-path-trailing-slash': 'off',
  // The package is not licensed to the public, so there is no licence to name.
  'info-license': 'off',
  'info-license-strict': 'off',
} as const;

interface Described {
  readonly responses: Readonly<
    Record<string, { readonly headers?: Readonly<Record<string, { readonly $ref?: string }>> }>
  >;
}
interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

let text: string;
let document: Document;
let ajv: Ajv2020;

beforeAll(async () => {
  text = await printedBy(['openapi', '--server', 'https://cdn.playbill.test/v1/']);
  document = JSON.parse(text) as Document;
  ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  // An OpenAPI 3.1 document is JSON Schema where it counts; the words around are not the
  // validator's.
  ajv.addVocabulary([...Object.keys(document), 'example']);
  ajv.addSchema(document, 'openapi.json');
});

/** The validator of a place in the document. */
function validatorOf(...place: readonly string[]): ValidateFunction {
  const pointer = place.map((word) => word.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  return ajv.compile({ $ref: `openapi.json#/${pointer}` });
}

function problemsOf(value: unknown, ...place: readonly string[]): unknown {
  const validate = validatorOf(...place);
  return validate(value) ? null : validate.errors;
}

describe('the document', () => {
  test('passes the recommended rules of a linter', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: RULES_OFF });
    const lint = async (source: string) =>
      (await lintFromString({ source, config })).map(({ ruleId, message }) => `${ruleId}: ${message}`);
    expect(await lint(text)).toEqual([]);
    expect(await lint(text.replace('"operationId": "getProducts",', ''))).toHaveLength(1);
  });

  test('is valid OpenAPI 3.1', async () => {
    const validate = async (source: string): Promise<unknown> => {
      const validator = new Validator();
      const { valid, errors } = await validator.validate(source);
      return { valid, errors, version: validator.version };
    };
    expect(await validate(text)).toEqual({ valid: true, errors: undefined, version: '3.1' });
    expect(await validate(text.replaceAll('"in": "header"', '"in": "head"'))).toMatchObject({ valid: false });
  });

  test('has the server’s address, and every refusal of the rule under its status', () => {
    expect(document.servers).toEqual([{ url: 'https://cdn.playbill.test/v1' }]);
    for (const path of Object.values(ENDPOINTS)) {
      for (const method of ['get', 'head']) {
        const responses = document.paths[path]?.[method]?.responses ?? {};
        for (const [reason, { status }] of Object.entries(REFUSALS)) {
          expect(JSON.stringify(responses[status]), `${method} ${path} ${reason}`).toContain(`\`${reason}\``);
        }
      }
    }
  });

  test('has examples and client types that are up to date (npm run docs makes them)', async () => {
    for (const [path, made] of await generatedFiles()) expect(readFileSync(root + path, 'utf8'), path).toBe(made);
  });

  test.each([['ftp://x'], ['cdn.example'], ['https://x/?a=1']])('--server %s is refused', async (server) => {
    const { error } = JSON.parse(await printedBy(['openapi', '--server', server, '--json'])) as { error: unknown };
    expect(error).toMatchObject({ code: 'usage', hint: 'for example --server https://cdn.example' });
  });
});

/** Checks an answer against the response that the document has for it. */
function expectDescribed(answer: RawResponse, method: 'get' | 'head', path: string, note: string): void {
  const { status, content } = answer;
  const response = document.paths[path]?.[method]?.responses[status];
  expect(response, `${note}: ${status} is described`).toBeDefined();
  const place = ['paths', path, method, 'responses', String(status)];
  for (const [name, { $ref }] of Object.entries(response?.headers ?? {})) {
    const where = $ref === undefined ? [...place, 'headers', name] : ['components', 'headers', name];
    const required = where.reduce<unknown>((at, word) => Reflect.get(Object(at), word), document);
    const values = headerValues(answer, name);
    expect(values.length, `${note}: ${name} is there once`).toBeLessThanOrEqual(1);
    if (Reflect.get(Object(required), 'required') === true) expect(values, `${note}: ${name}`).toHaveLength(1);
    for (const value of values) expect(problemsOf(value, ...where, 'schema'), `${note}: ${name}: ${value}`).toBeNull();
  }
  // Nothing of ours is there that the document does not tell of.
  for (const [name] of answer.headers) {
    if (/^(date|server|connection|content-type|content-length|transfer-encoding|accept-ranges)$/i.test(name)) continue;
    const isListed = Object.keys(response?.headers ?? {}).some((listed) => listed.toLowerCase() === name.toLowerCase());
    expect(isListed, `${note}: ${name} is described`).toBe(true);
  }
  if (method === 'head' || status === 304) return expect(content.length, note).toBe(0);
  const [type = ''] = headerValues(answer, 'Content-Type');
  const body: unknown = JSON.parse(content.toString('utf8'));
  expect(problemsOf(body, ...place, 'content', type, 'schema'), note).toBeNull();
}

describe('what nginx answers', () => {
  // nginx knows no clock but the real one, so the demo is made as of now.
  const now = Math.floor(Date.now() / 1000);
  const note = `the demo as of ${instantText(now)}`;
  const fronts: string[] = [];
  let demo: World;
  let nginx: NginxRuntime;
  let world: World;
  let nginxOfWorld: NginxRuntime;

  beforeAll(async () => {
    const folder = temporaryFolder();
    const database = catalogueAt(`${folder}/demo.sqlite`, demoRows(instantText(now)));
    await buildTree(database, `${folder}/out`, instant(instantText(now)));
    const keys: Record<string, KeyRingEntry> = {};
    const signingKeys = new Map<string, string>();
    for (const path of filesOf(`${folder}/out`).keys()) {
      const front = /^public\/fronts\/(.+)\/pointer\.json$/.exec(path)?.[1];
      if (front === undefined) continue;
      fronts.push(front);
      keys[`${front}-1`] = {
        front,
        alg: 'hmac-sha256',
        secretRef: 'SECRET',
        notBefore: null,
        notAfter: null,
        revokedAt: null,
      };
      signingKeys.set(`${front}-1`, 'shared');
    }
    const keyRing = { schema: 1, keys } as const;
    const secrets = { SECRET: 'shared' };
    demo = { root: `${folder}/out`, now, keyRing, fronts: new Map(), signingKeys, secrets, profiles: ['rfc9421'] };
    world = await makeWorld(now);
    [nginx, nginxOfWorld] = await Promise.all([startNginx(demo), startNginx(world)]);
  });

  afterAll(async () => {
    await Promise.all([nginx.stop(), nginxOfWorld.stop()]);
  });

  test('is accepted for every front and both documents: GET, HEAD and 304', async () => {
    expect(fronts.length).toBeGreaterThan(5);
    for (const front of fronts) {
      for (const path of Object.values(ENDPOINTS)) {
        const send = async (method: string, ...more: readonly string[]): Promise<RawResponse> => {
          const lines = [
            `${method} ${path} HTTP/1.1`,
            'Host: edge.test',
            `X-Front: ${front}`,
            `Sign: keyid=${front}-1`,
          ];
          return nginx.send(await prepareLines([...lines, ...more], nginx.now(), demo));
        };
        const got = await send('GET');
        expect(got.status, `${note}: ${front}${path}`).toBe(200);
        expectDescribed(got, 'get', path, `${note}: ${front}`);
        expectDescribed(await send('HEAD'), 'head', path, `${note}: HEAD ${front}`);
        const again = await send('GET', `If-None-Match: ${headerValues(got, 'ETag')[0] ?? ''}`);
        expect(again.status).toBe(304);
        expectDescribed(again, 'get', path, `${note}: 304 ${front}`);
      }
    }
  });

  test('is accepted for every refusal of the rule and of nginx itself, with all reasons seen', async () => {
    const seen = new Set<string>();
    const transcripts = readdirSync(`${root}test/edge`).filter((name) => name.endsWith('.http.txt'));
    for (const name of transcripts) {
      for (const exchange of parseTranscript(readFileSync(`${root}test/edge/${name}`, 'utf8')).exchanges) {
        const { code } = exchange.limits.get('nginx') ?? exchange.expected;
        if (code === null) continue;
        const lines = await prepareLines(exchange.request, nginxOfWorld.now(), world);
        const [method = '', target = ''] = (lines[0] ?? '').split(' ');
        // A refusal has one form: where another path or method was asked for, it is the one that
        // any path here describes.
        const path = target.startsWith(ENDPOINTS.categories) ? ENDPOINTS.categories : ENDPOINTS.products;
        const answer = await nginxOfWorld.send(lines);
        expectDescribed(answer, method === 'HEAD' ? 'head' : 'get', path, `${name}: ${exchange.name}`);
        if (method !== 'HEAD') seen.add(code);
      }
    }
    for (const { name, lines, body, code } of OWN_REFUSALS) {
      const prepared = await prepareLines(lines, nginxOfWorld.now(), world);
      expectDescribed(await sendLines(nginxOfWorld.port, prepared, body), 'get', ENDPOINTS.products, name);
      seen.add(code);
    }
    expect([...seen].toSorted()).toEqual(REASONS);
  });

  test('is rejected with planted faults in a real document', async () => {
    const lines = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow', 'Sign: keyid=moscow-1'];
    const answer = await nginx.send(await prepareLines(lines, nginx.now(), demo));
    const real = answer.content.toString('utf8');
    const place = ['paths', '/products/', 'get', 'responses', '200', 'content', 'application/json', 'schema'];
    expect(problemsOf(JSON.parse(real), ...place)).toBeNull();
    const planted: readonly (readonly [
      string,
      (card: Record<string, unknown>, whole: Record<string, unknown>) => void,
    ])[] = [
      ['a key gone', (card) => delete card['soldOut']],
      ['a key more', (card) => (card['secret'] = 1)],
      ['null where a value is required', (card) => (card['soldOut'] = null)],
      ['a session without its offset', (card) => (card['nextScheduleSlot'] = '2026-05-01T19:00:00')],
      ['30 February', (card) => (card['nextScheduleSlot'] = '2026-02-30T19:00:00+03:00')],
      ['a price as text', (card) => (card['priceFrom'] = '500')],
      ['a price below nothing', (card) => (card['priceFrom'] = -1)],
      ['a slug with a slash', (card) => (card['slug'] = '../x')],
      ['an age beyond all', (card) => (card['ageRating'] = 99)],
      ['a list that is none', (_, whole) => (whole['tags'] = null)],
      ['a colour by name', (_, whole) => (whole['badges'] = [{ id: 1, slug: 'a', name: 'a', color: 'red' }])],
    ];
    for (const [what, plant] of planted) {
      const whole = JSON.parse(real) as Record<string, unknown> & { productCards: Record<string, unknown>[] };
      const [card] = whole.productCards;
      if (card === undefined) throw new Error('no card to spoil');
      plant(card, whole);
      expect(problemsOf(whole, ...place), what).not.toBeNull();
    }
    const refusal = ['paths', '/products/', 'get', 'responses', '401', 'content', 'application/problem+json', 'schema'];
    const problem = { type: 'urn:playbill:x', title: 'x', status: 401, code: 'signature-missing' };
    expect(problemsOf(problem, ...refusal)).toBeNull();
    for (const wrong of [
      { ...problem, code: 'not-found' },
      { ...problem, status: 403 },
      { ...problem, front: 'x' },
    ])
      expect(problemsOf(wrong, ...refusal)).not.toBeNull();
  });
});
