// A small storefront to copy and change: renders a front's cards as HTML on the server, using only
// playbill's client and node:http. The key never leaves the server.

import { existsSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import {
  type Answer,
  CatalogueError,
  type Client,
  createClient,
  keyFrom,
  type ProductsDocument,
} from 'playbill-client';
import type { Markup } from './markup.ts';
import { mainPage, sorryPage } from './page.ts';

const USAGE = `usage: npm run storefront -- --key FILE [options]
  --base-url URL   the URL of the edge (default: http://127.0.0.1:8080)
  --port NUMBER    the port to listen on, on this machine (default: 3000)
  --currency CODE  the front's currency for prices, ISO 4217 such as RUB
  --language TAG   the language of dates and numbers (default: en)
`;

const values = valuesOf(process.argv.slice(2));
const { language } = values;
const currency = values.currency ?? null;
if (!isAccepted(() => new Intl.DateTimeFormat(language)))
  refuse(`expected --language as a language tag such as en or pt-BR, found "${language}"`);
if (currency !== null && !isAccepted(() => new Intl.NumberFormat(language, { style: 'currency', currency })))
  refuse(`expected --currency as an ISO 4217 code such as RUB, found "${currency}"`);
const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Infinity;
if (port > 65_535) refuse(`expected --port as a number from 0 to 65535, found "${values.port}"`);
const client = clientOf(values);

function valuesOf(args: readonly string[]) {
  try {
    const { values: found } = parseArgs({
      args: [...args],
      options: {
        key: { type: 'string' },
        'base-url': { type: 'string', default: 'http://127.0.0.1:8080' },
        port: { type: 'string', default: '3000' },
        currency: { type: 'string' },
        language: { type: 'string', default: 'en' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (found.help !== true) return found;
  } catch (error) {
    return refuse(`${reasonOf(error)}\n${USAGE.trimEnd()}`);
  }
  process.stdout.write(USAGE);
  process.exit(0);
}

function clientOf({ key, 'base-url': baseUrl }: ReturnType<typeof valuesOf>): Client {
  if (key === undefined)
    refuse('expected --key FILE: make one with playbill keys issue --front CODE --to CODE.key.json');
  if (!existsSync(key)) refuse(`expected a key file at ${key}, found none`);
  try {
    // The key file of an hmac key names the environment variable with its secret.
    const issued = keyFrom(readFileSync(key, 'utf8'), (name) => process.env[name]);
    return createClient({ baseUrl, ...issued });
  } catch (error) {
    return refuse(`${key}, ${baseUrl}: ${reasonOf(error)}`);
  }
}

/** Whether Intl accepts an option: otherwise it would throw on the first request. */
function isAccepted(make: () => unknown): boolean {
  try {
    make();
    return true;
  } catch {
    return false;
  }
}

/** Reports wrong usage and exits. */
function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/**
 * The last answer, for when the client rejects because the edge has not answered for long: an old
 * page is better than none.
 */
let last: Answer<ProductsDocument> | null = null;

async function render(tab: string | null): Promise<{ readonly status: number; readonly page: Markup }> {
  let failure: unknown;
  try {
    last = await client.productsAnswer();
    ({ failure } = last);
  } catch (error) {
    failure = error;
    if (isForbidden(error)) last = null;
  }
  // Visitors do not see the reason. A 401 means the key or the clock, a 403 the front; anything
  // else, that the edge does not answer.
  if (failure !== null) process.stderr.write(`catalogue: ${reasonOf(failure)}\n`);
  if (last === null) return { status: 502, page: sorryPage(language) };
  return { status: 200, page: mainPage(last, failure !== null, { currency, language, tab }) };
}

/** Whether the edge rule says that this key may not have the document, or no longer. */
function isForbidden(error: unknown): boolean {
  return error instanceof CatalogueError && error.code !== null && [401, 403].includes(error.status);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache',
    // A second line of defence: even if text became markup, no script would run.
    'Content-Security-Policy': "default-src 'none'; img-src https:; style-src 'unsafe-inline'; base-uri 'none'",
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}

const server = createServer((request, response) => {
  const [path, query] = (request.url ?? '').split('?');
  if (path !== '/') {
    send(response, 404, '<!doctype html><title>Not found</title><p>Not found. <a href="/">Programme</a></p>');
    return;
  }
  void render(new URLSearchParams(query).get('when'))
    .catch((error: unknown) => {
      // A failed page must not end the server.
      process.stderr.write(`page: ${error instanceof Error ? error.stack : String(error)}\n`);
      return { status: 500, page: sorryPage(language) };
    })
    .then(({ status, page }) => send(response, status, page.text));
});
server.on('error', (error) => {
  process.stderr.write(`cannot listen on port ${port}: ${error.message}\n`);
  process.exitCode = 2;
});
server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object')
    process.stderr.write(`Storefront on http://127.0.0.1:${address.port}\n`);
});
