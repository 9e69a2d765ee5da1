// The example storefront as a visitor meets it: started as the README says, on a real tree behind
// the real rule, its page read by a real browser, which is the judge of what became markup.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { webUrl } from '../../scripts/storefront/card.ts';
import { languageOf } from '../../scripts/storefront/words.ts';
import type { KeyRingEntry } from '../../src/contract/key-ring.ts';
import { isTooWide, violationsOf } from '../support/accessibility.ts';
import { startNodeServer } from '../support/edge/runtimes/node-server.ts';
import { temporaryFolder } from '../support/edge/temporary-folder.ts';
import type { World } from '../support/edge/world.ts';
import type { CatalogueRow } from '../support/catalogue.ts';
import { launch } from '../support/preview-stage.ts';
import { buildTree, catalogueAt, instant } from '../support/trees.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const NOW = '2026-05-01T09:00:00Z';
const OWN = "document.title='owned'";
const HOSTILE = {
  name: `<script>${OWN}</script></a></h2><img src=x onerror="${OWN}">`,
  venue: `</p><iframe srcdoc="<script>parent.${OWN}</script>"></iframe>`,
  category: `</ul></nav><svg onload="${OWN}">&lt;b&gt;`,
  group: `</h2><style>body { display: none }</style>`,
  badge: `"><b onmouseover='${OWN}'>\u2028x</b>`,
  alt: `" onerror="${OWN}" x='`,
  copyright: `</figcaption><script>${OWN}</script>`,
};

function* rows(): Generator<CatalogueRow> {
  const row = (table: string, values: CatalogueRow['row']): CatalogueRow => ({ table, row: values });
  const timezone = 'Europe/Moscow';
  yield row('fronts', { id: 1, code: 'shop', name: 'Shop', timezone, currency: 'RUB' });
  yield row('fronts', { id: 2, code: 'empty', name: 'Empty', timezone, currency: 'RUB' });
  yield row('fronts', { id: 3, code: 'later', name: 'Later', timezone, currency: 'RUB' });
  yield row('venues', { id: 1, name: HOSTILE.venue, timezone });
  // Four hours ahead of Moscow.
  yield row('venues', { id: 2, name: HOSTILE.venue, timezone: 'Asia/Novokuznetsk' });
  yield row('images', {
    id: 1,
    url: 'https://images.example/a"onerror="x.jpg',
    alt_text: HOSTILE.alt,
    copyright: HOSTILE.copyright,
    copyright_url: 'https://photo.example/?a=1&b="2"',
  });
  yield row('categories', { id: 1, slug: 'plays', name_singular: 'play', name_plural: HOSTILE.category });
  yield row('front_categories', { front_id: 1, category_id: 1 });
  yield row('badges', { id: 1, slug: 'new', name: HOSTILE.badge, color: '#00FF00' });
  yield row('badges', { id: 2, slug: 'last', name: 'Last time', color: '#5d4037' });
  yield row('groups', { id: 1, slug: 'together', name: HOSTILE.group, card_type: 2 });
  yield row('front_groups', { front_id: 1, group_id: 1 });
  const products: readonly [name: string, amount: number | null, available: number | null, startsAt: string][] = [
    [HOSTILE.name, 50_050, null, '2026-05-01T16:00:00Z'],
    ['Tom & "Jerry\'s"', null, null, '2026-05-02T16:00:00Z'],
    ['Sold', 1000, 0, '2026-06-01T16:00:00Z'],
    ['Gratis', 0, null, '2026-06-02T16:00:00Z'],
    ['Paused', 1000, null, '2027-05-03T16:00:00Z'],
    // On the ticket 21:00, which is before the 19:00 of Moscow.
    ['Early', 900_000, null, '2026-05-02T14:00:00Z'],
  ];
  for (const [i, [name, amount, available, starts_at]] of products.entries()) {
    const id = i + 1;
    yield row('products', {
      id,
      slug: `p-${id}`,
      name,
      age_rating: 6,
      sale_schema: 2,
      image_id: id === 1 ? 1 : null,
      paused: id === 5 ? 1 : 0,
    });
    yield row('front_products', { front_id: 1, product_id: id, banner: id === 4 ? 1 : 0 });
    yield row('product_categories', { product_id: id, category_id: 1 });
    yield row('sessions', { id, product_id: id, venue_id: id === 6 ? 2 : 1, starts_at, available });
    if (amount !== null) yield row('price_tiers', { id, product_id: id, amount_minor: amount, currency: 'RUB' });
  }
  yield row('front_products', { front_id: 3, product_id: 3 });
  yield row('product_badges', { product_id: 1, badge_id: 1 });
  yield row('product_badges', { product_id: 1, badge_id: 2 });
  yield row('product_groups', { product_id: 1, group_id: 1, sort_weight: 2 });
  yield row('product_groups', { product_id: 5, group_id: 1, sort_weight: 1 });
}

