// The folder for a proxy that cannot run the rule: the authorizer service and the proxy's configuration. The proxy sends the files itself where
// it can. The tests run every generated file. Values that could break the configuration's syntax are refused.

import type { SiblingEncoding } from '../../rule/encoding.ts';
import { CREDENTIAL_NAMES } from '../../remote-tree/bucket-credentials.ts';
import { type AuthorizerConfiguration, FILE_PLACEHOLDER } from './configuration.ts';
import type { FieldLine } from '../../rule/request.ts';
import { RING_KEPT } from '../../rule/settings.ts';
import { CADDY_TIMEOUTS, type ProxiedService, type Proxy, proxyFiles } from './proxies.ts';
import {
  codeList,
  type Deployment,
  type DeploymentFiles,
  EMPTY_SECRET,
  keyRingUnreadable,
  NO_SECRETS,
  OWN_FILES,
  README_TITLE,
  secretNames,
} from '../deployment.ts';
import { checkPath } from '../nginx/configuration.ts';
import { type OriginOptions, parseOrigin } from '../origin.ts';

export interface AuthorizerDeployment extends Deployment, OriginOptions {
  readonly proxy: Proxy;
  /** Where the proxy listens: PORT or ADDRESS:PORT. */
  readonly listen: string;
  /** Where the service listens: ADDRESS:PORT. */
  readonly authorizer: string;
  /** Absolute paths of the tree's `public` folder and of its key ring. */
  readonly publicRoot: string;
  readonly keyRingPath: string;
  /** The encodings of the precompressed siblings in a bucket. */
  readonly encodings: readonly SiblingEncoding[];
}

const PATH: FieldLine = ['X-Playbill-File', `/${FILE_PLACEHOLDER}`];

/** The headers that tell each proxy which file to send; null if the service sends it. */
const FILE_HEADERS: Readonly<Record<Proxy, readonly FieldLine[] | null>> = {
  // Clients cannot reach a named location.
  nginx: [['X-Accel-Redirect', '@playbill_edition'], PATH],
  caddy: [PATH],
  haproxy: null,
};

/** The files of the folder. Throws Error for invalid options. */
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

/** Parses ADDRESS:PORT. Throws Error for anything else, host names included: a name may resolve to another machine later. */
function addressOf(authorizer: string): { readonly host: string; readonly port: number } {
  const [, host = '', port = ''] = /^(\d+(?:\.\d+){3}|\[[\da-f:]+\]):(\d{1,5})$/i.exec(authorizer) ?? [];
  if (host === '' || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(`--authorizer: expected an address and a port, such as 127.0.0.1:9180, found "${authorizer}"`);
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

const UNIT = `# Install as /etc/systemd/system/playbill-authorizer.service.
[Unit]
Description=Playbill: the edge rule, for the proxy in front of it
After=network.target
# Your own settings belong in a drop-in (systemctl edit playbill-authorizer), such as OnFailure= with a unit that sends mail:
# a new version of this file replaces this one.

[Service]
ExecStart=/usr/bin/node /usr/local/lib/playbill/authorizer.mjs
# The secrets, one NAME=value per line, readable only by root (chmod 600).
EnvironmentFile=-/etc/playbill/authorizer.env
Restart=always
RestartSec=2
DynamicUser=yes

# The service writes nothing.
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

/** What a proxy needs, the command to try it in this folder, and how to add it to an installed one. */
interface ProxyText {
  readonly needs: string;
  readonly tryOut: string;
  /** Commands. */
  readonly install: string;
  /** What no command does, in addition; a paragraph. */
  readonly also: string;
}

const RUN: Readonly<Record<Proxy, ProxyText>> = {
  nginx: {
    needs: 'nginx 1.22 or newer, without extra modules',
    tryOut: 'nginx -p "$PWD" -c nginx.conf',
    install: 'cp playbill.conf /etc/nginx/conf.d/\n    nginx -t && nginx -s reload',
    also: '',
  },
  caddy: {
    needs: 'Caddy 2.6 or newer',
    tryOut: 'caddy run --config Caddyfile --adapter caddyfile',
    install: `cp playbill.caddy /etc/caddy/
    grep -qx "import playbill.caddy" /etc/caddy/Caddyfile || echo "import playbill.caddy" >> /etc/caddy/Caddyfile
    systemctl reload caddy`,
    also: `
Add to the global options at the top of \`/etc/caddy/Caddyfile\`, unless they limit these times already. Without a limit Caddy waits for ever
for the end of a request:

    {
${CADDY_TIMEOUTS.replaceAll('\t', '    ').replaceAll(/^/gm, '    ')}
    }
`,
  },
  haproxy: {
    needs: 'HAProxy 2.6 or newer',
    tryOut: 'haproxy -db -f playbill.cfg',
    install: 'cp playbill.cfg /etc/haproxy/',
    also: `
Then let HAProxy load that file in addition to its own, whose \`global\` and \`defaults\` it needs: without a \`global\` section that names a
user, a HAProxy that root starts keeps root's rights. On Debian, put this line into \`/etc/default/haproxy\`, then \`systemctl restart haproxy\`:

    CONFIG="/etc/haproxy/haproxy.cfg -f /etc/haproxy/playbill.cfg"

Elsewhere, add \`-f /etc/haproxy/playbill.cfg\` to its command line.
`,
  },
};

