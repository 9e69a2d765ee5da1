// The Lambda@Edge function on events as Amazon's developer guide shows them ("Lambda@Edge event
// structure"). And the rules of CloudFront by which the other tests judge its answers: each rule
// refuses what it should.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareLines } from '../support/edge/exchange.ts';
import {
  checkGenerated,
  checkHeaders,
  checkRequest,
  type CloudFrontRequest,
} from '../support/edge/cloudfront/rules.ts';
import { type LambdaEdgeRuntime, startLambdaEdge } from '../support/edge/runtimes/lambda-edge.ts';
import { makeWorld, type World } from '../support/edge/world.ts';

let world: World;
let runtime: LambdaEdgeRuntime;
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
  runtime = await startLambdaEdge(world);
});
afterAll(() => runtime.stop());

const config = (eventType: string) => ({
  distributionDomainName: 'd111111abcdef8.cloudfront.net',
  distributionId: 'EDFDVBD6EXAMPLE',
  eventType,
  requestId: '4TyzHTaYWb1GX1qTfsHhEqV6HUDd_BzoBZnwfnvQc_1oF26ClkoUSEQ==',
});

const VIEWER_REQUEST: CloudFrontRequest = {
  clientIp: '203.0.113.178',
  headers: {
    host: [{ key: 'Host', value: 'd111111abcdef8.cloudfront.net' }],
    'user-agent': [{ key: 'User-Agent', value: 'curl/7.66.0' }],
    accept: [{ key: 'accept', value: '*/*' }],
  },
  method: 'GET',
  querystring: '',
  uri: '/',
};

const RESPONSE = {
  headers: {
    'access-control-allow-credentials': [{ key: 'Access-Control-Allow-Credentials', value: 'true' }],
    date: [{ key: 'Date', value: 'Mon, 13 Jan 2020 20:14:56 GMT' }],
    server: [{ key: 'Server', value: 'ExampleCustomOriginServer' }],
    'content-type': [{ key: 'Content-Type', value: 'application/json' }],
    'content-length': [{ key: 'Content-Length', value: '9593' }],
    via: [{ key: 'Via', value: '1.1 2afae0d44e2540f472c0635ab62c232b.cloudfront.net (CloudFront)' }],
  },
  status: '200',
  statusDescription: 'OK',
};

const ask = (eventType: string, about: object): Promise<unknown> =>
  runtime.invoke('index.mjs', { Records: [{ cf: { config: config(eventType), ...about } }] });

describe('viewer request', () => {
  test('a request for another path is answered', async () => {
    expect(await ask('viewer-request', { request: VIEWER_REQUEST })).toEqual({
      status: '404',
      headers: {
        'content-type': [{ key: 'Content-Type', value: 'application/problem+json' }],
        'cache-control': [{ key: 'Cache-Control', value: 'no-store' }],
      },
      body: '{"type":"urn:playbill:not-found","title":"not found","status":404,"code":"not-found"}\n',
    });
  });

  test('a signed request becomes one for its file, without anything else that the client sent', async () => {
    const lines = await prepareLines(
      ['GET /products/?a=b HTTP/1.1', 'Host: edge.test', 'X-Front: kazan', 'Range: bytes=0-1', 'Sign: keyid=kazan-1'],
      runtime.now(),
      world,
    );
    const headers = Object.fromEntries(
      lines.slice(1).map((line) => {
        const [key = '', ...value] = line.split(': ');
        return [key.toLowerCase(), [{ key, value: value.join(': ') }]];
      }),
    );
    const request = { ...VIEWER_REQUEST, headers, uri: '/products/', querystring: 'a=b' };
    const answer = await ask('viewer-request', { request });
    expect(answer).toEqual({
      ...request,
      uri: `/shows/public/fronts/kazan/products.${world.fronts.get('kazan')?.products[0]?.digest}.json`,
      querystring: '',
      headers: {
        host: headers['host'],
        'x-playbill-answer': [{ key: 'x-playbill-answer', value: expect.any(String) }],
      },
    });
  });
});

