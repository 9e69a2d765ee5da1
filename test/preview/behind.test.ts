// What is behind a card, a change and a chip, the single keys, and the page that follows a build.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pointer } from '../../src/contract/pointer.ts';
import { verdictOf } from '../../src/cli/output/explain.ts';
import { explainProduct } from '../../src/operations/explain.ts';
import type { DaySessions, EditionChange, MissingProduct, ProductLabels } from '../../src/preview/messages.ts';
import { isTooWide, violationsOf } from '../support/accessibility.ts';
import { buildTree, catalogueAt, instant, temporaryFolder, temporaryFolderOfFile } from '../support/trees.ts';
import { browserOfFile, demoTree, previewOfFile, startPreview, visit } from '../support/preview-stage.ts';
import { demoRows } from '../../data/demo/rows.ts';

const folder = temporaryFolderOfFile();
const database = join(folder, 'after.sqlite');
const AT = '2026-05-01T11:40:00Z';
/** When the current release was made. */
const MADE = '2026-05-01T09:05:00Z';
const alone = previewOfFile(() => demoTree(folder), AT);
const asking = previewOfFile(() => Promise.resolve(join(folder, 'out')), AT, database);
const browser = browserOfFile();

async function open(origin: string, query = `front=moscow&at=${AT}`): Promise<Page> {
  const { page, context } = await visit(browser(), `${origin}/?${query}`);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  return page;
}

const copied = (page: Page): Promise<string> => page.evaluate<string>('navigator.clipboard.readText()');

describe('changes', () => {
  test('are told in words, and lead to their cards, which are marked', async () => {
    const page = await open(alone().origin, `front=moscow&at=${AT}&view=cards`);
    await page.locator('.clock .summary').click();
    const change = page.getByRole('region', { name: 'What changes' }).getByRole('button').first();
    expect(await change.innerText()).toMatch(/Nearest session \d\d:\d\d → \d\d:\d\d/);
    // It is found though the viewer looks for something else.
    await page.getByRole('searchbox').fill('nothing has this name');
    await page.getByText('No card matches').waitFor();
    await change.click();
    const marked = page.locator('.card.is-pointed').first();
    await marked.waitFor();
    const [card, clock] = [await marked.boundingBox(), await page.locator('.clock').boundingBox()];
    if (card === null || clock === null) throw new Error('not to be seen');
    expect(card.y).toBeGreaterThanOrEqual(0);
    expect(card.y + card.height).toBeLessThanOrEqual(clock.y);
    expect((await change.innerText()).startsWith(await marked.locator('.name').innerText())).toBe(true);
    expect(await page.evaluate('document.activeElement.closest(".is-pointed") !== null')).toBe(true);
    // The mark is of this edition.
    await page.keyboard.press('j');
    await expect.poll(() => page.locator('.is-pointed').count()).toBe(0);
  });
});

describe('keys', () => {
  const edition = (page: Page, index: number) => page.getByText(`edition ${index} of`).waitFor();

  test('J and K go from change to change, space plays, / finds, ? tells', async () => {
    const page = await open(alone().origin);
    await edition(page, 10);
    await page.keyboard.press('j');
    await edition(page, 11);
    await page.keyboard.press('K');
    await page.keyboard.press('k');
    await edition(page, 9);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play' }).waitFor();
    await page.keyboard.press('/');
    // In a field they are letters.
    await page.keyboard.type('jk? /');
    expect(await page.getByRole('searchbox').inputValue()).toBe('jk? /');
    await page.getByRole('searchbox').fill('');
    await page.getByRole('searchbox').blur();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.getByText('the next change').waitFor();
    const before = await page.locator('.edition').innerText();
    await page.keyboard.press('j');
    expect(await page.locator('.edition').innerText()).toBe(before);
    // They can be switched off.
    await help.getByRole('checkbox').uncheck();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    expect(await page.locator('.edition').innerText()).toBe(before);
  });

  test('space still presses the button in focus', async () => {
    const page = await open(alone().origin);
    await page.getByRole('button', { name: 'Next change' }).focus();
    await page.keyboard.press('Space');
    await edition(page, 11);
    expect(await page.getByRole('button', { name: 'Play' }).count()).toBe(1);
  });
});

