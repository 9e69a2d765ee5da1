// The folder that `edge build --target lambda-edge` writes, on a CloudFront made from its
// documentation, over a bucket that checks every signature. This CloudFront does what the folder's
// template says.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prepareLines } from '../support/edge/exchange.ts';
import { headerValues, type RawResponse } from '../support/edge/messages.ts';
import {
  startFolderBucket,
  UNREADABLE_BUCKETS,
  type UnreadableBucket,
  WRONG_SECRET,
} from '../support/edge/private-bucket.ts';
import {
  type LambdaEdgeOptions,
  type LambdaEdgeRuntime,
  startLambdaEdge,
} from '../support/edge/runtimes/lambda-edge.ts';
import { editionContent, makeWorld, pointerText, type World } from '../support/edge/world.ts';
import { startMemoryStore } from '../support/objects/memory-store.ts';
import { EXPIRED_TOKEN } from '../support/objects/signature.ts';

const SETTLED = 100;

let world: World;
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
});

/** A signed request for the products of a front. */
async function ask(
  runtime: LambdaEdgeRuntime,
  front: string,
  more: readonly string[] = [],
  method = 'GET',
): Promise<RawResponse> {
  const written = [`${method} /products/ HTTP/1.1`, 'Host: edge.test', `X-Front: ${front}`, ...more];
  return runtime.send(await prepareLines([...written, `Sign: keyid=${front}-1`], runtime.now(), world));
}

/** The requests to the bucket, without those for the key ring. */
const asked = ({ store }: LambdaEdgeRuntime, from = 0): readonly string[] =>
  store.log
    .slice(from)
    .filter(({ key }) => !key.endsWith('/edge/keyring.json'))
    .map(({ method, key, status }) => `${method} ${key.replace(/^shows\/public\//, '')} ${status}`);

const edition = (front: string, number: number): string =>
  `fronts/${front}/products.${world.fronts.get(front)?.products[number - 1]?.digest}.json`;

async function withRuntime(options: LambdaEdgeOptions, use: (runtime: LambdaEdgeRuntime) => Promise<void>) {
  const runtime = await startLambdaEdge(world, options);
  try {
    await use(runtime);
  } finally {
    await runtime.stop();
  }
}

describe('the rule', () => {
  let runtime: LambdaEdgeRuntime;
  beforeAll(async () => {
    runtime = await startLambdaEdge(world);
  });
  afterAll(() => runtime.stop());

  test('knows the default port of https', async () => {
    const written = ['GET /products/ HTTP/1.1', 'Host: edge.test:443', 'X-Front: moscow'];
    const lines = [...written, 'Sign: keyid=moscow-1 host=edge.test'];
    expect((await runtime.send(await prepareLines(lines, runtime.now(), world))).status).toBe(200);
  });

  test('verifies a signature that covers the query', async () => {
    const written = ['GET /products/?b=2&a HTTP/1.1', 'Host: edge.test', 'X-Front: moscow'];
    const cover = 'cover=@method,@authority,@path,x-front,@query';
    const lines = [...written, `Sign: keyid=moscow-1 ${cover}`];
    expect((await runtime.send(await prepareLines(lines, runtime.now(), world))).status).toBe(200);
  });

  test.each(['constructor', 'tostring', '__proto__'])(
    'finds no header that the client did not send: %s',
    async (name) => {
      const covered = `("@method" "@authority" "@path" "x-front" "${name}")`;
      const lines = await prepareLines(
        [
          'GET /products/ HTTP/1.1',
          'Host: edge.test',
          'X-Front: moscow',
          `Signature-Input: sig=${covered};created={now};keyid="moscow-1";tag="x-front"`,
          'Signature: sig=:{A x 86}==:',
        ],
        runtime.now(),
        world,
      );
      expect([400, 401]).toContain((await runtime.send(lines)).status);
    },
  );

  test.each(['GET', 'HEAD'])('hides the bucket’s headers from %s, with and without the cache', async (method) => {
    for (const front of ['moscow', 'moscow', 'early']) {
      const answer = await ask(runtime, front, ['Accept-Encoding: br'], method);
      expect(answer.status).toBe(200);
      const names = answer.headers.map(([name]) => name.toLowerCase()).toSorted();
      const own = ['age', 'connection', 'content-encoding', 'content-length', 'date', 'keep-alive', 'via', 'x-cache'];
      expect(names.filter((name) => !own.includes(name))).toEqual([
        'cache-control',
        'catalogue-as-of',
        'catalogue-valid-until',
        'content-type',
        'etag',
        'vary',
      ]);
    }
  });

  test('ignores what a client sends in the header that the function uses', async () => {
    const forged = `X-Playbill-Answer: [["ETag","W/\\"forged\\""],["Set-Cookie","a=b"]]`;
    for (const more of [[forged], [forged, forged], [forged, 'Range: bytes=0-3', 'If-None-Match: "forged"']]) {
      const answer = await ask(runtime, 'kazan', more);
      expect([answer.status, headerValues(answer, 'ETag'), headerValues(answer, 'Set-Cookie')]).toEqual([
        200,
        [`W/"${world.fronts.get('kazan')?.products[0]?.digest}"`],
        [],
      ]);
      expect(answer.content.equals(editionContent(world, 'kazan products 1'))).toBe(true);
    }
    const unsigned = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: kazan', forged];
    expect((await runtime.send(unsigned)).status).toBe(401);
  });

  test.each([
    ['no body', 'POST /products/ HTTP/1.1', 405],
    ['the path of a file', `GET /shows/public/fronts/moscow/pointer.json HTTP/1.1`, 404],
    ['the key ring', 'GET /shows/edge/keyring.json HTTP/1.1', 404],
  ])('does not ask the bucket for a refused request: %s', async (_, line, status) => {
    const before = runtime.store.log.length;
    const answer = await runtime.send([line, 'Host: edge.test', 'X-Front: moscow', 'Content-Length: 0']);
    expect([answer.status, asked(runtime, before)]).toEqual([status, []]);
  });
});

