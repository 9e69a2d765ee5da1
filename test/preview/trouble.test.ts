// What the page shows when something is wrong: a stale tree, a server that has ended, pointers that
// are missing or broken, an unknown front. It never shows one front in place of another.

import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { violationsOf } from '../support/accessibility.ts';
import { temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import {
  browserOfFile,
  demoTree,
  NOW,
  openDesk,
  startPreview,
  visit,
  type Preview,
  type Visit,
} from '../support/preview-stage.ts';

const folder = temporaryFolderOfFile();
const browser = browserOfFile();
let tree = '';
beforeAll(async () => {
  tree = await demoTree(folder);
});

/** A server over a copy of the tree that a test has damaged. */
async function preview(damage: (out: string) => void = () => undefined, now = NOW): Promise<Preview> {
  const out = join(temporaryFolder(), 'out');
  cpSync(tree, out, { recursive: true });
  damage(out);
  const started = await startPreview(out, now);
  onTestFinished(() => stop(started));
  return started;
}

function stop({ server }: Preview): void {
  server.close();
  server.closeAllConnections();
}

const pointerIn = (out: string, front: string): string => join(out, 'public/fronts', front, 'pointer.json');

const frontSelect = (page: Page) => page.getByRole('combobox', { name: 'Front' });

/** Asserts that nothing of any front is shown: neither its cards nor its clock. */
async function expectNothing(page: Page): Promise<void> {
  expect(await page.locator('.card').count()).toBe(0);
  expect(await page.locator('.dateline').count()).toBe(0);
  expect(await page.locator('.clock').count()).toBe(0);
}

describe('a tree without a build for 512 days', () => {
  test.each([
    [1280, 'light'],
    [1280, 'dark'],
    [360, 'light'],
  ] as const)('is stale beside the names of its fronts, %d pixels, %s', async (width, colorScheme) => {
    const { origin } = await preview(undefined, '2027-09-25T12:00:00Z');
    const { page } = await visit(browser(), `${origin}/?front=moscow&view=cards`, {
      colorScheme,
      viewport: { width, height: 740 },
    });
    await openDesk(page, width);
    const fronts = page.locator('.health > li');
    expect(await fronts.count()).toBe(13);
    for (const front of await fronts.all()) {
      const words = front.getByText(/^stale for 51\d d/);
      const [name, stale] = [await front.locator('.choose').boundingBox(), await words.boundingBox()];
      if (name === null || stale === null) throw new Error('not to be seen');
      expect(stale.x).toBeGreaterThanOrEqual(name.x + name.width);
    }
  });
});

describe('a server that has ended', () => {
  async function goneFrom(front: string): Promise<Visit & { readonly back: () => Promise<void> }> {
    const started = await preview();
    const seen = await visit(browser(), `${started.origin}/?front=${front}&view=cards`);
    const { port } = started.server.address() as AddressInfo;
    stop(started);
    const back = (): Promise<void> =>
      new Promise((resolve) => started.server.listen(port, '127.0.0.1', () => resolve()));
    return { ...seen, back };
  }

  test('leaves another front without cards, under its own name and clock', async () => {
    const { page, back } = await goneFrom('moscow');
    const first = await page.locator('.card .name').first().innerText();
    await frontSelect(page).selectOption('tokyo');
    await page.getByRole('alert').getByText('The preview does not answer').waitFor();
    expect(await page.locator('h1').innerText()).toBe('tokyo');
    expect(await page.locator('.card').count()).toBe(0);
    expect(await page.locator('.dateline time').innerText()).toBe(await page.locator('.clock-time strong').innerText());

    // Back again, it is asked again.
    await back();
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await page.locator('.card').first().waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.locator('h1').innerText()).toBe('tokyo');
    expect(await page.locator('.card .name').allInnerTexts()).not.toContain(first);
  });

  test('leaves another edition of the same front without cards, under its own instant', async () => {
    const { page } = await goneFrom('moscow');
    await page.getByRole('slider', { name: 'Instant' }).press('End');
    await page.getByRole('alert').getByText('The preview does not answer').waitFor();
    expect(await page.locator('.card').count()).toBe(0);
    expect(await page.locator('.dateline time').innerText()).toBe(await page.locator('.clock-time strong').innerText());
    expect(await violationsOf(page)).toEqual([]);
  });

  test('is reported beside the button that opens the desk, not under it', async () => {
    const started = await preview();
    const { page } = await visit(browser(), `${started.origin}/?front=moscow`, {
      viewport: { width: 360, height: 740 },
    });
    stop(started);
    await page.getByRole('slider', { name: 'Instant' }).press('End');
    const alert = await page.getByRole('alert').boundingBox();
    const door = await page.getByRole('button', { name: 'Fronts', exact: true }).boundingBox();
    if (alert === null || door === null) throw new Error('not to be seen');
    expect(alert.y).toBeGreaterThanOrEqual(door.y + door.height);
  });
});

