// Cloudflare on this machine: real workerd with its cache, and with a bucket of R2, bound as
// wrangler.toml says. The module is the one that `edge build --target cloudflare` writes,
// unchanged.

import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Miniflare } from 'miniflare';
import { bundleEdge } from '../../../../src/edge/targets/bundle.ts';
import type { OriginOptions } from '../../../../src/edge/targets/origin.ts';
import { DEFAULT_SETTINGS } from '../../../../src/edge/rule/settings.ts';
import { sendLines } from '../messages.ts';
import { PREFIX, putTree } from '../private-bucket.ts';
import type { World } from '../world.ts';
import type { Runtime } from './runtime.ts';
import { workerBundle, workerFiles } from '../target-files.ts';

/** A bucket as a worker has it; only what is used here. */
interface R2Bucket {
  put(
    key: string,
    bytes: ArrayBuffer,
    options: { readonly httpMetadata: { contentEncoding?: string } },
  ): Promise<unknown>;
}

/** The bucket of R2. */
const IN_R2: OriginOptions = { origin: `r2://tree-of-world/${PREFIX}`, originEndpoint: null, originRegion: null };

interface CloudflareOptions {
  /** Where the tree is, if not in a bucket of R2, which is filled with it. */
  readonly origin?: OriginOptions;
  /** The name under which that bucket is bound, if not that of wrangler.toml. */
  readonly binding?: string;
  /** The encoding with which an object is in that bucket; null: as a build puts it there. */
  readonly storedEncoding?: (key: string) => string | null;
  /** More of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Collects what it prints. */
  readonly output?: string[];
  /** Where the key ring is read, if not in the tree. */
  readonly keyRingAt?: string | null;
}

/** Starts it with a worker that keeps pointers for so long. */
export async function startMiniflare(
  world: World,
  pointerSeconds: number,
  {
    origin = IN_R2,
    binding,
    storedEncoding = () => null,
    environment = {},
    output = [],
    keyRingAt = null,
  }: CloudflareOptions = {},
): Promise<Runtime> {
  const files = workerFiles({
    target: 'cloudflare',
    bundle: await bundleEdge(workerBundle(origin.origin)),
    profiles: world.profiles,
    keyRing: world.keyRing,
    settings: DEFAULT_SETTINGS,
    publicRoot: join(world.root, 'public'),
    ...origin,
    encodings: ['br', 'gzip'],
    pointerSeconds,
    keyRingAt,
  });
  const textOf = (name: string): string => files.find(([key]) => key === name)?.[1] ?? '';
  const [, bound, bucket = ''] =
    /\[\[r2_buckets\]\]\nbinding = "(\w+)"\nbucket_name = "([\w-]+)"/.exec(textOf('wrangler.toml')) ?? [];
  const miniflare = new Miniflare({
    modules: true,
    script: textOf('worker.js'),
    compatibilityDate: /compatibility_date = "(.*)"/.exec(textOf('wrangler.toml'))?.[1] ?? '',
    compatibilityFlags: /compatibility_flags = \["(.*)"\]/.exec(textOf('wrangler.toml'))?.slice(1) ?? [],
    ...(bound === undefined ? {} : { r2Buckets: { [binding ?? bound]: bucket } }),
    bindings: { ...world.secrets, ...environment },
    // Straight to the worker: the development server before it would resolve dots in paths.
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    // What Cloudflare adds to a request is fetched from there otherwise.
    cf: false,
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      for (const stream of [stdout, stderr]) stream.on('data', (chunk: Buffer) => output.push(String(chunk)));
    },
  });
  const { port } = await miniflare.unsafeGetDirectURL();
  const tree = bound && (await miniflare.getBindings<Record<string, R2Bucket>>())[binding ?? bound];
  if (tree)
    await putTree(world, async (key, bytes, headers) => {
      const contentEncoding = storedEncoding(key) ?? headers['content-encoding'];
      const httpMetadata = contentEncoding === undefined ? {} : { contentEncoding };
      await tree.put(key, new Uint8Array(bytes).buffer, { httpMetadata });
    });
  return {
    name: 'workerd',
    now: () => Math.floor(Date.now() / 1000),
    send: (lines) => sendLines(Number(port), lines),
    stop: () => miniflare.dispose(),
  };
}
