// Requests to an object store as values, and its answers. Refuses, with S3's own codes, what it
// cannot read.

import type { IncomingHttpHeaders } from 'node:http';

export interface StoreRequest {
  readonly method: string;
  readonly bucket: string;
  /** Empty where the request is about the bucket. */
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Path and query as sent. */
  readonly target: string;
}

export interface StoreAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const STATUS_OF = {
  AccessDenied: 403,
  AuthorizationHeaderMalformed: 400,
  BadDigest: 400,
  ConditionalRequestConflict: 409,
  ExpiredToken: 400,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidDigest: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidToken: 400,
  InvalidURI: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NotImplemented: 501,
  PreconditionFailed: 412,
  RequestTimeout: 400,
  RequestTimeTooSkewed: 403,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  TooManyRequests: 429,
  XAmzContentSHA256Mismatch: 400,
} as const;

export type S3Code = keyof typeof STATUS_OF;

/** A refusal; the server answers with it. */
export class S3Error extends Error {
  readonly code: S3Code;
  /** Further elements of the error's document. */
  readonly details: Readonly<Record<string, string>>;

  constructor(code: S3Code, message: string, details: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;');
}

export function xmlAnswer(status: number, content: string): StoreAnswer {
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${content}`),
  };
}

/** An error as S3 says it; `status` where it differs from the code's own. */
export function errorAnswer({ code, message, details }: S3Error, status: number = STATUS_OF[code]): StoreAnswer {
  const elements = Object.entries({ Code: code, Message: message, ...details, RequestId: 'test' });
  const content = elements.map(([name, text]) => `<${name}>${escapeXml(text)}</${name}>`).join('');
  return xmlAnswer(status, `<Error>${content}</Error>`);
}

/** `If-Match: …` or `If-None-Match: …` as sent, for the log. */
export function conditionalOf(headers: IncomingHttpHeaders): string | null {
  if (headers['if-match'] !== undefined) return `If-Match: ${headers['if-match']}`;
  if (headers['if-none-match'] !== undefined) return `If-None-Match: ${headers['if-none-match']}`;
  return null;
}

/**
 * What a request is about. The bucket stands in the path, or before the host's name where `Host` is
 * `BUCKET.anything`, and a test must name that bucket: of an unknown one no one can tell.
 */
export function parseTarget(
  target: string,
  host: string,
  ownBucket: string,
): Pick<StoreRequest, 'bucket' | 'key' | 'query'> {
  const [path = '', ...rest] = target.split('?');
  const query = Object.fromEntries(new URLSearchParams(rest.join('?')));
  let names: string;
  try {
    names = decodeURIComponent(path).slice(1);
  } catch {
    throw new S3Error('InvalidURI', "Couldn't parse the specified URI.");
  }
  if (host.startsWith(`${ownBucket}.`)) return { bucket: ownBucket, key: names, query };
  const slash = names.indexOf('/');
  if (slash < 0) return { bucket: names, key: '', query };
  return { bucket: names.slice(0, slash), key: names.slice(slash + 1), query };
}