function readme(deployment: AuthorizerDeployment, tree: AuthorizerConfiguration['tree'], secrets: readonly string[]) {
  const { proxy, listen, authorizer, settings } = deployment;
  const name = PROXY_NAMES[proxy];
  const { needs, tryOut, install, also } = RUN[proxy];
  return `${README_TITLE} as a service behind ${name}

Written by \`playbill edge build --target authorizer\`. It needs ${needs}, and Node.js 22 or newer. It needs
neither npm packages nor an installed \`playbill\`. ${OWN_FILES}

${name} passes every request unchanged to the service, \`authorizer.mjs\`. ${answerText(name, tree)} The service
listens on \`${authorizer}\`, ${name} on \`${listen}\`. Only ${name} needs to reach the service, which speaks HTTP without TLS.

The service reads the request line and \`Host\`. It ignores \`X-Forwarded-Uri\`, \`X-Original-URI\` and similar headers, which a client could
forge. It trusts \`X-Forwarded-Proto\`: this configuration overwrites whatever the client sent.

${treeText(tree)}

## Secrets

${secrets.length === 0 ? NO_SECRETS : secretsText(secrets, tree)}

## Try it, then install it

In this folder, run each command in its own terminal:

    node authorizer.mjs
    ${tryOut}

To install it:

    mkdir -p /usr/local/lib/playbill && cp authorizer.mjs /usr/local/lib/playbill/
    cp playbill-authorizer.service /etc/systemd/system/
    systemctl daemon-reload && systemctl enable --now playbill-authorizer
    ${install}
${also}
The service can run as any user that can read the tree; the unit creates a user for it. On SIGTERM it answers the requests in progress and
exits.

## After a change of keys or a build of the catalogue

Nothing to do. The service ${
    tree.kind === 'folder'
      ? 'rereads the key ring after a second, and the pointer for every request'
      : `keeps the key ring for ${RING_KEPT} s and pointers for 5 s`
  }. ${keyRingUnreadable(settings)}
Before you issue a key with a new secret, add the secret to the environment here and restart the service.

## Limits of this runtime

${LIMITS[proxy]}
- Files without a precompressed sibling are sent uncompressed: build the tree with \`--precompress gzip,br\`.
- The service logs one line with the reason for each 503. Clients do not see the reason.
`;
}

function answerText(name: string, tree: AuthorizerConfiguration['tree']): string {
  const sent =
    tree.kind === 'folder' && tree.fileHeaders !== null
      ? `If the service accepts the request, it answers with
the headers and with the path of the file in \`${PATH[0]}\`; ${name} removes that header and sends the file itself.`
      : `If the service accepts the request, it sends the file.`;
  return `${sent}
If the service refuses the request, its answer reaches the client unchanged.`;
}

function treeText(tree: AuthorizerConfiguration['tree']): string {
  if (tree.kind === 'bucket')
    return `The service reads the tree from the bucket at \`${tree.origin}\` and signs its requests (AWS Signature Version 4, region
\`${tree.region}\`). Give it its own credentials, with permission to read \`public/*\` and \`edge/keyring.json\` there and to list the bucket.
Without permission to list, the bucket answers 403 for a missing file; the service treats that as 404. It keeps up to 256 MB of editions in
memory.`;
  const readers =
    tree.fileHeaders === null ? 'The service needs' : 'The service needs read access to both; the proxy needs';
  return `The tree is in \`${tree.publicRoot}\`, the key ring is \`${tree.keyRing}\`. ${readers}
read access to ${tree.fileHeaders === null ? 'both' : 'the tree'}. Do not let another server serve that folder: its files are only for clients that sign.`;
}

function secretsText(secrets: readonly string[], tree: AuthorizerConfiguration['tree']): string {
  const token = tree.kind === 'bucket' ? ` Set \`${CREDENTIAL_NAMES[2]}\` only with temporary credentials.` : '';
  return `The service reads these from its environment: ${codeList(secrets)}. ${EMPTY_SECRET}${token}`;
}

const LIMITS: Readonly<Record<Proxy, string>> = {
  nginx: `- \`auth_request\` is not used: it can pass on only 401 and 403, without the problem document. \`X-Accel-Redirect\` has no such limit and
  needs only one request to the service.
- \`If-Match\` and \`If-Unmodified-Since\` get 412.
- A body of more than one byte gets 413 and is not read.`,
  caddy: `- \`forward_auth\` is not used: it would describe the request in headers. Here the service gets the request itself.
- A request with a body gets 413, and the body is not read.
- Caddy answers malformed HTTP itself, without a problem document: 400, 417, 501, 505, and 431 from 1 MB of headers. It answers
  \`OPTIONS *\` with 200.`,
  haproxy: `- HAProxy cannot read files, so the service sends them through it. This folder works with any proxy that passes requests on unchanged and sets
  \`X-Forwarded-Proto\` (Envoy, Traefik, a load balancer), but only HAProxy has been tested.
- A request with a body gets 413, and the body is not read.
- HAProxy answers malformed HTTP itself, with an HTML page that no setting replaces: 400, also for headers of more than 15 kB or 100 lines,
  and 408 for a request that does not arrive in time.`,
};
