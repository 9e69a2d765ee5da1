// How a private bucket that speaks S3 is read, for runtimes with `fetch`: what is fetched is signed. Credentials come from the environment
// at every request, and go nowhere but into signatures.

import { ABSENT, CREDENTIAL_NAMES } from './bucket-credentials.ts';
import { type Load, PAGE, textOrNull, type WorkerEnvironment } from './fetch-handler.ts';
import { signedHeaders } from './signature-v4.ts';

/** Where a bucket is. */
export interface BucketAddress {
  /** The URL of the tree in the bucket, without a slash at its end. */
  readonly origin: string;
  readonly region: string;
}

/** A store that hangs must not hold a request: few proxies wait longer for the beginning of an answer. */
const BEGIN_MS = 10_000;
/** A slow client reads a file as it comes. */
const END_MS = 60_000;

/**
 * Sends a signed request for `target`, a path below the tree, perhaps with a query. Rejects without credentials, and when the store does not
 * begin to answer in time. `signal` bounds the whole answer.
 */
export const askBucket = async (
  bucket: BucketAddress,
  target: string,
  method: string,
  bindings: WorkerEnvironment,
  now: number,
  signal = AbortSignal.timeout(END_MS),
): Promise<Response> => {
  const [accessKeyId, secretAccessKey, sessionToken = null] = CREDENTIAL_NAMES.map((name) =>
    textOrNull(bindings[name])?.trim(),
  );
  if (!accessKeyId || !secretAccessKey) throw new Error(`${CREDENTIAL_NAMES[accessKeyId ? 1 : 0]} is missing`);

  const url = new URL(`${bucket.origin}/${target}`);
  const credentials = { accessKeyId, secretAccessKey, sessionToken };
  const headers = Object.fromEntries(await signedHeaders(method, url, credentials, bucket.region, now));
  const late = new Promise<never>((_, reject) => AbortSignal.timeout(BEGIN_MS).addEventListener('abort', reject));
  return Promise.race([fetch(url, { method, headers, redirect: 'manual', signal }), late]).catch(() => {
    throw new Error(`${url.host} does not answer`);
  });
};

/** A folder of the tree, such as `public/`. */
export const bucketLoad =
  (bucket: BucketAddress, folder: string, bindings: WorkerEnvironment, now: number, signal?: AbortSignal): Load =>
  async (path, method) => {
    const isSibling = /\.(gz|br)$/.test(path);
    // The encoding that the object bears would make fetch decode it.
    const target = `${folder}${path}${isSibling ? '?response-content-encoding=identity' : ''}`;
    const response = await askBucket(bucket, target, method, bindings, now, signal);
    const { status } = response;
    const type = response.headers.get('content-type') ?? '';
    if (status === 200 && !PAGE.test(type) && !(isSibling && isDecoded(response.headers))) return response;
    // It only saves bytes: not every store knows that parameter.
    if (isSibling) return null;

    // A store says why, and whatever says nothing is no store; but for HEAD: then the pointer tells, which is read before and after it.
    const code = /<Code>(\w+)</.exec(await response.text())?.[1] ?? '';
    if ([403, 404].includes(status) && (method === 'HEAD' || ABSENT.includes(code))) return null;
    throw new Error(`${new URL(bucket.origin).host} answers ${status} ${code || type}`);
  };

/** Whether fetch has undone an encoding all the same: some runtimes leave its name, others drop the length that is no longer right. */
const isDecoded = (headers: Headers): boolean =>
  (headers.get('content-encoding') ?? 'identity') !== 'identity' || !headers.has('content-length');
