// nginx over a private bucket, which lets in only what is signed: real nginx with njs, and a store that checks every signature. What
// becomes of a bucket that cannot be read: nginx-bucket-faults.test.ts.

import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compare, prepareLines, runExchange } from '../support/edge/exchange.ts';
import { headerValues, sendLines } from '../support/edge/messages.ts';
import { ask, asked, editionOf, longPointers, withNginx } from '../support/edge/nginx-bucket.ts';
import { OWN_REFUSALS } from '../support/edge/own-refusals.ts';
import { originIn, PREFIX, startPrivateBucket } from '../support/edge/private-bucket.ts';
import { type NginxRuntime, startNginxBucket } from '../support/edge/runtimes/nginx.ts';
import { TRANSCRIPTS } from '../support/edge/transcript.ts';
import { editionContent, makeWorld, pointerText, type World } from '../support/edge/world.ts';
import type { MemoryStore } from '../support/objects/memory-store.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld(Math.floor(Date.now() / 1000));
});

describe('the rule', () => {
  let store: MemoryStore;
  let nginx: NginxRuntime;
  beforeAll(async () => {
    store = await startPrivateBucket(world, 'refused');
    nginx = await startNginxBucket(world, originIn(store), store.environment);
  });
  afterAll(async () => {
    await nginx.stop();
    await store.close();
  });

  describe.each(TRANSCRIPTS)('$name', ({ exchanges }) => {
    test.each(exchanges)('$name', async (exchange) => {
      expect(await runExchange(exchange, nginx, world)).toBeGreaterThan(0);
    });
  });

  test.each(OWN_REFUSALS)('nginx’s own: $name', async ({ lines, body, status, code }) => {
    const answer = await sendLines(nginx.port, await prepareLines(lines, nginx.now(), world), body);
    compare(answer, { status, code, headers: [], absent: [], edition: null, content: null }, false, world);
  });

  test.each([
    '@playbill_edition',
    '@playbill_edition_br',
    '@playbill_again',
    '@playbill_edition_again',
    '/playbill-pointer',
    '/playbill-pointer-again',
    '/cache/',
    '/playbill-secrets.json',
  ])('no client gets to %s', async (location) => {
    const before = store.log.length;
    for (const path of [location, `/${location}`, `/${encodeURIComponent(location)}`]) {
      const answer = await nginx.send([`GET ${path} HTTP/1.1`, 'Host: edge.test', 'X-Front: moscow']);
      expect([400, 404]).toContain(answer.status);
      expect(headerValues(answer, 'Content-Type')).toEqual(['application/problem+json']);
    }
    expect(store.log.length).toBe(before);
  });

  test('comes before the bucket, and before what is kept', async () => {
    expect((await ask(world, nginx, 'moscow')).status).toBe(200);
    const before = store.log.length;
    const unsigned = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow'];
    expect((await nginx.send(unsigned)).status).toBe(401);
    for (const keyid of ['moscow-revoked', 'moscow-over', 'stranger'])
      expect((await ask(world, nginx, 'moscow', { keyid })).status).toBe(401);
    expect((await ask(world, nginx, 'moscow', { keyid: 'kazan-1' })).status).toBe(403);
    expect(store.log.length).toBe(before);
  });
});