let world: World;
let browser: Browser;
let page: Page;
const running: { readonly child: ChildProcess; readonly words: string[] }[] = [];

beforeAll(async () => {
  const folder = temporaryFolder();
  const database = catalogueAt(`${folder}/shop.sqlite`, rows());
  await buildTree(database, `${folder}/out`, instant(NOW));
  const open = { alg: 'hmac-sha256', secretRef: 'SHOP', notBefore: null, notAfter: null, revokedAt: null } as const;
  const keys: Record<string, KeyRingEntry> = {
    shop: { front: 'shop', ...open },
    empty: { front: 'empty', ...open },
    later: { front: 'later', ...open },
  };
  world = {
    root: `${folder}/out`,
    now: Math.floor(Date.now() / 1000),
    keyRing: { schema: 1, keys },
    fronts: new Map(),
    signingKeys: new Map(),
    secrets: { SHOP: 'between us' },
    profiles: ['rfc9421'],
  };
  writeFileSync(`${folder}/out/edge/keyring.json`, `${JSON.stringify(world.keyRing)}\n`);
  browser = await launch();
  page = await browser.newPage();
  page.setDefaultTimeout(0);
  // Pictures of the catalogue are not there to be had, and nothing is asked of the network.
  await page.route(/^https:/, (route) => route.abort());
});
afterAll(() => browser.close());
afterEach(async () => {
  for (const { child } of running.splice(0)) {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  }
});

const PROGRAM = ['--import', 'tsx', `${root}scripts/storefront/server.ts`];

/**
 * Serves the tree as of an instant (null: the real clock) and starts the storefront on it; gives
 * its URL.
 */
async function start(
  at: string | null,
  key: { readonly keyid: string; readonly front: string },
  words: readonly string[] = [],
) {
  const edge = await startNodeServer(world, {
    clock: () => Date.now() / 1000,
    at: at === null ? null : instant(at),
  });
  return { ...(await startOn(edge.port, key, words)), edge };
}

function keyFileOf(key: { readonly keyid: string; readonly front: string }): string {
  const path = `${world.root}/${key.keyid}-${key.front}.key.json`;
  writeFileSync(
    path,
    JSON.stringify({ ...key, alg: 'hmac-sha256', privateKey: null, privatePem: null, secretRef: 'SHOP' }),
  );
  return path;
}

