// The operations on a bucket: read, list, write conditionally, remove; each with retries. The
// retries of S3 SDKs are not enough: if a conditional write succeeds but its response is lost, a
// retry fails because of that very success. So after any doubtful write the object is read to see
// what happened.

import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import type { AppError } from '../../errors.ts';
import { errorOf, pageOf } from './response-xml.ts';
import { NoResponse, type BucketResponse, type BucketRequest, type Connection } from './connection.ts';
import { headersOf } from './headers.ts';
import { busy, notAStore, refusal, unreachable, type Operation } from './refusals.ts';
import type { StoredFile } from '../../release/tree/store.ts';
import type { RequestsJson } from '../../contract/results/parts.ts';
import { isOfTree } from '../locked-tree.ts';
import { monotonicSeconds, StoreClock } from './store-clock.ts';

/**
 * Retries wait for up to 0.1 s, 0.2 s … 6.4 s, long enough for a store to restart. The first of
 * these is a setting.
 */
const ATTEMPTS = 8;
/** If the store has never answered, the address or the network is probably wrong. */
const ATTEMPTS_TO_REACH = 3;
/** The longest `Retry-After` that is honoured. */
const RETRY_AFTER_SECONDS_MAX = 30;

/**
 * The form of the ETag that a store accepts in `If-Match`. Ceph wants it unquoted, contrary to RFC
 * 9110, 13.1.1.
 */
export type Dialect = 'quoted' | 'unquoted';

/** The ETag of an object, as received; null if there is no object. */
export type Version = string | null;

export interface StoredObject {
  readonly bytes: Uint8Array;
  readonly version: string;
}

export interface ListedObject {
  readonly path: string;
  readonly bytes: number;
  /** '' if the store does not say. */
  readonly etag: string;
}

export interface Listing {
  readonly objects: readonly ListedObject[];
  readonly folders: readonly string[];
}

/** The result of a conditional write; `found` is what is there instead. */
export type WriteResult =
  | { readonly isWritten: true; readonly version: string }
  | { readonly isWritten: false; readonly found: StoredObject | null };

export class Requests {
  readonly connection: Connection;
  readonly clock = new StoreClock();
  /** The store's Server header, if it sends one. */
  server: string | null = null;
  /**
   * Until when, by `monotonicSeconds`, a removal without a response may still be carried out,
   * although it was repeated.
   */
  removalsEnd = Number.NEGATIVE_INFINITY;
  readonly #limit: LimitFunction;
  #isReached = false;
  #hasWritten = false;
  #totals = { puts: 0, gets: 0, lists: 0, deletes: 0, retries: 0, bytesSent: 0 };

  constructor(connection: Connection) {
    this.connection = connection;
    this.#limit = pLimit(connection.settings.requestsAtOnce);
  }

  get totals(): RequestsJson {
    return { ...this.#totals };
  }

  /** Whether a file of the tree was written or removed, or may have been. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /**
   * @returns null if there is no such object.
   * @throws AppError tree-unreadable, and those of buckets
   */
  read(path: string): Promise<StoredObject | null> {
    return this.#read(path, always);
  }

  /**
   * The size of an object in bytes, from a read of its first byte; null if there is no such object.
   * @throws as `read`
   */
  async size(path: string): Promise<number | null> {
    const request: BucketRequest = { method: 'GET', path, headers: { range: 'bytes=0-0' } };
    const response = await this.#response(request, 'read', always);
    if (response.status === 404) return null;
    // A store may ignore the range and send everything (RFC 9110, 14.2).
    const [, total] = /\/(\d+)$/.exec(String(response.headers['content-range'])) ?? [];
    return total === undefined ? response.bytes.length : Number(total);
  }

  async #read(path: string, beforeSend: BeforeSend | null): Promise<StoredObject | null> {
    const response = await this.#response({ method: 'GET', path }, 'read', beforeSend);
    if (response.status === 404) return null;
    // A web server that is not a store may answer 200 as well.
    if (versionOf(response) === '') throw notAStore(this.connection, `status ${response.status} without an ETag`);
    return { bytes: response.bytes, version: versionOf(response) };
  }

