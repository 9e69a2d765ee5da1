// The page for everybody: axe-core finds nothing to mend, in light and dark, at three widths, with
// the panels open and closed; nothing makes the page scroll sideways.

import { expect, test } from 'vitest';
import { sample } from '../speeds.ts';
import { isTooWide, violationsOf } from '../support/accessibility.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';
import { browserOfFile, demoTree, openDesk, previewOfFile, visit } from '../support/preview-stage.ts';

const folder = temporaryFolderOfFile();
const preview = previewOfFile(() => demoTree(folder));
const browser = browserOfFile();

// Riyadh is small, and its text runs from right to left; Moscow has every state that a card can be
// in.
const VIEWS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  (
    [
      [360, 'riyadh'],
      [800, 'moscow'],
      [1280, 'riyadh'],
    ] as const
  ).map(([width, front]) => ({ front, colorScheme, width })),
);

// Each scheme once; the widest page has axe below.
test.each(sample(VIEWS, 4))('$front, $colorScheme, $width pixels', async ({ front, colorScheme, width }) => {
  const options = { colorScheme, viewport: { width, height: 800 } };
  const url = `${preview().origin}/?front=${front}&view=cards&tab=today&at=2026-05-01T10:15:00Z`;
  const { page, complaints } = await visit(browser(), url, options);
  await page.locator('.clock .summary').click();
  await page.locator('.is-changed').last().scrollIntoViewIfNeeded();
  expect(await violationsOf(page)).toEqual([]);
  await openDesk(page, width);
  expect(await violationsOf(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.locator('.card .name button').last().click();
  await page.locator('.json summary').click();
  expect(await violationsOf(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  if (front === 'riyadh') expect(await page.locator('.card-text').first().getAttribute('dir')).toBe('rtl');
  expect(complaints).toEqual([]);
});

test.each([360, 1280])('the list, its filters, and two releases compared, %d pixels', async (width) => {
  const url = `${preview().origin}/?front=kuwait`;
  const { page, complaints } = await visit(browser(), url, { viewport: { width, height: 800 } });
  if (width < 640) {
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('price');
    await page.waitForURL(/sort=price/);
  }
  expect(await violationsOf(page)).toEqual([]);
  await openDesk(page, width);
  const older = await page.locator('.choices option').evaluateAll((all) => all.at(-1)?.getAttribute('value') ?? '');
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption(older);
  await page.keyboard.press('Escape');
  await page.getByRole('checkbox', { name: 'Only what differs' }).uncheck();
  for (const view of ['Cards', 'List']) {
    await page.getByRole('button', { name: view, exact: true }).click();
    await page
      .locator(view === 'List' ? '.listed' : 'section.pair')
      .first()
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);
  }
  expect(complaints).toEqual([]);
});

test('axe reports a planted fault', async () => {
  const { page } = await visit(browser(), `${preview().origin}/?front=kuwait`);
  await page.evaluate(`document.querySelector('.play').removeAttribute('aria-label')`);
  expect((await violationsOf(page)).join()).toContain('button-name');
});