async function startOn(
  port: number,
  key: { readonly keyid: string; readonly front: string },
  words: readonly string[] = [],
) {
  const places = ['--key', keyFileOf(key), '--base-url', `http://127.0.0.1:${port}`, '--port', '0'];
  const child = spawn(process.execPath, [...PROGRAM, ...places, '--currency', 'EUR', ...words], {
    cwd: root,
    env: { ...process.env, SHOP: 'between us' },
  });
  const said: string[] = [];
  running.push({ child, words: said });
  const url = await new Promise<string>((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`the storefront ended with ${code}: ${said.join('')}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.push(text);
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said.join(''))?.[0];
      if (found !== undefined) resolve(found);
    });
  });
  return { url, said };
}

const texts = async (selector: string): Promise<string[]> =>
  (await page.locator(selector).allTextContents()).map((text) => text.trim());

test('cards are rendered, nulls have a text, and no name becomes markup', async () => {
  const { url, edge } = await start(NOW, { keyid: 'shop', front: 'shop' });
  try {
    const response = await page.goto(url);
    expect(response?.status()).toBe(200);
    // The banner first, then a group by its weights, then what is in none, in the order of the
    // document.
    expect(await texts('h2')).toEqual(['Highlights', HOSTILE.group, 'More', 'Categories']);
    expect(await texts('h3 a')).toEqual(['Gratis', 'Paused', HOSTILE.name, 'Tom & "Jerry\'s"', 'Sold', 'Early']);
    expect(await texts('strong')).toEqual([
      'Free',
      'Sales are paused',
      'from €500.50',
      'No price at present',
      'Sold out',
      'from €9,000',
    ]);
    expect(await texts('.closed h3 a')).toEqual(['Paused', 'Sold']);
    expect(await texts('time')).toEqual([
      'Tue, Jun 2, 19:00',
      'Mon, May 3, 2027, 19:00',
      'Today 19:00',
      'Tomorrow 19:00',
      'Mon, Jun 1, 19:00',
      'Tomorrow 21:00',
    ]);
    expect(await texts('br + bdi')).toEqual(Array(6).fill(HOSTILE.venue));
    expect(await texts('.categories li')).toEqual([HOSTILE.category]);
    expect(await texts('.badges span')).toEqual([HOSTILE.badge, 'Last time']);
    expect(await texts('figcaption')).toEqual([HOSTILE.copyright]);
    expect(await page.locator('img').getAttribute('alt')).toBe(HOSTILE.alt);
    expect(await page.locator('img').getAttribute('src')).toBe('https://images.example/a"onerror="x.jpg');
    expect(await page.locator('figcaption a').getAttribute('href')).toBe('https://photo.example/?a=1&b="2"');
    // Only what the page itself is made of: one picture, nothing that runs.
    expect(await page.locator('img').count()).toBe(1);
    expect(await page.locator('script, iframe, svg, b, main style, [onerror], [onload], [onmouseover]').count()).toBe(
      0,
    );
    expect(await page.title()).toBe('Programme');
    for (const path of ['/else', '//']) expect((await page.goto(url + path))?.status()).toBe(404);
  } finally {
    await edge.stop();
  }
});

test('tabs show one day by the clock, each with the session that it is about', async () => {
  const { url, edge } = await start(NOW, { keyid: 'shop', front: 'shop' });
  try {
    await page.goto(url);
    expect(await texts('[aria-label=When] a')).toEqual(['All 6', 'Today 1', 'Tomorrow 2', 'Weekend 2']);
    expect(await texts('[aria-current=page]')).toEqual(['All 6']);
    // By the keyboard alone.
    await page.getByRole('link', { name: 'Today' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/?when=today`);
    expect(await texts('[aria-current=page]')).toEqual(['Today 1']);
    expect(await texts('h2')).toEqual(['Today', 'Categories']);
    expect(await texts('h3 a')).toEqual([HOSTILE.name]);
    await page.goto(`${url}/?when=tomorrow`);
    expect(await texts('h3 a')).toEqual(['Early', 'Tom & "Jerry\'s"']);
    await page.goto(`${url}/?when=weekend`);
    expect(await texts('time')).toEqual(['Sat, May 2, 21:00', 'Sat, May 2, 19:00']);
    await page.goto(`${url}/?when=never`);
    expect(await texts('[aria-current=page]')).toEqual(['All 6']);
  } finally {
    await edge.stop();
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`${colorScheme}: everything can be read, nothing makes a phone scroll sideways`, async () => {
    const { url, edge } = await start(NOW, { keyid: 'shop', front: 'shop' });
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 800 });
    try {
      await page.goto(url);
      expect(await violationsOf(page)).toEqual([]);
      expect(await isTooWide(page)).toBe(false);
      const styles = (selector: string, property: string) =>
        page.evaluate(`[...document.querySelectorAll('${selector}')].map((one) => getComputedStyle(one).${property})`);
      expect(await styles('.badges span', 'backgroundColor')).toEqual(['rgb(0, 255, 0)', 'rgb(93, 64, 55)']);
      expect(await styles('.badges span', 'color')).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
      expect(await styles('h1', 'color')).toEqual([colorScheme === 'light' ? 'rgb(0, 0, 0)' : 'rgb(255, 255, 255)']);
    } finally {
      await edge.stop();
    }
  });
}

