// The preview's page in a real browser: everything it can do, by pointer and by keyboard alone.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ProductsDocument } from '../../src/contract/documents.ts';
import type { Pointer } from '../../src/contract/pointer.ts';
import { diffDocuments } from '../../src/release/diff/document-diff.ts';
import { currentName, idIn, manifestIn, manifestOf } from '../support/manifests.ts';
import { filesOf, temporaryFolderOfFile } from '../support/trees.ts';
import { browserOfFile, demoTree, NOW, previewOfFile } from '../support/preview-stage.ts';

const folder = temporaryFolderOfFile();
const preview = previewOfFile(() => demoTree(folder), NOW);
const browser = browserOfFile();

/** One page for all: it keeps nothing, so that going to an address is as good as a new one. */
let shared: Page | null = null;
async function open(query: string): Promise<Page> {
  shared ??= await browser().newPage({ viewport: { width: 1280, height: 900 } });
  shared.setDefaultTimeout(0);
  await shared.goto(`${preview().origin}/${query}&view=cards`);
  await shared.locator('.card').first().waitFor();
  return shared;
}

function pointerOf(front: string): Pointer {
  return JSON.parse(readFileSync(join(folder, 'out/public/fronts', front, 'pointer.json'), 'utf8')) as Pointer;
}

function editionOf(front: string, index: number): ProductsDocument {
  const digest = pointerOf(front).products[index]?.slice(21);
  const path = join(folder, `out/public/fronts/${front}/products.${digest}.json`);
  return JSON.parse(readFileSync(path, 'utf8')) as ProductsDocument;
}

const slider = (page: Page): Locator => page.getByRole('slider', { name: 'Instant' });

/** The instant of the documents that are shown, which may still be on their way to the slider's. */
const shownAt = (page: Page): Promise<string | null> => page.locator('.dateline time').getAttribute('datetime');

/** Product ids of cards. */
async function productsOf(cards: Locator): Promise<number[]> {
  const values = await cards.evaluateAll((elements) => elements.map((card) => card.getAttribute('data-product')));
  return values.map(Number);
}

/** Product ids of the cards in a part of the page, in their order there. */
async function productsIn(part: Locator): Promise<number[]> {
  return productsOf(part.locator('.card'));
}

const ids = (cards: ProductsDocument['productCards']): number[] => cards.map(({ productId }) => productId);

