// The preview's HTTP server: one page, its script and style, and the content of the tree as JSON.
// Read-only. Refuses requests whose Host is not a loopback address, which protects against DNS
// rebinding, and those that pages of other origins make: to explain products takes time.

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { AppError, messageOf } from '../errors.ts';
import { answerTo, type Sources } from './answers.ts';
import type { PageBundle } from './bundle.ts';
import { PAGE_PATH, PICTURES_PATH, type ApiError } from './messages.ts';

export interface PreviewOptions extends Sources {
  readonly page: PageBundle;
  /** Reports a bug of the preview. */
  readonly onBug: (message: string) => void;
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /** The Content-Security-Policy; by default, one that allows nothing. */
  readonly policy?: string;
}

/** Creates the server. The caller must let it listen on a loopback address only. */
export function createPreviewServer(options: PreviewOptions): Server {
  return createServer((incoming, outgoing) => {
    const isGone = new AbortController();
    outgoing.on('close', () => isGone.abort());
    replyTo(incoming, options, isGone.signal).then(
      (reply) => send(reply, incoming, outgoing),
      (error: unknown) => {
        options.onBug(error instanceof Error ? (error.stack ?? error.message) : messageOf(error));
        send(refusal(500, 'internal', 'the preview failed; its terminal says why', 'try again'), incoming, outgoing);
      },
    );
  });
}

/**
 * Whether a Host header names a loopback host and the port of this connection. Browsers leave out
 * port 80.
 */
export function isOwnHost(host: string | undefined, port: number): boolean {
  const match = /^(?:localhost|127\.0\.0\.1|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/i.exec(host ?? '');
  return match !== null && Number(match[1] ?? 80) === port;
}

/**
 * Whether a person or the page itself asks, not a page of another origin. A link in one may lead to
 * the page.
 */
function isOwnRequest(path: string, headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-site': from = 'none', 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  if (from === 'none' || from === 'same-origin') return true;
  const isPage = path === PAGE_PATH || path === PICTURES_PATH;
  return isPage && mode === 'navigate' && destination === 'document';
}

async function replyTo(incoming: IncomingMessage, options: PreviewOptions, signal: AbortSignal): Promise<Reply> {
  const { method = '', headers, url = '' } = incoming;
  if (!isOwnHost(headers.host, incoming.socket.localPort ?? 0)) {
    const message = `expected a loopback host, found ${JSON.stringify(headers.host ?? '')}`;
    return refusal(421, 'host-refused', message, 'open the address printed by: playbill preview');
  }
  if (method !== 'GET' && method !== 'HEAD')
    return refusal(405, 'method-not-allowed', `expected GET or HEAD, found ${method}`, 'the preview is read-only');
  const [path = ''] = url.split('?');
  if (!isOwnRequest(path, headers)) {
    const message = `expected a request of the preview's own page, found one of another: ${headers['sec-fetch-site']}`;
    return refusal(403, 'cross-site', message, 'open the address printed by: playbill preview');
  }
  try {
    const json = await answerTo(path, options, signal);
    if (json !== null) return found(JSON_TYPE, json);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return refusal(NOT_FOUND_CODES.includes(error.code) ? 404 : 500, error.code, error.message, error.hint);
  }
  const { script, style } = options.page;
  const replies = new Map([
    [PAGE_PATH, { ...found('text/html; charset=utf-8', PAGE), policy: policyOf("'self'") }],
    [PICTURES_PATH, { ...found('text/html; charset=utf-8', PAGE), policy: policyOf("'self' https:") }],
    ['/page.js', found('text/javascript; charset=utf-8', script)],
    ['/page.css', found('text/css; charset=utf-8', style)],
    ['/icon.svg', found('image/svg+xml', ICON)],
  ]);
  const nothing = 'nothing is at this path';
  return replies.get(path) ?? refusal(404, 'not-found', nothing, `the page is at ${PAGE_PATH}`);
}

const NOT_FOUND_CODES: readonly string[] = ['nothing-published', 'front-unknown', 'product-unknown'];

function found(type: string, body: string): Reply {
  return { status: 200, type, body };
}

function refusal(status: number, code: string, message: string, hint: string): Reply {
  const body: ApiError = { error: { code, message, hint } };
  return { status, type: JSON_TYPE, body: JSON.stringify(body) };
}

function send(
  { status, type, body, policy = NO_PAGE }: Reply,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const bytes = Buffer.from(body);
  outgoing.writeHead(status, {
    'Content-Type': type,
    'Content-Length': bytes.length,
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    ...(status === 405 ? { Allow: 'GET, HEAD' } : {}),
  });
  outgoing.end(incoming.method === 'HEAD' ? undefined : bytes);
}

/** The policy of every response that is not a page. */
const NO_PAGE = "default-src 'none'; frame-ancestors 'none'; sandbox";

/**
 * `images` are the allowed sources of pictures. Trusted types keep the page's script from turning
 * text into markup, even by mistake.
 */
function policyOf(images: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${images}`,
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

const JSON_TYPE = 'application/json; charset=utf-8';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Playbill preview</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
</head>
<body><div id="page"></div><noscript>The preview needs JavaScript.</noscript></body>
</html>
`;

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" fill="#8a1f17"/><path d="M5 7h22M5 10h22M5 25h22" stroke="#f6f1e6" stroke-width="1.5"/><path d="M12 13v9M12 13h5a3 3 0 0 1 0 6h-5" fill="none" stroke="#f6f1e6" stroke-width="2.4"/></svg>
`;
