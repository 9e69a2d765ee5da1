// What the page looks like, where it can be measured: what is above the fold, faces and sizes,
// posters, the marks of the slider; and that nothing moves for those who do not want it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Pointer } from '../../src/contract/pointer.ts';
import type { EditionChange } from '../../src/preview/messages.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';
import { browserOfFile, demoTree, openDesk, previewOfFile, visit } from '../support/preview-stage.ts';

const folder = temporaryFolderOfFile();
/** Inside of all snapshots of the demo. */
const AT = '2026-05-01T11:40:00Z';
const preview = previewOfFile(() => demoTree(folder), AT);
const browser = browserOfFile();

async function open(query: string, [width, height]: readonly [number, number], more = {}): Promise<Page> {
  const options = { viewport: { width, height }, ...more };
  const { page } = await visit(
    browser(),
    `${preview().origin}/?${query.includes('view=') ? '' : 'view=cards&'}${query}`,
    options,
  );
  return page;
}

async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error('not to be seen');
  return {
    top: box.y,
    bottom: box.y + box.height,
    left: box.x,
    right: box.x + box.width,
    middle: box.y + box.height / 2,
  };
}

const DESKTOP = [1280, 900] as const;
const PHONE = [360, 740] as const;

describe('above the fold', () => {
  test.each([
    [1440, 900, 20],
    [390, 844, 8],
  ])('%d × %d: at least %d whole rows of the list', async (width, height, count) => {
    const page = await open('front=moscow&view=list', [width, height]);
    const [fold, head] = [(await boxOf(page.locator('.clock'))).top, await boxOf(page.locator('.finder'))];
    const boxes = await Promise.all((await page.locator('.listed').all()).map(boxOf));
    expect(boxes.filter(({ top, bottom }) => top >= head.bottom && bottom <= fold).length).toBeGreaterThanOrEqual(
      count,
    );
  });

  test('1280 × 900: two lines of cards, and no product twice', async () => {
    const page = await open('front=moscow', DESKTOP);
    const fold = (await boxOf(page.locator('.clock'))).top;
    const lines = page.locator('.cards');
    for (const i of [0, 1]) expect((await boxOf(lines.nth(i))).bottom).toBeLessThanOrEqual(fold);
    const products = await page
      .locator('.card')
      .evaluateAll((cards) => cards.map((card) => card.getAttribute('data-product')));
    expect(new Set(products).size).toBe(products.length);
    expect(await page.locator('.desk').getByRole('combobox', { name: 'Front' }).isVisible()).toBe(true);
  });

  test('360 × 740: two whole cards; what to look at is in a sheet', async () => {
    const page = await open('front=moscow', PHONE);
    const fold = (await boxOf(page.locator('.clock'))).top;
    for (const i of [0, 1]) expect((await boxOf(page.locator('.card').nth(i))).bottom).toBeLessThan(fold);
    // Front, instant and buttons are on one line.
    const [title, time] = [await boxOf(page.locator('h1')), await boxOf(page.locator('.dateline'))];
    expect(Math.abs(title.middle - time.middle)).toBeLessThan(6);
    expect(await page.getByRole('combobox', { name: 'Front' }).count()).toBe(0);
    await openDesk(page, 360);
    await page.getByRole('dialog').getByRole('combobox', { name: 'Front' }).selectOption('tokyo');
    await page.getByRole('heading', { level: 1, name: 'tokyo' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Fronts');
  });

  test.each([DESKTOP, PHONE])('%d × %d: the player is on one line', async (...size) => {
    const page = await open('front=moscow', size);
    const line = await boxOf(page.locator('.transport'));
    for (const part of ['.clock-time strong', '.slider', '.play']) {
      const { middle, right } = await boxOf(page.locator(part));
      expect(middle, part).toBeGreaterThan(line.top);
      expect(middle, part).toBeLessThan(line.bottom);
      expect(right, part).toBeLessThanOrEqual(size[0]);
    }
    expect((await boxOf(page.locator('.slider'))).right - (await boxOf(page.locator('.slider'))).left).toBeGreaterThan(
      120,
    );
  });

  test.each([
    [1280, 900],
    [800, 900],
    [360, 740],
  ] as const)('%d × %d: nothing lies over anything else in the masthead', async (...size) => {
    const page = await open('front=moscow', size);
    // The front's name is whole, and every view can be chosen.
    expect(await page.locator('h1').evaluate((title) => title.scrollWidth - title.clientWidth)).toBe(0);
    for (const name of ['List', 'Cards', 'Map', 'Health'])
      expect(await page.getByRole('button', { name, exact: true }).isVisible(), name).toBe(true);
    const door = page.locator('.desk-door button');
    if ((await door.count()) === 0) return;
    const { left, bottom } = await boxOf(door);
    for (const part of ['h1', '.dateline']) {
      const box = await boxOf(page.locator(part).first());
      expect(box.right <= left || box.top >= bottom, part).toBe(true);
    }
  });
});

describe('posters', () => {
  const drawings = (page: Page): Promise<{ product: string; ink: string; drawing: string }[]> =>
    page.locator('.card').evaluateAll((cards) =>
      cards.map((card) => ({
        product: card.getAttribute('data-product') ?? '',
        ink: card.querySelector('.poster rect')?.getAttribute('fill') ?? '',
        drawing: card.querySelector('.poster')?.innerHTML ?? '',
      })),
    );

  test('every card has one; the same card the same, others another; a group has its colour', async () => {
    const page = await open('front=moscow', DESKTOP);
    const all = await drawings(page);
    expect(all.every(({ drawing }) => drawing.includes('<path'))).toBe(true);
    const products = new Set(all.map(({ product }) => product));
    const distinct = new Set(all.map(({ drawing }) => drawing));
    expect(new Set(all.map(({ product, drawing }) => product + drawing)).size).toBe(products.size);
    expect(distinct.size).toBeGreaterThan(products.size * 0.8);
    expect(new Set(all.map(({ ink }) => ink)).size).toBeGreaterThan(3);
    const later = await open('front=moscow', PHONE);
    expect(new Set((await drawings(later)).map(({ drawing }) => drawing))).toEqual(distinct);
  });

  test('the credit is in the corner of the picture', async () => {
    const page = await open('front=moscow', DESKTOP);
    const picture = page.locator('.card .picture:has(figcaption)').first();
    const [whole, credit] = [await boxOf(picture), await boxOf(picture.locator('figcaption'))];
    expect(credit.bottom).toBeCloseTo(whole.bottom, 0);
    expect(credit.right).toBeCloseTo(whole.right, 0);
    expect(credit.left).toBeGreaterThanOrEqual(whole.left);
    expect(credit.top).toBeGreaterThan(whole.top);
  });
});

describe('the slider', () => {
  test('has hours, now, and the end of the horizon', async () => {
    const page = await open('front=moscow', DESKTOP);
    const texts = await page.locator('.slider .hour').allInnerTexts();
    expect(texts).toEqual(['13:00', '14:00', '15:00', '16:00', '17:00', '18:00']);
    expect(await page.locator('.slider .end').innerText()).toBe('right until 18:15');
    const [mark, hour, next] = [
      await boxOf(page.locator('.slider .now')),
      await boxOf(page.getByText('14:00', { exact: true })),
      await boxOf(page.getByText('15:00', { exact: true })),
    ];
    // It is 14:40 in Moscow.
    expect(mark.left).toBeGreaterThan(hour.left);
    expect(mark.left).toBeLessThan(next.left);
  });

  test('has midnights with their date, and labels that do not overlap', async () => {
    for (const size of [DESKTOP, PHONE]) {
      const page = await open('front=tokyo', size);
      expect(await page.locator('.slider .midnight').allInnerTexts()).toEqual(['Sat 2 May']);
      const boxes = [];
      for (const mark of await page.locator('.slider .hour').all())
        if (await mark.isVisible()) boxes.push(await boxOf(mark));
      expect(boxes.length).toBeGreaterThan(0);
      for (const [i, box] of boxes.entries()) expect(box.left).toBeGreaterThan(boxes[i - 1]?.right ?? 0);
    }
  });

  test('has taller ticks where more changes, which a tooltip counts, and on which a pointer lands', async () => {
    const page = await open('front=moscow', DESKTOP);
    const pointer = JSON.parse(readFileSync(join(folder, 'out/public/fronts/moscow/pointer.json'), 'utf8')) as Pointer;
    const answer = await fetch(`${preview().origin}/api/changes/current/moscow`);
    const counts = ((await answer.json()) as EditionChange[]).map(({ count }) => count);
    expect(counts).toHaveLength(pointer.products.length);
    const heights = async (): Promise<number[]> => {
      const path = (await page.locator('.slider .marks').getAttribute('d')) ?? '';
      return [...path.matchAll(/M\d+ (\d+)V(\d+)/g)].map(([, top, bottom]) => Number(bottom) - Number(top));
    };
    await expect.poll(async () => new Set(await heights()).size).toBe(new Set(counts.slice(1)).size);
    const drawn = await heights();
    const most = counts.indexOf(Math.max(...counts.slice(1)), 1);
    expect(drawn[most - 1]).toBe(Math.max(...drawn));
    // Some pixels beside the tick.
    const start = pointer.products[most]?.slice(0, 20) ?? '';
    const at =
      (Date.parse(start) - Date.parse(pointer.now)) / (Date.parse(pointer.validUntil) - 1000 - Date.parse(pointer.now));
    const { left, right, middle } = await boxOf(page.locator('.scale'));
    await page.mouse.move(left + (right - left) * at - 3, middle);
    await expect.poll(() => page.locator('.tip').innerText()).toMatch(new RegExp(`, ${counts[most]} changes?$`));
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(() => page.locator('.dateline time').getAttribute('datetime')).toBe(start);
  });
});

test('the focus enters the player without moving the page', async () => {
  const page = await open('front=moscow', DESKTOP);
  for (const name of ['Play', 'Now', 'Keys']) {
    await page.getByRole('button', { name, exact: true }).focus();
    expect(await page.evaluate('scrollY'), name).toBe(0);
  }
});

test('nothing moves where less motion is wanted', async () => {
  for (const reducedMotion of ['reduce', 'no-preference'] as const) {
    const page = await open('front=moscow', DESKTOP, { reducedMotion });
    await page.locator('.card .name button').first().click();
    await page.locator('.sheet').waitFor();
    const animation = () => page.evaluate<string>(`getComputedStyle(document.querySelector('.sheet')).animationName`);
    await expect.poll(animation).toBe(reducedMotion === 'reduce' ? 'none' : 'rise');
  }
});
