// Signature Version 4 against the vectors that AWS publishes, and the headers that a store gets.
// Whether a store lets them in: worker-buckets.test.ts.

import { AwsV4Signer } from 'aws4fetch';
import { describe, expect, test } from 'vitest';
import { NO_BODY } from '../../src/edge/rule/signed-headers.ts';
import type { Credentials } from '../../src/edge/remote-tree/bucket-credentials.ts';
import { authorization, type CanonicalRequest, signatureV4Headers } from '../../src/edge/remote-tree/signature-v4.ts';

// "Examples: Signature Calculations" of the Amazon S3 API Reference
// (sig-v4-header-based-auth.html): its example credentials, and the requests without a body.
const S3_EXAMPLE: Credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
};
const S3_HOST = ['host', 'examplebucket.s3.amazonaws.com'] as const;
const S3_REST = [
  ['x-amz-content-sha256', NO_BODY],
  ['x-amz-date', '20130524T000000Z'],
] as const;

// aws-sig-v4-test-suite, of the AWS General Reference: example credentials, region us-east-1,
// service "service".
const SUITE: Credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
};
const SUITE_HEADERS = [
  ['host', 'example.amazonaws.com'],
  ['x-amz-date', '20150830T123600Z'],
] as const;

const request = (more: Partial<CanonicalRequest>): CanonicalRequest => ({
  method: 'GET',
  path: '/',
  query: '',
  headers: SUITE_HEADERS,
  payload: NO_BODY,
  ...more,
});

describe('the signature of', () => {
  test.each<[string, CanonicalRequest, string]>([
    [
      'GET Object, a range of it',
      request({ path: '/test.txt', headers: [S3_HOST, ['range', 'bytes=0-9'], ...S3_REST] }),
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'GET Bucket Lifecycle',
      request({ query: 'lifecycle=', headers: [S3_HOST, ...S3_REST] }),
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'GET Bucket (List Objects)',
      request({ query: 'max-keys=2&prefix=J', headers: [S3_HOST, ...S3_REST] }),
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('%s', async (_, canonical, signature) => {
    const names = canonical.headers.map(([name]) => name).join(';');
    expect(await authorization(canonical, S3_EXAMPLE, 'us-east-1/s3', '20130524T000000Z')).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    );
  });

  test.each<[string, CanonicalRequest, string]>([
    ['get-vanilla', request({}), '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-vanilla-query-order-key-case',
      request({ query: 'Param1=value1&Param2=value2' }),
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    ['post-vanilla', request({ method: 'POST' }), '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ])('%s', async (_, canonical, signature) => {
    expect(await authorization(canonical, SUITE, 'us-east-1/service', '20150830T123600Z')).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    );
  });
});

describe('a request to a store', () => {
  const url = new URL('https://store.example:9000/bucket/a%20b/public/x.json?response-content-encoding=identity');
  const now = Date.UTC(2026, 4, 1, 9, 0, 0) / 1000 + 0.9;

  test('bears the time in whole seconds, the digest of nothing, and a signature over both', async () => {
    const headers = await signatureV4Headers('GET', url, S3_EXAMPLE, 'eu-central-1', now);
    expect(headers).toEqual([
      ['x-amz-content-sha256', NO_BODY],
      ['x-amz-date', '20260501T090000Z'],
      ['authorization', expect.stringContaining('/20260501/eu-central-1/s3/aws4_request, SignedHeaders=host;x-amz-')],
    ]);
  });

  test('bears the token of temporary credentials, and signs it', async () => {
    const headers = await signatureV4Headers('GET', url, { ...S3_EXAMPLE, sessionToken: 'token' }, 'eu-central-1', now);
    expect(headers[2]).toEqual(['x-amz-security-token', 'token']);
    expect(headers[3]?.[1]).toContain('SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,');
  });

  test.each([
    ['GET', url.href, null],
    ['HEAD', url.href, 'token/of+temporary=='],
    ['GET', 'https://bucket.s3.eu-central-1.amazonaws.com/public/fronts/a/pointer.json', 'token'],
    [
      'GET',
      'http://127.0.0.1:9000/bucket/%28new%29%21%27%2A/%C3%A9/x.json.br?response-content-encoding=identity',
      null,
    ],
  ])('%s %s is signed as another implementation does', async (method, href, sessionToken) => {
    const ours = await signatureV4Headers(method, new URL(href), { ...S3_EXAMPLE, sessionToken }, 'eu-central-1', now);
    const signer = new AwsV4Signer({
      method,
      url: href,
      headers: { 'x-amz-content-sha256': NO_BODY },
      accessKeyId: S3_EXAMPLE.accessKeyId,
      secretAccessKey: S3_EXAMPLE.secretAccessKey,
      ...(sessionToken === null ? {} : { sessionToken }),
      service: 's3',
      region: 'eu-central-1',
      datetime: '20260501T090000Z',
    });
    const { headers } = await signer.sign();
    expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(headers));
  });
});
