// One bucket over HTTP: requests signed (AWS Signature Version 4) and sent, once each. What an answer means, and whether a request is made
// again, is for requests.ts. Endpoint, region and credentials come from where every S3 tool looks for them; no secret is ever printed.

import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { loadConfig } from '@smithy/node-config-provider';
import { SignatureV4 } from '@smithy/signature-v4';
import { Pool } from 'undici';
import { AppError, messageOf } from '../../errors.ts';
import { withoutUser, type BucketAddress } from './address.ts';

export interface BucketRequest {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** From the tree's root; null for the bucket itself. */
  readonly path: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Of the body, in hex, where it is known. */
  readonly sha256?: string;
}

export interface BucketAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Uint8Array;
}

/** No answer, or half of one: whether the request was carried out is not known. */
export class NoAnswer extends Error {}

const CONNECT_MS = 10_000;

/** A setting that is a number, from the environment or, in lower case, from the profile. */
interface NumberSetting {
  readonly variable: string;
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}

/** How long the lease of a tree lasts that is not renewed. A shorter one could end between two renewals of a slow machine. */
const LEASE_SECONDS: NumberSetting = { variable: 'PLAYBILL_LEASE_SECONDS', least: 6, most: 3600, usual: 60 };
/** How long the store may keep silent before a request counts as unanswered. */
const TIMEOUT_SECONDS: NumberSetting = { variable: 'PLAYBILL_S3_TIMEOUT_SECONDS', least: 1, most: 600, usual: 30 };
/** How long the first repetition of a request waits at most; each further one, twice as long. */
const BACK_OFF_MS: NumberSetting = { variable: 'PLAYBILL_S3_BACKOFF_MS', least: 1, most: 10_000, usual: 100 };

export class Connection {
  readonly address: BucketAddress;
  /** For messages. */
  readonly endpoint: string;
  readonly region: string;
  readonly leaseSeconds: number;
  readonly backOffMs: number;
  readonly #pool: Pool;
  readonly #signer: SignatureV4;
  readonly #host: string;
  readonly #basePath: string;

  private constructor(
    address: BucketAddress,
    endpoint: URL,
    region: string,
    isVirtualHost: boolean,
    { leaseSeconds, timeoutSeconds, backOffMs }: Awaited<ReturnType<typeof settings>>,
  ) {
    this.address = address;
    this.endpoint = endpoint.origin;
    this.region = region;
    this.leaseSeconds = leaseSeconds;
    this.backOffMs = backOffMs;
    this.#host = isVirtualHost ? `${address.bucket}.${endpoint.host}` : endpoint.host;
    const folder = endpoint.pathname.replace(/\/$/, '');
    this.#basePath = isVirtualHost ? folder : `${folder}/${address.bucket}`;
    this.#pool = new Pool(`${endpoint.protocol}//${this.#host}`, {
      connect: { timeout: CONNECT_MS },
      headersTimeout: timeoutSeconds * 1000,
      bodyTimeout: timeoutSeconds * 1000,
    });
    this.#signer = new SignatureV4({
      service: 's3',
      region,
      credentials: defaultProvider(),
      sha256: Sha256,
      uriEscapePath: false,
    });
  }

  /** @throws AppError region-missing, usage (an endpoint that is no URL, a setting that is no such number) */
  static async open(address: BucketAddress): Promise<Connection> {
    const read = await settings();
    const { endpoint, region, isVirtualHosts } = read;
    const resolvedRegion = region || (endpoint === '' ? '' : 'us-east-1');
    if (resolvedRegion === '') {
      const message = `expected the region of bucket ${address.bucket} in AWS_REGION or the profile, found none`;
      throw new AppError(
        'region-missing',
        message,
        'for a store that is not Amazon: set AWS_ENDPOINT_URL to its address',
      );
    }
    if (endpoint !== '' && !/^https?:\/\/[^\s/?#]+[^\s?#]*$/.test(endpoint)) {
      const message = `expected AWS_ENDPOINT_URL to be a URL that begins with https:// or http://, found ${JSON.stringify(withoutUser(endpoint))}`;
      throw new AppError('usage', message, 'type it as AWS_ENDPOINT_URL=https://storage.example');
    }
    const domain = resolvedRegion.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    const url = new URL(endpoint === '' ? `https://s3.${resolvedRegion}.${domain}` : endpoint);
    // Of a bucket with a dot no certificate of the store has the name.
    const isVirtualHost = isVirtualHosts || (endpoint === '' && !address.bucket.includes('.'));
    return new Connection(address, url, resolvedRegion, isVirtualHost, read);
  }

  /**
   * Sends a request and reads its answer, whatever it says. `maySend` is asked directly before.
   * @throws NoAnswer, AppError credentials-missing, and what `maySend` throws
   */
  async send(
    { method, path, query = {}, headers = {}, body, sha256 }: BucketRequest,
    maySend: () => Promise<void>,
  ): Promise<BucketAnswer> {
    const key = path === null ? '' : `/${this.address.prefix}${path}`;
    const request = await this.#signed({
      method,
      protocol: 'https:',
      hostname: this.#host,
      path: this.#basePath + key.split('/').map(uriEncoded).join('/') || '/',
      query: { ...query },
      headers: { ...headers, host: this.#host, ...(sha256 && { 'x-amz-content-sha256': sha256 }) },
      ...(body === undefined ? {} : { body }),
    });
    await maySend();
    const text = Object.entries(query).map(([name, value]) => `${uriEncoded(name)}=${uriEncoded(value)}`);
    try {
      const answer = await this.#pool.request({
        method,
        path: text.length === 0 ? request.path : `${request.path}?${text.join('&')}`,
        headers: request.headers,
        body: body ?? null,
      });
      const bytes = new Uint8Array(await answer.body.arrayBuffer());
      return { status: answer.statusCode, headers: answer.headers, bytes };
    } catch (error) {
      throw new NoAnswer(messageOf(error), { cause: error });
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
      const hint = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run where a role is attached';
      throw new AppError('credentials-missing', message, hint, error);
    }
  }
}

/** From the environment, or from the profile that AWS_PROFILE names. @throws AppError usage */
async function settings() {
  const read = (variables: readonly string[], key: string): Promise<string> =>
    loadConfig({
      environmentVariableSelector: (environment) => variables.map((name) => environment[name]).find(Boolean),
      configFileSelector: (profile) => profile[key],
      default: '',
    })();
  const readNumber = async ({ variable, least, most, usual }: NumberSetting): Promise<number> => {
    const text = await read([variable], variable.toLowerCase());
    if (text === '') return usual;
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    const message = `expected ${variable} to be ${least} to ${most}, found ${JSON.stringify(text)}`;
    throw new AppError('usage', message, `leave it out: then it is ${usual}`);
  };
  return {
    endpoint: await read(['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'], 'endpoint_url'),
    region: await read(['AWS_REGION', 'AWS_DEFAULT_REGION'], 'region'),
    leaseSeconds: await readNumber(LEASE_SECONDS),
    timeoutSeconds: await readNumber(TIMEOUT_SECONDS),
    backOffMs: await readNumber(BACK_OFF_MS),
    isVirtualHosts: (await read(['PLAYBILL_S3_VIRTUAL_HOSTS'], 'playbill_s3_virtual_hosts')) !== '',
  };
}

/** RFC 3986, 2.3: everything but the unreserved characters, as the signature has it. */
function uriEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** SHA-256 as the signer asks for it, by Node's own. */
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