test('a stale answer is marked, and its "today" is not shown', async () => {
  const { url, edge } = await start('2026-05-03T09:00:00Z', { keyid: 'shop', front: 'shop' });
  try {
    await page.goto(url);
    expect(await texts('[role=status]')).toEqual(['As of Fri, May 1, 09:00 UTC: this may have changed.']);
    expect(await texts('time')).toContain('Fri, May 1, 19:00');
    // Nor are its tabs, even where an address asks for one.
    await page.goto(`${url}/?when=today`);
    expect(await texts('h3 a')).toHaveLength(6);
    expect(await texts('[aria-label=When]')).toEqual([]);
  } finally {
    await edge.stop();
  }
});

test('in place of a picture that cannot be loaded there is nothing but the curtain', async () => {
  const { url, edge } = await start(NOW, { keyid: 'shop', front: 'shop' });
  try {
    await page.goto(url);
    const figure = page.locator('figure:has(img)');
    await figure.scrollIntoViewIfNeeded();
    await page.waitForFunction('document.querySelector("img").complete');
    await page.locator('figcaption').evaluate((caption) => caption.remove());
    // The curtain is dark; an icon and the text beside it are not.
    expect(await brightestOf(figure)).toBeLessThan(128);
    await page.evaluate(`{
      const [sheet] = document.styleSheets;
      sheet.deleteRule([...sheet.cssRules].findIndex(({ selectorText }) => selectorText === 'img::after'));
    }`);
    expect(await brightestOf(figure), 'the browser puts something there').toBeGreaterThan(200);
  } finally {
    await edge.stop();
  }
});

/** How grey, of 255, the brightest pixel inside an element is. */
async function brightestOf(element: Locator): Promise<number> {
  const png = await element.screenshot();
  const blank = await browser.newPage();
  try {
    return await blank.evaluate(`(async () => {
      const image = Object.assign(new Image(), { src: 'data:image/png;base64,${png.toString('base64')}' });
      await image.decode();
      const { width, height } = image;
      const context = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
      context.drawImage(image, 0, 0);
      // Without the round corners, behind which is the page.
      const { data } = context.getImageData(8, 8, width - 16, height - 16);
      return data.reduce((most, _, i) => (i % 4 > 0 ? most : Math.max(most, Math.min(...data.subarray(i, i + 3)))), 0);
    })()`);
  } finally {
    await blank.close();
  }
}

test('when the server no longer answers, the last page stays, and says so', async () => {
  const { url, edge, said } = await start(NOW, { keyid: 'shop', front: 'shop' });
  await page.goto(url);
  expect(await texts('[role=status]')).toEqual([]);
  await edge.stop();
  expect((await page.goto(url))?.status()).toBe(200);
  expect(await texts('[role=status]')).toEqual(['As of Fri, May 1, 09:00 UTC: this may have changed.']);
  expect(await texts('h3 a')).toHaveLength(6);
  expect(said.join('')).toMatch(
    /^catalogue: http:\/\/127.*\/products\/: no complete answer: fetch failed: connect ECONNREFUSED/m,
  );
});

test('when a request fails, the last answer is shown while it is valid, and says so', async () => {
  const folder = `${world.root}/public/fronts/shop`;
  const file = readdirSync(folder).find((name) => /^products\.\w+\.json$/.test(name)) ?? '';
  let isBroken = false;
  const breaking = createServer((_, response) => {
    if (isBroken) response.writeHead(502).end('<h1>Bad Gateway</h1>');
    else
      response
        .writeHead(200, { 'Catalogue-Valid-Until': '2999-01-01T00:00:00Z' })
        .end(readFileSync(`${folder}/${file}`));
  });
  breaking.listen(0, '127.0.0.1');
  await once(breaking, 'listening');
  try {
    const { url, said } = await startOn((breaking.address() as AddressInfo).port, { keyid: 'shop', front: 'shop' });
    await page.goto(url);
    expect(await texts('[role=status]')).toEqual([]);
    isBroken = true;
    for (const _ of [1, 2]) expect((await page.goto(url))?.status()).toBe(200);
    expect(await texts('[role=status]')).toEqual(['As of earlier: this may have changed.']);
    expect(await texts('h3 a')).toHaveLength(6);
    expect(said.join('')).toMatch(
      /^catalogue: http.*\/products\/: the server answered 502, and it was not the edge rule/m,
    );
  } finally {
    breaking.close();
    breaking.closeAllConnections();
  }
});

