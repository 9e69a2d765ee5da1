// The configurations of proxies that have the rule behind them: each hands on requests as they came, sets X-Forwarded-Proto, sends the file
// that the service names, and refuses by itself in the form of the rule's refusals, wherever it can.

import type { Reason } from '../rule/reasons.ts';
import type { DeploymentFiles } from './deployment.ts';
import { checkListen, documentOf, OWN_REFUSALS, PROBLEMS, refusalLocation, standalone } from './nginx-server.ts';

export const PROXIES = ['nginx', 'caddy', 'haproxy'] as const;
export type Proxy = (typeof PROXIES)[number];

/** A service, as its proxy sees it. */
export interface ProxiedService {
  /** Where the proxy listens. */
  readonly listen: string;
  /** The address and port of the service. */
  readonly authorizer: string;
  /** The tree's public folder, whose files the proxy sends; null where the service does. */
  readonly filesRoot: string | null;
}

/** The configuration of a proxy. Throws Error for an address that it cannot listen on. */
export function proxyFiles(proxy: Proxy, service: ProxiedService): DeploymentFiles {
  switch (proxy) {
    case 'nginx':
      checkListen(service.listen);
      return [
        ['nginx.conf', standalone('', '')],
        ['playbill.conf', nginxConfiguration(service)],
      ];
    case 'caddy':
      return [
        ['Caddyfile', CADDYFILE],
        ['playbill.caddy', caddyConfiguration(service)],
      ];
    case 'haproxy':
      return [['haproxy.cfg', haproxyConfiguration(service)]];
  }
}

/** What the rule sets on a 200 beside its type. */
const HEADERS = ['ETag', 'Vary', 'Catalogue-As-Of', 'Catalogue-Valid-Until', 'Catalogue-Stale', 'Content-Encoding'];

const nginxConfiguration = ({
  listen,
  authorizer,
  filesRoot,
}: ProxiedService): string => `# The edge rule of Playbill: include this in the http block. Written by playbill edge build --target authorizer; see README.md.

upstream playbill_authorizer {
  server ${authorizer};
  keepalive 32;
}

${PROBLEMS}

server {
  listen ${listen};
  server_tokens off;

  # Everything passes the service, as it came: nginx asks for nothing that a client could name.
  location / {
    proxy_pass http://playbill_authorizer;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Connection "";
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header Content-Length "";
    proxy_pass_request_body off;
    proxy_connect_timeout 3s;
    proxy_send_timeout 15s;
    proxy_read_timeout 15s;
  }

  # nginx reads a body before it hands on a request. No request needs one (the smallest limit is 1: 0 means none at all).
  client_max_body_size 1;
${filesRoot === null ? '' : nginxFilesLocation(filesRoot)}
${refusalLocation([...OWN_REFUSALS, [502, 'internal'], [504, 'internal']])}
}
`;

const nginxFilesLocation = (root: string): string => `
  # What the service has let in: it names this location by X-Accel-Redirect, and no client can get here.
  location @playbill_edition {
    root "${root}";
    rewrite ^ $upstream_http_x_playbill_file break;
    sendfile on;
    tcp_nopush on;
    types {}
    default_type application/json;

    # nginx makes its ETag and Last-Modified of size and time, in which two editions may agree; these are the rule's. Its type
    # comes by itself.
    etag off;
    if_modified_since off;
    max_ranges 0;
    add_header Last-Modified "";
    add_header Cache-Control $upstream_http_x_playbill_cache_control;
${HEADERS.map((name) => `    add_header ${name} $upstream_http_${name.toLowerCase().replaceAll('-', '_')};`).join('\n')}
    # A sibling is encoded already.
    gzip off;
    # Pruned a moment ago, or not readable for nginx.
    error_page 403 404 500 =503 /playbill-refusal;
    error_page 412 /playbill-refusal;
  }
`;

const CADDYFILE = `# A Caddy with nothing but the rule: caddy run --config Caddyfile --adapter caddyfile (in this folder).
{
	admin off
	auto_https off
}

import playbill.caddy
`;

