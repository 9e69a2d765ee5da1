// What can be wrong with a bucket, and what a person then reads: a code, what was expected and
// found and where, what to type. Never a stack, a secret or a signature; and what was published
// stands.

import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildResultSchema } from '../../src/contract/results/build.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { bucketOfFile, leaveEnvironmentAtEnd, textsOf } from '../support/cli/bucket.ts';
import { playbill, type Run } from '../support/cli/run.ts';
import { NOW, smallCatalogue } from '../support/fault/small-catalogue.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { idIn } from '../support/manifests.ts';
import { catalogueAt, pointerOf, temporaryFolderOfFile } from '../support/trees.ts';

leaveEnvironmentAtEnd();
const folder = temporaryFolderOfFile();
const [one, two, revoking] = ['one', 'two', 'revoking'].map((name) => join(folder, `${name}.sqlite`)) as [
  string,
  string,
  string,
];
const LATER = '2026-05-01T09:05:00Z';
const FRONTS = ['alpha', 'bravo'];
let store: MemoryStore;
/** A fresh prefix for each test, with a tree of one release. */
let prefix = '';
let out = '';
let trees = 0;

beforeAll(async () => {
  store = await bucketOfFile();
  const size = { fronts: FRONTS, productsPerFront: 1, sessionsPerProduct: 2 };
  catalogueAt(one, smallCatalogue({ ...size, edition: 'one' }));
  catalogueAt(two, smallCatalogue({ ...size, edition: 'two' }));
  catalogueAt(revoking, smallCatalogue({ ...size, edition: 'two' }));
});
afterAll(() => store.close());

beforeEach(async () => {
  trees += 1;
  prefix = `tree-${trees}`;
  out = `s3://bucket/${prefix}`;
  expect((await playbill(['build', '--db', one, '--now', NOW, '--out', out])).status).toBe(0);
});
afterEach(() => {
  store.denied = [];
  store.locked = [];
  for (const [name, value] of Object.entries({ AWS_SESSION_TOKEN: '', ...store.environment })) vi.stubEnv(name, value);
});

const BUILD = (): string[] => ['build', '--db', two, '--now', LATER];
const VERIFY = ['verify'];
const STATUS = ['status'];
const SHOW = ['show', '--front', 'alpha', '--endpoint', 'products', '--at', NOW];
const ROLLBACK = ['rollback', 'current'];
const PRUNE = ['prune', '--grace', '0'];
const REVOKE = (): string[] => ['keys', 'revoke', 'alpha-site', '--db', revoking];
const EVERY = (): string[][] => [BUILD(), VERIFY, STATUS, SHOW, ['next'], ['releases'], ROLLBACK, PRUNE, REVOKE()];

const byText = (a: string, b: string): number => (a < b ? -1 : 1);

/** What nothing that is printed may contain. */
function expectNothingLeaks({ stdout, stderr }: Run): void {
  const { accessKeyId, secretAccessKey } = store.credentials;
  for (const secret of [
    secretAccessKey,
    accessKeyId,
    'wrong-secret',
    'AKIDOTHER',
    'AWS4-HMAC',
    'Signature=',
    'Credential=',
  ])
    expect(stdout + stderr).not.toContain(secret);
  expect(stderr).not.toMatch(/^\s+at /m);
}

interface Refusal {
  readonly code: ErrorCode;
  readonly exit: number;
  readonly message: RegExp;
  readonly hint: RegExp;
}

/**
 * Runs commands that all end with one error, as text and as JSON, and leave every object as it was.
 */
async function expectRefused(commands: readonly (readonly string[])[], refusal: Refusal, at = out): Promise<void> {
  const before = await textsOf(store, prefix);
  for (const words of commands) {
    const run = await playbill([...words, '--out', at]);
    expectNothingLeaks(run);
    // `keys` changes the catalogue first: then exit code 2 would be wrong.
    const isCatalogueChanged = run.stderr.includes('The catalogue has the change');
    expect([words[0], run.status, run.stderr]).toEqual([
      words[0],
      isCatalogueChanged && refusal.exit === 2 ? 6 : refusal.exit,
      expect.stringContaining(`error ${refusal.code}: `),
    ]);
    const [, message = '', hint = ''] = /^error [a-z-]+: (.*)\n {2}hint: (.*)$/m.exec(run.stderr) ?? [];
    expect(message, words[0]).toMatch(refusal.message);
    expect(hint, words[0]).toMatch(refusal.hint);
  }
  expect(await textsOf(store, prefix)).toEqual(before);
}

