// The folder for nginx with njs over a tree in a private bucket: locations that sign what they fetch, and the cache that keeps editions
// behind the rule. Pure texts. The tests run every line of the configuration.

import { SIBLING_SUFFIX, type SiblingEncoding } from '../rule/encoding.ts';
import { CREDENTIAL_NAMES, EMPTY_PAYLOAD } from '../runtimes/bucket-credentials.ts';
import type { NginxS3Settings } from '../runtimes/nginx-s3.ts';
import { type Deployment, type DeploymentFiles, secretNames } from './deployment.ts';
import { type NginxTree, serverFiles } from './nginx-server.ts';
import { type OriginOptions, parseOrigin } from './origin.ts';

export interface NginxBucketDeployment extends Deployment, OriginOptions {
  /** Argument of `listen`, such as `8080` or `127.0.0.1:8080`. */
  readonly listen: string;
  /** The precompressed siblings that the build makes. */
  readonly encodings: readonly SiblingEncoding[];
  /** The address of the name server that nginx asks for the store, with its port where that is not 53. */
  readonly resolver: string;
}

/** A store, as nginx asks it. */
interface Bucket {
  readonly name: string;
  /** What the keys of the tree begin with, with a slash at its end; or nothing. */
  readonly folder: string;
  readonly isHttps: boolean;
  /** With its port, where that is not the scheme's; and without, which is the name that a certificate has to have. */
  readonly host: string;
  readonly hostname: string;
  readonly path: string;
  readonly region: string;
  readonly resolver: string;
}

/** The files of the folder. Throws Error for what cannot work, or would break out of its place in the configuration. */
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

/** Where nginx.conf is another's: a file of its own, since its folder is another one there than for trying out. */
const CACHE = `# The cache of the edge rule of Playbill: include this in the http block, beside playbill.conf. What is in it was fetched from the bucket;
# nginx removes what was used least once it has max_size. Only the rule reads it.
proxy_cache_path /var/lib/nginx/playbill levels=1:2 keys_zone=playbill:10m max_size=1g inactive=30d use_temp_path=off;
`;

/** What becomes of an answer that is no edition: each status that there may be, but 412, which is nginx's own word on If-Match. */
const FAILURES = [300, 301, 302, 303, 304, 305, 307, 308]
  .concat(Array.from({ length: 32 }, (_, i) => 400 + i).filter((status) => status !== 412))
  .concat([451, 500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 511, 520, 521, 522, 523, 524, 525, 526, 530])
  .join(' ');

