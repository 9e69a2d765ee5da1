// An S3 bucket in this process, which keeps exactly the rules of a good store, and breaks those
// that a test asks it to break. Knows single objects and ListObjectsV2; refuses everything else of
// S3 with 501. Ignores x-amz-checksum-*, and If-Match of DELETE.

import { createHash } from 'node:crypto';
import { listObjects } from './listing.ts';
import { S3Error, xmlAnswer, type StoreAnswer, type StoreRequest } from './messages.ts';
import { StoreServer, type ServerSettings } from './server.ts';
import type { StoredObject } from './test-store.ts';

export interface Denial {
  readonly action: 'read' | 'write' | 'list' | 'delete';
  /** Of keys; for `list`, of the prefix that is asked for. */
  readonly prefix: string;
}

/**
 * Whether a store keeps the conditions of a PUT: `one-create-in-eight-lost` lets the fourth of
 * eight creates through that ought to fail.
 */
export type Conditions = 'kept' | 'ignored' | 'one-create-in-eight-lost';

export interface MemoryStoreOptions extends Partial<ServerSettings> {
  /**
   * `quoted`: an ETag in If-Match stands in quotes, as the standard and AWS have it. `unquoted`: it
   * must not, as with Ceph.
   */
  readonly dialect?: 'quoted' | 'unquoted';
  readonly conditions?: Conditions;
  readonly denied?: readonly Denial[];
  /** Prefixes of objects under retention: what is there can be neither replaced nor deleted. */
  readonly locked?: readonly string[];
}

/** What a PUT may say of its object, to be given back. */
const KEPT_HEADER = /^(cache-control|content-(type|encoding|disposition|language)|expires|x-amz-meta-.+)$/;

const NOT_IMPLEMENTED = 'A header or query you provided implies functionality that is not implemented';

interface KeptObject extends StoredObject {
  readonly etag: string;
  readonly modified: Date;
}

/** A bucket on a free port of 127.0.0.1, empty; it is gone after `close`. */
export async function startMemoryStore(options: MemoryStoreOptions = {}): Promise<MemoryStore> {
  const store = new MemoryStore(options);
  await store.listen();
  return store;
}

export class MemoryStore extends StoreServer {
  readonly dialect: 'quoted' | 'unquoted';
  /** These three may be set between requests. */
  conditions: Conditions;
  denied: readonly Denial[];
  locked: readonly string[];
  readonly #objects = new Map<string, KeptObject>();
  /** What listings show although it is gone; null where they are true. */
  #removed: Map<string, KeptObject> | null = null;
  /** Conditional creates that ought to have failed. */
  #createsToFail = 0;

  constructor(options: MemoryStoreOptions) {
    super({
      bucket: 'bucket',
      region: 'eu-central-1',
      credentials: { accessKeyId: 'AKIDMEMORY', secretAccessKey: 'secret-of-the-store-in-memory' },
      ...options,
    });
    this.dialect = options.dialect ?? 'quoted';
    this.conditions = options.conditions ?? 'kept';
    this.denied = options.denied ?? [];
    this.locked = options.locked ?? [];
  }

  /** Whether listings go on showing what is removed from now on. */
  listRemoved(isListed: boolean): void {
    this.#removed = isListed ? new Map() : null;
  }

  objects(): Promise<ReadonlyMap<string, StoredObject>> {
    const sorted = [...this.#objects].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return Promise.resolve(new Map(sorted.map(([key, { bytes, headers }]) => [key, { bytes, headers }])));
  }

  put(key: string, bytes: Uint8Array | string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#keep(key, Buffer.from(bytes), headers);
    return Promise.resolve();
  }

  delete(key: string): Promise<void> {
    this.#remove(key);
    return Promise.resolve();
  }

  /** Runs to its end at once: no other request comes between a condition and its write. */
  protected apply(request: StoreRequest): StoreAnswer {
    const { method, key, query } = request;
    if (request.bucket !== this.bucket)
      throw new S3Error('NoSuchBucket', 'The specified bucket does not exist', { BucketName: request.bucket });
    if (key === '') return this.#applyToBucket(request);
    if (Object.keys(query).some((name) => name !== 'x-id') || request.headers['x-amz-copy-source'] !== undefined)
      throw new S3Error('NotImplemented', NOT_IMPLEMENTED);
    switch (method) {
      case 'GET':
      case 'HEAD':
        return this.#read(request);
      case 'PUT':
        return this.#write(request);
      case 'DELETE':
        this.#checkAllowed('delete', key);
        this.#checkUnlocked(key);
        this.#remove(key);
        return { status: 204, headers: {}, body: Buffer.alloc(0) };
      default:
        throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.');
    }
  }

  #applyToBucket({ method, query }: StoreRequest): StoreAnswer {
    if (method === 'HEAD') return xmlAnswer(200, '');
    if (method !== 'GET' || query['list-type'] !== '2') throw new S3Error('NotImplemented', NOT_IMPLEMENTED);
    this.#checkAllowed('list', query['prefix'] ?? '');
    const listed = new Map([...(this.#removed ?? []), ...this.#objects]);
    const objects = [...listed].map(([key, { bytes, etag, modified }]) => ({
      key,
      size: bytes.length,
      etag,
      lastModified: modified.toISOString(),
    }));
    return listObjects(this.bucket, objects, query);
  }

  #remove(key: string): void {
    const object = this.#objects.get(key);
    if (object !== undefined) this.#removed?.set(key, object);
    this.#objects.delete(key);
  }

  #keep(key: string, bytes: Buffer, given: StoreRequest['headers']): KeptObject {
    const kept = Object.entries({ 'content-type': 'binary/octet-stream', ...given }).flatMap(([name, value]) =>
      typeof value === 'string' && KEPT_HEADER.test(name) ? [[name, value] as const] : [],
    );
    const object = {
      bytes,
      headers: Object.fromEntries(kept),
      etag: `"${createHash('md5').update(bytes).digest('hex')}"`,
      modified: new Date(this.clock.now()),
    };
    this.#objects.set(key, object);
    return object;
  }

  #write({ key, body, headers }: StoreRequest): StoreAnswer {
    this.#checkAllowed('write', key);
    this.#checkUnlocked(key);
    this.#checkConditions(key, headers);
    const { etag } = this.#keep(key, body, headers);
    return { status: 200, headers: { etag }, body: Buffer.alloc(0) };
  }