  /**
   * All objects below a folder ('' for all), 1,000 per request; if not `isDeep`, only the objects
   * and folders directly in it.
   * @throws AppError tree-unreadable, and those of buckets
   */
  async list(folder: string, isDeep = true): Promise<Listing> {
    const objects: ListedObject[] = [];
    const folders: string[] = [];
    let token = '';
    do {
      const page = await this.#page(folder, isDeep, token);
      objects.push(...page.objects);
      folders.push(...page.folders);
      token = page.next;
    } while (token !== '');
    return { objects, folders };
  }

  /**
   * Writes an object if it still has a given version. `beforeSend` is called before each attempt
   * and throws if the lease is lost. It is null for the lease itself, which must not wait for other
   * requests. `isNameEnough`: an object that is there need not be read, whatever it is.
   * @throws AppError tree-not-writable, and those of buckets
   */
  async write(
    { path, bytes, sha256 }: StoredFile,
    version: Version,
    dialect: Dialect,
    beforeSend: BeforeSend | null,
    isNameEnough = false,
  ): Promise<WriteResult> {
    const headers = { ...headersOf(path), ...conditionOf(version, dialect) };
    const request: BucketRequest = { method: 'PUT', path, body: bytes, headers, ...(sha256 && { sha256 }) };
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#once(request, attempt, beforeSend);
      if (!(response instanceof NoResponse) && isDone(response, request))
        return { isWritten: true, version: versionOf(response) };
      const isRefused = !(response instanceof NoResponse) && (response.status === 412 || isAbsent(response, request));
      if (isRefused && isNameEnough) return { isWritten: false, found: null };
      if (!isRefused) {
        if (!isTransient(response, request)) throw this.#failure(response, 'write', request);
        if (attempt < this.#attempts) await this.#backOff(response, attempt);
      }
      const found = await this.#read(path, beforeSend === null ? null : always);
      if (found !== null && Buffer.compare(found.bytes, bytes) === 0)
        return { isWritten: true, version: found.version };
      // Refused twice although the version is unchanged: the store does not understand the
      // condition.
      if ((found?.version ?? null) !== version || (isRefused && attempt > 1)) return { isWritten: false, found };
      if (attempt >= this.#attempts) throw this.#failure(response, 'write', request);
    }
  }

  /** One attempt to write, for the probe; null if there was no response. */
  async attempt(path: string, bytes: Uint8Array, version: Version): Promise<BucketResponse | null> {
    const headers = { ...headersOf(path), ...conditionOf(version, 'quoted') };
    const response = await this.#once({ method: 'PUT', path, body: bytes, headers }, 1, always);
    return response instanceof NoResponse ? null : response;
  }

  /** Removes an object if it exists. @throws AppError tree-not-writable, and those of buckets */
  async remove(path: string, beforeSend: BeforeSend): Promise<void> {
    await this.#response({ method: 'DELETE', path }, 'remove', beforeSend);
  }

  /** One page of a listing, and the token of the next page ('' if it is the last). */
  async #page(folder: string, isDeep: boolean, token: string): Promise<Listing & { readonly next: string }> {
    const { prefix } = this.connection.address;
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      prefix: folder === '' ? prefix : `${prefix}${folder}/`,
      ...(isDeep ? {} : { delimiter: '/' }),
      ...(token === '' ? {} : { 'continuation-token': token }),
    };
    const response = await this.#response({ method: 'GET', path: null, query }, 'list', always);
    const page = pageOf(response);
    if (page === null) throw notAStore(this.connection, `status ${response.status} to a listing`);
    return {
      // Skip empty objects whose names end with a slash, which consoles create as folders.
      objects: page.objects
        .map(({ key, ...object }) => ({ path: key.slice(prefix.length), ...object }))
        .filter(({ path }) => !path.endsWith('/') && path !== ''),
      folders: page.folders.map((key) => key.slice(prefix.length, -1)),
      next: page.next,
    };
  }

  /** The response of an idempotent request: 2xx, or 404 for an object. */
  async #response(
    request: BucketRequest,
    operation: Operation,
    beforeSend: BeforeSend | null,
  ): Promise<BucketResponse> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#once(request, attempt, beforeSend);
      if (!(response instanceof NoResponse) && (isDone(response, request) || isAbsent(response, request)))
        return response;
      if (attempt >= this.#attempts || !isTransient(response, request))
        throw this.#failure(response, operation, request);
      await this.#backOff(response, attempt);
    }
  }

  get #attempts(): number {
    return this.#isReached ? ATTEMPTS : ATTEMPTS_TO_REACH;
  }

  /** Waits with exponential back-off and jitter, and at least as long as `Retry-After` says. */
  async #backOff(response: BucketResponse | NoResponse, attempt: number): Promise<void> {
    const asked = response instanceof NoResponse ? 0 : Number(response.headers['retry-after'] ?? 0);
    const askedMs = Math.min(asked || 0, RETRY_AFTER_SECONDS_MAX) * 1000;
    const longest = this.connection.settings.backOffMs * 2 ** (attempt - 1);
    await setTimeout(askedMs + randomInt(Math.ceil(longest / 2), longest + 1));
  }

  #failure(response: BucketResponse | NoResponse, operation: Operation, request: BucketRequest): AppError {
    if (response instanceof NoResponse) return unreachable(response, operation, request.path, this.connection);
    const errorFor = isTransient(response, request) ? busy : refusal;
    return errorFor(response, operation, request.path, this.connection);
  }

  #once(request: BucketRequest, attempt: number, beforeSend: BeforeSend | null): Promise<BucketResponse | NoResponse> {
    const send = async (): Promise<BucketResponse | NoResponse> => {
      this.#totals[kindOf(request)] += 1;
      this.#totals.bytesSent += request.body?.length ?? 0;
      if (attempt > 1) this.#totals.retries += 1;
      const response = await this.connection.send(request, beforeSend ?? always);
      if (request.method !== 'GET' && isOfTree(request.path ?? ''))
        this.#hasWritten ||=
          response instanceof NoResponse || isTransient(response, request) || isDone(response, request);
      if (response instanceof NoResponse) {
        if (request.method === 'DELETE' && isOfTree(request.path ?? ''))
          this.removalsEnd = monotonicSeconds() + this.connection.requestMsMax / 1000;
        return response;
      }
      this.#isReached = true;
      this.clock.see(String(response.headers['date']));
      const { server } = response.headers;
      if (typeof server === 'string') this.server = server;
      return response;
    };
    return beforeSend === null ? send() : this.#limit(send);
  }
}

