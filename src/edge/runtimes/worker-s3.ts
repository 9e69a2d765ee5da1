// The worker whose tree lies in a private bucket that speaks S3: it signs what it fetches. Credentials come from the environment at every
// request, and go nowhere but into signatures. The log says why the tree cannot be read; the client learns nothing of it.

import { ABSENT, CREDENTIAL_NAMES } from './bucket-credentials.ts';
import { fetchHandler, textOrNull, type WorkerConfiguration } from './fetch-handler.ts';
import { signedHeaders } from './signature-v4.ts';

declare const PLAYBILL: S3Configuration;

/** What `edge build` writes in front of this module. */
export interface S3Configuration extends WorkerConfiguration {
  /** The URL of the tree's public folder in the bucket, without a slash at its end. */
  readonly origin: string;
  readonly region: string;
}

export default fetchHandler((bindings, now) => async (path, method) => {
  const [accessKeyId, secretAccessKey, sessionToken = null] = CREDENTIAL_NAMES.map((name) =>
    textOrNull(bindings[name])?.trim(),
  );
  if (!accessKeyId || !secretAccessKey) throw unreadable(`${CREDENTIAL_NAMES[accessKeyId ? 1 : 0]} is missing`);

  const isSibling = /\.(gz|br)$/.test(path);
  // The encoding that the object bears would make fetch decode it.
  const url = new URL(`${PLAYBILL.origin}/${path}${isSibling ? '?response-content-encoding=identity' : ''}`);
  const credentials = { accessKeyId, secretAccessKey, sessionToken };
  const headers = Object.fromEntries(await signedHeaders(method, url, credentials, PLAYBILL.region, now));
  const response = await fetch(url, { method, headers, redirect: 'manual' }).catch(() => {
    throw unreadable(`${url.host} does not answer`);
  });
  if (response.ok && !(isSibling && isDecoded(response.headers))) return response;
  // It only saves bytes: not every store knows that parameter.
  if (isSibling) return null;

  // A store says why, and whatever says nothing is no store; but for HEAD: then the pointer tells, which is read before and after it.
  const code = /<Code>(\w+)</.exec(await response.text())?.[1] ?? '';
  if ([403, 404].includes(response.status) && (method === 'HEAD' || ABSENT.includes(code))) return null;
  throw unreadable(`${url.host} answers ${response.status} ${code}`);
});

/** Whether fetch has undone an encoding all the same: some runtimes leave its name, others drop the length that is no longer right. */
const isDecoded = (headers: Headers): boolean =>
  (headers.get('content-encoding') ?? 'identity') !== 'identity' || !headers.has('content-length');

const unreadable = (why: string): Error => {
  console.error(`playbill: the tree cannot be read: ${why}`);
  return new Error(why);
};
