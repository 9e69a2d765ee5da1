// A catalogue that means harm, and what leaves the machine: nothing but pictures, and those only
// when they are asked for.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ProductsDocument } from '../../src/contract/documents.ts';
import type { Pointer } from '../../src/contract/pointer.ts';
import { buildTree, catalogueAt, instant, temporaryFolderOfFile } from '../support/trees.ts';
import { browserOfFile, NOW, previewOfFile, visit } from '../support/preview-stage.ts';

const folder = temporaryFolderOfFile();
const browser = browserOfFile();

const NAMES = [
  '<script>alert(1)</script>',
  '</script><script>alert(2)</script>',
  '<img src=x onerror=alert(3)>',
  '"><svg onload=alert(4)>',
  "'-alert(5)-'",
  '{{constructor.constructor("alert(6)")()}}',
  '\u202Egnirts desrever\u202E and on',
  '\u2067\u2067\u2067never closed',
  'W'.repeat(10_000),
  'длинное слово '.repeat(4600),
  '\u0000\u0001\u0007\u001B[31mred\u009B',
  '\uD800 half \uDC00 pairs \uD83D',
  'مسرحية <b>عربية</b>',
  `Z${'\u0316\u0317\u0318\u0319\u031C'.repeat(200)}algo`,
  '\u2028line\u2029ends\r\n\t',
  '👩‍👩‍👧‍👦'.repeat(60),
  '__proto__',
  '',
  ' ',
] as const;

const URLS = [
  'https://pictures.example/a.png',
  'https://pictures.example/"onerror="alert(7)',
  "https://pictures.example/a') no-repeat;x:url(",
  'https://[',
  'https://user:password@pictures.example/b.png',
] as const;

const CREDIT_URLS = [
  'javascript:alert(8)',
  ' javascript:alert(9)',
  'data:text/html,<script>alert(10)</script>',
  'http://plain.example/',
  '//protocol.example/',
  'https://credits.example/"><script>alert(11)</script>',
  'vbscript:x',
];

function* rows(): Iterable<{ table: string; row: Record<string, string | number | null> }> {
  yield { table: 'fronts', row: { id: 1, code: 'hostile', name: 'x', timezone: 'Europe/Berlin', currency: 'EUR' } };
  for (const [i, longName] of NAMES.entries()) {
    const id = i + 1;
    // The longest text that a catalogue may hold is enough once.
    const name = longName.slice(0, 20_000);
    yield { table: 'venues', row: { id, name, timezone: 'Europe/Berlin' } };
    yield { table: 'groups', row: { id, slug: `group-${id}`, name, card_type: i % 4 } };
    yield { table: 'front_groups', row: { front_id: 1, group_id: id } };
    yield { table: 'categories', row: { id, slug: `category-${id}`, name_singular: name, name_plural: name } };
    yield { table: 'front_categories', row: { front_id: 1, category_id: id } };
    yield { table: 'tags', row: { id, slug: `tag-${id}`, name } };
    yield {
      table: 'badges',
      row: { id, slug: `badge-${id}`, name, color: ['#ffffff', '#000000', '#777777'][i % 3] ?? '' },
    };
    const [url, credit] = [URLS[i % URLS.length] ?? '', CREDIT_URLS[i % CREDIT_URLS.length] ?? ''];
    yield { table: 'images', row: { id, url, alt_text: name, copyright: name, copyright_url: credit } };
    yield {
      table: 'products',
      row: { id, slug: `product-${id}`, name: longName, age_rating: 18, sale_schema: 2, pushka: 1, image_id: id },
    };
    yield {
      table: 'front_products',
      row: { front_id: 1, product_id: id, banner: Number(i < 6), featured: Number(i < 9) },
    };
    for (const part of ['group', 'category', 'tag', 'badge']) {
      const table = part === 'category' ? 'product_categories' : `product_${part}s`;
      const weight = part === 'group' ? { sort_weight: i } : {};
      yield { table, row: { product_id: id, [`${part}_id`]: id, ...weight } };
    }
    const start = `2026-05-01T1${i % 6}:30:00Z`;
    yield { table: 'sessions', row: { id, product_id: id, venue_id: id, starts_at: start } };
    yield { table: 'sessions', row: { id: id + 100, product_id: id, venue_id: id, starts_at: '2026-05-02T10:00:00Z' } };
    yield {
      table: 'price_tiers',
      row: { id, product_id: id, name, amount_minor: 99_999_999_999_999, currency: 'EUR' },
    };
  }
}