describe('a front', () => {
  test('shows groups in their order, each product once, and of one group all by their weight', async () => {
    const page = await open('?front=moscow');
    const document = editionOf('moscow', 0);
    const titles = await page.locator('.row-title').allInnerTexts();
    const names = document.groups.map(({ name }) => name);
    expect(titles.filter((title) => title !== 'In no group')).toEqual(names.filter((name) => titles.includes(name)));
    const everywhere = await productsIn(page.locator('main'));
    expect(everywhere.toSorted((a, b) => a - b)).toEqual(ids(document.productCards).sort((a, b) => a - b));
    for (const group of document.groups) {
      await page.getByRole('combobox', { name: 'Group' }).selectOption(group.slug);
      const weightOf = (card: (typeof document.productCards)[number]): number =>
        card.groups.find(({ slug }) => slug === group.slug)?.sortWeight ?? Number.NaN;
      const members = document.productCards.filter((card) => card.groups.some(({ slug }) => slug === group.slug));
      const expected = ids(members.toSorted((a, b) => weightOf(a) - weightOf(b)));
      await expect.poll(() => productsIn(page.locator('main'))).toEqual(expected);
    }
    expect(await page.locator('.row-title').count()).toBe(0);
  });

  test('a card shows what the document says', async () => {
    const page = await open('?front=moscow');
    const document = editionOf('moscow', 0);
    const card = document.productCards.find((one) => one.banner);
    const badge = document.badges.find(({ slug }) => slug === card?.badges[0]);
    if (card === undefined || badge === undefined) throw new Error('the demo has no banner with a badge');
    const shown = page.locator(`[data-product="${card.productId}"]`);
    expect(await shown.innerText()).toContain('Banner');
    await expect.poll(() => shown.innerText()).toContain(card.name);
    const text = await shown.innerText();
    expect(text).toContain(`${card.ageRating}+`);
    expect(text).toContain(badge.name);
    expect(text).toContain(card.inventoryItemName);
    expect(text).toContain(`from ₽${card.priceFrom?.toLocaleString('en')}`);
    expect(text).toContain(card.nextScheduleSlot.slice(11, 16));
    expect(await shown.locator('time').getAttribute('datetime')).toBe(card.nextScheduleSlot);
    if (card.altText !== null) await shown.getByRole('img', { name: card.altText }).waitFor();
    const colour = await shown
      .locator('.badges li', { hasText: badge.name })
      .evaluate((element) => element.style.backgroundColor);
    const [red, green, blue] = [1, 3, 5].map((start) => Number.parseInt(badge.color.slice(start, start + 2), 16));
    expect(colour).toBe(`rgb(${red}, ${green}, ${blue})`);
  });

  test.each([
    ['kuwait', /from KWD\s\d+(\.\d{3})?$/],
    ['tokyo', /from ¥[\d,]+$/],
    ['berlin', /from €[\d,]+(\.\d{2})?$/],
  ])('prices of %s are written as its currency is', async (front, form) => {
    const page = await open(`?front=${front}`);
    const amounts = await page.locator('.amount').allTextContents();
    const priced = amounts.filter((amount) => amount !== 'Free');
    expect(priced.length).toBeGreaterThan(3);
    for (const amount of priced) expect(amount).toMatch(form);
  });

  test('sold out and paused cards say so', async () => {
    const page = await open('?front=moscow');
    const { productCards } = editionOf('moscow', 0);
    for (const [words, isSo] of [
      ['Sold out', (card: (typeof productCards)[number]) => card.soldOut],
      ['Sales paused', (card: (typeof productCards)[number]) => card.paused],
    ] as const) {
      const expected = ids(productCards.filter(isSo)).sort((a, b) => a - b);
      expect(expected.length, words).toBeGreaterThan(0);
      const cards = page.locator('.card', { has: page.locator('.state', { hasText: words }) });
      const shown = new Set(await productsOf(cards));
      expect(
        [...shown].sort((a, b) => a - b),
        words,
      ).toEqual(expected);
    }
  });

  test.each(['today', 'tomorrow', 'weekend'] as const)('the tab %s shows its sessions only', async (tab) => {
    const page = await open(`?front=moscow&tab=${tab}`);
    const cards = editionOf('moscow', 0).productCards.filter((card) => card[`${tab}Slot`] !== null);
    expect(cards.length).toBeGreaterThan(0);
    expect([...new Set(await productsIn(page.locator('main')))].sort((a, b) => a - b)).toEqual(
      ids(cards).sort((a, b) => a - b),
    );
    for (const card of cards) {
      const time = page.locator(`[data-product="${card.productId}"] time`).first();
      expect(await time.getAttribute('datetime')).toBe(card[`${tab}Slot`]);
    }
    expect(await page.getByRole('tab', { selected: true }).innerText()).toContain(String(cards.length));
  });

  test('text and badges narrow it', async () => {
    const page = await open('?front=moscow');
    const { productCards, badges } = editionOf('moscow', 0);
    const [badge] = badges;
    if (badge === undefined) throw new Error('the demo has no badge');
    const badgeSelect = page.getByRole('combobox', { name: 'Badge' });
    await badgeSelect.selectOption(badge.slug);
    const withBadge = ids(productCards.filter((card) => card.badges.includes(badge.slug)));
    await expect.poll(async () => new Set(await productsIn(page.locator('main'))).size).toBe(withBadge.length);
    await badgeSelect.selectOption('');
    await page.getByRole('searchbox').fill('чайка');
    await expect
      .poll(async () => (await page.locator('.card .name').allInnerTexts()).every((name) => /чайка/i.test(name)))
      .toBe(true);
    await page.getByRole('searchbox').fill('nothing has this name');
    await page.getByText('No card matches “nothing has this name”').waitFor();
    await page.getByRole('button', { name: `Show all ${productCards.length} cards` }).click();
    await expect.poll(async () => new Set(await productsIn(page.locator('main'))).size).toBe(productCards.length);
  });
});

