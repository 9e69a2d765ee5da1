// What is asked of a bucket: read, list, write under a condition, remove. Each is repeated until there is a response that means something.
// The SDKs' own repetitions would not do: a conditional write that was carried out, and whose response got lost, fails when it is repeated,
// because of its own success. So after every doubt the object is read, and decides.

import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import type { AppError } from '../../errors.ts';
import { errorOf, pageOf } from './response-xml.ts';
import { NoResponse, type BucketResponse, type BucketRequest, type Connection } from './connection.ts';
import { headersOf } from './headers.ts';
import { notAStore, refusal, unreachable, type Doing } from './refusals.ts';
import type { StoredFile } from '../../release/tree/store.ts';
import type { RequestTotals } from './request-totals.ts';
import { StoreClock } from './store-clock.ts';

/** Once, and then again after 0.1 s, 0.2 s … 6.4 s at most, so that a store which restarts is waited for. The first of these is a setting. */
const ATTEMPTS = 8;
/** Where nothing has ever answered, an address or a network is wrong. */
const ATTEMPTS_TO_REACH = 3;
/** The longest `Retry-After` that is honoured. */
const RETRY_AFTER_SECONDS_MAX = 30;

/** How a store wants the ETag of `If-Match`: `unquoted` against RFC 9110, 13.1.1, as Ceph. */
export type Dialect = 'quoted' | 'unquoted';

/** The ETag of an object, as it came; null: there is no object. */
export type Version = string | null;

export interface StoredObject {
  readonly bytes: Uint8Array;
  readonly version: string;
}

export interface ListedObject {
  readonly path: string;
  readonly bytes: number;
  /** '' where the listing does not say. */
  readonly version: string;
}

export interface Listing {
  readonly objects: readonly ListedObject[];
  readonly folders: readonly string[];
}

/** What became of a conditional write; `found`: what is there instead. */
export type Written =
  | { readonly isWritten: true; readonly version: string }
  | { readonly isWritten: false; readonly found: StoredObject | null };

export class Requests {
  readonly connection: Connection;
  readonly clock = new StoreClock();
  /** What the store calls itself; null where it does not say. */
  server: string | null = null;
  readonly #limit: LimitFunction;
  #isReached = false;
  #totals = { puts: 0, gets: 0, lists: 0, deletes: 0, retries: 0, bytesSent: 0 };

  constructor(connection: Connection) {
    this.connection = connection;
    this.#limit = pLimit(connection.settings.requestsAtOnce);
  }

  get totals(): RequestTotals {
    return { ...this.#totals };
  }

  /** @returns null where there is no such object. @throws AppError tree-unreadable, and those of buckets */
  read(path: string): Promise<StoredObject | null> {
    return this.#read(path, always);
  }

  async #read(path: string, maySend: MaySend | null): Promise<StoredObject | null> {
    const response = await this.#response({ method: 'GET', path }, 'read', maySend);
    if (response.status === 404) return null;
    // Whatever a web server that is no store has there.
    if (versionOf(response) === '') throw notAStore(this.connection, `status ${response.status} without an ETag`);
    return { bytes: response.bytes, version: versionOf(response) };
  }

