// What every object store under test offers, so that one test runs on the store in memory, on the
// gateway and on the proxy before it.

import type { FaultPlan } from './faults.ts';

/** An object as the store keeps it; header names in lower case. */
export interface StoredObject {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * A bucket somewhere on this machine. `objects`, `put` and `delete` go behind the back of the
 * client under test: no fault, no log.
 */
export interface TestStore extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, for path-style addresses. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly credentials: Credentials;
  /**
   * What a client reads from its environment; keeps it from the files and the metadata service of
   * this machine.
   */
  readonly environment: Readonly<Record<string, string>>;
  objects(): Promise<ReadonlyMap<string, StoredObject>>;
  put(key: string, bytes: Uint8Array | string, headers?: Readonly<Record<string, string>>): Promise<void>;
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

/** One request as it arrived. */
export interface LoggedRequest {
  readonly method: string;
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
  /**
   * The name, with the port, by which the client calls this store: two clients can be told apart by
   * it.
   */
  readonly host: string;
  /** `If-Match: …` or `If-None-Match: …` as sent. */
  readonly conditional: string | null;
  /** The size of its body; 0 until that is there. */
  bytes: number;
  /** Null until it is answered, and for ever where the connection broke first. */
  status: number | null;
}

/**
 * Called with a request before and after it takes effect, the answer not yet sent: where a test
 * kills a process.
 */
export type RequestHook = (request: LoggedRequest & { readonly n: number }) => void | Promise<void>;

/**
 * A store that stands in this process: its requests are seen, and answered badly where a test asks
 * for it.
 */
export interface ObservedStore extends TestStore {
  readonly log: readonly LoggedRequest[];
  readonly clock: StoreClock;
  faults: FaultPlan | null;
  beforeApply: RequestHook | null;
  afterApply: RequestHook | null;
}

/**
 * What the store says in `Date` and `LastModified`. Signatures are judged by the machine's clock,
 * so that a test can let a lease expire.
 */
export class StoreClock {
  readonly #base: () => number;
  offsetMs: number;

  constructor(base: () => number = Date.now, offsetMs = 0) {
    this.#base = base;
    this.offsetMs = offsetMs;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#base() + this.offsetMs;
  }

  advance(milliseconds: number): void {
    this.offsetMs += milliseconds;
  }
}

/** The environment of a client of a store at this endpoint. */
export function environmentOf(
  endpoint: string,
  region: string,
  { accessKeyId, secretAccessKey }: Credentials,
): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_CONFIG_FILE: '/nonexistent/aws/config',
    AWS_SHARED_CREDENTIALS_FILE: '/nonexistent/aws/credentials',
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