test('the last page stays after every answer but the one that the key may not have it', async () => {
  const refused = (status: number, code: string) => [status, JSON.stringify({ code })] as const;
  const document = '{"productCards":[],"categories":[],"groups":[],"tags":[],"badges":[]}';
  let [status, body]: readonly [number, string] = [200, document];
  const edge = createServer((_, response) => {
    response.writeHead(status, { 'Content-Type': status === 200 ? 'application/json' : 'application/problem+json' });
    response.end(body);
  }).listen(0, '127.0.0.1');
  await once(edge, 'listening');
  try {
    const { url } = await startOn((edge.address() as AddressInfo).port, { keyid: 'shop', front: 'shop' });
    const shown = async (): Promise<number | undefined> => (await page.goto(url))?.status();
    expect(await shown()).toBe(200);
    const kept = [
      [200, '{"x":1}'],
      refused(404, 'not-found'),
      refused(429, 'too-many'),
      [403, '<h1>Wait</h1>'],
    ] as const;
    for (const answer of kept) {
      [status, body] = answer;
      expect(await shown(), body).toBe(200);
      expect(await texts('[role=status]')).toEqual(['As of earlier: this may have changed.']);
    }
    for (const answer of [refused(401, 'signature-invalid'), refused(403, 'front-not-allowed')]) {
      [status, body] = [200, document];
      expect(await shown()).toBe(200);
      [status, body] = answer;
      expect(await shown(), body).toBe(502);
    }
  } finally {
    edge.close();
    edge.closeAllConnections();
  }
});

test('a refusal is a page without details, and a line in the log that says what to check', async () => {
  const { url, edge, said } = await start(NOW, { keyid: 'empty', front: 'shop' });
  try {
    expect((await page.goto(url))?.status()).toBe(502);
    expect(await texts('main')).toEqual([expect.stringMatching(/cannot be shown just now/)]);
    expect(await page.content()).not.toMatch(/403|front|key/);
    expect(said.join('')).toContain('refused with 403 front-not-allowed: the key speaks for another front');
  } finally {
    await edge.stop();
  }
});

test('a front without cards has a page too', async () => {
  const { url, edge } = await start(NOW, { keyid: 'empty', front: 'empty' });
  try {
    expect((await page.goto(url))?.status()).toBe(200);
    expect(await texts('main p')).toEqual(['Nothing is on sale at the moment.']);
  } finally {
    await edge.stop();
  }
});

test('a day without cards says so, and keeps the other days', async () => {
  const { url, edge } = await start(NOW, { keyid: 'later', front: 'later' });
  try {
    await page.goto(`${url}/?when=weekend`);
    expect(await texts('main > p')).toEqual(['Nothing is on sale then.']);
    expect(await texts('[aria-label=When] a')).toEqual(['All 1', 'Today 0', 'Tomorrow 0', 'Weekend 0']);
    await page.goto(url);
    // With no groups there is nothing that this would be more than.
    expect(await texts('h2')).toEqual(['All']);
    expect(await page.locator('.closed h3 a').textContent()).toBe('Sold');
  } finally {
    await edge.stop();
  }
});

test('a document that no page can be made of is a 500, and not the end of the storefront', async () => {
  const odd = createServer((_, response) => response.end('{"productCards":[]}')).listen(0, '127.0.0.1');
  await once(odd, 'listening');
  try {
    const { url, said } = await startOn((odd.address() as AddressInfo).port, { keyid: 'shop', front: 'shop' });
    for (const _ of [1, 2]) expect((await page.goto(url))?.status()).toBe(500);
    expect(await texts('main')).toEqual([expect.stringMatching(/cannot be shown just now/)]);
    expect(said.join('')).toContain('page: TypeError: ');
  } finally {
    odd.close();
    odd.closeAllConnections();
  }
});

