// The folder for a proxy that cannot run the rule: the service that answers for it, and the configuration of the proxy, which sends the files
// itself where it can. Pure texts; the tests run all of them. Refuses what would break out of its place in a configuration.

import type { SiblingEncoding } from '../rule/encoding.ts';
import { CREDENTIAL_NAMES } from '../runtimes/bucket-credentials.ts';
import { type AuthorizerConfiguration, FILE_PLACEHOLDER } from '../runtimes/authorizer/configuration.ts';
import type { FieldLine } from '../rule/request.ts';
import { type ProxiedService, type Proxy, proxyFiles } from './authorizer-proxies.ts';
import { codeList, type Deployment, type DeploymentFiles, OWN_FILES, README_TITLE, secretNames } from './deployment.ts';
import type { ProfileName } from '../rule/profile.ts';
import { checkPath } from './nginx-server.ts';
import { type OriginOptions, parseOrigin } from './origin.ts';

export interface AuthorizerDeployment extends Deployment, OriginOptions {
  readonly proxy: Proxy;
  /** Under which requests may be signed. */
  readonly profiles: readonly ProfileName[];
  /** Where the proxy listens: a port, or an address and a port. */
  readonly listen: string;
  /** Where the service listens: an address and a port. */
  readonly authorizer: string;
  /** Absolute path of the tree's `public` folder, and of its key ring. */
  readonly publicRoot: string;
  readonly keyRingPath: string;
  /** The precompressed siblings in a bucket. */
  readonly encodings: readonly SiblingEncoding[];
}

const PATH: FieldLine = ['X-Playbill-File', `/${FILE_PLACEHOLDER}`];

/** The headers by which each proxy finds a file; null: it reads none. */
const FILE_HEADERS: Readonly<Record<Proxy, readonly FieldLine[] | null>> = {
  // No client can name a named location.
  nginx: [['X-Accel-Redirect', '@playbill_edition'], PATH],
  caddy: [PATH],
  haproxy: null,
};

