// Parses `edge build --origin`, which tells an edge where the tree is. Refuses origins that could
// not work once deployed.

import {
  amazonHost,
  bucketParts,
  fitsHostName,
  hasPlainSegments,
  keyPath,
  keyPrefix,
} from '../../storage/bucket/address.ts';

/** A parsed origin. A bucket holds the whole tree, as `build --out` wrote it. */
export type TreeOrigin =
  | { readonly kind: 'url' | 'binding'; readonly origin: string }
  /**
   * `origin`: the URL of the tree, without a slash at its end; `folder`: the prefix of its keys,
   * with a slash at its end, or empty.
   */
  | {
      readonly kind: 's3';
      readonly origin: string;
      readonly region: string;
      readonly bucket: string;
      readonly folder: string;
    }
  /** `origin`: the name of the binding. */
  | { readonly kind: 'r2'; readonly origin: string; readonly bucket: string; readonly folder: string };

/** An origin as the user wrote it. */
export interface OriginOptions {
  /**
   * A URL without a slash at its end, the name of a binding that has `fetch`, s3://BUCKET/PREFIX or
   * r2://BUCKET/PREFIX.
   */
  readonly origin: string;
  /** s3: the URL of the store; null for AWS. */
  readonly originEndpoint: string | null;
  /** s3: the region of the bucket. */
  readonly originRegion: string | null;
}

/** Where a target can read the tree; `folder`: on its own machine, whatever the origin's name. */
export type OriginKind = TreeOrigin['kind'] | 'folder';

/** The kind of an origin, whether or not it is valid. */
export function kindOf(origin: string): TreeOrigin['kind'] {
  if (origin.startsWith('s3://')) return 's3';
  if (origin.startsWith('r2://')) return 'r2';
  return origin.includes('://') ? 'url' : 'binding';
}

/** The name of the binding of an R2 bucket. */
const R2_BINDING = 'TREE';

/** Throws Error for an invalid origin. */
export function parseOrigin(options: OriginOptions): TreeOrigin {
  const { origin, originEndpoint, originRegion } = options;
  const parts = bucketParts(origin);
  if (parts?.scheme !== 's3' && (originEndpoint !== null || originRegion !== null))
    throw new Error(`--origin-endpoint and --origin-region: expected only with s3://BUCKET, found "${origin}"`);
  if (parts === null) {
    if (/^https?:\/\/[^\s"\\?#@/]+(?:\/[^\s"\\?#]*[^\s"\\?#/])?$/.test(origin) && URL.canParse(origin))
      return { kind: 'url', origin };
    if (/^[A-Za-z_]\w*$/.test(origin)) return { kind: 'binding', origin };
    const kinds = 'a URL without a slash at its end, the name of a binding, s3://BUCKET/PREFIX or r2://BUCKET/PREFIX';
    throw new Error(`origin: expected ${kinds}, found "${origin}"`);
  }
  const { scheme, bucket, prefix } = parts;
  if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucket) || !hasPlainSegments(prefix) || /\p{Cc}/u.test(prefix))
    throw new Error(`origin: expected ${scheme}://BUCKET/PREFIX without a slash at its end, found "${origin}"`);
  const folder = keyPrefix(prefix);
  if (scheme === 'r2') return { kind: 'r2', origin: R2_BINDING, bucket, folder };

  if (originRegion === null || !/^[a-z\d-]+$/i.test(originRegion))
    throw new Error(`--origin-region: expected the name of a region, found "${originRegion ?? ''}"`);
  const path = keyPath(`/${folder}`).slice(0, -1);
  return {
    kind: 's3',
    origin: bucketUrl(bucket, originRegion, originEndpoint) + path,
    region: originRegion,
    bucket,
    folder,
  };
}

/** Path-style with an endpoint. */
function bucketUrl(bucket: string, region: string, endpoint: string | null): string {
  if (endpoint !== null) {
    const [, store] = /^(https?:\/\/[^\s"\\?#@/]+)\/?$/.exec(endpoint) ?? [];
    if (store === undefined) throw new Error(`--origin-endpoint: expected https://HOST, found "${endpoint}"`);
    return `${store}/${bucket}`;
  }
  const host = amazonHost(region);
  return fitsHostName(bucket) ? `https://${bucket}.${host}` : `https://${host}/${bucket}`;
}