function caddyConfiguration({ listen, authorizer, filesRoot }: ProxiedService): string {
  const { host, port } = proxyAddress(listen);
  return `# The edge rule of Playbill: import this in a Caddyfile. Written by playbill edge build --target authorizer; see README.md.
# For HTTPS put the name of the site in the place of http://:${port}.
http://:${port} {
${host === null ? '' : `\tbind ${host}\n`}	# No request needs a body; one of unknown length ends where it begins.
	@body header_regexp Content-Length [1-9]
	request_body {
		max_size 1
	}

	route {
		error @body 413

		# Everything passes the service, as it came.
		reverse_proxy ${authorizer} {
			header_up X-Forwarded-Proto {scheme}
			transport http {
				# Caddy would ask for gzip on its own account.
				compression off
				dial_timeout 3s
				response_header_timeout 15s
				keepalive 60s
			}
${filesRoot === null ? '' : caddyFiles(filesRoot)}		}
	}

	handle_errors {
		header {
			defer
			Content-Type application/problem+json
			Cache-Control no-store
${HEADERS.map((name) => `\t\t\t-${name}`).join('\n')}
		}
		@large expression {http.error.status_code} == 413
		respond @large \`${documentOf('content-too-large')}
\` 413
		respond \`${documentOf('internal')}
\` 503
	}
}
`;
}

const caddyFiles = (root: string): string => `
			# What the service has let in: Caddy sends the file that it names, under the headers of the rule.
			@edition header X-Playbill-File *
			handle_response @edition {
				route {
					copy_response_headers {
						include Content-Type ${HEADERS.filter((name) => name !== 'ETag').join(' ')}
					}
					# Caddy makes its ETag and Last-Modified of size and time, in which two editions may agree; the rule has answered conditions.
					header {
						defer
						ETag {rp.header.Etag}
						Cache-Control {rp.header.X-Playbill-Cache-Control}
						-Last-Modified
						-Accept-Ranges
					}
					request_header -If-Match
					request_header -If-None-Match
					request_header -If-Modified-Since
					request_header -If-Unmodified-Since
					request_header -If-Range
					request_header -Range
					rewrite * {rp.header.X-Playbill-File}
					file_server {
						root "${root}"
						disable_canonical_uris
					}
				}
			}
`;

/** A text in HAProxy's double quotes. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;

function haproxyConfiguration({ listen, authorizer }: ProxiedService): string {
  const { host, port } = proxyAddress(listen);
  const document = (reason: Reason): string =>
    `content-type application/problem+json string ${quoted(`${documentOf(reason)}\n`)} hdr Cache-Control no-store`;
  return `# The edge rule of Playbill behind HAProxy. Written by playbill edge build --target authorizer; see README.md.

defaults
  mode http
  timeout connect 3s
  timeout client 30s
  timeout server 15s
  timeout http-request 10s
  timeout http-keep-alive 60s

frontend playbill
  bind ${host ?? ''}:${port}
  # Everything passes the service, as it came. No request needs a body.
  http-request return status 413 ${document('content-too-large')} if { req.hdr(transfer-encoding) -m found } or { req.hdr_val(content-length) gt 0 }
  http-request set-header X-Forwarded-Proto http
  http-request set-header X-Forwarded-Proto https if { ssl_fc }
  http-error status 400 ${document('request-malformed')}
${[500, 502, 503, 504].map((status) => `  http-error status ${status} ${document('internal')}`).join('\n')}
  http-after-response set-status 503 if { status 500 502 504 }
  default_backend playbill_authorizer

backend playbill_authorizer
  server authorizer ${authorizer}
`;
}

/** A port, perhaps behind an address. Throws Error for anything else. */
function proxyAddress(listen: string): { readonly host: string | null; readonly port: string } {
  const [, host = null, port] = /^(?:(\d+(?:\.\d+){3}|\[[\da-f:]+\]):)?(\d{1,5})$/i.exec(listen) ?? [];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(`--listen: expected a port, or an address with a port, such as 127.0.0.1:8080, found "${listen}"`);
  return { host, port };
}