/** The files of the folder. Throws Error for options that cannot work. */
export function authorizerFiles(deployment: AuthorizerDeployment): DeploymentFiles {
  const { bundle, settings, profiles, keyRing, proxy, authorizer } = deployment;
  const tree = treeOf(deployment);
  const { host, port } = addressOf(authorizer);
  const configuration: AuthorizerConfiguration = { ...settings, profiles, host, port, tree };
  const secrets = [...secretNames(keyRing), ...(tree.kind === 'bucket' ? CREDENTIAL_NAMES : [])];
  const service: ProxiedService = {
    listen: deployment.listen,
    authorizer,
    filesRoot: tree.kind === 'folder' && tree.fileHeaders !== null ? tree.publicRoot : null,
  };
  const files = [
    ['README.md', readme(deployment, tree, secrets)] as const,
    ['authorizer.mjs', `const PLAYBILL = ${JSON.stringify(configuration)};\n${bundle}`] as const,
    ['playbill-authorizer.service', UNIT] as const,
    ...proxyFiles(proxy, service),
  ];
  return files.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function treeOf(deployment: AuthorizerDeployment): AuthorizerConfiguration['tree'] {
  const { publicRoot, keyRingPath, origin, proxy } = deployment;
  if (origin.includes('://')) {
    const bucket = parseOrigin(deployment);
    if (bucket.kind !== 's3')
      throw new Error(`origin: expected s3://BUCKET/PREFIX for the authorizer, found "${origin}"`);
    return { kind: 'bucket', origin: bucket.origin, region: bucket.region, encodings: deployment.encodings };
  }
  checkPath('publicRoot', publicRoot);
  checkPath('keyRingPath', keyRingPath);
  return { kind: 'folder', publicRoot, keyRing: keyRingPath, fileHeaders: FILE_HEADERS[proxy] };
}

/** An address and a port. Throws Error for anything else: a name could be another's tomorrow. */
function addressOf(authorizer: string): { readonly host: string; readonly port: number } {
  const [, host = '', port = ''] = /^(\d+(?:\.\d+){3}|\[[\da-f:]+\]):(\d{1,5})$/i.exec(authorizer) ?? [];
  if (host === '' || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(`--authorizer: expected an address and a port, such as 127.0.0.1:9180, found "${authorizer}"`);
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** It reads the tree and its environment, and answers: that is all that it may do. */
const UNIT = `# Install as /etc/systemd/system/playbill-authorizer.service.
[Unit]
Description=Playbill: the edge rule, for the proxy in front of it
After=network.target
# A unit of yours that notifies somebody, such as by mail; systemd itself notifies nobody.
#OnFailure=notify@%n.service

[Service]
ExecStart=/usr/bin/node /usr/local/lib/playbill/authorizer.mjs
# The secrets, one NAME=value a line, for root alone (chmod 600).
EnvironmentFile=-/etc/playbill/authorizer.env
Restart=always
RestartSec=2
DynamicUser=yes

# It only reads.
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service

[Install]
WantedBy=multi-user.target
`;

const PROXY_NAMES: Readonly<Record<Proxy, string>> = { nginx: 'nginx', caddy: 'Caddy', haproxy: 'HAProxy' };

/** How each proxy is tried, in this folder, and how it is installed. */
const RUN: Readonly<Record<Proxy, { readonly needs: string; readonly tryOut: string; readonly install: string }>> = {
  nginx: {
    needs: 'any nginx, 1.22 or newer; no module',
    tryOut: 'nginx -p "$PWD" -c nginx.conf',
    install: 'cp playbill.conf /etc/nginx/conf.d/\n    nginx -t && nginx -s reload',
  },
  caddy: {
    needs: 'Caddy 2.6 or newer',
    tryOut: 'caddy run --config Caddyfile --adapter caddyfile',
    install:
      'cp playbill.caddy /etc/caddy/\n    echo "import playbill.caddy" >> /etc/caddy/Caddyfile\n    systemctl reload caddy',
  },
  haproxy: {
    needs: 'HAProxy 2.6 or newer',
    tryOut: 'haproxy -db -f haproxy.cfg',
    install: 'cp haproxy.cfg /etc/haproxy/haproxy.cfg\n    systemctl reload haproxy',
  },
};

function readme(deployment: AuthorizerDeployment, tree: AuthorizerConfiguration['tree'], secrets: readonly string[]) {
  const { proxy, listen, authorizer } = deployment;
  const name = PROXY_NAMES[proxy];
  const { needs, tryOut, install } = RUN[proxy];
  return `${README_TITLE} as a service behind ${name}

Written by \`playbill edge build --target authorizer\`. It needs ${needs}, and Node.js 22 or newer; nothing of npm, and no
\`playbill\`. ${OWN_FILES}

${name} hands every request to the service, \`authorizer.mjs\`, as it came. ${answerText(name, tree)} The service
listens on \`${authorizer}\`, ${name} on \`${listen}\`. Nobody but ${name} needs to reach the service: it speaks HTTP without TLS.

No header of a client says what is asked for: the service goes by the request line and \`Host\`, and reads neither \`X-Forwarded-Uri\` nor
\`X-Original-URI\` nor their like. From ${name} it takes \`X-Forwarded-Proto\`, which this configuration sets whatever the client sent.

${treeText(tree)}

## Secrets

${secrets.length === 0 ? 'No key of this key ring needs a secret.' : secretsText(secrets, tree)}

## Try it, then install it

In this folder, each in a terminal of its own:

    node authorizer.mjs
    ${tryOut}

To install it:

    mkdir -p /usr/local/lib/playbill && cp authorizer.mjs /usr/local/lib/playbill/
    cp playbill-authorizer.service /etc/systemd/system/
    systemctl daemon-reload && systemctl enable --now playbill-authorizer
    ${install}

The service may run as any user that can read the tree; the unit has one made for it. It ends by SIGTERM, once the requests under way have
their answers.

## After a change of keys or a build of the catalogue

${
  tree.kind === 'folder'
    ? `Nothing. The key ring is read again after a second, the pointers at every request. Where the key ring cannot be read, the last one is used
for up to a minute, and after that nobody is let in.`
    : `Nothing. The key ring is kept for 10 s, pointers for 5 s. Where the key ring cannot be read, the last one is used for up to a minute, and
after that nobody is let in.`
} A new key with a secret needs that here first, and a restart.

## Limits of this runtime

${LIMITS[proxy](tree)}
- For each 503 the service logs one line that says why; clients do not learn it.
`;
}

function answerText(name: string, tree: AuthorizerConfiguration['tree']): string {
  const refused = `What the service refuses gets to the client as the service said it, status, headers and document.`;
  const sent =
    tree.kind === 'folder' && tree.fileHeaders !== null
      ? `For what it lets in, the service answers with the headers, and with the path of the file in \`${PATH[0]}\`, which ${name} takes
out of the answer; ${name} sends that file itself.`
      : `For what it lets in, the service sends the file.`;
  return `${sent} ${refused}`;
}

function treeText(tree: AuthorizerConfiguration['tree']): string {
  if (tree.kind === 'bucket')
    return `The tree is read from the bucket at \`${tree.origin}\`, by requests that the service signs (AWS Signature Version 4, region
\`${tree.region}\`). Give it credentials of its own that may read \`public/*\` and \`edge/keyring.json\` there, and list the bucket: without
that right it answers 403 for what is not there, which counts as 404. Up to 256 MB of editions are kept in memory.`;
  const reader = tree.fileHeaders === null ? 'the service' : 'the service, and the proxy,';
  return `The tree is read from \`${tree.publicRoot}\`, the key ring from \`${tree.keyRing}\`: ${reader} must be able to read
${tree.fileHeaders === null ? 'them' : 'the tree'}. No other server may serve that folder: its files are for clients that sign.`;
}

function secretsText(secrets: readonly string[], tree: AuthorizerConfiguration['tree']): string {
  const token = tree.kind === 'bucket' ? ` \`${CREDENTIAL_NAMES[2]}\` is there with temporary credentials alone.` : '';
  return `The service reads these from its environment: ${codeList(secrets)}. An empty secret refuses its keys, as a missing one does.${token}`;
}

const LIMITS: Readonly<Record<Proxy, (tree: AuthorizerConfiguration['tree']) => string>> = {
  nginx:
    () => `- \`auth_request\` is not used: it can hand on a refusal of 401 or 403 alone, without its document. \`X-Accel-Redirect\` does all, with one
  request to the service.
- \`If-Match\` and \`If-Unmodified-Since\` are refused with 412.
- A body of more than a byte is refused with 413, and not read.
- What has no precompressed sibling is sent as it is: build with \`--precompress gzip,br\`.`,
  caddy:
    () => `- \`forward_auth\` is not used: it would ask about a request by headers; this does the same with the request itself.
- What has no precompressed sibling is sent as it is: build with \`--precompress gzip,br\`.
- A request with a body is refused with 413, and the body is not read.
- What Caddy cannot read as HTTP, it refuses itself, with 400, 417, 431, 501 or 505 and without a problem document.`,
  haproxy:
    () => `- HAProxy reads no files: they pass through it. The same folder does for any proxy that hands on requests as they come and sets
  \`X-Forwarded-Proto\` (Envoy, Traefik, a load balancer); only HAProxy was tried.
- A request with a body is refused with 413, and the body is not read.
- What HAProxy cannot read as HTTP, it refuses itself, with 400 or 408 and a page in HTML.
- What has no precompressed sibling is sent as it is: build with \`--precompress gzip,br\`.`,
};