describe('time', () => {
  test('moved across the start of an edition, the slider changes exactly the cards that diff names', async () => {
    const page = await open(`?front=moscow&at=${pointerOf('moscow').now}`);
    const { products } = pointerOf('moscow');
    expect(products.length).toBeGreaterThan(20);
    let changedTotal = 0;
    for (const index of [1, 2, 9, products.length - 1]) {
      const start = products[index]?.slice(0, 20) ?? '';
      const seconds = Date.parse(start) / 1000;
      await slider(page).fill(String(seconds - 1));
      await page.getByText(`edition ${index} of ${products.length}`).waitFor();
      await expect.poll(() => shownAt(page)).toBe(new Date(seconds * 1000 - 1000).toISOString().replace('.000', ''));
      await page.evaluate(`
        window.touched = new Set();
        window.watcher = new MutationObserver((records) => {
          for (const { target } of records) {
            const card = (target.nodeType === 1 ? target : target.parentElement).closest('[data-product]');
            if (card !== null) window.touched.add(Number(card.dataset.product));
          }
        });
        window.watcher.observe(document.querySelector('main'), { subtree: true, childList: true, attributes: true, characterData: true });
      `);
      await slider(page).fill(String(seconds));
      await page.getByText(`edition ${index + 1} of ${products.length}`).waitFor();
      await expect.poll(() => shownAt(page)).toBe(start);
      const named = diffDocuments(editionOf('moscow', index - 1), editionOf('moscow', index))
        .filter(({ list, change }) => list === 'productCards' && change !== 'gone')
        .map(({ id }) => id);
      const marked = await productsOf(page.locator('.is-changed'));
      expect([...new Set(marked)].sort((a, b) => a - b)).toEqual([...new Set(named)].sort((a, b) => a - b));
      // What else was drawn again are the cards whose mark of the edition before went away.
      const before = diffDocuments(editionOf('moscow', Math.max(0, index - 2)), editionOf('moscow', index - 1)).map(
        ({ id }) => id,
      );
      const touched = await page.evaluate<number[]>('window.watcher.disconnect(); [...window.touched]');
      for (const id of touched) expect([...named, ...before]).toContain(id);
      for (const id of named) expect(touched).toContain(id);
      changedTotal += named.length;
    }
    expect(changedTotal).toBeGreaterThan(3);
  });

  test('changes are listed as text', async () => {
    const page = await open(`?front=moscow&at=${pointerOf('moscow').products[4]?.slice(0, 20)}`);
    await page.locator('.clock .summary').click();
    const changes = diffDocuments(editionOf('moscow', 3), editionOf('moscow', 4));
    const list = page.getByRole('region', { name: 'What changes' }).getByRole('listitem');
    expect(await list.count()).toBe(changes.length);
    for (const [i, { name }] of changes.entries()) expect(await list.nth(i).innerText()).toContain(name);
  });

  test('play lets the clock run, over the changes, and stops at the end', async () => {
    const page = await open(`?front=moscow&at=${pointerOf('moscow').now}`);
    await page.getByRole('button', { name: 'Play' }).click();
    // On a busy machine a frame may take the clock over several changes.
    await page.getByText(/edition (?!1 of)\d+ of/).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    const stood = await slider(page).inputValue();
    await page.waitForTimeout(100);
    expect(await slider(page).inputValue()).toBe(stood);
    await page.getByRole('combobox', { name: 'Speed' }).selectOption('3600');
    const last = Date.parse(pointerOf('moscow').validUntil) / 1000 - 1;
    await slider(page).fill(String(last - 900));
    await page.getByRole('button', { name: 'Play' }).click();
    await expect.poll(() => slider(page).inputValue()).toBe(String(last));
    await page.getByRole('button', { name: 'Play' }).waitFor();
  });

  test('buttons go from change to change, and back to now', async () => {
    const { now, products } = pointerOf('moscow');
    const page = await open(`?front=moscow&at=${now}`);
    const at = async (): Promise<string> =>
      new Date(Number(await slider(page).inputValue()) * 1000).toISOString().replace('.000', '');
    await page.getByRole('button', { name: 'Next change' }).click();
    await page.getByRole('button', { name: 'Next change' }).click();
    await expect.poll(at).toBe(products[2]?.slice(0, 20));
    await page.getByRole('button', { name: 'Previous change' }).click();
    await expect.poll(at).toBe(products[1]?.slice(0, 20));
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    // The server's clock stands before this snapshot was made: its beginning is as near as it gets.
    await expect.poll(at).toBe(now);
  });

  test('the address restores the view', async () => {
    const at = pointerOf('berlin').products[3]?.slice(0, 20) ?? '';
    const page = await open('?front=moscow');
    await page.getByRole('combobox', { name: 'Front' }).selectOption('berlin');
    await slider(page).fill(String(Date.parse(at) / 1000));
    await page.getByRole('tab', { name: /Tomorrow/ }).click();
    await page.waitForURL(/front=berlin.*at=.*tab=tomorrow/);
    await page.goBack();
    await expect.poll(() => page.getByRole('tab', { selected: true }).innerText()).toContain('All');
    await page.goForward();
    await page.waitForURL(/front=berlin.*at=.*tab=tomorrow/);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'berlin' }).waitFor();
    expect(await slider(page).inputValue()).toBe(String(Date.parse(at) / 1000));
    expect(await page.getByRole('tab', { selected: true }).innerText()).toContain('Tomorrow');
  });

  test('an instant outside the snapshot stays the one on the clock; the slider stands at its nearer end', async () => {
    const page = await open('?front=moscow&at=2030-01-01T00:00:00Z');
    await page.locator('.untimely').waitFor();
    expect(await page.locator('.dateline').innerText()).toContain('Tuesday, 1 January 2030 03:00');
    expect(await page.locator('.clock-time').innerText()).toMatch(/^03:00\nTue 1 Jan /);
    expect(await slider(page).inputValue()).toBe(await slider(page).getAttribute('max'));
  });
});

