// The bucket in which the suites that prepare and judge folders are run: seen and changed behind
// the back of the program under test. Which store it is in, the test project says (test/speeds.ts).

import { createHash } from 'node:crypto';
import { XMLParser } from 'fast-xml-parser';
import * as z from 'zod';
import { sharedGateway } from './gateway.ts';
import { startMemoryStore, type MemoryStore } from './memory-store.ts';
import { startProxy } from './proxy.ts';
import { send, type Destination } from './send.ts';
import type { ObservedStore, TestStore } from './test-store.ts';

/** The stores that suites are run on, one project of vitest for each. */
export type StoreName = 'memory' | 'gateway' | 'proxy';

/** An object as the mirror looks at it. */
export interface SeenObject {
  /** The MD5 of its bytes, in hex. */
  readonly md5: string;
  read(): Promise<Buffer>;
}

export interface MirrorBucket {
  readonly store: TestStore;
  /** Of a store that sees its requests; null for another. */
  readonly log: ObservedStore['log'] | null;
  /** The objects whose key begins with a prefix, by the rest of their key. */
  below(prefix: string): Promise<Map<string, SeenObject>>;
}

let starting: Promise<MirrorBucket> | undefined;

/** The one of this process. It ends with the process: no test has to end it. */
export function mirrorBucket(): Promise<MirrorBucket> {
  starting ??= startBucket(z.enum(['memory', 'gateway', 'proxy']).parse(process.env['PLAYBILL_TEST_STORE']));
  return starting;
}

export function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** A bucket of its own in a store. */
export async function startBucket(name: StoreName): Promise<MirrorBucket> {
  if (name === 'memory') return inMemory(await startMemoryStore());
  const bucket = await (await sharedGateway()).newBucket();
  if (name === 'gateway') return remote(bucket, bucket, null);
  const proxy = await startProxy(bucket);
  return remote(proxy, bucket, proxy.log);
}

function inMemory(store: MemoryStore): MirrorBucket {
  return {
    store,
    log: store.log,
    below: async (prefix) => {
      const all = [...(await store.objects())].filter(([key]) => key.startsWith(prefix));
      return new Map(
        all.map(([key, { bytes }]) => [key.slice(prefix.length), { md5: md5Of(bytes), read: async () => bytes }]),
      );
    },
  };
}

const listingSchema = z.object({
  ListBucketResult: z.object({
    Contents: z.array(z.object({ Key: z.string(), ETag: z.string() })).default([]),
    NextContinuationToken: z.string().optional(),
  }),
});
const parser = new XMLParser({ parseTagValue: false, isArray: (name) => name === 'Contents' });

/** `direct`: where the mirror itself looks. */
function remote(store: TestStore, direct: Destination, log: MirrorBucket['log']): MirrorBucket {
  const read = async (key: string): Promise<Buffer> => (await send(direct, { method: 'GET', key })).body;
  return {
    store,
    log,
    below: async (prefix) => {
      const objects = new Map<string, SeenObject>();
      for (let token: string | undefined = ''; token !== undefined;) {
        const query = { 'list-type': '2', prefix, ...(token === '' ? {} : { 'continuation-token': token }) };
        const { body } = await send(direct, { method: 'GET', query });
        const { Contents, NextContinuationToken } = listingSchema.parse(parser.parse(body)).ListBucketResult;
        for (const { Key, ETag } of Contents)
          objects.set(Key.slice(prefix.length), { md5: ETag.replaceAll(/"|&quot;/g, ''), read: () => read(Key) });
        token = NextContinuationToken;
      }
      return objects;
    },
  };
}