test.each([
  [
    'a currency by its symbol',
    ['--currency', 'руб'],
    'expected --currency as an ISO 4217 code such as RUB, found "руб"',
  ],
  [
    'a language by its name',
    ['--language', 'по-русски'],
    'expected --language as a language tag such as en or pt-BR, found "по-русски"',
  ],
  ['a port by its name', ['--port', 'http'], 'expected --port as a number from 0 to 65535, found "http"'],
  ['a key that is not there', ['--key', 'nope.json'], 'expected a key file at nope.json, found none'],
  ['no secret', [], 'expected the secret SHOP of key shop, found none'],
  ['an option there is not', ['--curency', 'RUB'], "Unknown option '--curency'"],
])('%s: one line at start and exit 2, no stack', (_, words, message) => {
  const all = [...PROGRAM, '--key', keyFileOf({ keyid: 'shop', front: 'shop' }), '--port', '0', ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { cwd: root, encoding: 'utf8', timeout: 60_000 });
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/^ +at /m);
  expect([status, stdout]).toEqual([2, '']);
});

test('--help is five lines', () => {
  const { status, stdout } = spawnSync(process.execPath, [...PROGRAM, '--help'], { cwd: root, encoding: 'utf8' });
  expect(stdout).toMatch(/^usage: .*\n(  --.*\n){4}$/);
  expect(status).toBe(0);
});

test.each([
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['//elsewhere.example', null],
  ['https://a.example/', 'https://a.example/'],
])('webUrl(%s)', (url, expected) => {
  expect(webUrl(url)).toBe(expected);
});

test('every link leads somewhere: a product has a page, and what is not there has one that says so', async () => {
  const { url, edge } = await start(NOW, { keyid: 'shop', front: 'shop' });
  try {
    await page.goto(url);
    const links: string[] = await page.evaluate(`[...document.querySelectorAll('a')].map(({ href }) => href)`);
    const own = [...new Set(links)].filter((link) => link.startsWith(url));
    expect(own.length).toBeGreaterThanOrEqual(10);
    for (const link of own) expect((await page.goto(link))?.status(), link).toBe(200);
    await page.goto(`${url}/product/p-1/`);
    expect(await texts('h1 bdi')).toEqual([HOSTILE.name]);
    expect(await page.title()).toBe(HOSTILE.name);
    // The next one is today's.
    expect(await texts('time')).toEqual(['Today 19:00', 'Today 19:00']);
    expect(await texts('strong')).toEqual(['from €500.50']);
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.locator('script, iframe, svg, b, main style, [onerror]').count()).toBe(0);
    expect((await page.goto(`${url}/product/nothing/`))?.status()).toBe(404);
    expect(await texts('[role=alert]')).toEqual(['This is not on the programme, or no longer.']);
  } finally {
    await edge.stop();
  }
});

test.each(['ru', 'de', 'fr', 'ar', 'ja'])(
  '%s: one language a page, and the tabs in one row on a phone',
  async (tag) => {
    const { url, edge } = await start(NOW, { keyid: 'shop', front: 'shop' }, ['--language', tag]);
    await page.setViewportSize({ width: 360, height: 800 });
    try {
      await page.goto(url);
      const { direction, words } = languageOf(tag);
      expect(await page.locator('html').getAttribute('lang')).toBe(tag);
      expect(await page.locator('html').getAttribute('dir')).toBe(direction);
      expect((await texts('.tabs a')).map((text) => text.replace(/ ?\d+$/, ''))).toEqual([
        words.all,
        words.today,
        words.tomorrow,
        words.weekend,
      ]);
      const tops = await page.evaluate(`[...document.querySelectorAll('.tabs a')].map((tab) => tab.offsetTop)`);
      expect(new Set(tops as number[]).size).toBe(1);
      expect(await isTooWide(page)).toBe(false);
      expect(await violationsOf(page)).toEqual([]);
    } finally {
      await edge.stop();
    }
  },
);

test('a language that has no words here gives a page in English, dates included, and a line in the log', () => {
  expect(languageOf('pt-BR')).toMatchObject({ tag: 'en', direction: 'ltr', words: { today: 'Today' } });
  expect(languageOf('de-AT')).toMatchObject({ tag: 'de-AT', words: { today: 'Heute' } });
});