describe('an edition', () => {
  test('is fetched once for 100 requests by three keys at once', () =>
    withNginx(world, async (nginx, store) => {
      const keyids = ['moscow-1', 'moscow-2', 'moscow-hmac'];
      const requests = Array.from({ length: 100 }, (_, i) =>
        ask(world, nginx, 'moscow', { keyid: keyids[i % 3] ?? '' }),
      );
      const answers = await Promise.all(requests);
      const content = editionContent(world, 'moscow products 2');
      expect(answers.filter((answer) => answer.status === 200 && answer.content.equals(content))).toHaveLength(100);
      expect(asked(store).filter((line) => !line.includes('pointer.json'))).toEqual([
        `GET ${editionOf(world, 'moscow', 2)} 200`,
      ]);
    }));

  test('has the headers of the rule and no others, fetched or kept', () =>
    withNginx(world, async (nginx, store) => {
      const key = `${PREFIX}/public/${editionOf(world, 'moscow', 2)}`;
      const headers = {
        'content-type': 'application/octet-stream',
        'cache-control': 'public, max-age=31536000, immutable',
        expires: 'Thu, 01 Jan 2099 00:00:00 GMT',
        'content-disposition': 'attachment',
        'content-language': 'ru',
        'x-amz-meta-builder': 'host-of-the-build',
      };
      await store.put(key, editionContent(world, 'moscow products 2'), headers);
      const digest = world.fronts.get('moscow')?.products[1]?.digest;
      for (const kept of [false, true]) {
        const before = store.log.length;
        const answer = await ask(world, nginx, 'moscow');
        expect(asked(store, before).filter((line) => line.includes('products'))).toHaveLength(kept ? 0 : 1);
        const names = answer.headers.map(([name]) => name.toLowerCase()).toSorted();
        expect(names).toEqual([
          'cache-control',
          'catalogue-as-of',
          'catalogue-valid-until',
          'connection',
          'content-length',
          'content-type',
          'date',
          'etag',
          'server',
          'vary',
        ]);
        const values = ['Cache-Control', 'Content-Type', 'ETag', 'Vary', 'Server'].map((name) =>
          headerValues(answer, name).join(),
        );
        const etag = `W/"${digest}"`;
        expect(values).toEqual(['private, max-age=60', 'application/json', etag, 'X-Front, Accept-Encoding', 'nginx']);
      }
    }));

  test.each(['', 'text/html', 'application/xml'])('is not kept where what comes instead has the type "%s"', (type) =>
    withNginx(world, async (nginx, store) => {
      const key = `${PREFIX}/public/${editionOf(world, 'moscow', 2)}`;
      await store.put(key, 'back in a minute', { 'content-type': type });
      await expect(ask(world, nginx, 'moscow')).rejects.toThrow();
      await store.put(key, editionContent(world, 'moscow products 2'), { 'content-type': 'application/json' });
      expect((await ask(world, nginx, 'moscow')).content).toEqual(editionContent(world, 'moscow products 2'));
    }),
  );

  test('is fetched again where somebody has emptied the cache', () =>
    withNginx(world, async (nginx, store) => {
      for (const fetched of [1, 2]) {
        expect((await ask(world, nginx, 'moscow')).status).toBe(200);
        const fetches = asked(store).filter((line) => line.includes('products'));
        expect(fetches).toHaveLength(fetched);
        const folder = join(nginx.folder, 'cache');
        for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
      }
    }));

  test('that breaks off is not kept', () =>
    withNginx(
      world,
      async (nginx, store) => {
        const file = editionOf(world, 'moscow', 2);
        // The client sees less than was announced, or an end of the connection.
        const broken = await ask(world, nginx, 'moscow').catch(() => null);
        expect(broken?.content.equals(editionContent(world, 'moscow products 2')) ?? false).toBe(false);
        const whole = await ask(world, nginx, 'moscow');
        expect(whole.content.equals(editionContent(world, 'moscow products 2'))).toBe(true);
        expect(asked(store).filter((line) => line.includes(file))).toHaveLength(2);
      },
      {
        store: {
          faults: ({ key, attempt }) => (/products/.test(key) && attempt === 1 ? { kind: 'cut-body' } : null),
        },
      },
    ));

  test('that is an error in a 200 is neither sent nor kept', () =>
    withNginx(
      world,
      async (nginx) => {
        const broken = await ask(world, nginx, 'moscow').catch(() => null);
        expect(broken?.status ?? null).not.toBe(200);
        const whole = await ask(world, nginx, 'moscow');
        expect(whole.content.equals(editionContent(world, 'moscow products 2'))).toBe(true);
      },
      {
        store: {
          faults: ({ key, attempt }) => (/products/.test(key) && attempt === 1 ? { kind: 'error-in-200' } : null),
        },
      },
    ));

  test('is not read by conditions on what the bucket says of it', () =>
    withNginx(world, async (nginx) => {
      const lines = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: moscow', 'Sign: keyid=moscow-1'];
      const md5 = createHash('md5').update(editionContent(world, 'moscow products 2')).digest('hex');
      const later = 'Fri, 01 Jan 2100 00:00:00 GMT';
      for (const condition of [`If-None-Match: "${md5}"`, `If-Modified-Since: ${later}`, 'Range: bytes=0-9']) {
        const answer = await nginx.send(await prepareLines([...lines, condition], nginx.now(), world));
        expect([condition, answer.status]).toEqual([condition, 200]);
        expect(answer.content.equals(editionContent(world, 'moscow products 2'))).toBe(true);
      }
    }));
});

