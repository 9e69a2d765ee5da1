// Where a bucket is: parses `s3://bucket/prefix`, encodes keys, names hosts. Pure: the edge reads
// the same addresses, where it is deployed.

import { AppError, withoutUser } from '../../errors.ts';

export interface BucketAddress {
  /** The address as typed, without trailing slashes. */
  readonly root: string;
  readonly bucket: string;
  /** What every key begins with: empty, or ending with a slash. */
  readonly prefix: string;
}

/** Refuses a query, and empty or dotted segments. @throws AppError usage */
export function bucketAddress(root: string): BucketAddress {
  const trimmed = root.replace(/\/+$/, '');
  const { scheme, bucket, prefix } = bucketParts(trimmed) ?? { scheme: '', bucket: '', prefix: '' };
  const isBucket = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(bucket);
  if (scheme !== 's3' || !isBucket || !hasPlainSegments(prefix) || /[?#\s]/.test(prefix)) {
    const message = `expected s3://bucket or s3://bucket/prefix, found ${JSON.stringify(withoutUser(root))}`;
    throw new AppError('usage', message, 'for example --out s3://shop-catalogue/tree');
  }
  return { root: trimmed, bucket, prefix: keyPrefix(prefix) };
}

/**
 * The parts of `s3://bucket/prefix` or `r2://…`, whether or not they are valid; null for other
 * texts.
 */
export function bucketParts(
  address: string,
): { readonly scheme: 's3' | 'r2'; readonly bucket: string; readonly prefix: string } | null {
  const [, scheme, bucket = '', prefix = ''] = /^(s3|r2):\/\/([^/]*)(?:\/(.*))?$/.exec(address) ?? [];
  return scheme === 's3' || scheme === 'r2' ? { scheme, bucket, prefix } : null;
}

/** Whether no segment is empty, `.` or `..`, which HTTP clients resolve. */
export const hasPlainSegments = (prefix: string): boolean =>
  prefix === '' || prefix.split('/').every((segment) => !/^\.{0,2}$/.test(segment));

/** What every key below a prefix begins with. */
export const keyPrefix = (prefix: string): string => (prefix === '' ? '' : `${prefix}/`);

/**
 * A key as a path: encodes everything but the unreserved characters (RFC 3986, 2.3) and slashes, as
 * the signature requires.
 */
export const keyPath = (key: string): string => key.split('/').map(uriEncoded).join('/');

/** encodeURIComponent leaves five characters that are reserved. */
export const uriEncoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The host of Amazon S3 in a region. */
export const amazonHost = (region: string): string =>
  `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;

/**
 * Whether Amazon's certificates cover a bucket as a part of the host name: not with a dot in it.
 */
export const fitsHostName = (bucket: string): boolean => !bucket.includes('.');