/**
 * What no catalogue of ours lets through, but a tree may hold: halves of surrogate pairs, pictures
 * that are no https.
 */
function forged(document: ProductsDocument): ProductsDocument {
  const urls = [
    'javascript:alert(12)',
    'http://plain.example/a.png',
    'data:image/svg+xml,<svg onload=alert(13)>',
    '//x.example/',
  ];
  const productCards = document.productCards.map((card, i) => ({
    ...card,
    name: i % 5 === 0 ? `\uD800${card.name}\uDC00` : card.name,
    imageUrl: i % 3 === 0 ? (urls[i % urls.length] ?? null) : card.imageUrl,
  }));
  return { ...document, productCards };
}

function forgeEditions(out: string): void {
  const front = join(out, 'public/fronts/hostile');
  const pointer = JSON.parse(readFileSync(join(front, 'pointer.json'), 'utf8')) as Pointer;
  const products = pointer.products.map((entry) => {
    const [from = '', digest = ''] = entry.split(' ');
    const document = JSON.parse(readFileSync(join(front, `products.${digest}.json`), 'utf8')) as ProductsDocument;
    const text = `${JSON.stringify(forged(document))}\n`;
    const name = createHash('sha256').update(text).digest('hex').slice(0, 16);
    writeFileSync(join(front, `products.${name}.json`), text);
    return `${from} ${name}`;
  });
  writeFileSync(join(front, 'pointer.json'), `${JSON.stringify({ ...pointer, products })}\n`);
}

const database = join(folder, 'hostile.sqlite');
const preview = previewOfFile(
  async () => {
    const out = join(folder, 'out');
    await buildTree(catalogueAt(database, [...rows()]), out, instant(NOW));
    forgeEditions(out);
    return out;
  },
  NOW,
  database,
);

const isWide = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');

