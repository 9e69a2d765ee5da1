// `edge build --target lambda-edge`: what it writes and prints, what it refuses, that the README's
// commands fit the templates, and that the templates grant no more rights than the rule needs.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { keyRingText } from '../../src/release/tree/codec.ts';
import { playbill, playbillProcess } from '../support/cli/run.ts';
import { readDistribution } from '../support/edge/cloudfront/distribution.ts';
import { startLambdaEdge } from '../support/edge/runtimes/lambda-edge.ts';
import { keyRingOf, makeWorld } from '../support/edge/world.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';

const root = temporaryFolderOfFile();
const out = join(root, 'out');
const open = { front: 'moscow', notBefore: null, notAfter: null, revokedAt: null };
const publicKey = { ...open, alg: 'ed25519', jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' }, spki: 'AAAA' };
const secretKey = { ...open, alg: 'hmac-sha256', secretRef: 'MOSCOW_SECRET' };

const writeRing = (keys: Record<string, unknown>): void =>
  writeFileSync(join(out, 'edge/keyring.json'), keyRingText(keyRingOf(keys)));
beforeAll(() => {
  mkdirSync(join(out, 'edge'), { recursive: true });
  mkdirSync(join(out, 'public'));
  writeRing({ 'moscow-1': publicKey });
});

const S3 = ['--origin', 's3://shop/shows/tree', '--origin-region', 'eu-central-1'];
const UNSET = { AWS_ENDPOINT_URL_S3: '', AWS_ENDPOINT_URL: '', AWS_REGION: '', AWS_DEFAULT_REGION: '' };

const build = (to: string, words: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  playbill(['edge', 'build', '--target', 'lambda-edge', '--out', out, '--to', join(root, to), ...words], {
    ...UNSET,
    ...environment,
  });

const text = (to: string, name: string): string => readFileSync(join(root, to, name), 'utf8');

describe('what it writes', () => {
  test('a folder, with the function’s configuration in front of it', async () => {
    const { status, stdout, stderr } = await build('plain', [
      ...S3,
      '--encodings',
      'gzip',
      '--base',
      '/api',
      '--max-age',
      '30s',
    ]);
    expect([status, stderr]).toEqual([0, '']);
    const files = ['README.md', 'bucket-policy.json', 'distribution.json', 'index.mjs'];
    expect(readdirSync(join(root, 'plain')).toSorted()).toEqual(files);
    for (const name of files) expect(stdout).toContain(`plain/${name} (`);
    const [first = '', ...rest] = text('plain', 'index.mjs').split('\n');
    expect(JSON.parse(first.slice('const PLAYBILL = '.length, -1))).toEqual({
      base: '/api',
      maxAge: 30,
      requiresAuthority: true,
      ringGrace: 60,
      encodings: ['gzip'],
      pointerSeconds: 5,
      origin: 'https://shop.s3.eu-central-1.amazonaws.com/shows/tree',
      region: 'eu-central-1',
      folder: '/shows/tree',
    });
    expect(rest.join('\n')).toMatch(/export\s*\{\w+ as handler\}/);
    // The key ring is read from the bucket.
    for (const name of files) expect(text('plain', name)).not.toContain('moscow-1');
    expect(stdout).toMatch(/^Size of the rule: \d+(\.\d)? kB$/m);
  });

  test('the same for a tree at the top of its bucket', async () => {
    await build('top', ['--origin', 's3://shop', ...S3.slice(2)]);
    expect(text('top', 'index.mjs')).toContain('"origin":"https://shop.s3.eu-central-1.amazonaws.com",');
    expect(text('top', 'index.mjs')).toContain('"folder":""');
    expect(text('top', 'bucket-policy.json')).toContain('"arn:aws:s3:::shop/public/fronts/*"');
  });

  test('a README and a help that say that it is untried on CloudFront itself', async () => {
    await build('said', S3);
    expect(text('said', 'README.md')).toContain('**Untried on CloudFront itself.**');
    expect(text('said', 'README.md')).toContain('This key ring has none.');
    const help = await playbillProcess(['edge', 'build', '--help']);
    expect(help.stdout.replaceAll(/\s+/g, ' ')).toContain('not on CloudFront itself');
  });

  test('a warning and a README that name the keys which need a secret', async () => {
    writeRing({ 'moscow-1': publicKey, 'b-hmac': secretKey, 'a-hmac': secretKey });
    const { status, stderr } = await build('refused', S3);
    writeRing({ 'moscow-1': publicKey });
    expect(status).toBe(0);
    expect(stderr).toBe(
      'warning secret-missing: lambda-edge has no secrets and will refuse these keys: a-hmac, b-hmac\n',
    );
    expect(text('refused', 'README.md')).toContain('In this key ring these are refused: `a-hmac`, `b-hmac`.');
  });

  test('a new version of the function for other code, and the same version for the same code', async () => {
    const versions: string[] = [];
    for (const [to, words] of [
      ['one', S3],
      ['same', S3],
      ['other', [...S3, '--max-age', '10s']],
    ] as const) {
      await build(to, words);
      versions.push(/"(Version[0-9a-f]{16})"/.exec(text(to, 'distribution.json'))?.[1] ?? to);
    }
    expect(versions[0]).toMatch(/^Version/);
    expect(versions[1]).toBe(versions[0]);
    expect(versions[2]).not.toBe(versions[0]);
  });
});

/**
 * The two subcommands of `aws cloudformation` that read a template, as far as they check their
 * arguments: local files are there, a parameter is given for each of the template's, and the
 * permission to make roles is given if there is one. `describe-stacks` prints names of outputs.
 */
const AWS = `#!${process.execPath}
const { existsSync, copyFileSync, readFileSync } = require('node:fs');
const [service, command, ...rest] = process.argv.slice(2);
const flags = {};
let last = [];
for (const word of rest) if (word.startsWith('--')) flags[word] = last = []; else last.push(word);
const expect = (isTrue, message) => { if (!isTrue) { console.error(command + ': ' + message); process.exit(1); } };
const same = (a, b) => JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());
const templateOf = (file) => JSON.parse(readFileSync(file, 'utf8'));
expect(service === 'cloudformation', 'unknown service ' + service);
if (command === 'package') {
  const [file] = flags['--template-file'];
  for (const { Type, Properties } of Object.values(templateOf(file).Resources))
    if (Type === 'AWS::Lambda::Function') expect(existsSync(Properties.Code), 'no file ' + Properties.Code);
  expect(flags['--s3-bucket'].length === 1, 'no bucket');
  copyFileSync(file, flags['--output-template-file'][0]);
} else if (command === 'deploy') {
  const { Parameters, Resources } = templateOf(flags['--template-file'][0]);
  const given = flags['--parameter-overrides'].map((pair) => pair.split('=')[0]);
  expect(same(given, Object.keys(Parameters)), 'parameters: ' + given);
  const types = Object.values(Resources).map(({ Type }) => Type);
  expect(types.includes('AWS::IAM::Role') === same(flags['--capabilities'] ?? [], ['CAPABILITY_IAM']), 'capabilities');
  const [region] = flags['--region'];
  expect(region === (types.includes('AWS::Lambda::Function') ? 'us-east-1' : 'eu-central-1'), 'region ' + region);
} else expect(command === 'describe-stacks' && same(flags['--query'], ['Stacks[0].Outputs']), 'unknown command');
`;

test('the README’s commands run in the folder, with the parameters and the rights that the templates want', async () => {
  await build('typed', S3);
  const programs = join(root, 'programs');
  mkdirSync(programs);
  writeFileSync(join(programs, 'aws'), AWS);
  chmodSync(join(programs, 'aws'), 0o755);
  const readme = text('typed', 'README.md');
  const commands = [...readme.matchAll(/^ {4}(aws .*)$/gm)].map(([, command = '']) => command);
  expect(commands).toHaveLength(4);
  for (const command of commands) {
    const options = { cwd: join(root, 'typed'), env: { PATH: `${programs}:/usr/bin:/bin` }, encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync('sh', ['-c', command], options);
    expect([status, stderr], command).toEqual([0, '']);
  }
  const { Outputs } = z
    .looseObject({ Outputs: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(text('typed', 'distribution.json')));
  for (const name of Object.keys(Outputs)) expect(readme).toContain(`\`${name}\``);
});

describe('the templates', () => {
  const statement = z.strictObject({
    Sid: z.string().optional(),
    Effect: z.literal('Allow'),
    Principal: z.unknown().optional(),
    Action: z.union([z.string(), z.array(z.string())]),
    Resource: z.unknown(),
    Condition: z.unknown().optional(),
  });
  const policy = z.strictObject({ Version: z.literal('2012-10-17'), Statement: z.array(statement) });
  const resources = (name: string): Readonly<Record<string, { readonly Properties: object }>> =>
    z
      .looseObject({ Resources: z.record(z.string(), z.looseObject({ Properties: z.looseObject({}) })) })
      .parse(JSON.parse(text('rights', name))).Resources;
  beforeAll(() => build('rights', S3));

  test('have a distribution with the function at three events, which signs its requests to the bucket', () => {
    const distribution = readDistribution(text('rights', 'distribution.json'));
    expect(distribution).toMatchObject({
      originDomain: 'shop.s3.eu-central-1.amazonaws.com',
      functions: { 'viewer-request': 'index.mjs', 'origin-response': 'index.mjs', 'viewer-response': 'index.mjs' },
      keyHeaders: [],
      hasQueryInKey: false,
    });
    expect(new Set(distribution.errorSeconds.values())).toEqual(new Set([0]));
  });

  test('let the function read what the rule reads and write its log, and nothing else', () => {
    const role = z
      .strictObject({
        AssumeRolePolicyDocument: z.looseObject({
          Statement: z.tuple([z.looseObject({ Principal: z.strictObject({ Service: z.array(z.string()) }) })]),
        }),
        Policies: z.tuple([z.strictObject({ PolicyName: z.string(), PolicyDocument: policy })]),
      })
      .parse(resources('distribution.json')['Role']?.Properties);
    expect(role.AssumeRolePolicyDocument.Statement[0].Principal.Service).toEqual([
      'lambda.amazonaws.com',
      'edgelambda.amazonaws.com',
    ]);
    const rights = role.Policies[0].PolicyDocument.Statement.map(({ Action, Resource }) => [Action, Resource]);
    expect(rights).toEqual([
      ['s3:GetObject', ['arn:aws:s3:::shop/shows/tree/public/*', 'arn:aws:s3:::shop/shows/tree/edge/keyring.json']],
      ['s3:ListBucket', 'arn:aws:s3:::shop'],
      [['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'], expect.anything()],
    ]);
  });

  test('let the distribution read the editions, and nobody else anything', () => {
    const own = z
      .strictObject({ Bucket: z.literal('shop'), PolicyDocument: policy })
      .parse(resources('bucket-policy.json')['BucketPolicy']?.Properties);
    expect(own.PolicyDocument.Statement).toEqual([
      {
        Sid: 'ReadEditions',
        Effect: 'Allow',
        Principal: { Service: 'cloudfront.amazonaws.com' },
        Action: 's3:GetObject',
        Resource: 'arn:aws:s3:::shop/shows/tree/public/fronts/*',
        Condition: { StringEquals: { 'AWS:SourceArn': { Ref: 'Distribution' } } },
      },
    ]);
  });

  test.each([
    ['without the function at viewer request an unsigned request gets a file', 'viewer-request', false],
    ['with it an unsigned request gets none', 'nothing', true],
  ])('keep the rule in front of the bucket: %s', async (_, event, isRefused) => {
    const world = await makeWorld(Math.floor(Date.now() / 1000));
    const edit = (name: string, written: string): string =>
      name === 'distribution.json'
        ? written.replace(`"EventType": "${event}"`, '"EventType": "viewer-response"')
        : written;
    const runtime = await startLambdaEdge(world, { edit });
    try {
      const path = `/shows/public/fronts/kazan/products.${world.fronts.get('kazan')?.products[0]?.digest}.json`;
      const answer = await runtime.send([`GET ${path} HTTP/1.1`, 'Host: edge.test']);
      expect(answer.status === 404).toBe(isRefused);
    } finally {
      await runtime.stop();
    }
  });
});

describe('what it refuses', () => {
  test.each<[string, readonly string[], string]>([
    ['no bucket', [], '--origin: expected s3://BUCKET/PREFIX, found "ASSETS"'],
    ['a bucket of R2', ['--origin', 'r2://shop'], '--origin: expected s3://BUCKET/PREFIX'],
    ['no region', ['--origin', 's3://shop'], '--origin-region: expected the name of a region'],
    ['another store', [...S3, '--origin-endpoint', 'https://me:hush@s3.example'], '--origin-endpoint: expected none'],
    [
      'dots in a bucket’s name',
      ['--origin', 's3://my.shop', ...S3.slice(2)],
      '--origin: expected a bucket without dots',
    ],
    ['China', ['--origin', 's3://shop', '--origin-region', 'cn-north-1'], 'outside of China'],
    ['a prefix that has to be encoded', ['--origin', 's3://shop/a b', ...S3.slice(2)], 'a prefix of letters'],
    ['a profile that needs secrets', [...S3, '--profile', 'signed-headers'], '--profile: expected rfc9421'],
    ['the same with another one', [...S3, '--profile', 'rfc9421', 'signed-headers'], '--profile: expected rfc9421'],
    [
      'a folder as well as a bucket',
      [...S3, '--public-root', join(root, 'elsewhere')],
      '--public-root: expected only without --origin',
    ],
  ])('%s', async (_, words, message) => {
    const { status, stderr } = await build('never', words);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hush');
  });

  test('another store, named by the environment', async () => {
    const { status, stderr } = await build('never', S3, { AWS_ENDPOINT_URL: 'https://s3.example' });
    expect([status, stderr]).toEqual([2, expect.stringContaining('--origin-endpoint: expected none')]);
  });
});
