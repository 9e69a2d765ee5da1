// Reads a private S3 bucket with signed requests, for runtimes with `fetch`. Each request takes the
// credentials from the environment; they are used only for signing.
//
// Private buckets: a worker for a bucket is a separate bundle, so that a worker for a URL stays
// small. Our signer takes 1.3 kB; the class `AwsV4Signer` of aws4fetch takes 6.4 kB. Siblings in a
// bucket have `Content-Encoding`, so `fetch` would decode them; a signed request can prevent this
// with `response-content-encoding=identity`. If a store refuses or ignores the parameter, the
// client gets the plain file: after decoding, workerd and Bun keep the header, and on Deno the
// content has another digest. 403 with another code than `AccessDenied` is always an error. R2
// returns an object as it was stored. A service binding of Cloudflare appears to have every method,
// `get` included, so only a binding without `fetch` is an R2 bucket.

import { CREDENTIAL_NAMES } from './bucket-credentials.ts';
import { type Environment, textOrNull } from './environment.ts';
import { isPlain, type Load, PAGE } from './load.ts';
import { signatureV4Headers } from './signature-v4.ts';

/** Where a bucket is. */
export interface BucketOrigin {
  /** The URL of the tree in the bucket, without a slash at its end. */
  readonly origin: string;
  readonly region: string;
}

/** How long the store may take to begin its answer. Few proxies wait longer. */
const BEGIN_MS = 10_000;
/** How long the whole answer may take. */
const END_MS = 60_000;

/**
 * Sends a signed request for `target`, a path below the tree that may have a query. Rejects if
 * credentials are missing or the store does not begin to answer in time. `signal` limits the whole
 * answer.
 */
export const askBucket = async (
  bucket: BucketOrigin,
  target: string,
  method: string,
  bindings: Environment,
  now: number,
  signal = AbortSignal.timeout(END_MS),
): Promise<Response> => {
  const [accessKeyId, secretAccessKey, sessionToken = null] = CREDENTIAL_NAMES.map((name) =>
    textOrNull(bindings[name])?.trim(),
  );
  if (!accessKeyId || !secretAccessKey) throw new Error(`${CREDENTIAL_NAMES[accessKeyId ? 1 : 0]} is missing`);

  const url = new URL(`${bucket.origin}/${target}`);
  const credentials = { accessKeyId, secretAccessKey, sessionToken };
  const signed = await signatureV4Headers(method, url, credentials, bucket.region, now);
  // For a gateway that compresses what the store has: fetch would decode that, and the bytes would
  // not be the file's.
  const headers = { ...Object.fromEntries(signed), 'accept-encoding': 'identity' };
  const late = new Promise<never>((_, reject) => AbortSignal.timeout(BEGIN_MS).addEventListener('abort', reject));
  return Promise.race([fetch(url, { method, headers, redirect: 'manual', signal }), late]).catch(() => {
    throw new Error(`${url.host} does not answer`);
  });
};

/** Loads files from a folder of the tree, such as `public/`. */
export const bucketLoad =
  (bucket: BucketOrigin, folder: string, bindings: Environment, now: number, signal?: AbortSignal): Load =>
  async (path, wasThere = false) => {
    const isSibling = /\.(gz|br)$/.test(path);
    // Without this parameter the store sends the object's Content-Encoding, and fetch decodes the
    // content.
    const target = `${folder}${path}${isSibling ? '?response-content-encoding=identity' : ''}`;
    const response = await askBucket(bucket, target, 'GET', bindings, now, signal);
    const { status, headers } = response;
    const type = headers.get('content-type') ?? '';
    const coding = headers.get('content-encoding');
    if (status === 200 && !PAGE.test(type) && isPlain(coding)) return response;
    // Without the sibling the client gets the plain file. Not every store supports the parameter.
    if (isSibling) return null;

    // An S3 store sends an error code; a response without one comes from something else.
    const code = /<Code>(\w+)</.exec(await response.text())?.[1];
    if (status === 404 && code === 'NoSuchKey') return null;
    // The same, for a reader who may not list the bucket; and for one who may no longer read it.
    if (status === 403 && code === 'AccessDenied' && !wasThere) return null;
    throw new Error([new URL(bucket.origin).host, 'answers', status, code ?? type, coding].join(' ').trim());
  };