describe('drop reasons', () => {
  test('are chips that open the products, each with what explain says first, and the command', async () => {
    const page = await open(asking().origin);
    const chip = page.locator('.drops').getByRole('button', { name: 'not published' });
    const count = Number(await chip.locator('b').innerText());
    await chip.click();
    const products = page.getByRole('dialog').getByRole('listitem');
    await products.first().waitFor();
    expect(await products.count()).toBe(count);
    const answer = await fetch(`${asking().origin}/api/missing/current/moscow/${MADE}`);
    const missing = ((await answer.json()) as MissingProduct[]).filter(({ reason }) => reason === 'not-published');
    for (const [i, { slug, name }] of missing.entries()) {
      const options = { databasePath: database, frontCode: 'moscow', slug, tzdata: process.versions['tz'] ?? '' };
      const text = await products.nth(i).innerText();
      expect(text).toContain(name);
      expect(text).toContain(verdictOf(await explainProduct(options, instant(MADE)))?.slice(1));
      expect(text).toMatch(/Its status is (draft|archived), not published\./);
      await products.nth(i).getByRole('button', { name: 'Copy command' }).click();
      await expect.poll(() => copied(page)).toContain(`--front moscow --product ${slug} --at ${MADE}`);
      expect(await copied(page)).toMatch(new RegExp(`^playbill explain --front .* --db ${database}$`));
    }
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.innerText')).toBe(await chip.innerText());
  });

  test('without a catalogue say how to name them', async () => {
    const page = await open(alone().origin);
    await page.locator('.drops .chip').first().click();
    const commands = await page.getByRole('dialog').locator('code').allInnerTexts();
    expect(commands[0]).toMatch(/^playbill preview --out .*--db/);
    expect(commands[1]).toMatch(/^playbill explain --front moscow --product SLUG/);
  });
});

describe('a card', () => {
  test('opens its dates, its sessions and prices from the catalogue, why, and its JSON', async () => {
    const page = await open(asking().origin, `front=moscow&at=${AT}&view=cards`);
    const card = page.locator('.card', { hasText: 'Featured' }).first();
    const [name, price] = [await card.locator('.name').innerText(), await card.locator('.amount').innerText()];
    // Anywhere on it: the name's button lies over all of it.
    const venue = await card.locator('.venue').boundingBox();
    await page.mouse.click((venue?.x ?? 0) + 5, (venue?.y ?? 0) + 5);
    const sheet = page.getByRole('dialog', { name });
    await sheet.getByRole('heading', { name: 'Sessions' }).waitFor();
    const text = await sheet.innerText();
    for (const part of ['Nearest session', price, 'It has a card.', ' seats left', 'this is priceFrom', 'Rules'])
      expect(text).toContain(part);
    await sheet.getByText('JSON', { exact: true }).click();
    const json = JSON.parse(await sheet.locator('pre').innerText()) as { name: string };
    expect(json.name).toBe(name);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.innerText')).toBe(name);
  });

  test('without a catalogue opens what was published, and the command that tells why', async () => {
    const page = await open(alone().origin);
    await page.locator('.listed button').first().click();
    const commands = await page.getByRole('dialog').locator('code').allInnerTexts();
    expect(commands.join('\n')).toContain(`--at ${AT}`);
    expect(commands.join('\n')).toContain('--db CATALOGUE.sqlite');
  });

  test('of a catalogue that has lost it says so', async () => {
    const fronts = [...demoRows(MADE)].filter(({ table }) => table === 'fronts');
    const lost = catalogueAt(join(temporaryFolder(), 'lost.sqlite'), fronts);
    const started = await startPreview(join(folder, 'out'), AT, lost);
    onTestFinished(() => void started.server.close());
    const page = await open(started.origin);
    await page.locator('.listed button').first().click();
    await page.getByRole('dialog').getByRole('alert').getByText('expected the slug of a product').waitFor();
  });
});

