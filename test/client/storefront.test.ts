// The example storefront as a visitor meets it: started as the README says, on a real tree behind the real rule, its page read by a real
// browser, which is the judge of what became markup.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { html, webUrl } from '../../scripts/storefront/markup.ts';
import type { KeyRingEntry } from '../../src/contract/key-ring.ts';
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
  badge: `"><b onmouseover='${OWN}'>\u2028x</b>`,
  alt: `" onerror="${OWN}" x='`,
  copyright: `</figcaption><script>${OWN}</script>`,
};

function* rows(): Generator<CatalogueRow> {
  const row = (table: string, values: CatalogueRow['row']): CatalogueRow => ({ table, row: values });
  const timezone = 'Europe/Moscow';
  yield row('fronts', { id: 1, code: 'shop', name: 'Shop', timezone, currency: 'RUB' });
  yield row('fronts', { id: 2, code: 'empty', name: 'Empty', timezone, currency: 'RUB' });
  yield row('venues', { id: 1, name: HOSTILE.venue, timezone });
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
  const products: readonly [name: string, amount: number | null, available: number | null, startsAt: string][] = [
    [HOSTILE.name, 50_050, null, '2026-05-01T16:00:00Z'],
    ['Tom & "Jerry\'s"', null, null, '2026-05-02T16:00:00Z'],
    ['Sold', 1000, 0, '2026-06-01T16:00:00Z'],
    ['Gratis', 0, null, '2026-06-02T16:00:00Z'],
  ];
  for (const [i, [name, amount, available, starts_at]] of products.entries()) {
    const id = i + 1;
    yield row('products', { id, slug: `p-${id}`, name, age_rating: 6, sale_schema: 2, image_id: id === 1 ? 1 : null });
    yield row('front_products', { front_id: 1, product_id: id, banner: id === 4 ? 1 : 0 });
    yield row('product_categories', { product_id: id, category_id: 1 });
    yield row('sessions', { id, product_id: id, venue_id: 1, starts_at, available });
    if (amount !== null) yield row('price_tiers', { id, product_id: id, amount_minor: amount, currency: 'RUB' });
  }
  yield row('product_badges', { product_id: 1, badge_id: 1 });
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
  const keys: Record<string, KeyRingEntry> = { shop: { front: 'shop', ...open }, empty: { front: 'empty', ...open } };
  world = {
    root: `${folder}/out`,
    now: Math.floor(Date.now() / 1000),
    keyRing: { schema: 1, keys },
    fronts: new Map(),
    signingKeys: new Map(),
    secrets: { SHOP: 'between us' },
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

/** Serves the tree as of an instant (null: the real clock) and starts the storefront on it; gives its URL. */
async function start(at: string | null, key: { readonly keyid: string; readonly front: string }) {
  const edge = await startNodeServer(world, {
    clock: () => Date.now() / 1000,
    at: at === null ? null : instant(at),
  });
  const keyFile = `${world.root}/${key.keyid}-${key.front}.key.json`;
  writeFileSync(
    keyFile,
    JSON.stringify({ ...key, alg: 'hmac-sha256', privateKey: null, privatePem: null, secretRef: 'SHOP' }),
  );
  const words = ['--import', 'tsx', '--conditions', 'playbill-source', `${root}scripts/storefront/server.ts`];
  const options = ['--key', keyFile, '--base-url', `http://127.0.0.1:${edge.port}`, '--port', '0', '--currency', 'EUR'];
  const child = spawn(process.execPath, [...words, ...options], {
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
  return { url, edge, said };
}

const texts = async (selector: string): Promise<string[]> =>
  (await page.locator(selector).allTextContents()).map((text) => text.trim());

test('cards are rendered, nulls have a text, and no name becomes markup', async () => {
  const { url, edge } = await start(NOW, { keyid: 'shop', front: 'shop' });
  try {
    const response = await page.goto(url);
    expect(response?.status()).toBe(200);
    // The banner first, then the order of the document.
    expect(await texts('h2 a')).toEqual(['Gratis', HOSTILE.name, 'Tom & "Jerry\'s"', 'Sold']);
    expect(await texts('strong')).toEqual(['Free', 'from €500.50', 'Not on sale yet', 'Sold out']);
    expect(await texts('li > p:nth-of-type(2)')).toEqual([
      `2026-06-02 19:00 · ${HOSTILE.venue}`,
      `today 19:00 · ${HOSTILE.venue}`,
      `tomorrow 19:00 · ${HOSTILE.venue}`,
      `2026-06-01 19:00 · ${HOSTILE.venue}`,
    ]);
    expect(await texts('nav a')).toEqual([HOSTILE.category]);
    expect(await texts('li span')).toEqual([HOSTILE.badge]);
    expect(await texts('figcaption')).toEqual([HOSTILE.copyright]);
    expect(await page.locator('img').getAttribute('alt')).toBe(HOSTILE.alt);
    expect(await page.locator('img').getAttribute('src')).toBe('https://images.example/a"onerror="x.jpg');
    expect(await page.locator('figcaption a').getAttribute('href')).toBe('https://photo.example/?a=1&b="2"');
    // Only what the page itself is made of: one picture, nothing that runs.
    expect(await page.locator('img').count()).toBe(1);
    expect(await page.locator('script, iframe, svg, b, [onerror], [onload], [onmouseover]').count()).toBe(0);
    expect(await page.title()).toBe('Programme');
    expect((await page.goto(`${url}/else`))?.status()).toBe(404);
  } finally {
    await edge.stop();
  }
});

test('a stale answer is marked, and its "today" is not shown', async () => {
  const { url, edge } = await start('2026-05-03T09:00:00Z', { keyid: 'shop', front: 'shop' });
  try {
    await page.goto(url);
    expect(await texts('[role=status]')).toEqual([`As of ${NOW}: this may have changed.`]);
    expect(await texts('li > p:nth-of-type(2)')).toContain(`2026-05-01 19:00 · ${HOSTILE.venue}`);
  } finally {
    await edge.stop();
  }
});

test('when the server no longer answers, the last page stays, and says so', async () => {
  const { url, edge, said } = await start(NOW, { keyid: 'shop', front: 'shop' });
  await page.goto(url);
  expect(await texts('[role=status]')).toEqual([]);
  await edge.stop();
  expect((await page.goto(url))?.status()).toBe(200);
  expect(await texts('[role=status]')).toEqual([`As of ${NOW}: this may have changed.`]);
  expect(await texts('h2 a')).toHaveLength(4);
  expect(said.join('')).toContain('catalogue: fetch failed: connect ECONNREFUSED');
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

test.each([
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['//elsewhere.example', null],
  ['https://a.example/', 'https://a.example/'],
])('webUrl(%s)', (url, expected) => {
  expect(webUrl(url)).toBe(expected);
});

test('markup is not escaped twice', () => {
  const inner = html`<i>${'<&'}</i>`;
  expect(html`<p title="${'"'}">${inner}${[inner]}${null}${0}</p>`.text).toBe(
    '<p title="&quot;"><i>&lt;&amp;</i><i>&lt;&amp;</i>0</p>',
  );
});