describe('a sibling', () => {
  const undo = { br: brotliDecompressSync, gzip: gunzipSync } as const;

  test.each(['br', 'gzip'] as const)(
    'in %s is sent as it is in the bucket, fetched or kept, also for HEAD',
    (encoding) =>
      withNginx(world, async (nginx, store) => {
        const objects = await store.objects();
        const suffix = encoding === 'br' ? '.br' : '.gz';
        const bytes = objects.get(`${PREFIX}/public/${editionOf(world, 'moscow', 2)}${suffix}`)?.bytes;
        for (const method of ['GET', 'GET', 'HEAD']) {
          const answer = await ask(world, nginx, 'moscow', { encoding, method });
          expect([answer.status, headerValues(answer, 'Content-Encoding')]).toEqual([200, [encoding]]);
          expect(headerValues(answer, 'Content-Length')).toEqual([String(bytes?.length)]);
          if (method === 'GET') expect(bytes?.equals(answer.content)).toBe(true);
          if (method === 'GET')
            expect(undo[encoding](answer.content).equals(editionContent(world, 'moscow products 2'))).toBe(true);
        }
        expect(asked(store).filter((line) => line.includes('products'))).toEqual([
          `GET ${editionOf(world, 'moscow', 2)}${suffix} 200`,
        ]);
      }),
  );

  test('that is not there is the plain file, and is not asked for again at once', () =>
    withNginx(world, async (nginx, store) => {
      for (let i = 0; i < 2; i++) {
        const answer = await ask(world, nginx, 'kazan', { encoding: 'br' });
        expect([answer.status, headerValues(answer, 'Content-Encoding')]).toEqual([200, []]);
        expect(answer.content.equals(editionContent(world, 'kazan products 1'))).toBe(true);
      }
      expect(asked(store).filter((line) => line.includes('products'))).toEqual([
        `GET ${editionOf(world, 'kazan', 1)}.br 403`,
        `GET ${editionOf(world, 'kazan', 1)} 200`,
      ]);
    }));

  test('that cannot be read is the plain file', () =>
    withNginx(
      world,
      async (nginx) => {
        const answer = await ask(world, nginx, 'moscow', { encoding: 'br' });
        expect(answer.content.equals(editionContent(world, 'moscow products 2'))).toBe(true);
      },
      { store: { faults: ({ key }) => (key.endsWith('.br') ? { kind: 'reset' } : null) } },
    ));

  test('is not asked for where the tree has none', () =>
    withNginx(
      world,
      async (nginx, store) => {
        const answer = await ask(world, nginx, 'moscow', { encoding: 'br, gzip' });
        // By nginx itself.
        expect(headerValues(answer, 'Content-Encoding')).toEqual(['gzip']);
        expect(gunzipSync(answer.content).equals(editionContent(world, 'moscow products 2'))).toBe(true);
        expect(asked(store)).toHaveLength(2);
      },
      { encodings: [] },
    ));
});

