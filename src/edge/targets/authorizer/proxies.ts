// The proxies in front of the authorizer, and the configuration of each. A proxy passes requests on
// unchanged, sets X-Forwarded-Proto, and sends the file that the service names. Its own errors look
// like the rule's refusals where the proxy allows that.
//
// Proxies that cannot run the rule: `auth_request` and `forward_auth` describe a request in
// headers, which a client can send as well, and `auth_request` can pass on only 401 and 403,
// without the document. So the service gets the request itself, and answers with the refusal or
// with the path of the file. nginx follows `X-Accel-Redirect: @name`, a location that clients
// cannot reach. It keeps the `Cache-Control` of that answer even for the 503 after a missing file,
// hence `X-Playbill-Cache-Control`. Caddy would request gzip itself (`compression off`), sets its
// own ETag, and spells headers as Go does: `{rp.header.Etag}`; headers set before an error remain.
// HAProxy needs only `http-error` for its own errors.

import type { Reason } from '../../rule/refusal-codes.ts';
import type { FieldLine } from '../../rule/request.ts';
import { rendered, renderedPart } from '../../template.ts';
import { rulePaths } from '../deployment.ts';
import { documentOf, serverFiles, standalone } from '../nginx/configuration.ts';
import type { DeploymentFiles, TargetOptions } from '../target.ts';
import { FILE_PLACEHOLDER } from './configuration.ts';

export const PROXIES = ['nginx', 'caddy', 'haproxy'] as const;
export type Proxy = (typeof PROXIES)[number];

/** What the files of every server name. */
type ServerOptions = Pick<TargetOptions, 'folder' | 'listen' | 'serverName' | 'certificate' | 'certificateKey'>;

/** The service and its proxy. */
export interface ProxiedService extends ServerOptions {
  /** The address and port of the service. */
  readonly authorizer: string;
  /** The path before `/products/`. */
  readonly base: string;
  /** The tree's public folder if the proxy sends the files; null if the service does. */
  readonly filesRoot: string | null;
}

const PATH: FieldLine = ['X-Playbill-File', `/${FILE_PLACEHOLDER}`];

interface ProxyRecord {
  readonly title: string;
  /** The headers that tell it which file to send; null if the service sends it. */
  readonly fileHeaders: readonly FieldLine[] | null;
  /**
   * The part for an operator's own configuration, and one that includes it or is whole. Throws
   * Error for an address that the proxy cannot listen on.
   */
  readonly files: (service: ProxiedService) => DeploymentFiles;
}

export const PROXY_RECORDS: Readonly<Record<Proxy, ProxyRecord>> = {
  nginx: {
    title: 'nginx',
    // Clients cannot reach a named location.
    fileHeaders: [['X-Accel-Redirect', '@playbill_edition'], PATH],
    files: (service) => [['nginx.conf', standalone(false)], ...nginxFiles(service)],
  },
  caddy: {
    title: 'Caddy',
    fileHeaders: [PATH],
    files: caddyFiles,
  },
  haproxy: {
    title: 'HAProxy',
    fileHeaders: null,
    files: haproxyFiles,
  },
};

/**
 * Global options: a site cannot have its own. Without them Caddy waits for ever for the end of a
 * request.
 */
export const caddyTimeouts = (): string => renderedPart('authorizer/timeouts.caddy');

/** The headers of a 200, except Content-Type. */
const ANSWER_HEADERS = [
  'ETag',
  'Vary',
  'Catalogue-As-Of',
  'Catalogue-Valid-Until',
  'Catalogue-Stale',
  'Content-Encoding',
];

function nginxFiles({ authorizer, filesRoot, base, ...options }: ProxiedService): DeploymentFiles {
  const variable = (name: string): string => `$upstream_http_${name.toLowerCase().replaceAll('-', '_')}`;
  return serverFiles({
    target: 'authorizer',
    isProxy: true,
    base,
    options,
    http: (maps) => rendered('authorizer/playbill-http.conf', { authorizer, maps }),
    answer: (errorPages) => renderedPart('authorizer/answer.conf', { errorPages }),
    locations: (paths, refusal) =>
      rendered('authorizer/playbill-locations.conf', {
        paths,
        refusal,
        files: filesRoot !== null,
        filesRoot: filesRoot ?? '',
        addedHeaders: ANSWER_HEADERS.map((name) => `  add_header ${name} ${variable(name)};`).join('\n'),
      }),
  });
}

function caddyFiles(service: ProxiedService): DeploymentFiles {
  const { authorizer, filesRoot, base } = service;
  const { host, port } = proxyAddress(service);
  const site = rendered('authorizer/Caddyfile', {
    timeouts: caddyTimeouts(),
    port,
    host: host !== null,
    hostAddress: host ?? '',
  });
  const snippets = rendered('authorizer/playbill.caddy', {
    paths: rulePaths(base).join(' '),
    authorizer,
    files: filesRoot !== null,
    filesRoot: filesRoot ?? '',
    copiedHeaders: ANSWER_HEADERS.filter((name) => name !== 'ETag').join(' '),
    removedHeaders: ANSWER_HEADERS.map((name) => `\t\t-${name}`).join('\n'),
    contentTooLarge: documentOf('content-too-large'),
    internal: documentOf('internal'),
  });
  return [
    ['Caddyfile', site],
    ['playbill.caddy', snippets],
  ];
}

function haproxyFiles(service: ProxiedService): DeploymentFiles {
  const { host, port } = proxyAddress(service);
  const document = (reason: Reason): string =>
    `content-type application/problem+json string ${quoted(`${documentOf(reason)}\n`)} hdr Cache-Control no-store`;
  const backend = rendered('authorizer/playbill-backend.cfg', {
    authorizer: service.authorizer,
    contentTooLarge: document('content-too-large'),
    ownErrors: [500, 502, 503, 504].map((status) => `  http-error status ${status} ${document('internal')}`).join('\n'),
  });
  const frontend = rendered('authorizer/playbill-frontend.cfg', {
    address: `${host ?? ''}:${port}`,
    requestMalformed: document('request-malformed'),
  });
  return [
    ['playbill-backend.cfg', backend],
    ['playbill-frontend.cfg', frontend],
  ];
}

/** Quotes a string for HAProxy. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;

/**
 * Parses PORT or ADDRESS:PORT. Throws Error for anything else, and for what only nginx's server
 * has: names and certificates are in a site of the operator's own.
 */
function proxyAddress({ listen, serverName, certificate, certificateKey }: ProxiedService): {
  readonly host: string | null;
  readonly port: string;
} {
  const given = serverName ?? certificate ?? certificateKey;
  const own = 'names and certificates belong into a site of your own, which takes the part in: see its README';
  if (given !== null)
    throw new Error(`expected --server-name and --certificate only with nginx, found "${given}": ${own}`);
  const [, host = null, port] = /^(?:(\d+(?:\.\d+){3}|\[[\da-f:]+\]):)?(\d{1,5})$/i.exec(listen) ?? [];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(
      `--listen: expected a port, or an address with a port, such as 127.0.0.1:8080, found "${listen}"; ${own}`,
    );
  return { host, port };
}
