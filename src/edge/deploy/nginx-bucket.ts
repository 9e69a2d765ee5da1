// The folder for nginx with njs and a tree in a private bucket: locations that sign their requests, and a cache of editions behind the rule. The
// tests run every line of the configuration.

import { SIBLING_SUFFIX, type SiblingEncoding } from '../rule/encoding.ts';
import { CREDENTIAL_NAMES, EMPTY_PAYLOAD } from '../runtimes/bucket-credentials.ts';
import type { NginxS3Settings } from '../runtimes/nginx-s3.ts';
import { bucketPermissions, type Deployment, type DeploymentFiles, secretNames } from './deployment.ts';
import { type NginxTree, serverFiles } from './nginx-server.ts';
import { type OriginOptions, parseOrigin } from './origin.ts';

export interface NginxBucketDeployment extends Deployment, OriginOptions {
  /** Argument of `listen`, such as `8080` or `127.0.0.1:8080`. */
  readonly listen: string;
  /** The encodings of the precompressed siblings in the tree. */
  readonly encodings: readonly SiblingEncoding[];
  /** The address of the name server that resolves the store's name, with a port unless that is 53. */
  readonly resolver: string;
}

/** How nginx reaches the bucket. */
interface Bucket {
  readonly name: string;
  /** The prefix of the tree's keys, with a slash at its end; or empty. */
  readonly folder: string;
  readonly isHttps: boolean;
  /** With its port, unless it is the default of the scheme. */
  readonly host: string;
  /** Without a port, as the store's certificate has it. */
  readonly hostname: string;
  readonly path: string;
  readonly region: string;
  readonly resolver: string;
}

/** The files of the folder. Throws Error for invalid options and for values that could break the configuration's syntax. */
export function nginxBucketFiles(deployment: NginxBucketDeployment): DeploymentFiles {
  const { bundle, keyRing, listen } = deployment;
  const bucket = bucketOf(deployment);
  const encodings = (['br', 'gzip'] as const).filter((encoding) => deployment.encodings.includes(encoding));
  const { host, path, region } = bucket;
  const settings: NginxS3Settings = {
    ...deployment.settings,
    bucket: { host, path, region },
    encodings: encodings.join(' '),
  };
  return serverFiles({
    bundle,
    settings,
    listen,
    secrets: [...secretNames(keyRing), ...CREDENTIAL_NAMES],
    tree: treeOf(bucket, encodings),
    files: [['playbill-cache.conf', CACHE]],
  });
}