describe('a pointer', () => {
  test.each<[string, (path: string) => void, RegExp]>([
    ['missing', (path) => rmSync(path), /public\/fronts\/moscow\/pointer\.json: .*missing/],
    ['broken', (path) => writeFileSync(path, '{'), /public\/fronts\/moscow\/pointer\.json: .+/],
  ])('that is %s: the front is listed, with what is wrong', async (_, damage, problem) => {
    const { origin } = await preview((out) => damage(pointerIn(out, 'moscow')));
    const { page, complaints } = await visit(browser(), `${origin}/?front=moscow&view=cards`);
    expect(await page.locator('.empty').innerText()).toMatch(problem);
    expect(await frontSelect(page).inputValue()).toBe('moscow');
    await expectNothing(page);
    expect(await violationsOf(page)).toEqual([]);
    const item = page.locator('.health > li', { has: page.getByRole('button', { name: 'moscow' }) });
    expect(await item.getAttribute('class')).toBe('is-chosen');
    expect(await item.locator('.bad').innerText()).toMatch(problem);
    // The others are as they were.
    expect(await page.locator('.health > li').count()).toBe(13);
    await frontSelect(page).selectOption('tokyo');
    await page.locator('.card').first().waitFor();
    expect(await page.locator('h1').innerText()).toBe('tokyo');
    expect(complaints).toEqual([]);
  });

  test('broken in every front: the first is chosen, with what is wrong', async () => {
    const { origin } = await preview((out) => {
      for (const front of readdirSync(join(out, 'public/fronts'))) writeFileSync(pointerIn(out, front), '{');
    });
    const { page } = await visit(browser(), `${origin}/`);
    const chosen = await frontSelect(page).inputValue();
    expect(chosen).not.toBe('');
    expect(await page.locator('.empty').innerText()).toContain(`public/fronts/${chosen}/pointer.json`);
  });
});

describe('an unknown front', () => {
  test('is reported as unknown, and no other is shown instead', async () => {
    const { origin } = await preview();
    const { page, complaints } = await visit(browser(), `${origin}/?front=nope&view=cards`);
    expect(await page.locator('.empty').innerText()).toContain('There is no front “nope” here');
    expect(await frontSelect(page).inputValue()).toBe('nope');
    expect(await page.title()).toContain('nope');
    expect(await violationsOf(page)).toEqual([]);
    await expectNothing(page);
    expect(await page.locator('.health .is-chosen').count()).toBe(0);
    await frontSelect(page).selectOption('moscow');
    await page.locator('.card').first().waitFor();
    expect(await frontSelect(page).locator('option').allInnerTexts()).not.toContain('nope');
    expect(complaints).toEqual([]);
  });

  test('is text, whatever it is', async () => {
    const { origin } = await preview();
    const name = '<img src=x onerror=alert(1)>\u202E';
    const { page, complaints } = await visit(browser(), `${origin}/?front=${encodeURIComponent(name)}`);
    expect(await page.locator('.empty').innerText()).toContain('“<img src=x onerror=alert(1)>');
    expect(await page.locator('.empty').innerText()).not.toContain('\u202E');
    expect(complaints).toEqual([]);
  });
});
