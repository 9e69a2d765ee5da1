// The health of a front: the same numbers as `status`, `releases` and `diff` say, and answers for
// somebody who knows none of them. And an export, which shows the same without a server.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { demoRows } from '../../data/demo/rows.ts';
import * as explanationWords from '../../src/cli/output/explain.ts';
import type { ReleasesResultJson } from '../../src/contract/results/history.ts';
import { diff, openNamedRelease } from '../../src/operations/diff.ts';
import { releasesOfTree } from '../../src/operations/history.ts';
import { previewCatalogue } from '../../src/operations/preview/preview-catalogue.ts';
import { readStatus } from '../../src/operations/status.ts';
import { bundlePage } from '../../src/preview/bundle.ts';
import { exportPage } from '../../src/preview/export-page.ts';
import { PreviewData } from '../../src/preview/preview-data.ts';
import { viewStateOf } from '../../src/preview/page/state/view-state.ts';
import { DirectoryReader } from '../../src/storage/folder/reader.ts';
import type {
  Contingent,
  ExportedPage,
  FrontAlarms,
  HistoryEntry,
  MissingProduct,
  PreviewRelease,
} from '../../src/preview/messages.ts';
import { currentName, idIn, releaseNames } from '../support/manifests.ts';
import { isTooWide, violationsOf } from '../support/accessibility.ts';
import { browserOfFile, NOW, previewOfFile, visit } from '../support/preview-stage.ts';
import { buildTree, catalogueAt, instant, temporaryFolderOfFile } from '../support/trees.ts';

const folder = temporaryFolderOfFile();
const out = join(folder, 'out');
const broken = join(folder, 'broken.sqlite');
const AT = '2026-05-01T10:15:00Z';
const LATE = '2026-05-01T14:45:00Z';

/**
 * Lyon's partner, and Moscow, whose prices the second release divides by a hundred; the third holds
 * the partner back.
 */
async function brokenTree(): Promise<string> {
  const rows = [...demoRows(NOW)];
  const frontCodes = ['moscow', 'quais'];
  await buildTree(catalogueAt(join(folder, 'right.sqlite'), rows), out, instant(NOW), { frontCodes });
  const wrong = rows.map(({ table, row }) =>
    table === 'price_tiers'
      ? { table, row: { ...row, amount_minor: Math.round(Number(row['amount_minor']) / 100) } }
      : { table, row },
  );
  catalogueAt(broken, wrong);
  const guards = { maxShrink: 0.5, maxBad: 0.05, allow: ['price-jump'] as const, force: false };
  await buildTree(broken, out, instant('2026-05-01T09:05:00Z'), { frontCodes: ['moscow'], guards });
  await buildTree(broken, out, instant('2026-05-01T10:10:00Z'), { frontCodes });
  return out;
}

const preview = previewOfFile(brokenTree, AT, broken);
const browser = browserOfFile();

const ask = async <T>(path: string): Promise<T> => (await (await fetch(preview().origin + path)).json()) as T;