describe('hostile text', () => {
  test.each([360, 1280])('stays text, at %d pixels', async (width) => {
    const viewport = { width, height: 800 };
    const { page, complaints, requests } = await visit(browser(), `${preview().origin}/?at=${NOW}&view=cards`, {
      viewport,
    });
    expect(await page.locator('.card').count()).toBe(NAMES.length);
    // Nothing that a name holds has become an element, an attribute or a script.
    expect(await page.locator('#page script, #page img, .card b, [onerror], [onload]').count()).toBe(0);
    expect(await page.locator('.card .name').allTextContents()).toContain('<img src=x onerror=alert(3)>');
    expect(await isWide(page)).toBe(false);
    const heights = await page
      .locator('.card')
      .evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().height));
    for (const height of heights) expect(height).toBeLessThan(1000);
    // Only https is a link, and it tells nobody where it comes from.
    const links = await page
      .locator('figcaption a')
      .evaluateAll((all) => all.map((a) => [a.getAttribute('href'), a.getAttribute('rel')]));
    expect(links.length).toBeGreaterThan(0);
    for (const [href, rel] of links) {
      expect(href).toMatch(/^https:\/\/credits\.example\//);
      expect(rel).toBe('noopener noreferrer');
    }
    // Through all of time, every tab, and the list of changes.
    await page.locator('.clock .summary').click();
    for (let i = 0; i < 4; i++) {
      await page.getByRole('button', { name: 'Next change' }).click();
      await page.getByText(`edition ${i + 2} of`).waitFor();
    }
    for (const tab of ['Today', 'Tomorrow', 'Weekend']) await page.getByRole('tab', { name: tab }).click();
    await page.getByRole('searchbox').fill('<script>');
    expect(await isWide(page)).toBe(false);
    expect(complaints).toEqual([]);
    for (const url of requests) expect(url.startsWith(`${preview().origin}/`), url).toBe(true);
  });

  test.each([360, 1280])('stays text behind a card, at %d pixels', async (width) => {
    const viewport = { width, height: 800 };
    const { page, complaints, requests } = await visit(browser(), `${preview().origin}/?at=${NOW}&view=cards`, {
      viewport,
    });
    const cards = page.locator('.line:has(.cards)').first().locator('.name button');
    const sheet = page.locator('.sheet');
    for (let i = 0; i < (await cards.count()); i++) {
      await cards.nth(i).focus();
      await page.keyboard.press('Enter');
      await sheet.getByRole('heading', { name: 'Sessions' }).waitFor();
      expect(await sheet.locator('script, img, b, [onerror], [onload]').count()).toBe(0);
      expect(await sheet.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(false);
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'detached' });
    }
    expect(complaints).toEqual([]);
    for (const url of requests) expect(url.startsWith(`${preview().origin}/`), url).toBe(true);
  });

  test('in the address does no harm', async () => {
    const { page, complaints, requests } = await visit(browser(), `${preview().origin}/?view=cards`);
    for (const query of [
      'front=<script>alert(1)</script>',
      'release=../../x',
      'beside=%00',
      'at=javascript:1',
      'tab=__proto__',
      'view=cards&sort=__proto__&only=x&find=%00&group=<b>&card=../x',
      'missing=constructor&from=x&all',
    ]) {
      await page.goto(`${preview().origin}/?${query}`);
      await page.locator('.card, .listed, .empty, .waiting:not(:text("Reading"))').first().waitFor();
    }
    // A release that is not there is a 404 of our own, which the browser notes.
    expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([]);
    for (const url of requests) expect(url.startsWith(`${preview().origin}/`), url).toBe(true);
  });

  test('a planted fault is reported: markup made of a name', async () => {
    const { page, complaints } = await visit(browser(), `${preview().origin}/?view=cards`);
    await page.evaluate(`try { document.querySelector('.name').innerHTML = '<img src=x onerror=alert(1)>' } catch {}`);
    await page.evaluate(
      `document.querySelector('.name').append(Object.assign(document.createElement('img'), { src: 'https://leak.example/' }))`,
    );
    await expect.poll(() => complaints.join()).toContain('img-src');
    expect(complaints.join()).toContain('trusted-types');
  });
});

describe('pictures', () => {
  const PIXEL = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );

  test('are loaded only on the page with pictures, without a referrer; one that fails is a drawn poster', async () => {
    const { page, context, requests } = await visit(browser(), `${preview().origin}/?at=${NOW}&view=cards`);
    const referrers: (string | undefined)[] = [];
    await context.route('https://pictures.example/**', async (route) => {
      referrers.push(route.request().headers()['referer']);
      if (route.request().url().endsWith('a.png')) await route.fulfill({ contentType: 'image/png', body: PIXEL });
      else await route.abort();
    });
    expect(requests.filter((url) => url.startsWith('https:'))).toEqual([]);
    await page.getByRole('link', { name: 'Load the pictures' }).click();
    await page.waitForURL(/\/with-images/);
    await page.locator('.card img').first().waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe(NOW);
    await expect
      .poll(() => requests.filter((url) => url.startsWith('https://pictures.example/')).length)
      .toBeGreaterThan(0);
    for (const url of requests)
      expect(url.startsWith(`${preview().origin}/`) || url.startsWith('https://pictures.example/'), url).toBe(true);
    expect(referrers.every((referrer) => referrer === undefined)).toBe(true);
    const loaded = page.locator('.card', { has: page.locator('img') }).first();
    expect(await loaded.locator('img').getAttribute('alt')).not.toBeNull();
    await page.locator('.card').nth(1).scrollIntoViewIfNeeded();
    await expect.poll(() => page.locator('.card').nth(1).locator('.poster').count()).toBe(1);
    await page.getByRole('link', { name: 'Show drawn posters' }).click();
    await page.locator('.card').first().waitFor();
    expect(await page.locator('.card img').count()).toBe(0);
  });
});