describe('the cache of CloudFront', () => {
  test('a hundred signed requests are one fetch of the edition, and of each sibling', async () => {
    await withRuntime({ pointerSeconds: 10 }, async (runtime) => {
      for (let count = 0; count < SETTLED; count++) {
        const answer = await ask(runtime, 'moscow', count % 2 === 0 ? [] : ['Accept-Encoding: br']);
        expect([answer.status, headerValues(answer, 'Content-Encoding')]).toEqual([200, count % 2 === 0 ? [] : ['br']]);
      }
      const fetches = asked(runtime).filter((line) => line.startsWith('GET fronts/moscow/products'));
      expect(fetches.toSorted()).toEqual([`GET ${edition('moscow', 2)} 200`, `GET ${edition('moscow', 2)}.br 200`]);
      const state = await ask(runtime, 'moscow');
      expect(headerValues(state, 'X-Cache')).toEqual(['Hit from cloudfront']);
    });
  });

  test('answers no unsigned request, and never with another front’s edition', async () => {
    await withRuntime({}, async (runtime) => {
      for (const front of ['moscow', 'kazan']) {
        const answer = await ask(runtime, front);
        expect(answer.content.equals(editionContent(world, `${front} products ${front === 'moscow' ? 2 : 1}`))).toBe(
          true,
        );
      }
      const unsigned = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow'];
      expect((await runtime.send(unsigned)).status).toBe(401);
      const foreign = [...unsigned, 'Sign: keyid=kazan-1'];
      expect((await runtime.send(await prepareLines(foreign, runtime.now(), world))).status).toBe(403);
    });
  });

  test('does not keep an error of the bucket, which is a 503 and a line in the log until the bucket answers', async () => {
    await withRuntime({ pointerSeconds: 10 }, async (runtime) => {
      // Only for CloudFront: the function asks by HEAD.
      runtime.store.faults = ({ method, key }) =>
        method === 'GET' && key.includes('/products.') ? { kind: 'status', status: 503 } : null;
      for (const method of ['GET', 'GET']) {
        const answer = await ask(runtime, 'kazan', [], method);
        expect([answer.status, answer.content.toString()]).toEqual([503, expect.stringContaining('"code":"internal"')]);
        expect(headerValues(answer, 'Cache-Control')).toEqual(['no-store']);
        expect(headerValues(answer, 'Content-Type')).toEqual(['application/problem+json']);
        for (const name of ['ETag', 'Catalogue-As-Of']) expect(headerValues(answer, name)).toEqual([]);
      }
      const why =
        /^playbill: the tree cannot be read: \/shows\/public\/fronts\/kazan\/products\.\w+\.json: the bucket answers CloudFront 503$/m;
      await expect.poll(() => runtime.log.join('')).toMatch(why);
      runtime.store.faults = null;
      expect((await ask(runtime, 'kazan')).status).toBe(200);
    });
  });
});