describe('health', () => {
  let releases: ReleasesResultJson['releases'] = [];
  beforeAll(async () => {
    ({ releases } = await releasesOfTree(out, {
      last: Number.POSITIVE_INFINITY,
      changesOf: { fronts: ['moscow'] },
    }));
  });

  async function open(
    query: string,
    options = {},
  ): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
    const visited = await visit(browser(), `${preview().origin}/?${query}`, options);
    await visited.page.keyboard.press('h');
    await visited.page.locator('.history li').first().waitFor();
    return visited;
  }

  test('the release that broke the prices is seen, and leads to the comparison', async () => {
    const { page, complaints } = await open('front=moscow', { viewport: { width: 1440, height: 900 } });
    const history = await ask<HistoryEntry[]>('/api/history/moscow');
    expect(history.map(({ id, isCurrent, since, changes }) => ({ id, isCurrent, since, changes }))).toEqual(
      releases.map(({ id, isCurrent, changes }) => ({
        id,
        isCurrent,
        since: changes?.since ?? null,
        changes: changes?.fronts[0] ?? null,
      })),
    );
    const [, culprit, right] = history;
    const median = culprit?.changes?.medianPrice;
    const bad = page.locator('.history .is-bad');
    expect(await bad.count()).toBe(1);
    expect(await bad.locator('code').innerText()).toBe(culprit?.id.slice(0, 8));
    const said = await bad.innerText();
    expect(said).toContain(`Let pass: price-jump.`);
    expect(said).toMatch(/(\d+) of \1 prices became a quarter or less of what they were/);
    expect(said).toContain(`${culprit?.changes?.changed.prices} prices (median ${median?.before} → ${median?.after}`);
    // At the clock's instant, against the last release with other prices.
    const index = right?.listing?.pointer.products.findLastIndex((entry) => entry.slice(0, 20) <= AT) ?? -1;
    const row = page.getByRole('row', { name: /^Last other prices/ });
    const amounts = right?.listing?.prices?.[index]?.prices.map((price) => `₽${price.toLocaleString('en')}`);
    expect((await row.getByRole('cell').allInnerTexts()).slice(1)).toEqual(amounts);
    expect(await page.getByRole('row', { name: /^Change/ }).innerText()).toMatch(/÷\s100/);
    expect(await violationsOf(page)).toEqual([]);
    await bad.getByRole('button', { name: /^Compare/ }).click();
    await page.locator('.listed').first().waitFor();
    expect(new URL(page.url()).searchParams.get('beside')).toBe(right?.id);
    const { changed } = await diff(
      await openNamedRelease(right?.id ?? '', out),
      await openNamedRelease(culprit?.id ?? '', out),
      ['moscow'],
    );
    const byData = changed.flatMap(({ data }) => data.filter(({ list }) => list === 'productCards'));
    await expect.poll(() => page.locator('.listed').count()).toBe(byData.length);
    expect(complaints).toEqual([]);
  });

  test('an alarm says what status says at the instant on the clock, and what cannot be bought is named, with the reason', async () => {
    const { page, complaints } = await open(`front=quais&at=${LATE}`, {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    });
    const status = await readStatus(out, null, instant(LATE));
    const alarms = await ask<FrontAlarms>(`/api/alarms/quais/${LATE}`);
    expect(alarms.front).toEqual(status.fronts.find(({ front }) => front === 'quais'));
    expect([alarms.exit, alarms.stale]).toEqual([1, status.fronts.filter(({ stale }) => stale !== null).length]);
    const codes = await page.locator('.alarm-list > li > code').allInnerTexts();
    expect(codes).toEqual(['expiring', 'price-jump']);
    expect(await page.locator('.verdict').innerText()).toMatch(/^Alarm\. Right for \d/);
    expect(await page.locator('.exit').innerText()).toContain(`playbill status --at ${LATE} --out ${out}`);
    expect(await page.locator('.alarm-list').innerText()).toContain('--dry-run --front quais');
    expect(await violationsOf(page)).toEqual([]);
    expect(await isTooWide(page)).toBe(false);

    // What cannot be bought is named, with the reason: no card, or the contingent used up.
    const missing = await ask<MissingProduct[]>(`/api/missing/current/quais/${LATE}`);
    const listed = page.getByRole('region', { name: 'Without a card' }).getByRole('listitem');
    await expect.poll(() => listed.count()).toBe(missing.length);
    for (const [i, { name, verdict }] of missing.entries()) {
      const text = await listed.nth(i).innerText();
      expect(text).toContain(name);
      expect(text.toLowerCase()).toContain(verdict.toLowerCase());
    }
    const contingents = await ask<Contingent[]>(`/api/contingents/quais/${LATE}`);
    const used = contingents.filter(({ left }) => left <= 0).length;
    expect(used).toBeGreaterThan(0);
    await page.getByText(`${used} of ${contingents.length} used up`).waitFor();
    const first = page.locator('.contingents li').first();
    expect(await first.innerText()).toContain('used up');
    await first.getByRole('button').click();
    await page.getByRole('dialog').getByText('no seats left of the contingent of this front').first().waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('an export', () => {
  const query = `?front=quais&at=${AT}`;
  let bundle: ReturnType<typeof bundlePage> | null = null;
  const page = async (search: string, bytesMax?: number) => {
    const data = new PreviewData(() => DirectoryReader.open(out));
    const catalogue = previewCatalogue(broken, process.versions['tz'] ?? '', explanationWords);
    const sources = { data, catalogue, now: () => instant(AT) };
    return exportPage(viewStateOf(search), sources, await (bundle ??= bundlePage()), bytesMax);
  };

  test('shows from a file what the page shows: the list, a product with its reason, the health; and asks nobody', async () => {
    const [absent] = await ask<MissingProduct[]>(`/api/missing/current/quais/${AT}`);
    const card = absent?.slug ?? '';
    const { html } = await page(`${query}&card=${card}`);
    const file = join(folder, 'index.html');
    writeFileSync(file, html);
    const url = pathToFileURL(file).href;
    const views: string[][] = [];
    for (const address of [`${preview().origin}/${query}&card=${card}`, url]) {
      const { page: visited, complaints, requests } = await visit(browser(), address);
      const sheet = visited.getByRole('dialog', { name: absent?.name ?? '' });
      await sheet.getByText('Rules').waitFor();
      await visited.locator('.listed.is-missing').first().waitFor();
      const texts = [await sheet.innerText(), await visited.locator('.panes').innerText()];
      await visited.keyboard.press('Escape');
      await sheet.waitFor({ state: 'detached' });
      await visited.keyboard.press('h');
      await visited.locator('.contingents li').first().waitFor();
      await visited.locator('.history li').first().waitFor();
      views.push([...texts, await visited.locator('.front-health').innerText()]);
      if (address === url) {
        expect(requests).toEqual([url]);
        const release = idIn(currentName(out)).slice(0, 8);
        expect(await visited.locator('.export-note').innerText()).toContain(
          `Exported 2026-05-01 10:15Z, release ${release}`,
        );
        expect(await violationsOf(visited)).toEqual([]);
      }
      expect(complaints).toEqual([]);
    }
    // What an export cannot do: compare with other releases, be linked to, be exported.
    const alike = (text: string): string =>
      text.replaceAll(/\nCompare|\nCopy link to this instant|\nAs a page, for [^]*?\nCopy/g, '').trim();
    expect(views[1]?.map(alike)).toEqual(views[0]?.map(alike));
    // Not a word of the keys.
    const { keys } = JSON.parse(readFileSync(join(out, 'edge/keyring.json'), 'utf8')) as {
      readonly keys: Record<string, object>;
    };
    expect(Object.keys(keys).length).toBeGreaterThan(0);
    for (const [id, key] of Object.entries(keys))
      for (const word of [id, ...Object.values(key)])
        if (typeof word === 'string' && word.length > 12 && !word.endsWith('Z')) expect(html).not.toContain(word);
  });

  test('has both sides of a comparison; one that is too large is refused', async () => {
    const beside = releaseNames(out).map(idIn)[0] ?? '';
    const { html } = await page(`?front=moscow&at=${AT}&beside=${beside}`);
    const json = /<script type="application\/json" id="export">(.*)<\/script>/.exec(html)?.[1] ?? '';
    const { answers } = JSON.parse(json) as ExportedPage;
    const editions = new Set(
      (await Promise.all(['current', beside].map((id) => ask<PreviewRelease>(`/api/releases/${id}`)))).flatMap(
        ({ fronts }) =>
          fronts.find(({ front }) => front === 'moscow')?.pointer?.products.map((entry) => entry.slice(21)) ?? [],
      ),
    );
    const paths = [...editions].map((digest) => `/api/fronts/moscow/products.${digest}.json`);
    expect(
      Object.keys(answers)
        .filter((path) => path.startsWith('/api/fronts/'))
        .toSorted(),
    ).toEqual(paths.toSorted());
    expect(Object.keys(answers).filter((path) => /quais|rives/.test(path))).toEqual([]);
    await expect(page(query, 1000)).rejects.toThrow('expected a page of at most 1000 bytes');
  });
});
