// The configuration of each proxy in front of the authorizer. A proxy passes requests on unchanged, sets X-Forwarded-Proto, and sends the file
// that the service names. Its own errors look like the rule's refusals where the proxy allows that.

import type { Reason } from '../../rule/reasons.ts';
import type { DeploymentFiles } from '../deployment.ts';
import {
  AUTHORITY,
  checkListen,
  CLIENT_TIMEOUTS,
  documentOf,
  OWN_REFUSALS,
  PROBLEMS,
  refusalLocation,
  standalone,
} from '../nginx/configuration.ts';

export const PROXIES = ['nginx', 'caddy', 'haproxy'] as const;
export type Proxy = (typeof PROXIES)[number];

/** The service and its proxy. */
export interface ProxiedService {
  /** Where the proxy listens. */
  readonly listen: string;
  /** The address and port of the service. */
  readonly authorizer: string;
  /** The tree's public folder if the proxy sends the files; null if the service does. */
  readonly filesRoot: string | null;
}

/** The configuration of a proxy. Throws Error for an address that it cannot listen on. */
export function proxyFiles(proxy: Proxy, service: ProxiedService): DeploymentFiles {
  switch (proxy) {
    case 'nginx':
      checkListen(service.listen);
      return [
        ['nginx.conf', standalone('')],
        ['playbill.conf', nginxConfiguration(service)],
      ];
    case 'caddy':
      return [
        ['Caddyfile', CADDYFILE],
        ['playbill.caddy', caddyConfiguration(service)],
      ];
    case 'haproxy':
      return [['playbill.cfg', haproxyConfiguration(service)]];
  }
}

/** The headers of a 200, except Content-Type. */
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

${AUTHORITY}

${PROBLEMS}

server {
  listen ${listen};
  server_tokens off;
${CLIENT_TIMEOUTS}

  # The service gets every request unchanged.
  location / {
    proxy_pass http://playbill_authorizer;
    proxy_http_version 1.1;
    proxy_set_header Host $playbill_authority;
    proxy_set_header Connection "";
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_set_header Content-Length "";
    proxy_pass_request_body off;
    proxy_connect_timeout 3s;
    proxy_send_timeout 15s;
    proxy_read_timeout 15s;
  }

  # nginx reads a body before it passes a request on, and no request needs one. 1 byte is the smallest limit: 0 means no limit.
  client_max_body_size 1;
${filesRoot === null ? '' : nginxFilesLocation(filesRoot)}
${refusalLocation([...OWN_REFUSALS, [502, 'internal'], [504, 'internal']])}
}
`;

const nginxFilesLocation = (root: string): string => `
  # Sends the file of an accepted request. The service redirects here with X-Accel-Redirect; clients cannot reach a named location.
  location @playbill_edition {
    root "${root}";
    rewrite ^ $upstream_http_x_playbill_file break;
    sendfile on;
    tcp_nopush on;
    types {}
    default_type application/json;

    # nginx derives its ETag and Last-Modified from size and time, which two editions may share. Use the rule's headers instead.
    # nginx copies Content-Type itself.
    etag off;
    if_modified_since off;
    max_ranges 0;
    add_header Last-Modified "";
    add_header Cache-Control $upstream_http_x_playbill_cache_control;
${HEADERS.map((name) => `    add_header ${name} $upstream_http_${name.toLowerCase().replaceAll('-', '_')};`).join('\n')}
    # A precompressed sibling is already encoded.
    gzip off;
    # The file was pruned a moment ago, or nginx may not read it.
    error_page 403 404 500 =503 /playbill-refusal;
    error_page 412 /playbill-refusal;
  }
`;

/** Global options: a site cannot have its own. Without them Caddy waits for ever for the end of a request. */
export const CADDY_TIMEOUTS = `	servers {
		timeouts {
			read_header 10s
			read_body 10s
		}
	}`;

const CADDYFILE = `# A Caddy that serves only the rule. In this folder, run: caddy run --config Caddyfile --adapter caddyfile
{
	admin off
	auto_https off
${CADDY_TIMEOUTS}
}

import playbill.caddy
`;

function caddyConfiguration({ listen, authorizer, filesRoot }: ProxiedService): string {
  const { host, port } = proxyAddress(listen);
  return `# The edge rule of Playbill: import this in a Caddyfile. Written by playbill edge build --target authorizer; see README.md.
# For HTTPS, replace http://:${port} with the name of the site.
http://:${port} {
${host === null ? '' : `\tbind ${host}\n`}	# No request needs a body. This also cuts off a body of unknown length.
	@body header_regexp Content-Length [1-9]
	request_body {
		max_size 1
	}

	route {
		error @body 413

		# The service gets every request unchanged.
		reverse_proxy ${authorizer} {
			header_up X-Forwarded-Proto {scheme}
			transport http {
				# Otherwise Caddy would request gzip itself.
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
			# Sends the file that the service names, with the rule's headers.
			@edition header X-Playbill-File *
			handle_response @edition {
				route {
					copy_response_headers {
						include Content-Type ${HEADERS.filter((name) => name !== 'ETag').join(' ')}
					}
					# Caddy derives its ETag and Last-Modified from size and time, which two editions may share. The rule has already
					# evaluated conditional headers.
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

/** Quotes a string for HAProxy. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;

function haproxyConfiguration({ listen, authorizer }: ProxiedService): string {
  const { host, port } = proxyAddress(listen);
  const document = (reason: Reason): string =>
    `content-type application/problem+json string ${quoted(`${documentOf(reason)}\n`)} hdr Cache-Control no-store`;
  return `# The edge rule of Playbill: HAProxy loads this in addition to your own configuration. Written by playbill edge build --target authorizer; see README.md.

frontend playbill
  mode http
  timeout client 30s
  timeout http-request 10s
  timeout http-keep-alive 60s
  bind ${host ?? ''}:${port}
  # The service gets every request unchanged. No request needs a body.
  http-request return status 413 ${document('content-too-large')} if { req.hdr(transfer-encoding) -m found } or { req.hdr_val(content-length) gt 0 }
  http-request set-header X-Forwarded-Proto http
  http-request set-header X-Forwarded-Proto https if { ssl_fc }
  http-error status 400 ${document('request-malformed')}
${[500, 502, 503, 504].map((status) => `  http-error status ${status} ${document('internal')}`).join('\n')}
  http-after-response set-status 503 if { status 500 502 504 }
  default_backend playbill_authorizer

backend playbill_authorizer
  mode http
  timeout connect 3s
  timeout server 15s
  server authorizer ${authorizer}
`;
}

/** Parses PORT or ADDRESS:PORT. Throws Error for anything else. */
function proxyAddress(listen: string): { readonly host: string | null; readonly port: string } {
  const [, host = null, port] = /^(?:(\d+(?:\.\d+){3}|\[[\da-f:]+\]):)?(\d{1,5})$/i.exec(listen) ?? [];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(`--listen: expected a port, or an address with a port, such as 127.0.0.1:8080, found "${listen}"`);
  return { host, port };
}
