// What a store's refusals mean, as errors in terms of the command that was run. Codes are those of Amazon's API, which others share.

import { AppError, type ErrorCode } from '../../errors.ts';
import { errorOf } from './response-xml.ts';
import type { BucketResponse, Connection } from './connection.ts';

/** This run may not do that to this file; whether it may to others is another question. */
export class NotAllowed extends AppError {}

/** What was being done: it decides what a missing permission is called. */
export type Doing = 'read' | 'list' | 'write' | 'remove';

const PERMISSIONS: Readonly<Record<Doing, readonly [code: ErrorCode, action: string]>> = {
  read: ['tree-unreadable', 's3:GetObject'],
  list: ['tree-unreadable', 's3:ListBucket'],
  write: ['tree-not-writable', 's3:PutObject'],
  remove: ['tree-not-writable', 's3:DeleteObject'],
};

/** What else may be the matter. What is missing is forbidden to who may not list. */
const ALSO: Readonly<Record<Doing, string>> = {
  read: ', and s3:ListBucket, without which what is missing is forbidden, too',
  list: '',
  write: ', or look for a lock or retention on the object',
  remove: ', or look for a lock or retention on the object',
};

const CREDENTIALS_REFUSED =
  /^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|TokenRefreshRequired|InvalidSecurity)$/;
const REGION_WRONG =
  /^(AuthorizationHeaderMalformed|PermanentRedirect|IllegalLocationConstraintException|TemporaryRedirect)$/;

/** The error that a response is, which no repetition mends. `path`: what was asked for; null for the bucket. */
export function refusal(response: BucketResponse, doing: Doing, path: string | null, connection: Connection): AppError {
  const { address, endpoint, settings } = connection;
  const { code = '', message = '' } = errorOf(response) ?? {};
  const location = path === null ? address.root : `${address.root}/${path}`;
  const said =
    code === '' ? `status ${response.status}` : `${code}${message === '' ? '' : `: ${message.replace(/\.$/, '')}`}`;
  if (code === 'NoSuchBucket') {
    return new AppError(
      'bucket-missing',
      `expected a bucket ${address.bucket} at ${endpoint}, found none`,
      'make it, or correct its name in --out; Playbill makes no buckets',
    );
  }
  if (code === 'ExpiredToken' || code === 'RequestExpired') {
    const hint = 'get new ones (aws sso login, or whatever gave you these), then run the same command again';
    return new AppError('credentials-refused', `expected valid credentials for ${location}, found expired ones`, hint);
  }
  if (code === 'RequestTimeTooSkewed') {
    const hint = 'set the clock of this machine (timedatectl set-ntp true), then run the same command again';
    return new AppError('clock-skewed', `expected a clock that agrees with ${endpoint}, found: ${said}`, hint);
  }
  if (CREDENTIALS_REFUSED.test(code)) {
    const hint = 'check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, and AWS_ENDPOINT_URL';
    return new AppError('credentials-refused', `expected credentials that ${endpoint} accepts, found: ${said}`, hint);
  }
  if (REGION_WRONG.test(code) || response.status === 301) {
    const actual =
      response.headers['x-amz-bucket-region'] ??
      /<Region>([\w-]+)</.exec(new TextDecoder().decode(response.bytes))?.[1];
    const hint = `set AWS_REGION to the region of the bucket${actual === undefined ? '' : `: AWS_REGION=${String(actual)}`}`;
    return new AppError(
      'region-wrong',
      `expected bucket ${address.bucket} in region ${settings.region}, found: ${said}`,
      hint,
    );
  }
  if (response.status === 501) return notConditional(`answers ${said}`, null, connection);
  const [unable, action] = PERMISSIONS[doing];
  if (response.status === 403) {
    const hint = `allow ${action} on this prefix${ALSO[doing]}`;
    return new NotAllowed(unable, `expected to be allowed to ${doing} ${location}, found: ${said}`, hint);
  }
  if (code === '' && response.status < 500) return notAStore(connection, said);
  const stands = doing === 'write' || doing === 'remove' ? '; what was published stands' : '';
  return new AppError(
    unable,
    `expected to ${doing} ${location}, found: ${said}${stands}`,
    'run the same command again later',
  );
}

/** A store that cannot be published into. `found`: what it does instead. */
export function notConditional(found: string, server: string | null, { endpoint }: Connection): AppError {
  const who = server === null ? '' : ` (it calls itself ${JSON.stringify(server)})`;
  const message = `expected a store that keeps the conditions of writes, found that ${endpoint}${who} ${found}`;
  const hint =
    'publish into a folder, and copy that; or use a store with conditional writes: Amazon S3, R2, Ceph, MinIO';
  return new AppError('store-not-conditional', message, hint);
}

export function notAStore({ endpoint }: Connection, found: string): AppError {
  const message = `expected an S3 store at ${endpoint}, found something that does not answer as one (${found})`;
  return new AppError(
    'store-unusable',
    message,
    'check AWS_ENDPOINT_URL; it is the address of the store, without the bucket',
  );
}

/** No response after every repetition. */
export function unreachable(
  cause: Error,
  doing: Doing,
  path: string | null,
  { address, endpoint }: Connection,
): AppError {
  const location = path === null ? address.root : `${address.root}/${path}`;
  const hint = 'check the network and AWS_ENDPOINT_URL, then run the same command again';
  const found = `no answer: ${cause.message}`;
  return doing === 'write' || doing === 'remove'
    ? new AppError(
        'tree-not-writable',
        `expected to ${doing} ${location}, found ${found}; what was published stands`,
        hint,
        cause,
      )
    : new AppError('store-unreachable', `expected ${endpoint} to answer, found ${found}`, hint, cause);
}