describe('releases', () => {
  const releases = (): string[] => (preview().server.listening ? readReleases() : []);
  const readReleases = (): string[] => [idIn(currentName(join(folder, 'out')))];

  test('another release shows its own document; compared with the current one, each difference is told once', async () => {
    const page = await open('?front=moscow&at=2026-05-01T10:00:00Z');
    const [current = ''] = releases();
    const options = await page
      .locator('.choices option')
      .evaluateAll((all) => all.map((option) => option.getAttribute('value') ?? ''));
    const older = options.find((id) => /^[0-9a-f]{16}$/.test(id) && id !== current) ?? '';
    // The current release is offered once, and not to be compared with itself.
    expect(options.filter((id) => id === current || id === 'current')).toEqual(['current']);
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption(older);
    const pairs = page.locator('section.pair');
    await expect.poll(() => pairs.count()).toBeGreaterThan(4);
    const { fronts } = manifestOf(filesOf(join(folder, 'out')), older);
    const entries = fronts.find(({ front }) => front === 'moscow')?.pointer.products ?? [];
    const digest = entries.findLast((entry) => entry.slice(0, 20) <= '2026-05-01T10:00:00Z')?.slice(21);
    const left = JSON.parse(
      readFileSync(join(folder, `out/public/fronts/moscow/products.${digest}.json`), 'utf8'),
    ) as ProductsDocument;
    const index = pointerOf('moscow').products.findLastIndex((entry) => entry.slice(0, 20) <= '2026-05-01T10:00:00Z');
    const changes = diffDocuments(left, editionOf('moscow', index)).filter(({ list }) => list === 'productCards');
    expect(await pairs.count()).toBe(new Set(changes.map(({ id }) => id)).size);
    const priced = pairs.filter({ hasText: /Price from .* → from/ });
    expect(await priced.count()).toBeGreaterThan(0);
    expect(
      await priced
        .first()
        .getByText(/Price from .* → from/)
        .count(),
    ).toBe(1);
    // Product 7 has gone since: it is in the older alone, on the left.
    const gone = pairs.filter({ has: page.locator('[data-product="7"]') });
    expect(await gone.locator('.no-card').innerText()).toBe('No card, current release');
    await page.getByRole('checkbox', { name: 'Only what differs' }).uncheck();
    const all = new Set(
      [...left.productCards, ...editionOf('moscow', index).productCards].map((card) => card.productId),
    );
    await expect.poll(() => pairs.count()).toBe(all.size);
    await page.getByRole('combobox', { name: 'Release' }).selectOption(older);
    await page.getByRole('button', { name: 'End comparison' }).click();
    await expect.poll(() => pairs.count()).toBe(0);
    await page.locator('[data-product="7"]').first().waitFor();
  });

  test('the health strip shows every front: cards, editions, validity, products without a card', async () => {
    const page = await open('?front=moscow');
    const items = page.locator('.health > li');
    expect(await items.count()).toBe(13);
    const { fronts } = manifestIn(join(folder, 'out'));
    for (const [i, { front, cards, dropped, editions }] of fronts.entries()) {
      const text = await items.nth(i).innerText();
      expect(text).toContain(front);
      expect(text).toContain(`${cards} card`);
      expect(text).toContain(`${editions.products} edition`);
      expect(text).toMatch(/\d+ h( \d+ min)? left/);
      const without = Object.values(dropped).reduce((sum, count) => sum + count, 0);
      if (without > 0) expect(text).toContain(`${without} without a card`);
    }
    await page.locator('.health').getByRole('button', { name: 'tokyo' }).click();
    await page.getByRole('heading', { level: 1, name: 'tokyo' }).waitFor();
  });
});