  #checkConditions(key: string, headers: StoreRequest['headers']): void {
    if (this.conditions === 'ignored') return;
    const current = this.#objects.get(key);
    const { 'if-match': expected, 'if-none-match': absent } = headers;
    if (absent !== undefined) {
      if (absent !== '*' && this.dialect === 'quoted') throw new S3Error('NotImplemented', NOT_IMPLEMENTED);
      const isMet = current === undefined || (absent !== '*' && absent !== this.#inDialect(current.etag));
      if (!isMet && !this.#isCreateLost()) throw failed('If-None-Match');
    }
    if (expected === undefined) return;
    if (current === undefined) throw this.dialect === 'quoted' ? noSuchKey(key) : failed('If-Match');
    if (expected !== this.#inDialect(current.etag)) throw failed('If-Match');
  }

  #isCreateLost(): boolean {
    this.#createsToFail += 1;
    return this.conditions === 'one-create-in-eight-lost' && this.#createsToFail % 8 === 4;
  }

  #inDialect(etag: string): string {
    return this.dialect === 'quoted' ? etag : etag.slice(1, -1);
  }

  #read({ key, headers }: StoreRequest): StoreAnswer {
    this.#checkAllowed('read', key);
    const object = this.#objects.get(key);
    if (object === undefined) {
      // Who may not list must not learn what is there either.
      this.#checkAllowed('list', key);
      throw noSuchKey(key);
    }
    const { 'if-match': expected, 'if-none-match': known } = headers;
    if (expected !== undefined && expected !== '*' && expected !== object.etag) throw failed('If-Match');
    const about = {
      ...object.headers,
      etag: object.etag,
      'last-modified': object.modified.toUTCString(),
      'accept-ranges': 'bytes',
    };
    if (known === '*' || known === object.etag) return { status: 304, headers: about, body: Buffer.alloc(0) };
    const range = rangeOf(headers.range, object.bytes.length);
    if (range === null) return { status: 200, headers: about, body: object.bytes };
    const span = `bytes ${range.start}-${range.end - 1}/${object.bytes.length}`;
    return {
      status: 206,
      headers: { ...about, 'content-range': span },
      body: object.bytes.subarray(range.start, range.end),
    };
  }

  #checkAllowed(action: Denial['action'], key: string): void {
    if (this.denied.some((denial) => denial.action === action && key.startsWith(denial.prefix)))
      throw new S3Error('AccessDenied', 'Access Denied');
  }

  #checkUnlocked(key: string): void {
    if (this.#objects.has(key) && this.locked.some((prefix) => key.startsWith(prefix)))
      throw new S3Error('AccessDenied', 'Access Denied because object protected by object lock.');
  }
}

function failed(condition: string): S3Error {
  const text = 'At least one of the pre-conditions you specified did not hold';
  return new S3Error('PreconditionFailed', text, { Condition: condition });
}

function noSuchKey(key: string): S3Error {
  return new S3Error('NoSuchKey', 'The specified key does not exist.', { Key: key });
}

/**
 * The bytes that a Range header asks for, or null for all of them: also where it is not one range
 * of bytes.
 */
function rangeOf(header: string | undefined, length: number): { start: number; end: number } | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first);
  const end = first === '' || last === '' ? length : Math.min(length, Number(last) + 1);
  if (start >= end) throw new S3Error('InvalidRange', 'The requested range is not satisfiable');
  return { start, end };
}
