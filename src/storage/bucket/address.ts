// Parses `s3://bucket/prefix`.

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
  const parts = /^s3:\/\/(?<bucket>[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9])(?:\/(?<prefix>[^?#\s]+))?$/.exec(
    trimmed,
  )?.groups;
  const segments = parts?.['prefix']?.split('/') ?? [];
  const isSound = segments.every((segment) => !/^(|\.|\.\.)$/.test(segment));
  if (parts?.['bucket'] === undefined || !isSound) {
    const message = `expected s3://bucket or s3://bucket/prefix, found ${JSON.stringify(withoutUser(root))}`;
    throw new AppError('usage', message, 'for example --out s3://shop-catalogue/tree');
  }
  return { root: trimmed, bucket: parts['bucket'], prefix: segments.map((segment) => `${segment}/`).join('') };
}