describe('what no command can do anything with', () => {
  const set = (name: string, value: string) => (): void => void vi.stubEnv(name, value);
  const credentials = /^(check|set) AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE/;

  test.each<readonly [string, () => void, Refusal]>([
    [
      'a wrong region',
      set('AWS_REGION', 'us-west-1'),
      {
        code: 'region-wrong',
        exit: 2,
        message:
          /^expected bucket bucket in region us-west-1, found: .*'us-west-1' is wrong; expecting 'eu-central-1'$/,
        hint: /: AWS_REGION=eu-central-1$/,
      },
    ],
    [
      'expired credentials',
      set('AWS_SESSION_TOKEN', 'expired'),
      {
        code: 'credentials-refused',
        exit: 2,
        message: /^expected valid credentials for s3:\/\/bucket\/tree-\d+\S*, found expired ones$/,
        hint: /^get new ones \(with aws sso login/,
      },
    ],
    [
      'no credentials',
      set('AWS_ACCESS_KEY_ID', ''),
      {
        code: 'credentials-missing',
        exit: 2,
        message: /^expected credentials for s3:\/\/bucket\/tree-\d+, found none that work: /,
        hint: credentials,
      },
    ],
    [
      'an unknown key',
      set('AWS_ACCESS_KEY_ID', 'AKIDOTHER'),
      {
        code: 'credentials-refused',
        exit: 2,
        message: /^expected credentials that http:.* accepts, found: InvalidAccessKeyId/,
        hint: credentials,
      },
    ],
    [
      'a wrong secret',
      set('AWS_SECRET_ACCESS_KEY', 'wrong-secret'),
      { code: 'credentials-refused', exit: 2, message: /accepts, found: SignatureDoesNotMatch/, hint: credentials },
    ],
    [
      'an endpoint that is no URL',
      set('AWS_ENDPOINT_URL', 'user:wrong-secret@localhost:9000'),
      {
        code: 'usage',
        exit: 2,
        message: /^expected AWS_ENDPOINT_URL to be a URL/,
        hint: /^for example AWS_ENDPOINT_URL=https:/,
      },
    ],
    [
      'an endpoint with a password in it',
      set('AWS_ENDPOINT_URL', 'http://user:wrong-secret@localhost:9000'),
      {
        code: 'usage',
        exit: 2,
        message: /^expected AWS_ENDPOINT_URL to be a URL/,
        hint: /^for example AWS_ENDPOINT_URL=https:/,
      },
    ],
    [
      'neither region nor endpoint',
      () => {
        vi.stubEnv('AWS_ENDPOINT_URL', '');
        vi.stubEnv('AWS_REGION', '');
      },
      {
        code: 'region-missing',
        exit: 2,
        message: /^expected the region of bucket bucket in AWS_REGION/,
        hint: /AWS_ENDPOINT_URL/,
      },
    ],
  ])('%s', async (_, spoil, refusal) => {
    spoil();
    await expectRefused(EVERY(), refusal);
  });

  test('no bucket', async () => {
    const message = /^expected a bucket elsewhere at http:\/\/127\.0\.0\.1:\d+, found none$/;
    const refusal = { code: 'bucket-missing', exit: 2, message, hint: /correct its name in --out/ } as const;
    await expectRefused(EVERY(), refusal, 's3://elsewhere/tree');
  });

  test('a clock that is off by an hour', async () => {
    await using skewed = await startMemoryStore({ skewMs: 3_600_000 });
    vi.stubEnv('AWS_ENDPOINT_URL', skewed.endpoint);
    const message = /^expected a clock that agrees with http:.*, found: RequestTimeTooSkewed/;
    await expectRefused(EVERY(), { code: 'clock-skewed', exit: 2, message, hint: /^set the clock of this machine/ });
  });

  test('no network: a port where nobody listens', async () => {
    const closed = await startMemoryStore();
    await closed.close();
    vi.stubEnv('AWS_ENDPOINT_URL', closed.endpoint);
    const message = /^expected http:\S+ to answer, found no answer: connect ECONNREFUSED /;
    await expectRefused(EVERY(), {
      code: 'store-unreachable',
      exit: 75,
      message,
      hint: /^check the network and AWS_ENDPOINT_URL/,
    });
  });

  test('a service for credentials that does not answer', async () => {
    const token = join(folder, 'web-identity-token');
    writeFileSync(token, 'not read by anybody');
    const environment = {
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      AWS_WEB_IDENTITY_TOKEN_FILE: token,
      AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/builder',
      AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:9',
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const message = /^expected credentials for s3:\/\/bucket\/tree-\d+, found none that work: connect ECONNREFUSED /;
    const refusal = { code: 'store-unreachable', message, hint: /^run the same command again later$/ } as const;
    await expectRefused([BUILD(), STATUS, REVOKE()], { ...refusal, exit: 75 });
    for (const name of Object.keys(environment)) vi.stubEnv(name, '');
  });

  test('a store that answers every request with an error of its own', async () => {
    for (const [status, code] of [
      [429, 'TooManyRequests'],
      [503, 'SlowDown'],
    ] as const) {
      store.faults = () => ({ kind: 'status', status });
      const message = new RegExp(`^expected to (read|list) s3://bucket/tree-\\d+\\S*, found: ${code}: `);
      await expectRefused(EVERY(), {
        code: 'store-busy',
        exit: 75,
        message,
        hint: /^run the same command again later$/,
      });
      store.faults = null;
    }
  });

  test.each([
    ['a page', 200, '<html><body>Welcome</body></html>'],
    ['nothing', 200, ''],
    ['that nothing is there', 404, '<h1>Not Found</h1>'],
    ['that somebody may not', 401, '{"error":"unauthorized"}'],
    ['that it is elsewhere', 302, ''],
  ])('an endpoint that is no S3 store, and answers with %s', async (_, status, body) => {
    const server = createServer((__, response) =>
      response.writeHead(status, { location: 'http://other.example/' }).end(body),
    );
    vi.stubEnv('AWS_ENDPOINT_URL', await originOf(server));
    const message = /^expected an S3 store at http:\S+, found something that does not answer as one \(status \d+.*\)$/;
    await expectRefused(EVERY(), { code: 'store-unusable', exit: 2, message, hint: /^check AWS_ENDPOINT_URL/ });
    server.closeAllConnections();
    server.close();
  });

  async function originOf(server: Server): Promise<string> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test.each([
    's3:',
    's3://',
    's3:bucket',
    's3:/bucket/tree',
    's3:///tree',
    's3://b',
    's3://bucket//tree',
    's3://bucket/../tree',
    's3://bucket/tree?versionId=1',
    's3://bucket/a tree',
    's3://bucket:9000/tree',
    's3://user:wrong-secret@bucket/tree',
    'S3://bucket/tree',
    's3n://bucket/tree',
    'https://bucket.s3.amazonaws.com/tree',
  ])('a malformed address: %s', async (address) => {
    const message = /^expected s3:\/\/bucket or s3:\/\/bucket\/prefix, found "/;
    const hint = /^for example --out s3:\/\/shop-catalogue\/tree$/;
    await expectRefused(EVERY(), { code: 'usage', exit: 2, message, hint }, address);
  });
});

describe('a permission that is missing', () => {
  const at = String.raw`s3://bucket/tree-\d+`;

  test('to read', async () => {
    store.denied = [{ action: 'read', prefix: `${prefix}/` }];
    const refusal = { code: 'tree-unreadable', exit: 2, hint: /^allow s3:GetObject on this prefix/ } as const;
    const message = new RegExp(`expected to be allowed to read ${at}/\\S+, found: AccessDenied`);
    await expectRefused([BUILD(), SHOW, ROLLBACK, PRUNE, ['releases'], REVOKE()], { ...refusal, message });
    // These report what they cannot read.
    for (const words of [VERIFY, STATUS]) {
      const run = await playbill([...words, '--out', out]);
      expectNothingLeaks(run);
      expect([run.status, run.stdout]).toEqual([1, expect.stringMatching(message)]);
    }
  });

  test('to list', async () => {
    store.denied = [{ action: 'list', prefix: '' }];
    const message = new RegExp(`^expected to be allowed to list ${at}, found: AccessDenied`);
    const hint = /^allow s3:ListBucket on this prefix$/;
    await expectRefused(EVERY(), { code: 'tree-unreadable', exit: 2, message, hint });
  });

  test('to write', async () => {
    store.denied = [{ action: 'write', prefix: `${prefix}/` }];
    const message = new RegExp(`^expected to be allowed to write ${at}/\\S+, found: AccessDenied`);
    const hint = /^allow s3:PutObject on this prefix/;
    await expectRefused([BUILD(), ROLLBACK, PRUNE, REVOKE()], { code: 'tree-not-writable', exit: 6, message, hint });
    store.denied = [{ action: 'write', prefix: `${prefix}/public/` }];
    const before = await textsOf(store, prefix);
    const run = await playbill([...BUILD(), '--out', out]);
    expect([run.status, run.stderr]).toEqual([
      6,
      expect.stringMatching(/^error tree-not-writable: .*\n {2}hint: allow s3:Put/),
    ]);
    const after = await textsOf(store, prefix);
    // A revocation does not wait for the content.
    for (const [path, text] of before) if (path !== 'edge/keyring.json') expect(after.get(path)).toBe(text);
    expect(after.size).toBe(before.size);
    for (const words of [VERIFY, SHOW]) expect((await playbill([...words, '--out', out])).status).toBe(0);
  });

  test('to write one front: that one is held, the others are published', async () => {
    const before = await textsOf(store, prefix);
    store.denied = [{ action: 'write', prefix: `${prefix}/public/fronts/alpha/` }];
    const run = await playbill([...BUILD(), '--out', out, '--json']);
    expectNothingLeaks(run);
    expect(run.status).toBe(3);
    const result = buildResultSchema.parse(JSON.parse(run.stdout));
    expect(result.fronts).toMatchObject([
      { front: 'alpha', held: 'file-not-writable', snapshot: { cards: 2 }, put: { files: 0 } },
      { front: 'bravo', held: null, put: { files: 6 } },
    ]);
    const message = new RegExp(
      String.raw`^expected to be allowed to write .*; and \d more of this front \(allow s3:PutObject`,
    );
    expect(result.findings).toMatchObject([
      { severity: 'error', code: 'file-not-writable', message: expect.stringMatching(message) },
    ]);
    const after = await textsOf(store, prefix);
    expect(pointerOf(after, 'alpha')).toEqual(pointerOf(before, 'alpha'));
    expect(pointerOf(after, 'bravo').now).toBe(LATER);
    expect(idIn(after.get('releases/current')?.trim() ?? '')).toBe(result.release);
    expect((await playbill([...VERIFY, '--out', out])).stdout).toMatch(/: 0 errors, 0 warnings$/m);
    expect((await playbill([...BUILD(), '--front', 'alpha', '--out', out])).status).toBe(6);

    store.denied = [];
    const text = await playbill(['build', '--db', two, '--now', '2026-05-01T09:06:00Z', '--out', out]);
    expect([text.status, text.stdout]).toEqual([0, expect.stringContaining('Published 2 of 2 fronts')]);
  });

  test('the summary says of the front why it was held', async () => {
    store.denied = [{ action: 'write', prefix: `${prefix}/public/fronts/alpha/` }];
    const { stdout } = await playbill([...BUILD(), '--out', out]);
    expect(stdout).toMatch(/^alpha: held back: not allowed to write its files \(the finding says what to allow\)$/m);
    expect(stdout).toMatch(/^error file-not-writable public\/fronts\/alpha\/\S+: expected to be allowed to write /m);
  });

  test('to delete: a warning of a build, which has published; an error of prune', async () => {
    store.denied = [{ action: 'delete', prefix: `${prefix}/` }];
    const refused = /expected to be allowed to remove s3:\/\/bucket\/\S+, found: AccessDenied/;
    for (const minute of ['05', '06', '07', '08', '09', '10', '11', '12', '13', '14'])
      await playbill([
        'build',
        '--db',
        minute > '09' ? one : two,
        '--now',
        `2026-05-01T09:${minute}:00Z`,
        '--no-prune',
        '--out',
        out,
      ]);
    const before = await textsOf(store, prefix);
    const build = await playbill(['build', '--db', two, '--now', '2026-05-01T12:00:00Z', '--out', out]);
    expectNothingLeaks(build);
    expect([build.status, build.stdout]).toEqual([
      0,
      expect.stringMatching(/^warning not-pruned releases: pruning stopped early/m),
    ]);
    expect(build.stdout).toMatch(refused);
    const after = await textsOf(store, prefix);
    for (const path of before.keys()) expect(after.has(path), path).toBe(true);
    const hint = /^allow s3:DeleteObject on this prefix/;
    await expectRefused([PRUNE], { code: 'tree-not-writable', exit: 6, message: refused, hint });
  });
});

describe('an object under retention', () => {
  const hint = /or look for a lock or retention on the object$/;
  const locked = (name: string): RegExp =>
    new RegExp(
      `^expected to be allowed to (write|remove) s3://bucket/tree-\\d+/${name}, found: AccessDenied: .*object lock`,
    );

  test('the lease: nothing is written', async () => {
    store.locked = [`${prefix}/.lock`];
    const message = locked(String.raw`\.lock`);
    await expectRefused([BUILD(), ROLLBACK, PRUNE], { code: 'tree-not-writable', exit: 6, message, hint });
  });

  test('a pointer: it stands, every front is whole, and the same command finishes later', async () => {
    const before = await textsOf(store, prefix);
    store.locked = [`${prefix}/public/fronts/alpha/pointer.json`];
    const run = await playbill([...BUILD(), '--out', out]);
    expectNothingLeaks(run);
    expect([run.status, run.stderr.split('\n')[0]?.replace(/^error [a-z-]+: /, '')]).toEqual([
      6,
      expect.stringMatching(locked('public/fronts/alpha/pointer.json')),
    ]);
    const after = await textsOf(store, prefix);
    for (const [path, text] of before)
      if (path !== 'public/fronts/bravo/pointer.json' && path !== 'edge/keyring.json')
        expect(after.get(path)).toBe(text);
    expect((await playbill([...VERIFY, '--out', out])).status).toBe(0);
    store.locked = [];
    expect((await playbill([...BUILD(), '--out', out])).status).toBe(0);
    expect((await playbill([...VERIFY, '--out', out])).stdout).toMatch(/: 0 errors, 0 warnings$/m);
  });

  test('an edition: pruning leaves it, and says so', async () => {
    const path = [...(await textsOf(store, prefix)).keys()].find((name) => name.includes('/products.')) ?? '';
    await store.put(`${prefix}/public/fronts/alpha/products.0123456789abcdef.json`, '{}');
    store.locked = [`${prefix}/public/fronts/alpha/products.0123456789abcdef.json`];
    const message = locked(String.raw`public/fronts/alpha/products\.0123456789abcdef\.json`);
    await expectRefused([PRUNE], { code: 'tree-not-writable', exit: 6, message, hint });
    expect((await textsOf(store, prefix)).has(path)).toBe(true);
  });
});

describe('a prefix with something else in it', () => {
  const FOREIGN = ['hello.txt', 'public/index.html', 'releases/readme', 'public/fronts/alpha/readme', 'deep/er/file'];

  test('builds go on beside it, verify reports what is within the tree, nothing removes it', async () => {
    for (const path of FOREIGN) await store.put(`mixed/${path}`, 'somebody else');
    const mixed = 's3://bucket/mixed';
    for (const now of [NOW, LATER, '2026-05-01T12:00:00Z'])
      expect((await playbill(['build', '--db', now === NOW ? one : two, '--now', now, '--out', mixed])).status).toBe(0);
    expect((await playbill([...PRUNE, '--out', mixed])).status).toBe(0);
    const { status, stdout } = await playbill([...VERIFY, '--out', mixed]);
    expect([
      status,
      [...stdout.matchAll(/^warning unexpected (\S+):/gm)].map(([, path = '']) => path).sort(byText),
    ]).toEqual([0, ['public/fronts/alpha/readme', 'public/index.html', 'releases/readme']]);
    const after = await textsOf(store, 'mixed');
    for (const path of FOREIGN) expect(after.get(path)).toBe('somebody else');
  });

  test('the tree of a newer Playbill is refused, and not touched', async () => {
    prefix = 'newer';
    await store.put('newer/edge/keyring.json', '{"schema":99}');
    await store.put('newer/releases/current', '20260501T090000Z-0123456789abcdef\n');
    await store.put('newer/releases/20260501T090000Z-0123456789abcdef.json', '{"schema":99}');
    await store.put('newer/public/fronts/alpha/pointer.json', '{"schema":99}');
    const message = /^expected schema [12] in \S+, found 99: a newer Playbill wrote this tree$/;
    const refusal = { code: 'tree-newer-schema', exit: 2, message, hint: /^use that version/ } as const;
    await expectRefused(EVERY(), refusal, 's3://bucket/newer');
  });
});