describe('origin response', () => {
  const request = { ...VIEWER_REQUEST, uri: '/shows/public/fronts/moscow/products.0123456789abcdef.json' };

  test('passes on a good answer of the bucket, but not what CloudFront could revalidate it by', async () => {
    const validators = {
      etag: [{ key: 'ETag', value: '"9b2cf535f27731c974343645a3985328"' }],
      'last-modified': [{ key: 'Last-Modified', value: 'Mon, 13 Jan 2020 20:14:56 GMT' }],
    };
    const response = { ...RESPONSE, headers: { ...RESPONSE.headers, ...validators } };
    expect(await ask('origin-response', { request, response })).toEqual(RESPONSE);
    const unchanged = { ...RESPONSE, status: '304' };
    expect(await ask('origin-response', { request, response: unchanged })).toEqual(unchanged);
  });

  test.each([
    ['a page', '', { 'content-type': 'text/html; charset=utf-8' }],
    ['an error in XML', '', { 'content-type': 'application/xml' }],
    ['nothing', '', { 'content-length': '0' }],
    ['a file with a coding', '', { 'content-encoding': 'gzip' }],
    ['a sibling without its coding', '.gz', {}],
    ['a sibling with another coding', '.br', { 'content-encoding': 'gzip' }],
  ])('turns %s with 200 into a 503 that is not kept', async (_, suffix, changed) => {
    const lines = Object.entries(changed).map(([key, value]) => [key, [{ key, value }]] as const);
    const response = { ...RESPONSE, headers: { ...RESPONSE.headers, ...Object.fromEntries(lines) } };
    const asked = { ...request, uri: request.uri + suffix };
    expect(await ask('origin-response', { request: asked, response })).toMatchObject({
      status: '503',
      headers: { 'cache-control': [{ key: 'Cache-Control', value: 'no-store' }] },
      body: expect.stringContaining('"code":"internal"') as string,
    });
  });

  test.each([
    ['302', 'GET'],
    ['403', 'GET'],
    ['404', 'HEAD'],
    ['503', 'GET'],
  ])('turns %s to %s into a 503', async (status, method) => {
    const coded = { ...RESPONSE.headers, 'transfer-encoding': [{ key: 'Transfer-Encoding', value: 'chunked' }] };
    const response = { ...RESPONSE, status, headers: coded };
    const body = '{"type":"urn:playbill:internal","title":"internal","status":503,"code":"internal"}\n';
    expect(await ask('origin-response', { request: { ...request, method }, response })).toEqual({
      status: '503',
      statusDescription: 'Service Unavailable',
      headers: {
        'transfer-encoding': coded['transfer-encoding'],
        via: coded.via,
        'content-type': [{ key: 'Content-Type', value: 'application/problem+json' }],
        'cache-control': [{ key: 'Cache-Control', value: 'no-store' }],
      },
      body: method === 'HEAD' ? '' : body,
    });
  });
});

describe('viewer response', () => {
  const decided = [
    ['ETag', 'W/"0123456789abcdef"'],
    ['Content-Encoding', 'gzip'],
  ];
  const carried = { 'x-playbill-answer': [{ key: 'x-playbill-answer', value: JSON.stringify(decided) }] };
  const request = { ...VIEWER_REQUEST, headers: { ...VIEWER_REQUEST.headers, ...carried } };

  test('has the headers that the rule decided, and otherwise only those that cannot be removed', async () => {
    expect(await ask('viewer-response', { request, response: RESPONSE })).toEqual({
      ...RESPONSE,
      headers: {
        etag: [{ key: 'ETag', value: 'W/"0123456789abcdef"' }],
        'content-length': RESPONSE.headers['content-length'],
        via: RESPONSE.headers.via,
      },
    });
  });

  // CloudFront should not ask here for an error. If it does, the error stays one.
  test.each(['304', '206', '503'])('passes on %s', async (status) => {
    const response = { ...RESPONSE, status };
    expect(await ask('viewer-response', { request, response })).toEqual(response);
  });

  test('passes on an answer to a request that the rule has not seen', async () => {
    expect(await ask('viewer-response', { request: VIEWER_REQUEST, response: RESPONSE })).toEqual(RESPONSE);
  });
});

describe('the rules of CloudFront refuse', () => {
  const line = (key: string, value = 'x') => ({ [key.toLowerCase()]: [{ key, value }] });

  test.each([
    ['a header that is not allowed', {}, line('X-Cache')],
    ['a header of CloudFront’s own', {}, line('X-Amz-Cf-Id')],
    ['a name that is not in lower case', {}, { Vary: [{ key: 'Vary', value: 'x' }] }],
    ['a value that no header can have', {}, line('Vary', 'a\nb')],
    ['another name in the key', {}, { vary: [{ key: 'ETag', value: 'x' }] }],
    ['a length that is set', {}, line('Content-Length')],
    ['an encoding that is set', {}, line('Content-Encoding')],
    ['an encoding that is removed', line('Content-Encoding'), {}],
  ])('%s', (_, given, answered) => {
    expect(() => checkHeaders(given, answered, 'viewer-response')).toThrow();
    expect(() => checkHeaders(given, { ...given, ...line('Vary') }, 'viewer-response')).not.toThrow();
  });

  test.each([
    ['another method', { method: 'HEAD' }],
    ['another client', { clientIp: '::1' }],
    ['a path without a slash', { uri: 'x' }],
    ['a path that is too long', { uri: `/${'x'.repeat(8192)}` }],
    ['a path with blanks', { uri: '/a b' }],
    ['a Host that is removed', { headers: {} }],
  ])('a request with %s', (_, change) => {
    expect(() => checkRequest(VIEWER_REQUEST, { ...VIEWER_REQUEST, ...change })).toThrow();
    expect(() => checkRequest(VIEWER_REQUEST, { ...VIEWER_REQUEST, uri: '/x' })).not.toThrow();
  });

  test.each([
    ['an impossible status', 'GET', { status: '099' }],
    ['a body for HEAD', 'HEAD', { status: '404', body: 'x' }],
    ['a body with 304', 'GET', { status: '304', body: 'x' }],
    ['more than 40 KB', 'GET', { status: '404', body: 'x'.repeat(40_001) }],
  ])('%s', (_, method, response) => {
    expect(() => checkGenerated(method, response)).toThrow();
    expect(() => checkGenerated('GET', { status: '404', body: 'x' })).not.toThrow();
  });
});
