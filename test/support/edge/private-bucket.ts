// The world's tree in a private bucket, as `build --out s3://…` puts it there: siblings bear the
// encoding that they are in.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { OriginOptions } from '../../../src/edge/targets/origin.ts';
import type { FaultPlan } from '../objects/faults.ts';
import { MemoryStore, type MemoryStoreOptions } from '../objects/memory-store.ts';
import type { StoreAnswer, StoreRequest } from '../objects/messages.ts';
import { EXPIRED_TOKEN } from '../objects/signature.ts';
import type { TestStore } from '../objects/test-store.ts';
import type { World } from './world.ts';

/** Where the tree is in the bucket: with what a path has to encode. */
export const PREFIX = "shows (new)/it's";

/**
 * What a store makes of `response-content-encoding`: S3 and Ceph obey; others refuse it, or do as
 * if it were not there.
 */
export type Override = 'obeyed' | 'refused' | 'ignored';

/** A front whose pointer cannot be read: in a bucket no folder can be in its place. */
export const UNREADABLE: FaultPlan = ({ key }) =>
  key.endsWith('/fronts/folder/pointer.json') ? { kind: 'status', status: 500 } : null;

/**
 * A bucket that holds a world's tree. Objects that are not there are denied, as to who may not
 * list. Ends by `close`.
 */
export async function startPrivateBucket(
  world: World,
  override: Override = 'obeyed',
  options: MemoryStoreOptions = {},
): Promise<MemoryStore> {
  const denied = [{ action: 'list', prefix: '' }] as const;
  const store = new PrivateBucket({ denied, faults: UNREADABLE, ...options }, override);
  await putTree(world, (key, bytes, headers) => store.put(key, bytes, headers));
  await store.listen();
  return store;
}

/** Puts every file of a world's tree that an edge reads into a bucket. */
export async function putTree(
  world: World,
  put: (key: string, bytes: Uint8Array, headers: Readonly<Record<string, string>>) => Promise<unknown>,
): Promise<void> {
  const files = readdirSync(world.root, { recursive: true, encoding: 'utf8' });
  for (const file of files.map((name) => join(world.root, name)).filter((path) => statSync(path).isFile()))
    await put(`${PREFIX}/${relative(world.root, file)}`, readFileSync(file), headersOf(file));
}

/** The headers of the object for a file. */
function headersOf(file: string): Readonly<Record<string, string>> {
  const encoding = /\.(gz|br)$/.exec(file)?.[1];
  const encoded = encoding === undefined ? {} : { 'content-encoding': encoding === 'gz' ? 'gzip' : 'br' };
  return { 'content-type': 'application/json', ...encoded };
}

/**
 * A bucket that always shows the current content of a world's folder, below `shows`. `close` ends
 * it.
 */
export async function startFolderBucket(world: World, options: MemoryStoreOptions = {}): Promise<MemoryStore> {
  const denied = [{ action: 'list', prefix: '' }] as const;
  const store = new FolderBucket({ denied, ...options }, world.root);
  await store.listen();
  return store;
}

/** What `edge build` is told of a bucket. */
export function originIn(store: Pick<TestStore, 'bucket' | 'endpoint' | 'region'>): OriginOptions {
  return {
    origin: `s3://${store.bucket}/${PREFIX}`,
    originEndpoint: store.endpoint,
    originRegion: store.region,
  };
}

class PrivateBucket extends MemoryStore {
  readonly #override: Override;

  constructor(options: MemoryStoreOptions, override: Override) {
    super(options);
    this.#override = override;
  }

  protected override apply(request: StoreRequest): StoreAnswer {
    const { 'response-content-encoding': encoding, ...query } = request.query;
    if (encoding === undefined || this.#override === 'refused') return super.apply(request);
    const answer = super.apply({ ...request, query });
    if (this.#override === 'ignored' || answer.status !== 200) return answer;
    return { ...answer, headers: { ...answer.headers, 'content-encoding': encoding } };
  }
}

class FolderBucket extends MemoryStore {
  readonly #root: string;

  constructor(options: MemoryStoreOptions, root: string) {
    super(options);
    this.#root = root;
  }

  protected override apply(request: StoreRequest): StoreAnswer {
    const { key } = request;
    const path = join(this.#root, key.replace(/^shows\//, ''));
    // Both take effect immediately. Reading a folder throws, which is an error of the store.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) void this.delete(key);
    else void this.put(key, readFileSync(path), headersOf(path));
    return super.apply(request);
  }
}

/** A private bucket that its edge cannot read. */
export interface UnreadableBucket {
  readonly environment?: Readonly<Record<string, string>>;
  readonly origin?: Partial<OriginOptions>;
  readonly store?: MemoryStoreOptions;
}

export const WRONG_SECRET = 'secret-of-nobody';

/** Why an edge cannot read its bucket, whichever edge it is: the case, and what its log says. */
export const UNREADABLE_BUCKETS: readonly (readonly [name: string, change: UnreadableBucket, why: string])[] = [
  ['no credentials', { environment: { AWS_ACCESS_KEY_ID: '' } }, 'AWS_ACCESS_KEY_ID is missing'],
  ['half of them', { environment: { AWS_SECRET_ACCESS_KEY: '' } }, 'AWS_SECRET_ACCESS_KEY is missing'],
  ['a wrong secret', { environment: { AWS_SECRET_ACCESS_KEY: WRONG_SECRET } }, 'answers 403 SignatureDoesNotMatch'],
  ['an unknown key', { environment: { AWS_ACCESS_KEY_ID: 'AKIDNOBODY' } }, 'answers 403 InvalidAccessKeyId'],
  ['a token past its end', { environment: { AWS_SESSION_TOKEN: EXPIRED_TOKEN } }, 'answers 400 ExpiredToken'],
  ['another region', { origin: { originRegion: 'us-east-1' } }, 'answers 400 AuthorizationHeaderMalformed'],
  ['another bucket', { origin: { origin: 's3://another' } }, 'answers 404 NoSuchBucket'],
  ['a clock that is wrong', { store: { skewMs: 3_600_000 } }, 'answers 403 RequestTimeTooSkewed'],
  ['a busy store', { store: { faults: () => ({ kind: 'status', status: 503 }) } }, 'answers 503 SlowDown'],
];