describe('the bucket', () => {
  test('is asked once for a pointer and for each of its files while the pointer is kept', async () => {
    await withRuntime({ pointerSeconds: 10 }, async (runtime) => {
      const begun = Date.now();
      for (let count = 0; count < 5; count++) await ask(runtime, 'stale', ['Accept-Encoding: br, gzip']);
      const [plain, pointer] = [edition('stale', 2), 'fronts/stale/pointer.json'];
      const lines = asked(runtime);
      // A slow machine may need more than the 10 s, and then the requests repeat.
      expect(Date.now() - begun < 10_000 ? lines : [...new Set(lines)]).toEqual([
        `GET ${pointer} 200`,
        `HEAD ${plain}.br 403`,
        `HEAD ${plain}.gz 200`,
        `GET ${plain}.gz 200`,
      ]);
    });
  });

  test.each(['GET', 'HEAD'])(
    'is asked for the pointer again if the kept one names a pruned edition, for %s',
    async (method) => {
      const own = await makeWorld(world.now);
      const kazan = own.fronts.get('kazan');
      const [product] = kazan?.products ?? [];
      if (kazan === undefined || product === undefined) throw new Error('no such front');
      const runtime = await startLambdaEdge(own, { pointerSeconds: 10 });
      const answerTo = async (path: string): Promise<RawResponse> => {
        const written = [`${method} ${path} HTTP/1.1`, 'Host: edge.test', 'X-Front: kazan', 'Sign: keyid=kazan-1'];
        return runtime.send(await prepareLines(written, runtime.now(), own));
      };
      try {
        expect((await answerTo('/fronts/categories/')).status).toBe(200);
        // A build publishes another edition and prunes this one, which no request has asked for
        // yet.
        const folder = join(own.root, 'public/fronts/kazan');
        const digest = 'f'.repeat(16);
        writeFileSync(join(folder, `products.${digest}.json`), product.content);
        const next = pointerText('kazan', own.now, { ...kazan, products: [{ ...product, digest }] });
        writeFileSync(join(folder, 'pointer.json'), next);
        rmSync(join(folder, `products.${product.digest}.json`));
        const answer = await answerTo('/products/');
        expect([answer.status, headerValues(answer, 'ETag')]).toEqual([200, [`W/"${digest}"`]]);
      } finally {
        await runtime.stop();
      }
    },
  );

  test('may answer 404 for a missing file, as it does where the role may list', async () => {
    await withRuntime({ store: await startFolderBucket(world, { denied: [] }) }, async (runtime) => {
      expect((await ask(runtime, 'unpublished')).status).toBe(404);
      expect((await ask(runtime, 'kazan', ['Accept-Encoding: br, gzip'])).status).toBe(200);
    });
  });

  test('has a sibling without its Content-Encoding, which is not sent', async () => {
    const store = await startMemoryStore();
    const [kazan] = world.fronts.get('kazan')?.products ?? [];
    if (kazan === undefined) throw new Error('no such front');
    for (const path of ['public/fronts/kazan/pointer.json', 'edge/keyring.json'])
      await store.put(`shows/${path}`, readFileSync(join(world.root, path)));
    await store.put(`shows/public/${edition('kazan', 1)}`, kazan.content);
    await store.put(`shows/public/${edition('kazan', 1)}.gz`, gzipSync(kazan.content));
    await withRuntime({ store }, async (runtime) => {
      const answer = await ask(runtime, 'kazan', ['Accept-Encoding: gzip']);
      expect([answer.status, headerValues(answer, 'Content-Encoding')]).toEqual([200, []]);
      expect(answer.content.equals(kazan.content)).toBe(true);
    });
  });
});

describe('a bucket that the function cannot read means a 503 and a line in the log:', () => {
  // The folder names one bucket for both CloudFront and the function, so a wrong bucket is not
  // among these.
  const own = UNREADABLE_BUCKETS.filter(([, { origin }]) => origin?.origin === undefined);

  test.each<readonly [string, UnreadableBucket, string]>([
    ...own,
    ['a broken connection', { store: { faults: () => ({ kind: 'reset' }) } }, 'does not answer'],
  ])('%s', async (_, { environment = {}, origin = {}, store: options = {} }, why) => {
    const store = await startFolderBucket(world, options);
    const region = origin.originRegion ?? store.region;
    await withRuntime({ store, credentials: environment, region }, async (runtime) => {
      for (const [front, method] of [
        ['moscow', 'GET'],
        ['unpublished', 'HEAD'],
      ] as const) {
        const answer = await ask(runtime, front, [], method);
        expect(answer.status).toBe(503);
        expect(answer.content.toString()).toContain(method === 'HEAD' ? '' : '"code":"internal"');
      }
      await expect
        .poll(() => runtime.log.join(''))
        .toMatch(/playbill: the tree cannot be read: .*\n[^]*playbill: the tree cannot be read: /);
      expect(runtime.log.join('')).toContain(why);
      for (const secret of [store.credentials.secretAccessKey, WRONG_SECRET, EXPIRED_TOKEN, 'AWS4'])
        expect(runtime.log.join('')).not.toContain(secret);
    });
  });
});

test('a bucket that does not answer means a 503 before CloudFront stops the function', async () => {
  await withRuntime(
    { store: await startFolderBucket(world, { faults: () => ({ kind: 'hang' }) }) },
    async (runtime) => {
      const answer = await ask(runtime, 'moscow');
      expect([answer.status, answer.content.toString()]).toEqual([503, expect.stringContaining('"code":"internal"')]);
      await expect.poll(() => runtime.log.join('')).toContain('does not answer');
    },
  );
});
