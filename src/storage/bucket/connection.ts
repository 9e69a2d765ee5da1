// Signs requests to a bucket (AWS Signature Version 4) and sends each of them once. requests.ts
// interprets the responses and retries. Endpoint, region and credentials come from where S3 tools
// look for them. Never prints a secret.

import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { SignatureV4 } from '@smithy/signature-v4';
import { Pool } from 'undici';
import { AppError, messageOf, systemCodeOf } from '../../errors.ts';
import { type BucketAddress, keyPath, uriEncoded } from './address.ts';
import { bucketSettings, type BucketSettings } from './settings.ts';

export interface BucketRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** Relative to the tree's root; null for the bucket itself. */
  readonly path: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Of the body, in hex, if known. */
  readonly sha256?: string;
}

export interface BucketResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Uint8Array;
}

/** The response is missing or incomplete, so the request may or may not have been carried out. */
export class NoResponse extends Error {}

const CONNECT_MS_MAX = 10_000;

export class Connection {
  readonly address: BucketAddress;
  /** For messages. */
  readonly endpoint: string;
  readonly settings: BucketSettings;
  /**
   * How long after `beforeSend` a request may take effect: by then it has been answered or given
   * up.
   */
  readonly requestMsMax: number;
  readonly #pool: Pool;
  readonly #signer: SignatureV4;
  readonly #host: string;
  readonly #basePath: string;

  private constructor(address: BucketAddress, settings: BucketSettings) {
    const { endpoint, region, isVirtualHost, timeoutMs, certificates } = settings;
    this.address = address;
    this.settings = settings;
    this.endpoint = endpoint.origin;
    const connectMs = Math.min(CONNECT_MS_MAX, timeoutMs);
    this.requestMsMax = connectMs + timeoutMs;
    this.#host = isVirtualHost ? `${address.bucket}.${endpoint.host}` : endpoint.host;
    const folder = endpoint.pathname.replace(/\/$/, '');
    this.#basePath = isVirtualHost ? folder : `${folder}/${address.bucket}`;
    this.#pool = new Pool(`${endpoint.protocol}//${this.#host}`, {
      connect: { timeout: connectMs, ...(certificates === null ? {} : { ca: certificates }) },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
    this.#signer = new SignatureV4({
      service: 's3',
      region,
      credentials: defaultProvider(),
      sha256: Sha256,
      uriEscapePath: false,
    });
  }

  /** @throws AppError region-missing, usage (an invalid setting) */
  static async open(address: BucketAddress): Promise<Connection> {
    return new Connection(address, await bucketSettings(address));
  }

  /**
   * Sends a request and reads its response, whatever its status. Calls `beforeSend` just before
   * sending.
   * @throws AppError credentials-missing, store-unreachable, and what `beforeSend` throws
   */
  async send(
    { method, path, query = {}, headers = {}, body, sha256 }: BucketRequest,
    beforeSend: () => Promise<void>,
  ): Promise<BucketResponse | NoResponse> {
    const key = path === null ? '' : `/${this.address.prefix}${path}`;
    const request = await this.#signed({
      method,
      protocol: 'https:',
      hostname: this.#host,
      path: this.#basePath + keyPath(key) || '/',
      query: { ...query },
      headers: { ...headers, host: this.#host, ...(sha256 && { 'x-amz-content-sha256': sha256 }) },
      ...(body === undefined ? {} : { body }),
    });
    await beforeSend();
    const text = Object.entries(query).map(([name, value]) => `${uriEncoded(name)}=${uriEncoded(value)}`);
    try {
      const response = await this.#pool.request({
        method,
        path: text.length === 0 ? request.path : `${request.path}?${text.join('&')}`,
        headers: request.headers,
        body: body ?? null,
      });
      const bytes = new Uint8Array(await response.body.arrayBuffer());
      return { status: response.statusCode, headers: response.headers, bytes };
    } catch (error) {
      return new NoResponse(messageOf(error), { cause: error });
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #signed(request: Parameters<SignatureV4['sign']>[0] & { readonly method: string }) {
    try {
      return await this.#signer.sign(request);
    } catch (error) {
      const message = `expected credentials for ${this.address.root}, found none that work: ${messageOf(error)}`;
      if (isServiceDown(error))
        throw new AppError('store-unreachable', message, 'run the same command again later', error);
      const hint = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run where a role is attached';
      throw new AppError('credentials-missing', message, hint, error);
    }
  }
}

const NETWORK_CODE = /^(ECONN\w+|EHOST\w+|ENET\w+|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN)$/;

/**
 * Whether credentials come from a service (SSO, web identity) that does not answer, or answers with
 * an error of its own.
 */
function isServiceDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { httpStatusCode: status = 0 } =
    (error as { readonly $metadata?: { readonly httpStatusCode?: number } }).$metadata ?? {};
  return NETWORK_CODE.test(systemCodeOf(error)) || error.name === 'TimeoutError' || status === 429 || status >= 500;
}

/** Node's SHA-256 with the interface that the signer expects. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', viewOf(secret));
  }

  update(chunk: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(viewOf(chunk));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

function viewOf(data: string | ArrayBuffer | ArrayBufferView): string | Uint8Array {
  if (typeof data === 'string' || data instanceof Uint8Array) return data;
  return data instanceof ArrayBuffer
    ? new Uint8Array(data)
    : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