  /**
   * All objects below a folder ('' for all), 1,000 a request; `isDeep` false: those directly in it, and its folders.
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
   * Writes an object if it is still of a version. `mayWrite` is asked directly before each attempt, and throws where the lease is over; null
   * for what waits behind no other request: the lease itself.
   * @throws AppError tree-not-writable, and those of buckets
   */
  async write(
    { path, bytes, sha256 }: StoredFile,
    version: Version,
    dialect: Dialect,
    mayWrite: MaySend | null,
  ): Promise<Written> {
    const headers = { ...headersOf(path), ...conditionOf(version, dialect) };
    const request: BucketRequest = { method: 'PUT', path, body: bytes, headers, ...(sha256 && { sha256 }) };
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#once(request, attempt, mayWrite);
      if (!(response instanceof NoResponse) && isDone(response, request))
        return { isWritten: true, version: versionOf(response) };
      const isRefused = !(response instanceof NoResponse) && (response.status === 412 || isAbsent(response, request));
      if (!isRefused) {
        // Nothing that another attempt would change; or as many as there may be.
        if (!isTransient(response, request)) throw this.#failure(response, 'write', path);
        if (attempt < this.#attempts) await this.#backOff(response, attempt);
      }
      const found = await this.#read(path, mayWrite === null ? null : always);
      if (found !== null && Buffer.compare(found.bytes, bytes) === 0)
        return { isWritten: true, version: found.version };
      // Refused twice although nothing has changed: the store has its own idea of the condition.
      if ((found?.version ?? null) !== version || (isRefused && attempt > 1)) return { isWritten: false, found };
      if (attempt >= this.#attempts) throw this.#failure(response, 'write', path);
    }
  }

  /** One attempt to write, for the probe; null where no response came. */
  async attempt(path: string, bytes: Uint8Array, version: Version): Promise<BucketResponse | null> {
    const headers = { ...headersOf(path), ...conditionOf(version, 'quoted') };
    const response = await this.#once({ method: 'PUT', path, body: bytes, headers }, 1, always);
    return response instanceof NoResponse ? null : response;
  }

  /** Removes an object that may be there. @throws AppError tree-not-writable, and those of buckets */
  async remove(path: string, mayWrite: MaySend): Promise<void> {
    await this.#response({ method: 'DELETE', path }, 'remove', mayWrite);
  }

  /** One page of a listing, and the token of the next; '' where there is none. */
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
      // Consoles of stores show an empty object with a slash at its end as a folder.
      objects: page.objects
        .map(({ key, ...object }) => ({ path: key.slice(prefix.length), ...object }))
        .filter(({ path }) => !path.endsWith('/') && path !== ''),
      folders: page.folders.map((key) => key.slice(prefix.length, -1)),
      next: page.next,
    };
  }

  /** The response of a request that may be made any number of times: 2xx, or 404 for an object. */
  async #response(request: BucketRequest, doing: Doing, maySend: MaySend | null): Promise<BucketResponse> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#once(request, attempt, maySend);
      if (!(response instanceof NoResponse) && (isDone(response, request) || isAbsent(response, request)))
        return response;
      if (attempt >= this.#attempts || !isTransient(response, request))
        throw this.#failure(response, doing, request.path);
      await this.#backOff(response, attempt);
    }
  }

  get #attempts(): number {
    return this.#isReached ? ATTEMPTS : ATTEMPTS_TO_REACH;
  }

  /** Waits longer each time, and not as long as others do; as long as the store asks for, where it does. */
  async #backOff(response: BucketResponse | NoResponse, attempt: number): Promise<void> {
    const asked = response instanceof NoResponse ? 0 : Number(response.headers['retry-after'] ?? 0);
    const askedMs = Math.min(asked || 0, RETRY_AFTER_SECONDS_MAX) * 1000;
    const longest = this.connection.settings.backOffMs * 2 ** (attempt - 1);
    await setTimeout(askedMs + randomInt(Math.ceil(longest / 2), longest + 1));
  }

  #failure(response: BucketResponse | NoResponse, doing: Doing, path: string | null): AppError {
    return response instanceof NoResponse
      ? unreachable(response, doing, path, this.connection)
      : refusal(response, doing, path, this.connection);
  }

  #once(request: BucketRequest, attempt: number, maySend: MaySend | null): Promise<BucketResponse | NoResponse> {
    const send = async (): Promise<BucketResponse | NoResponse> => {
      this.#totals[kindOf(request)] += 1;
      this.#totals.bytesSent += request.body?.length ?? 0;
      if (attempt > 1) this.#totals.retries += 1;
      try {
        const response = await this.connection.send(request, maySend ?? always);
        this.#isReached = true;
        this.clock.see(String(response.headers['date']));
        const { server } = response.headers;
        if (typeof server === 'string') this.server = server;
        return response;
      } catch (error) {
        if (error instanceof NoResponse) return error;
        throw error;
      }
    };
    return maySend === null ? send() : this.#limit(send);
  }
}

/** Asked directly before a request is sent; throws where it must not be sent any more. */
type MaySend = () => Promise<void>;

const always: MaySend = async () => undefined;

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

/** A store that has begun to answer 200 says in the body that it failed. The content of an object may say anything. */
function isErrorIn200(response: BucketResponse, { method, path }: BucketRequest): boolean {
  return response.status === 200 && (method === 'PUT' || path === null) && errorOf(response) !== null;
}

/** Whether there is no such object; what is no store would also answer 404. */
function isAbsent(response: BucketResponse, { path }: BucketRequest): boolean {
  return response.status === 404 && path !== null && (errorOf(response)?.code ?? 'NoSuchBucket') !== 'NoSuchBucket';
}

/** Whether another attempt may end otherwise; of a write, whether it was carried out is then not known. */
function isTransient(response: BucketResponse | NoResponse, request: BucketRequest): boolean {
  if (response instanceof NoResponse || isErrorIn200(response, request)) return true;
  const { status } = response;
  return status === 408 || status === 409 || status === 429 || (status >= 500 && status !== 501);
}

function versionOf({ headers }: BucketResponse): string {
  const { etag } = headers;
  return typeof etag === 'string' ? etag : '';
}
