// Where an edge finds the tree, as `edge build --origin` says it. Refuses what could not work once it is deployed.

/** An origin, understood. A bucket is that of `build --out`: it holds the whole tree. */
export type WorkerOrigin =
  | { readonly kind: 'url' | 'binding'; readonly origin: string }
  /** `origin`: the URL of the tree, without a slash at its end; `folder`: what its keys begin with, with a slash at its end; or nothing. */
  | {
      readonly kind: 's3';
      readonly origin: string;
      readonly region: string;
      readonly bucket: string;
      readonly folder: string;
    }
  /** `origin`: the name of the binding. */
  | { readonly kind: 'r2'; readonly origin: string; readonly bucket: string; readonly folder: string };

/** An origin as it is written. */
export interface OriginOptions {
  /** A URL without a slash at its end, the name of a binding that has `fetch`, s3://BUCKET/PREFIX or r2://BUCKET/PREFIX. */
  readonly origin: string;
  /** s3: the URL of the store; null: that of AWS. */
  readonly originEndpoint: string | null;
  /** s3: the region that signatures name. */
  readonly originRegion: string | null;
}

export type WorkerBundle = 'worker' | 'worker-live' | 'worker-s3' | 'worker-r2';
export type NginxBundle = 'nginx' | 'nginx-s3';
export type AuthorizerBundle = 'authorizer';
export type LambdaEdgeBundle = 'lambda-edge';

/** All of them, for the command that is installed. */
export const EDGE_BUNDLES = [
  'authorizer',
  'lambda-edge',
  'nginx',
  'nginx-s3',
  'worker',
  'worker-live',
  'worker-s3',
  'worker-r2',
] as const satisfies readonly (WorkerBundle | NginxBundle | AuthorizerBundle | LambdaEdgeBundle)[];
export type EdgeBundle = (typeof EDGE_BUNDLES)[number];

/** The bundle of a worker with this origin, and perhaps with a key ring elsewhere: each knows one kind alone. */
export function workerBundle(origin: string, keyRingAt: string | null = null): WorkerBundle {
  if (origin.startsWith('s3://')) return 'worker-s3';
  if (origin.startsWith('r2://')) return 'worker-r2';
  return keyRingAt === null ? 'worker' : 'worker-live';
}

/** The bundle of nginx with this origin: the tree in a folder, which is no URL, or in a bucket; it refuses every other URL. */
export const nginxBundle = (origin: string): NginxBundle => (origin.includes('://') ? 'nginx-s3' : 'nginx');

/** The name of the binding of an R2 bucket. */
const R2_BINDING = 'TREE';

/** Throws Error for an origin that cannot work. */
export function parseOrigin(options: OriginOptions): WorkerOrigin {
  const { origin, originEndpoint, originRegion } = options;
  const [, scheme, bucket = '', prefix = ''] = /^(s3|r2):\/\/([^/]*)(?:\/(.*))?$/.exec(origin) ?? [];
  if (scheme !== 's3' && (originEndpoint !== null || originRegion !== null))
    throw new Error(`--origin-endpoint and --origin-region: expected with s3://BUCKET alone, found "${origin}"`);
  if (scheme === undefined) {
    if (/^https?:\/\/[^\s"\\?#@/]+(?:\/[^\s"\\?#]*[^\s"\\?#/])?$/.test(origin)) return { kind: 'url', origin };
    if (/^[A-Za-z_]\w*$/.test(origin)) return { kind: 'binding', origin };
    const kinds = 'a URL without a slash at its end, the name of a binding, s3://BUCKET/PREFIX or r2://BUCKET/PREFIX';
    throw new Error(`origin: expected ${kinds}, found "${origin}"`);
  }
  if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucket) || !isPrefix(prefix))
    throw new Error(`origin: expected ${scheme}://BUCKET/PREFIX without a slash at its end, found "${origin}"`);
  const folder = prefix === '' ? '' : `${prefix}/`;
  if (scheme === 'r2') return { kind: 'r2', origin: R2_BINDING, bucket, folder };

  if (originRegion === null || !/^[a-z\d-]+$/i.test(originRegion))
    throw new Error(`--origin-region: expected the name of a region, found "${originRegion ?? ''}"`);
  const path = `/${folder}`.split('/').map(encodeSegment).join('/').slice(0, -1);
  return {
    kind: 's3',
    origin: bucketUrl(bucket, originRegion, originEndpoint) + path,
    region: originRegion,
    bucket,
    folder,
  };
}

/** Segments that no client of HTTP would resolve. */
function isPrefix(prefix: string): boolean {
  return (
    prefix === '' || prefix.split('/').every((segment) => !/^\.{0,2}$/.test(segment) && !/[\p{Cc}]/u.test(segment))
  );
}

/** As a signature has it (RFC 3986, 2.3): encodeURIComponent leaves five more characters as they are. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Path-style where the store is named. AWS has a certificate for names of buckets without dots. */
function bucketUrl(bucket: string, region: string, endpoint: string | null): string {
  if (endpoint !== null) {
    const [, store] = /^(https?:\/\/[^\s"\\?#@/]+)\/?$/.exec(endpoint) ?? [];
    if (store === undefined) throw new Error(`--origin-endpoint: expected https://HOST, found "${endpoint}"`);
    return `${store}/${bucket}`;
  }
  const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}
