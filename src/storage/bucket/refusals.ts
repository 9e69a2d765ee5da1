// Converts a store's error responses into errors with a hint. The codes are those of Amazon's API,
// which other stores share.

import { AppError, type ErrorCode } from '../../errors.ts';
import type { BucketAddress } from './address.ts';
import { errorOf } from './response-xml.ts';
import type { BucketResponse, Connection } from './connection.ts';

/** Permission for one file was refused; the run may have permission for others. */
export class NotAllowed extends AppError {}

/** What the request was for, which determines the permission it needs. */
export type Operation = 'read' | 'list' | 'write' | 'remove';

const PERMISSIONS: Readonly<Record<Operation, readonly [code: ErrorCode, action: string]>> = {
  read: ['tree-unreadable', 's3:GetObject'],
  list: ['tree-unreadable', 's3:ListBucket'],
  write: ['tree-not-writable', 's3:PutObject'],
  remove: ['tree-not-writable', 's3:DeleteObject'],
};

/**
 * Other causes of a 403. Without s3:ListBucket, stores answer 403 instead of 404 for a missing
 * object.
 */
const OTHER_CAUSES: Readonly<Record<Operation, string>> = {
  read: ', and s3:ListBucket, without which a missing file is reported as forbidden',
  list: '',
  write: ', or look for a lock or retention on the object',
  remove: ', or look for a lock or retention on the object',
};

const CREDENTIALS_REFUSED =
  /^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidToken|TokenRefreshRequired|InvalidSecurity)$/;
const REGION_WRONG =
  /^(AuthorizationHeaderMalformed|PermanentRedirect|IllegalLocationConstraintException|TemporaryRedirect)$/;

/** The error for a response that a retry would not change. `path` is null for the bucket itself. */
export function refusal(
  response: BucketResponse,
  operation: Operation,
  path: string | null,
  connection: Connection,
): AppError {
  const { address, endpoint, settings } = connection;
  const { code = '' } = errorOf(response) ?? {};
  const location = locationOf(path, address);
  const said = saidIn(response);
  if (code === 'NoSuchBucket') {
    return new AppError(
      'bucket-missing',
      `expected a bucket ${address.bucket} at ${endpoint}, found none`,
      'create it, or correct its name in --out; Playbill does not create buckets',
    );
  }
  if (code === 'ExpiredToken' || code === 'RequestExpired') {
    const hint = 'get new ones (with aws sso login, for example), then run the same command again';
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
  const [errorCode, permission] = PERMISSIONS[operation];
  if (response.status === 403) {
    const hint = `allow ${permission} on this prefix${OTHER_CAUSES[operation]}`;
    return new NotAllowed(errorCode, `expected to be allowed to ${operation} ${location}, found: ${said}`, hint);
  }
  if (code === '' && response.status < 500) return notAStore(connection, said);
  const text = `expected to ${operation} ${location}, found: ${said}${afterFailed(operation)}`;
  return new AppError(errorCode, text, 'look the code up in the documentation of the store');
}

/** The error for a store that answered no attempt otherwise than with an error of its own. */
export function busy(
  response: BucketResponse,
  operation: Operation,
  path: string | null,
  { address }: Connection,
): AppError {
  const message = `expected to ${operation} ${locationOf(path, address)}, found: ${saidIn(response)}${afterFailed(operation)}`;
  return new AppError('store-busy', message, 'run the same command again later');
}

function locationOf(path: string | null, { root }: BucketAddress): string {
  return path === null ? root : `${root}/${path}`;
}

/** What an error response says, for a message. */
function saidIn(response: BucketResponse): string {
  const { code = '', message = '' } = errorOf(response) ?? {};
  if (code === '') return `status ${response.status}`;
  return `${code}${message === '' ? '' : `: ${message.replace(/\.$/, '')}`}`;
}

function afterFailed(operation: Operation): string {
  return operation === 'write' || operation === 'remove' ? '; nothing that is published is lost' : '';
}

/**
 * The error for a store that does not honour conditional writes. `found` completes the sentence
 * "the store …".
 */
export function notConditional(found: string, server: string | null, { endpoint }: Connection): AppError {
  const who = server === null ? '' : ` (it calls itself ${JSON.stringify(server)})`;
  const message = `expected a store that honours conditional writes, found that ${endpoint}${who} ${found}`;
  const hint =
    'publish into a folder and copy that, or use a store with conditional writes: Amazon S3, R2, Ceph, MinIO';
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

/** The error when no attempt got a response. */
export function unreachable(
  cause: Error,
  operation: Operation,
  path: string | null,
  { address, endpoint }: Connection,
): AppError {
  const hint = 'check the network and AWS_ENDPOINT_URL, then run the same command again';
  const after = afterFailed(operation);
  const expected = after === '' ? `${endpoint} to answer` : `to ${operation} ${locationOf(path, address)}`;
  return new AppError(
    'store-unreachable',
    `expected ${expected}, found no answer: ${cause.message}${after}`,
    hint,
    cause,
  );
}