test('a damaged edition is reported; the others are shown', async () => {
  const { products } = pointerOf('montreal');
  writeFileSync(join(folder, `out/public/fronts/montreal/products.${products[2]?.slice(21)}.json`), '{}');
  const page = await open(`?front=montreal&at=${products[0]?.slice(0, 20)}`);
  for (const time of [1, 2]) {
    await page.getByRole('button', { name: 'Next change' }).click();
    await page.getByText(`edition ${time + 1} of`).waitFor();
  }
  await page.getByRole('alert').getByText('expected a SHA-256 that begins with').waitFor();
  expect(await page.locator('.card').count()).toBe(0);
  // The one after it is shown, and cannot be compared.
  await page.getByRole('button', { name: 'Next change' }).click();
  await page.locator('.card').first().waitFor();
  await page.getByText('no earlier edition to compare with').first().waitFor();
  await page.getByRole('button', { name: 'Previous change' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Previous change' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  expect(await page.locator('.card').count()).toBeGreaterThan(0);
});

describe('keyboard alone', () => {
  /** Tabs on until the element in focus has this accessible name. */
  async function tabTo(page: Page, name: string | RegExp): Promise<void> {
    for (let i = 0; i < 400; i++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate<string>(
        `(({ activeElement: one }) => one.getAttribute('aria-label') ?? one.labels?.[0]?.innerText ?? one.innerText)(document)`,
      );
      if (typeof name === 'string' ? focused.trim() === name : name.test(focused)) return;
    }
    throw new Error(`no tab stop ${String(name)}`);
  }

  test('choose a front, a tab, go through time, play; the focus is visible', async () => {
    const page = await open(`?front=moscow&at=${NOW}`);
    await tabTo(page, /^Front/);
    await page.keyboard.type('kas');
    await page.getByRole('heading', { level: 1, name: 'kassa' }).waitFor();
    await tabTo(page, /^All/);
    await page.keyboard.press('ArrowLeft');
    expect(await page.getByRole('tab', { selected: true }).innerText()).toContain('Weekend');
    await page.keyboard.press('Home');
    expect(await page.getByRole('tab', { selected: true }).innerText()).toContain('Today');
    await page.keyboard.press('End');
    await tabTo(page, 'Next change');
    await page.keyboard.press('Enter');
    const { products } = pointerOf('kassa');
    const seconds = (index: number): string => String(Date.parse(products[index]?.slice(0, 20) ?? '') / 1000);
    await expect.poll(() => slider(page).inputValue()).toBe(seconds(1));
    await tabTo(page, 'Instant');
    await page.keyboard.press('PageUp');
    await expect.poll(() => slider(page).inputValue()).toBe(seconds(2));
    await page.keyboard.press('PageDown');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => slider(page).inputValue()).toBe(String(Number(seconds(1)) + 60));
    expect(await slider(page).getAttribute('aria-valuetext')).toMatch(/^Friday, 1 May 2026, \d\d:\d\d, edition 2 of/);
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Play');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByText('edition 2 of').waitFor();
    await page.keyboard.press('Space');
    await tabTo(page, /edition \d+ of/);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'What changes' }).waitFor();
  });
});