/** Called just before a request is sent; throws if it must not be. */
type BeforeSend = () => Promise<void>;

const always: BeforeSend = async () => undefined;

function kindOf({ method, path }: BucketRequest): 'puts' | 'deletes' | 'lists' | 'gets' {
  if (method === 'PUT') return 'puts';
  if (method === 'DELETE') return 'deletes';
  return path === null ? 'lists' : 'gets';
}

/** RFC 9110, 13.1. */
function conditionOf(version: Version, dialect: Dialect): Readonly<Record<string, string>> {
  if (version === null) return { 'if-none-match': '*' };
  return { 'if-match': dialect === 'quoted' ? version : version.replaceAll('"', '') };
}

function isDone(response: BucketResponse, request: BucketRequest): boolean {
  return response.status >= 200 && response.status < 300 && !isErrorIn200(response, request);
}

/**
 * A store may send status 200 and then report a failure in the body. Not checked for an object's
 * content, which may be anything.
 */
function isErrorIn200(response: BucketResponse, { method, path }: BucketRequest): boolean {
  return response.status === 200 && (method === 'PUT' || path === null) && errorOf(response) !== null;
}

/**
 * Whether the store says that there is no such object. A bare 404 may come from a server that is
 * not a store.
 */
function isAbsent(response: BucketResponse, { path }: BucketRequest): boolean {
  return response.status === 404 && path !== null && (errorOf(response)?.code ?? 'NoSuchBucket') !== 'NoSuchBucket';
}

/** Errors that pass although their status is 400 or 403 in some stores. */
const TRANSIENT_CODES =
  /^(RequestTimeout|SlowDown|Throttl(ing|ed)(Exception)?|RequestThrottled(Exception)?|RequestLimitExceeded|TooManyRequests(Exception)?|BandwidthLimitExceeded)$/;

/** Whether a retry may succeed. If so, a write may or may not have been carried out. */
function isTransient(response: BucketResponse | NoResponse, request: BucketRequest): boolean {
  if (response instanceof NoResponse || isErrorIn200(response, request)) return true;
  const { status } = response;
  if (status === 408 || status === 409 || status === 429 || (status >= 500 && status !== 501)) return true;
  return status >= 400 && TRANSIENT_CODES.test(errorOf(response)?.code ?? '');
}

function versionOf({ headers }: BucketResponse): string {
  const { etag } = headers;
  return typeof etag === 'string' ? etag : '';
}