const treeOf = (bucket: Bucket, encodings: readonly SiblingEncoding[]): NginxTree => ({
  variables: `# Set by the rule: the file to send, relative to the tree's public folder, its headers, and the time of the signature.
js_var $playbill_file;
js_var $playbill_headers;
js_var $playbill_date;

# The signature of a request to the bucket, made when nginx writes one and not for what is in its cache. A variable keeps its value as long as
# the client's request lasts: each location has one of its own.
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

/** What all locations that ask the bucket have in common. */
function bucketText({ isHttps, hostname, resolver }: Bucket): string {
  const tls = `  # Only the store itself is asked, by a certificate that this machine trusts (Debian: package ca-certificates).
  proxy_ssl_server_name on;
  proxy_ssl_name ${hostname.replace(/^\[|\]$/g, '')};
  proxy_ssl_verify on;
  proxy_ssl_verify_depth 4;
  proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;

`;
  return `  # nginx looks up the store's name itself and again and again, since its addresses change. This is the name server of this machine, as in
  # /etc/resolv.conf; --resolver of edge build names another.
  resolver ${resolver};
  resolver_timeout 5s;

${isHttps ? tls : ''}  # Nothing of a client's request gets to the bucket.
  proxy_method GET;
  proxy_http_version 1.1;
  proxy_pass_request_headers off;
  proxy_pass_request_body off;
  proxy_connect_timeout 3s;
  proxy_send_timeout 10s;
  proxy_read_timeout 10s;
  proxy_next_upstream_timeout 10s;

  # Nothing that the bucket says of an object gets to a client (playbill.headers), or settles what is cached; and nginx would answer conditions
  # by these two, before it asks the rule for its headers.
  proxy_ignore_headers Cache-Control Expires Set-Cookie Vary X-Accel-Expires X-Accel-Redirect X-Accel-Limit-Rate X-Accel-Buffering X-Accel-Charset;
  proxy_hide_header ETag;
  proxy_hide_header Last-Modified;

  # Behind the rule, by an object's own name. Nothing is served beyond its time: proxy_cache_use_stale is off.
  proxy_cache playbill;
  # A pointer and the key ring are read whole.
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

/** Asked by the rule alone, which reads the answer: what is no such object says why. */
function readLocations(bucket: Bucket): string {
  const text = (location: string, object: string, more: string): string => `  location = ${location} {
    internal;
    set $playbill_object ${object};
${requestText(bucket, location, 'identity')}
${more}
  }`;
  const kept = '    # In whole seconds, the last of them included: 5 s at most.\n    proxy_cache_valid 200 4s;';
  const pointer = 'public/$playbill_file';
  return `${text('/playbill-keyring', 'edge/keyring.json', '    # 10 s at most: for that long a revoked key goes on.\n    proxy_cache_valid 200 9s;')}
${text('/playbill-pointer', pointer, kept)}
  # The second look asks the bucket, whatever is kept; what it finds is kept in place of that.
${text('/playbill-pointer-again', pointer, '    proxy_cache_valid 200 4s;\n    proxy_cache_bypass 1;')}`;
}

/** The locations that send an edition: each sibling, and the plain file, which is as good an answer. `next` is for one that cannot be had. */
function editionLocations(bucket: Bucket, encodings: readonly SiblingEncoding[], name: string, next: string): string {
  const text = (encoding: SiblingEncoding | null): string => {
    const location = encoding === null ? name : `${name}_${encoding}`;
    const absent = '\n    # Not every edition has this sibling.\n    proxy_cache_valid 403 404 1m;';
    return `  location ${location} {
    set $playbill_object public/$playbill_file${encoding === null ? '' : SIBLING_SUFFIX[encoding]};
    set $playbill_encoding "${encoding ?? ''}";
${requestText(bucket, location, encoding ?? 'identity')}
    # What has this name never changes. One request fetches it, and those that come meanwhile wait for it.
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
    tree: `The tree is read from the bucket \`${name}\`, at \`${host}${path}\`.
The bucket stays private: nginx signs what it fetches (AWS Signature Version 4, region \`${region}\`). Give it credentials of its own, with
these rights alone:

- \`s3:GetObject\` on \`${name}/${folder}public/*\` and \`${name}/${folder}edge/keyring.json\`
- \`s3:ListBucket\` on \`${name}\`, so that the store answers 404 for what is not there. Without it the answer is 403 \`AccessDenied\`, which
  therefore counts as 404: credentials that may read nothing then look like a tree where nothing is published.

nginx asks the name server at \`${resolver}\` for the store: where that is not the one of this machine (\`/etc/resolv.conf\`), add
\`--resolver ADDRESS\` to \`playbill edge build --target nginx\`.

The key ring, public keys and names of secrets, is read from there, too, and kept for 10 s at most. Editions are kept in \`/var/lib/nginx/playbill\` (\`playbill-cache.conf\`; while you try it out, in \`cache\` here), 1 GB of them at most, and a
pointer for 5 s at most. Only the rule reads that cache, after it has let a request in: no other server may serve that folder. It can be
emptied at any time. Where the bucket cannot be read, clients get 503, but for editions that are kept, for as long as their pointer is; and
the log of errors a line that contains \`playbill: the tree cannot be read:\` and says why.`,
    secrets: `

\`${keyId}\` and \`${key}\` are the credentials by which the tree is read. Temporary ones have a third part,
\`${token}\`, which stays empty else. Without credentials clients get 503. New ones need \`nginx -s reload\`.`,
    install: '    ln -s ../playbill-cache.conf /etc/nginx/conf.d/playbill-cache.conf\n',
    after: `A revoked key is refused 10 s later at most, and a new one works by then. A new build of the catalogue needs nothing: its
pointers are used 5 s later at most.`,
    limits: `- A pointer has at most 1 MB.
- Each fetch from the bucket has a connection of its own.
`,
  };
}
