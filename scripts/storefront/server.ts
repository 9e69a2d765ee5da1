// A storefront in small: renders a front's cards as HTML on the server, with the client of playbill and node:http alone. The key stays
// here; a browser sees a page. Copy it, and change what is yours.
//
//   npm run storefront -- --key moscow.key.json [--base-url URL] [--port 3000] [--currency RUB] [--language en]

import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { type Answer, CatalogueError, createClient, keyFrom, type ProductsDocument } from 'playbill/client';
import type { Markup } from './markup.ts';
import { mainPage, sorryPage } from './page.ts';

const { values } = parseArgs({
  options: {
    key: { type: 'string' },
    'base-url': { type: 'string', default: 'http://127.0.0.1:8080' },
    port: { type: 'string', default: '3000' },
    currency: { type: 'string' },
    language: { type: 'string', default: 'en' },
  },
});
const language = values.language;
const currency = values.currency ?? null;

if (values.key === undefined) {
  process.stderr.write('expected --key FILE: make one with playbill keys issue --front CODE --to CODE.key.json\n');
  process.exit(2);
}
// The secret of an hmac key comes from the environment, under the name in the key file.
const issued = keyFrom(readFileSync(values.key, 'utf8'), (name) => process.env[name]);
const client = createClient({ baseUrl: values['base-url'], ...issued });

/** The last good answer, for when nobody answers: an old page beats no page. */
let last: Answer<ProductsDocument> | null = null;

async function render(tab: string | null): Promise<{ readonly status: number; readonly page: Markup }> {
  const options = { currency, language, tab };
  try {
    last = await client.productsAnswer();
    return { status: 200, page: mainPage(last, false, options) };
  } catch (error) {
    // The reason is for us: a refusal says what to check (a 401 the key or the clock, a 403 the front), anything else that nobody answers.
    process.stderr.write(`catalogue: ${reasonOf(error)}\n`);
    const isPassing = !(error instanceof CatalogueError) || error.status >= 500;
    if (isPassing && last !== null) return { status: 200, page: mainPage(last, true, options) };
    return { status: 502, page: sorryPage(language) };
  }
}

/** What `fetch` rejects with says little; its cause says who could not be reached. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-cache',
    // Even if a name became markup, nothing would run.
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
  void render(new URLSearchParams(query).get('when')).then(({ status, page }) => send(response, status, page.text));
});
server.on('error', (error) => {
  process.stderr.write(`cannot listen on port ${values.port}: ${error.message}\n`);
  process.exitCode = 2;
});
server.listen(Number(values.port), '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object')
    process.stderr.write(`Storefront on http://127.0.0.1:${address.port}\n`);
});