function bucketOf(deployment: NginxBucketDeployment): Bucket {
  const { resolver } = deployment;
  const tree = parseOrigin(deployment);
  if (tree.kind !== 's3')
    throw new Error(`origin: expected s3://BUCKET/PREFIX for nginx, found "${deployment.origin}"`);
  const [, scheme, host = '', path = ''] = /^(https?):\/\/([^/]+)(\/.*)$/.exec(tree.origin) ?? [];
  const [, hostname] = /^([a-z\d.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.exec(host) ?? [];
  if (hostname === undefined)
    throw new Error(`--origin-endpoint: expected https://HOST, found "${deployment.originEndpoint ?? ''}"`);
  if (!/^(?:[a-z\d.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(resolver))
    throw new Error(`--resolver: expected the address of a name server, such as 127.0.0.53, found "${resolver}"`);
  const { bucket: name, folder, region } = tree;
  return { name, folder, isHttps: scheme === 'https', host, hostname, path, region, resolver };
}

/** For an installed nginx. It is a separate file because nginx.conf, for trying out, keeps its cache in the current folder. */
const CACHE = `# The cache of the edge rule of Playbill: include this in the http block, together with playbill.conf. It holds files fetched from the bucket.
# Above max_size nginx removes the least recently used. Only the rule reads the cache.
proxy_cache_path /var/lib/nginx/playbill levels=1:2 keys_zone=playbill:10m max_size=1g inactive=30d use_temp_path=off;
`;

/** Every status that means the bucket did not send an edition. 412 is missing because nginx itself uses it to answer If-Match. */
const FAILURES = [300, 301, 302, 303, 304, 305, 307, 308]
  .concat(Array.from({ length: 32 }, (_, i) => 400 + i).filter((status) => status !== 412))
  .concat([451, 500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 511, 520, 521, 522, 523, 524, 525, 526, 530])
  .join(' ');

const treeOf = (bucket: Bucket, encodings: readonly SiblingEncoding[]): NginxTree => ({
  variables: `# Set by the rule: the file to send, relative to the tree's public folder, its headers, and the time of the signature.
js_var $playbill_file;
js_var $playbill_headers;
js_var $playbill_date;

# The signature of a request to the bucket. nginx evaluates it when it sends the request, so cache hits need none. A variable keeps its value for
# the whole client request, so each location has its own.
js_set $playbill_token playbill.token;
${signatures(encodings)
  .map((name) => `js_set ${name} playbill.signature;`)
  .join('\n')}`,
  root: '',
  sending: bucketText(bucket),
  locations: `${readLocations(bucket)}

${editionLocations(bucket, encodings, '@playbill_edition', '@playbill_again')}
${editionLocations(bucket, encodings, '@playbill_edition_again', '@playbill_unavailable')}`,
  standalone: `  proxy_cache_path cache levels=1:2 keys_zone=playbill:10m max_size=1g inactive=30d use_temp_path=off;
`,
  readme: readmeOf(bucket),
});

const signatureOf = (location: string): string =>
  location.replace(/^.*playbill./, '$playbill_sign_').replaceAll('-', '_');

const signatures = (encodings: readonly SiblingEncoding[]): readonly string[] =>
  ['@playbill_edition', '@playbill_edition_again']
    .flatMap((name) => [name, ...encodings.map((encoding) => `${name}_${encoding}`)])
    .concat(['/playbill-keyring', '/playbill-pointer', '/playbill-pointer-again'])
    .map(signatureOf);

/** The settings that all locations with a request to the bucket share. */
function bucketText({ isHttps, hostname, resolver }: Bucket): string {
  const tls = `  # The store must have a certificate that this machine trusts (Debian: package ca-certificates).
  proxy_ssl_server_name on;
  proxy_ssl_name ${hostname.replace(/^\[|\]$/g, '')};
  proxy_ssl_verify on;
  proxy_ssl_verify_depth 4;
  proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;

`;
  return `  # nginx resolves the store's name at run time, because its addresses change. Use the name server of this machine, from /etc/resolv.conf;
  # edge build --resolver sets it.
  resolver ${resolver};
  resolver_timeout 5s;

${isHttps ? tls : ''}  # Nothing from the client's request reaches the bucket.
  proxy_method GET;
  proxy_http_version 1.1;
  proxy_pass_request_headers off;
  proxy_pass_request_body off;
  proxy_connect_timeout 3s;
  proxy_send_timeout 10s;
  proxy_read_timeout 10s;
  proxy_next_upstream_timeout 10s;

  # The bucket's headers neither reach a client (playbill.headers removes them) nor control the cache. ETag and Last-Modified must go earlier: nginx
  # evaluates conditional requests with them before it runs playbill.headers.
  proxy_ignore_headers Cache-Control Expires Set-Cookie Vary X-Accel-Expires X-Accel-Redirect X-Accel-Limit-Rate X-Accel-Buffering X-Accel-Charset;
  proxy_hide_header ETag;
  proxy_hide_header Last-Modified;

  # This cache is behind the rule and keyed by the object's name. proxy_cache_use_stale is off, so nothing is served after it expires.
  proxy_cache playbill;
  # The rule reads pointers and the key ring whole.
  subrequest_output_buffer_size 4m;`;
}

function requestText({ isHttps, host, path }: Bucket, location: string, encoding: string): string {
  const url = `${isHttps ? 'https' : 'http'}://${host}${path}/$playbill_object`;
  return `    proxy_pass "${url}";
    proxy_cache_key "${url}";
    proxy_set_header Host "${host}";
    proxy_set_header Accept-Encoding ${encoding};
    proxy_set_header Authorization ${signatureOf(location)};
    proxy_set_header x-amz-content-sha256 ${EMPTY_PAYLOAD};
    proxy_set_header x-amz-date $playbill_date;
    proxy_set_header x-amz-security-token $playbill_token;`;
}

/** Locations that only the rule requests. They do not intercept errors, because the rule reads the bucket's error code. */
function readLocations(bucket: Bucket): string {
  const text = (location: string, object: string, more: string): string => `  location = ${location} {
    internal;
    set $playbill_object ${object};
${requestText(bucket, location, 'identity')}
${more}
  }`;
  const kept =
    '    # nginx counts whole seconds and includes the last one: 5 s at most.\n    proxy_cache_valid 200 4s;';
  const pointer = 'public/$playbill_file';
  return `${text('/playbill-keyring', 'edge/keyring.json', '    # 10 s at most: so long can a revoked key still be used.\n    proxy_cache_valid 200 9s;')}
${text('/playbill-pointer', pointer, kept)}
  # The second read skips the cache and replaces what is in it.
${text('/playbill-pointer-again', pointer, '    proxy_cache_valid 200 4s;\n    proxy_cache_bypass 1;')}`;
}

/** The locations that send an edition: one per sibling, which falls back to the plain file, and one for that. `next` handles a missing plain file. */
function editionLocations(bucket: Bucket, encodings: readonly SiblingEncoding[], name: string, next: string): string {
  const text = (encoding: SiblingEncoding | null): string => {
    const location = encoding === null ? name : `${name}_${encoding}`;
    const absent = '\n    # Not every edition has this sibling.\n    proxy_cache_valid 403 404 1m;';
    return `  location ${location} {
    set $playbill_object public/$playbill_file${encoding === null ? '' : SIBLING_SUFFIX[encoding]};
    set $playbill_encoding "${encoding ?? ''}";
${requestText(bucket, location, encoding ?? 'identity')}
    # A file with this name never changes. One request fetches it, and concurrent requests wait for that.
    proxy_cache_valid 200 365d;${encoding === null ? '' : absent}
    proxy_cache_lock on;
    proxy_cache_lock_age 30s;
    proxy_cache_lock_timeout 30s;
    js_header_filter playbill.headers;
    proxy_intercept_errors on;
    error_page ${FAILURES} = ${encoding === null ? next : name};
    error_page 412 /playbill-refusal;
  }`;
  };
  return [null, ...encodings].map(text).join('\n');
}

function readmeOf({ name, folder, host, path, region, resolver }: Bucket): NginxTree['readme'] {
  const [keyId, key, token] = CREDENTIAL_NAMES;
  return {
    tree: `nginx reads the tree from the bucket \`${name}\`, at \`${host}${path}\`.
The bucket stays private: nginx signs its requests (AWS Signature Version 4, region \`${region}\`). Give it its own credentials, with only
these permissions:

${bucketPermissions(name, folder)}

nginx resolves the store's name with the name server \`${resolver}\`. If this machine uses another one (see \`/etc/resolv.conf\`), add
\`--resolver ADDRESS\` to \`playbill edge build --target nginx\`.

The key ring, with public keys and names of secrets, is in the bucket, too. nginx keeps it for at most 10 s and a pointer for at most 5 s.
It keeps up to 1 GB of editions in \`/var/lib/nginx/playbill\` (see \`playbill-cache.conf\`), or in \`cache\` here while you try it out.
Only the rule reads this cache, after it has accepted a request: do not let another server serve that folder. You can empty it at any time.

If nginx cannot read the bucket, clients get 503, except for a cached edition while its pointer is cached. The error log gets a line that
contains \`playbill: the tree cannot be read:\` and the reason.`,
    secrets: `

\`${keyId}\` and \`${key}\` are the credentials for reading the tree. Set \`${token}\`
only with temporary credentials. Without credentials clients get 503. After a change, run \`nginx -s reload\`.`,
    install: '    ln -s ../playbill-cache.conf /etc/nginx/conf.d/playbill-cache.conf\n',
    after: `nginx refuses a revoked key, and accepts a new one, after at most 10 s. A new build of the catalogue needs no action: nginx uses
its pointers after at most 5 s.`,
    limits: `- A pointer can have at most 1 MB.
- Each fetch from the bucket opens its own connection.
`,
  };
}