describe('the list', () => {
  const names = (page: Page): Promise<string[]> => page.locator('.listed .col-name').allInnerTexts();
  const query = `front=moscow&at=${AT}`;

  test('has every product, those without a card with their reason, and is sorted by keys alone', async () => {
    const page = await open(asking().origin, query);
    const missing = page.locator('.listed.is-missing');
    await missing.first().waitFor();
    const counted = await page.locator('.drops .chip b').allInnerTexts();
    expect(await missing.count()).toBe(counted.reduce((sum, count) => sum + Number(count), 0));
    expect(await missing.first().innerText()).toMatch(/No card: /);
    const inOrder = await names(page);
    const head = page.getByRole('columnheader', { name: 'Product' });
    await head.getByRole('button').focus();
    await page.keyboard.press('Enter');
    expect(await head.getAttribute('aria-sort')).toBe('ascending');
    const collator = new Intl.Collator('en', { numeric: true });
    await expect.poll(() => names(page)).toEqual(inOrder.toSorted(collator.compare));
    await page.keyboard.press('Enter');
    await expect.poll(() => head.getAttribute('aria-sort')).toBe('descending');
    await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe('-name');
    await page.keyboard.press('Enter');
    await expect.poll(() => names(page)).toEqual(inOrder);
    // From row to row, and into one.
    await page.locator('.listed button').first().focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe(inOrder[1]);
    await page.keyboard.press('End');
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe(inOrder.at(-1));
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog', { name: inOrder.at(-1) ?? '' });
    await sheet.getByText(/^No card: /).waitFor();
    await sheet.getByRole('button', { name: 'Copy as Markdown' }).click();
    await expect
      .poll(() => copied(page))
      .toMatch(/^## .*\n\nmoscow, Friday, 1 May 2026, 14:40[^]*### Why\n\nNo card: /);
    // An address has led here, and the way back is the browser's.
    expect(new URL(page.url()).searchParams.get('card')).toMatch(/./);
    await page.goBack();
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.innerText')).toBe(inOrder.at(-1));
    await page.goForward();
    await sheet.waitFor();
  });

  test('changes to cards, to the map, and back by a key; filters know the catalogue and the horizon', async () => {
    const page = await open(asking().origin, query);
    const filter = (name: string, value: string) => page.getByRole('combobox', { name }).selectOption(value);
    await page.keyboard.press('v');
    await page.locator('.card').first().waitFor();
    await page.keyboard.press('v');
    await page.locator('.bar').first().waitFor();
    await page.keyboard.press('v');
    await page.locator('.listed').first().waitFor();
    const labels = (await (await fetch(`${asking().origin}/api/labels/moscow`)).json()) as ProductLabels[];
    const [category = ''] = labels[0]?.categories ?? [];
    const withIt = new Set(labels.filter(({ categories }) => categories.includes(category)).map(({ slug }) => slug));
    await filter('Category', category);
    await expect.poll(() => page.locator('.listed').count()).toBe(withIt.size);
    await page.getByRole('button', { name: 'Clear' }).click();
    await filter('Show', 'without-card');
    await expect.poll(() => page.locator('.listed:not(.is-missing)').count()).toBe(0);
    await filter('Show', 'changes-later');
    const changes = (await (await fetch(`${asking().origin}/api/changes/current/moscow`)).json()) as EditionChange[];
    const later = new Set(changes.slice(10).flatMap(({ products }) => products));
    // Those that appear only later are not here yet.
    await expect.poll(() => page.locator('.listed').count()).toBeGreaterThan(0);
    const shown = await page.locator('.listed button').evaluateAll((all) => all.map((one) => one.dataset['product']));
    for (const product of shown) expect(later.has(Number(product))).toBe(true);
    await page.reload();
    await expect.poll(() => page.locator('.listed').count()).toBe(shown.length);
  });

  test('without a catalogue says what it cannot name; the first stop of Tab leads into it', async () => {
    const page = await open(alone().origin, query);
    expect(await page.locator('.below').innerText()).toMatch(
      /^Not listed: 7 products without a card, .*all sessions over 1/,
    );
    expect(await page.getByRole('combobox', { name: 'Category' }).count()).toBe(0);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("table") !== null')).toBe(true);
  });

  test('compares an instant that is kept with the one that is chosen next', async () => {
    const page = await open(asking().origin, query);
    await page.keyboard.press('c');
    await page.getByText('Move the clock: one side stays at 14:40.').waitFor();
    await page.keyboard.press('j');
    await page.locator('.listed.pair').first().waitFor();
    expect(await page.locator('.compare-bar p').innerText()).toMatch(/^14:40 compared with \d\d:\d\d$/);
    const head = page.getByRole('columnheader');
    expect(await head.nth(2).innerText()).toBe('Next, 14:40');
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('');
    await page.locator('.listed:not(.pair)').first().waitFor();
    await page.getByRole('combobox', { name: 'Compare with' }).selectOption('86400');
    await expect.poll(() => page.locator('.compare-bar p').innerText()).toMatch(/^Fri 1 May .* Sat 2 May /);
    await page.getByRole('button', { name: 'End comparison' }).click();
    await page.locator('.compare-bar').waitFor({ state: 'detached' });
  });
});

describe('the map', () => {
  const query = `front=moscow&at=${AT}&view=map`;
  const focused = (page: Page): Promise<string> => page.evaluate('document.activeElement.dataset.session ?? ""');
  const param = (page: Page, name: string): string | null => new URL(page.url()).searchParams.get(name);

  /** The bars by session, and their states. */
  const bars = (page: Page): Promise<string[]> =>
    page.locator('.bar').evaluateAll((all) => all.map(({ dataset }) => `${dataset['session']} ${dataset['state']}`));

  async function statesAt(at: string): Promise<string[]> {
    const { products } = (await (await fetch(`${asking().origin}/api/day/moscow/${at}`)).json()) as DaySessions;
    return products.flatMap(({ sessions }) =>
      sessions.map(({ id, states }) => `${id} ${states.findLast(({ from }) => from <= at)?.state}`),
    );
  }

  test('shows how each session stands while the clock moves; keys alone open one, and its address', async () => {
    const page = await open(asking().origin, query);
    await expect.poll(() => bars(page)).toEqual(await statesAt(AT));
    expect(new Set((await bars(page)).map((bar) => bar.split(' ')[1])).size).toBeGreaterThan(4);
    expect(await violationsOf(page)).toEqual([]);
    const line = async (): Promise<number> => (await page.locator('.map-at').boundingBox())?.x ?? 0;
    const before = await line();
    for (let i = 0; i < 6; i++) await page.keyboard.press('j');
    const { products: editions } = JSON.parse(
      readFileSync(join(folder, 'out/public/fronts/moscow/pointer.json'), 'utf8'),
    ) as Pointer;
    const later = editions[15]?.slice(0, 20) ?? '';
    await expect.poll(() => page.locator('.dateline time').getAttribute('datetime')).toBe(later);
    await expect.poll(() => bars(page)).toEqual(await statesAt(later));
    expect(await statesAt(later)).not.toEqual(await statesAt(AT));
    expect(await line()).toBeGreaterThan(before);
    // One stop of the Tab key; arrow keys go on from there.
    await page.locator('.bar[tabindex="0"]').focus();
    const [first, , third] = (await bars(page)).map((bar) => bar.split(' ')[0] ?? '');
    expect(await focused(page)).toBe(first);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).not.toBe(first);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused(page)).toBe(third);
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('heading', { name: 'Prices' }).waitFor();
    await expect.poll(() => param(page, 'session')).toBe(third);
    const { products } = (await (await fetch(`${asking().origin}/api/day/moscow/${later}`)).json()) as DaySessions;
    const product = products.find(({ sessions }) => sessions.some(({ id }) => id === third));
    const startsAt = new Date(product?.sessions.find(({ id }) => id === third)?.start ?? '').toISOString().slice(0, 19);
    const path = `/api/explain/moscow/${product?.slug}/${third}/${startsAt}Z/${later}`;
    const { text } = (await (await fetch(asking().origin + path)).json()) as { text: string };
    const told = (await sheet.innerText()).replaceAll(/\s+/g, ' ');
    for (const line of text.replaceAll(/\n {6}/g, ' ').matchAll(/^ {2}(.+)$/gm)) expect(told).toContain(line[1]);
    for (const part of ['Sold out', '0 seats left', 'Through the day']) expect(told).toContain(part);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await sheet.getByRole('heading', { name: 'Prices' }).waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(() => param(page, 'session')).toBeNull();
    expect(await violationsOf(page)).toEqual([]);
  });

  test('stands under venues, and finds products; on a phone it is no wider', async () => {
    const page = await open(asking().origin, query);
    await page.getByRole('button', { name: 'Venues' }).click();
    await page.locator('.map-group').first().waitFor();
    await expect.poll(() => param(page, 'rows')).toBe('venues');
    const all = await page.locator('.bar').count();
    await page.getByRole('searchbox').fill('планетарий');
    await expect.poll(() => page.locator('.map-group').count()).toBe(1);
    expect(await page.locator('.bar').count()).toBeLessThan(all);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => isTooWide(page)).toBe(false);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('searchbox').fill('nothing has this name');
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => page.locator('.bar').count()).toBe(all);
    // A change leads to the row of its product.
    await page.locator('.clock .summary').click();
    const change = page.getByRole('region', { name: 'What changes' }).getByRole('button').first();
    await change.click();
    const row = page.locator('.map-row.is-pointed');
    expect(await change.innerText()).toContain(await row.locator('.map-name button').innerText());
  });

  test('without a catalogue shows what cards say of today, and how to see all', async () => {
    const page = await open(alone().origin, query);
    expect(await page.locator('.untimely code').innerText()).toMatch(/^playbill preview --out .*--db/);
    const sessions = await page.locator('.bar').count();
    expect(sessions).toBe(Number(/(\d+) session/.exec(await page.locator('.map-bar p').innerText())?.[1]));
    await page.locator('.bar').first().click();
    await page.getByRole('dialog').getByText('As published').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'List', exact: true }).click();
    await page.getByRole('tab', { name: 'Today' }).click();
    await expect.poll(() => page.locator('.listed').count()).toBe(sessions);
  });
});

describe('a build', () => {
  test('into an empty tree is shown by itself; so is the next', async () => {
    const out = join(temporaryFolder(), 'out');
    const empty = join(temporaryFolder(), 'none.sqlite');
    await buildTree(catalogueAt(empty, []), out, instant(MADE));
    const { origin, server } = await startPreview(out, AT);
    onTestFinished(() => void server.close());
    const page = await open(origin, '');
    await page.getByText('Nothing is published here').waitFor();
    expect(await page.locator('code').first().innerText()).toContain(`playbill build --out ${out}`);

    await buildTree(database, out, instant(MADE), { frontCodes: ['kuwait'] });
    await page.getByRole('heading', { level: 1, name: 'kuwait' }).waitFor();
    await page.getByText('has been published, and is shown').waitFor();

    const until = page.locator('.slider .end');
    const before = await until.innerText();
    await buildTree(database, out, instant(AT), { frontCodes: ['kuwait'] });
    await expect.poll(() => until.innerText()).not.toBe(before);
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
