// What CloudFront accepts from a Lambda@Edge function ("Restrictions on edge functions" and "Quotas
// on Lambda@Edge" in its developer guide). On the real CloudFront the client gets a 502 for each of
// these.

import * as z from 'zod';

const headersSchema = z.record(
  z.string(),
  z.array(z.strictObject({ key: z.string().optional(), value: z.string() })).min(1),
);
export type Headers = z.infer<typeof headersSchema>;

export const requestSchema = z.strictObject({
  clientIp: z.string(),
  method: z.string(),
  uri: z.string(),
  querystring: z.string(),
  headers: headersSchema,
});
export type CloudFrontRequest = z.infer<typeof requestSchema>;

export const responseSchema = z.strictObject({
  status: z.string(),
  statusDescription: z.string().optional(),
  headers: headersSchema.optional(),
  body: z.string().optional(),
  bodyEncoding: z.enum(['text', 'base64']).optional(),
});
export type CloudFrontResponse = z.infer<typeof responseSchema>;

/** Headers that functions do not see and may not add. */
const DISALLOWED =
  /^(connection|expect|keep-alive|proxy-(authenticate|authorization|connection)|trailer|upgrade|x-accel-(buffering|charset|limit-rate|redirect)|x-amz-cf-.*|x-amzn-(auth|cf-billing|cf-id|cf-xff|errortype|fle-profile|header-count|header-order|lambda-integration-tag|requestid)|x-cache|x-edge-.*|x-forwarded-proto|x-real-ip)$/;

const READ_ONLY = {
  'viewer-request': ['content-length', 'host', 'transfer-encoding', 'via'],
  'origin-response': ['transfer-encoding', 'via'],
  'viewer-response': ['content-encoding', 'content-length', 'transfer-encoding', 'via', 'warning'],
} as const;

/** The limit for a generated response at viewer events, headers and body together. */
const GENERATED_BYTES_MAX = 40_000;

export const isShown = (name: string): boolean => !DISALLOWED.test(name.toLowerCase());

/**
 * Throws Error if CloudFront would not accept these headers in place of those that it gave to the
 * function.
 */
export function checkHeaders(given: Headers, answered: Headers, event: keyof typeof READ_ONLY): void {
  for (const [name, lines] of Object.entries(answered)) {
    if (name !== name.toLowerCase()) throw new Error(`${event}: ${name} is not in lower case`);
    if (!isShown(name)) throw new Error(`${event}: ${name} is not allowed`);
    for (const { key = name, value } of lines) {
      if (key.toLowerCase() !== name) throw new Error(`${event}: ${key} is listed as ${name}`);
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
        throw new Error(`${event}: ${name} has a value that no header can have`);
    }
  }
  for (const name of READ_ONLY[event])
    if (JSON.stringify(given[name]) !== JSON.stringify(answered[name]))
      throw new Error(`${event}: ${name} is read-only`);
}

/** Throws Error for a request from a function that CloudFront would not accept. */
export function checkRequest(given: CloudFrontRequest, answered: CloudFrontRequest): void {
  checkHeaders(given.headers, answered.headers, 'viewer-request');
  if (answered.method !== given.method || answered.clientIp !== given.clientIp)
    throw new Error('viewer-request: method and clientIp are read-only');
  const { uri, querystring } = answered;
  if (!uri.startsWith('/') || `${uri}?${querystring}`.length >= 8192 || /[\s#]/.test(uri + querystring))
    throw new Error(`viewer-request: not a URI: ${uri}`);
}

/**
 * Throws Error for a response from a function that CloudFront would not send to a request with this
 * method.
 */
export function checkGenerated(method: string, { status, headers = {}, body = '' }: CloudFrontResponse): void {
  if (!/^[2-5]\d\d$/.test(status)) throw new Error(`not a status: ${status}`);
  if (JSON.stringify(headers).length + body.length > GENERATED_BYTES_MAX)
    throw new Error('a response of more than 40 KB');
  // The documentation does not forbid it, but HTTP does.
  if (body !== '' && (method === 'HEAD' || ['204', '304'].includes(status)))
    throw new Error(`a body with ${status} to ${method}`);
}
