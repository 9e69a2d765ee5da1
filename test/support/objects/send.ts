// One signed request over node:http, sent once: an independent client for tests of stores, and the
// way from the proxy to the gateway.

import { createHash } from 'node:crypto';
import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { AwsV4Signer } from 'aws4fetch';
import type { Credentials } from './test-store.ts';

export interface SentRequest {
  readonly method: string;
  /** Slashes separate; everything else is encoded here. Empty for the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

export interface Destination {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly credentials: Credentials;
}

export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const agent = new Agent({ keepAlive: true });

/** A request ready to be sent, or spoilt first. */
export interface SignedRequest {
  readonly method: string;
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Signs all that it sends, for now or for `datetime` (`20260501T120000Z`). */
export async function signRequest(to: Destination, request: SentRequest, datetime?: string): Promise<SignedRequest> {
  const { method, key = '', query = {}, headers = {} } = request;
  const body = Buffer.from(request.body ?? '');
  const url = new URL(`${to.endpoint}/${to.bucket}/${key.split('/').map(encodeURIComponent).join('/')}`);
  url.search = Object.entries(query)
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .join('&');
  const signed = await new AwsV4Signer({
    method,
    url: url.href,
    headers: { 'x-amz-content-sha256': sha256(body), ...headers },
    ...to.credentials,
    service: 's3',
    region: to.region,
    allHeaders: true,
    ...(datetime === undefined ? {} : { datetime }),
  }).sign();
  const length = method === 'PUT' ? { 'content-length': String(body.length) } : {};
  return { method, url, headers: { ...Object.fromEntries(signed.headers), ...length }, body };
}

/**
 * The answer's head; its body is still to be read. Rejects where the connection breaks first, or
 * `signal` ends it. Every name is this machine: `BUCKET.localhost` need not resolve.
 */
export function transmit(
  { method, url, headers, body }: SignedRequest,
  signal?: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const destination = { host: '127.0.0.1', port: url.port, path: url.pathname + url.search };
    const options = { ...destination, method, headers: { host: url.host, ...headers }, agent };
    httpRequest(signal === undefined ? options : { ...options, signal }, resolve)
      .once('error', reject)
      .end(body);
  });
}

/** Sends a request once and reads the whole answer. Rejects where the connection breaks. */
export async function send(to: Destination, request: SentRequest): Promise<ReceivedAnswer> {
  return receive(await transmit(await signRequest(to, request)));
}

export async function receive(incoming: IncomingMessage): Promise<ReceivedAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) };
}