describe('a pointer', () => {
  const publishNext = async (store: MemoryStore, prune: boolean): Promise<string> => {
    const kazan = world.fronts.get('kazan');
    const [edition] = kazan?.products ?? [];
    if (kazan === undefined || edition === undefined) throw new Error('no such front');
    const folder = `${PREFIX}/public/fronts/kazan`;
    const digest = 'f'.repeat(16);
    const next = { ...kazan, products: [{ ...edition, digest }] };
    await store.put(`${folder}/products.${digest}.json`, edition.content);
    await store.put(`${folder}/pointer.json`, pointerText('kazan', world.now, next));
    if (prune) await store.delete(`${folder}/products.${edition.digest}.json`);
    return `W/"${digest}"`;
  };

  test('is in force 5 s after it was published', () =>
    withNginx(world, async (nginx, store) => {
      const tagOf = async (): Promise<string> => headerValues(await ask(world, nginx, 'kazan'), 'ETag').join();
      await tagOf();
      const fetched = performance.now();
      const next = await publishNext(store, false);
      for (;;) {
        const begun = performance.now();
        if ((await tagOf()) === next) break;
        // The old one, from a fetch that had ended by then.
        expect(begun - fetched).toBeLessThan(5000);
      }
      expect(asked(store).filter((line) => line.includes('pointer'))).toHaveLength(2);
    }));

  test.each(['GET', 'HEAD'])('is asked for once more where the kept one names a pruned edition, for %s', (method) =>
    withNginx(
      world,
      async (nginx, store) => {
        // For the pointer alone: the edition itself would be kept.
        const known = `W/"${world.fronts.get('kazan')?.products[0]?.digest}"`;
        const lines = ['GET /products/ HTTP/1.1', 'Host: edge.test', 'X-Front: kazan', `If-None-Match: ${known}`];
        const first = await nginx.send(await prepareLines([...lines, 'Sign: keyid=kazan-1'], nginx.now(), world));
        expect(first.status).toBe(304);
        const next = await publishNext(store, true);
        for (let i = 0; i < 2; i++) {
          const answer = await ask(world, nginx, 'kazan', { method, encoding: 'br' });
          expect([answer.status, headerValues(answer, 'ETag')]).toEqual([200, [next]]);
        }
        expect(asked(store).filter((line) => line.includes('pointer'))).toHaveLength(2);
      },
      { edit: longPointers },
    ),
  );

  test('and an edition may be large', () =>
    withNginx(world, async (nginx, store) => {
      const kazan = world.fronts.get('kazan');
      const [edition] = kazan?.products ?? [];
      if (kazan === undefined || edition === undefined) throw new Error('no such front');
      const folder = `${PREFIX}/public/fronts/kazan`;
      const content = randomBytes(3 << 20);
      // An hour apart, half of them in the past.
      const products = Array.from({ length: 20_000 }, (_, i) => ({ ...edition, from: (i - 10_000) * 3600 }));
      const pointer = pointerText('kazan', world.now, { ...kazan, products });
      expect(pointer.length).toBeGreaterThan(800_000);
      await store.put(`${folder}/pointer.json`, pointer);
      await store.put(`${folder}/products.${edition.digest}.json`, content);
      for (let i = 0; i < 2; i++) {
        const answer = await ask(world, nginx, 'kazan');
        expect([answer.status, answer.content.equals(content)]).toEqual([200, true]);
      }
      expect(asked(store).filter((line) => line.includes('products'))).toHaveLength(1);
    }));

  test('that has gone is 404 as to who may list, and as to who may not', async () => {
    for (const denied of [[], [{ action: 'list', prefix: '' }] as const])
      await withNginx(
        world,
        async (nginx, store) => {
          expect((await ask(world, nginx, 'unpublished')).status).toBe(404);
          expect(store.log.at(-1)?.status).toBe(denied.length === 0 ? 404 : 403);
        },
        { store: { denied } },
      );
  });
});
