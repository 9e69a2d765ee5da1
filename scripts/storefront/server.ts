// A small storefront to copy and change: renders a front's cards as HTML on the server, with
// playbill's client and Hono. The key never leaves the server.

import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import {
  type Answer,
  CatalogueError,
  type Client,
  createClient,
  keyFrom,
  type ProductsDocument,
} from 'playbill-client';
import { mainPage, productPage, type Shown, sorryPage, unknownPage } from './page.ts';
import { languageOf } from './words.ts';

const USAGE = `usage: npm run storefront -- --key FILE [options]
  --base-url URL   the URL of the edge (default: http://127.0.0.1:8080)
  --port NUMBER    the port to listen on, on this machine (default: 3000)
  --currency CODE  the front's currency for prices, ISO 4217 such as RUB
  --language TAG   the language of the page's own words, dates and numbers (default: en)
`;

const values = valuesOf(process.argv.slice(2));
const currency = values.currency ?? null;
if (!isAccepted(() => new Intl.DateTimeFormat(values.language)))
  refuse(`expected --language as a language tag such as en or pt-BR, found "${values.language}"`);
const language = languageOf(values.language);
if (language.tag !== values.language)
  process.stderr.write(`words.ts has none for "${values.language}": the page is in English\n`);
if (currency !== null && !isAccepted(() => new Intl.NumberFormat('en', { style: 'currency', currency })))
  refuse(`expected --currency as an ISO 4217 code such as RUB, found "${currency}"`);
const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Infinity;
if (port > 65_535) refuse(`expected --port as a number from 0 to 65535, found "${values.port}"`);
const client = clientOf(values);
const options = { currency, language };

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

/** What to show; null if there is nothing. */
async function current(): Promise<Shown | null> {
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
  return last && { ...last, isOld: failure !== null };
}

/** Whether the edge rule says that this key may not have the document, or no longer. */
function isForbidden(error: unknown): boolean {
  return error instanceof CatalogueError && error.code !== null && [401, 403].includes(error.status);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const app = new Hono();
app.use(
  secureHeaders({
    // A second line of defence: even if text became markup, no script would run.
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      imgSrc: ['https:'],
      styleSrc: ["'unsafe-inline'"],
      baseUri: ["'none'"],
    },
    // The client need not know whether this page is behind HTTPS.
    strictTransportSecurity: false,
  }),
);
app.use(async (context, next) => {
  await next();
  context.header('Cache-Control', 'no-cache');
});
app.get('/', async (context) => {
  const shown = await current();
  if (shown === null) return context.html(sorryPage(language), 502);
  return context.html(mainPage(shown, context.req.query('when'), options));
});
app.get('/product/:slug/', async (context) => {
  const shown = await current();
  if (shown === null) return context.html(sorryPage(language), 502);
  const page = productPage(shown, context.req.param('slug'), options);
  return page === null ? context.html(unknownPage(language), 404) : context.html(page);
});
app.notFound((context) => context.html(unknownPage(language), 404));
app.onError((error, context) => {
  // A failed page must not end the server.
  process.stderr.write(`page: ${error.stack ?? error.message}\n`);
  return context.html(sorryPage(language), 500);
});

const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, ({ port: taken }) =>
  process.stderr.write(`Storefront on http://127.0.0.1:${taken}\n`),
);
server.on('error', (error: Error) => {
  process.stderr.write(`cannot listen on port ${port}: ${error.message}\n`);
  process.exitCode = 2;
});
