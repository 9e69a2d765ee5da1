// A front of 500 cards and 40 editions: it can be used and scrubbed, and nothing goes wrong. How
// quick that was is printed and not judged, since it says as much about the machine. Long tasks are
// those of more than 50 ms (the browser's own count).

import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { seedCatalogue } from '../../scripts/seed.ts';
import { buildTree, instant, temporaryFolderOfFile } from '../support/trees.ts';
import { sample } from '../speeds.ts';
import { browserOfFile, NOW, previewOfFile, visitIn } from '../support/preview-stage.ts';

const folder = temporaryFolderOfFile();
const browser = browserOfFile();

const preview = previewOfFile(async () => {
  const path = join(folder, 'seeded.sqlite');
  seedCatalogue({ path, size: 'S', now: NOW, seed: 1 });
  const database = new Database(path);
  database.exec(
    `INSERT OR IGNORE INTO front_products (front_id, product_id) SELECT 1, id FROM products WHERE status = 'published' LIMIT 460`,
  );
  const front = database.prepare('SELECT code FROM fronts WHERE id = 1').pluck().get();
  database.close();
  const out = join(folder, 'out');
  await buildTree(path, out, instant(NOW), { frontCodes: [String(front)], horizonSeconds: 26 * 3600 });
  return out;
});

interface Measured {
  readonly usableMs: number;
  readonly cards: number;
  readonly editions: number;
  readonly frames: readonly number[];
  readonly longTasksMs: readonly number[];
}

/** What the tab of all cards counts: only those near the window are drawn. */
const CARDS = `Number(document.querySelector('#tab-all .count').innerText)`;
const DRAWN = `document.querySelectorAll('.card, .listed').length`;

const OBSERVE = `
  window.longTasks = [];
  new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longTasks.push(duration); })
    .observe({ type: 'longtask', buffered: true });
  new MutationObserver((_, observer) => {
    if (document.querySelector('.card, .listed') === null || document.querySelector('.clock input') === null) return;
    observer.disconnect();
    // Two frames later it is painted, and answers.
    requestAnimationFrame(() => requestAnimationFrame(() => { window.usableMs = performance.now(); }));
  }).observe(document, { subtree: true, childList: true });
`;

/**
 * Drags through all of time, one step a frame, first over editions that have to be fetched, then
 * over those that are here.
 */
const SCRUB = `(async () => {
  const input = document.querySelector('.clock input');
  const [min, max] = [Number(input.min), Number(input.max)];
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const frames = [];
  window.longTasks.length = 0;
  let before = await frame();
  for (let i = 0; i <= 240; i++) {
    const share = i <= 120 ? i / 120 : (240 - i) / 120;
    input.value = String(Math.round(min + (max - min) * share));
    input.dispatchEvent(new Event('input', { bubbles: true }));
    const now = await frame();
    frames.push(now - before);
    before = now;
  }
  return frames;
})()`;

test.each(sample(['list', 'cards'], 2))(
  'a front of 500 %s becomes usable, and its 40 editions can be scrubbed',
  async (view) => {
    const context = await browser().newContext({ viewport: { width: 1280, height: 900 } });
    await context.addInitScript(OBSERVE);
    const { page, complaints } = await visitIn(context, `${preview().origin}/?view=${view}&at=${NOW}`);
    await expect.poll(() => page.evaluate<number>('window.usableMs ?? 0')).toBeGreaterThan(0);
    const measured: Measured = {
      usableMs: await page.evaluate<number>('window.usableMs'),
      cards: await page.evaluate<number>(CARDS),
      editions: Number(/of (\d+)/.exec(await page.locator('.edition').innerText())?.[1]),
      frames: await page.evaluate<number[]>(SCRUB),
      longTasksMs: await page.evaluate<number[]>('window.longTasks'),
    };
    const sorted = measured.frames.toSorted((a, b) => a - b);
    const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    const longest = Math.round(Math.max(0, ...measured.longTasksMs));
    process.stderr.write(
      `preview, ${view}: ${measured.cards} cards, ${measured.editions} editions; usable after ${Math.round(measured.usableMs)} ms; frames while ` +
        `scrubbing: half within ${at(0.5)} ms, 95 % within ${at(0.95)} ms, the longest ${at(1)} ms; ${measured.longTasksMs.length} long tasks, ` +
        `the longest ${longest} ms\n`,
    );
    expect(measured.cards).toBeGreaterThanOrEqual(480);
    expect(await page.evaluate<number>(DRAWN)).toBeLessThan(measured.cards / 4);
    expect(measured.editions).toBeGreaterThanOrEqual(40);
    // Back where the drag began, it shows the first edition again, whole.
    await expect.poll(() => page.locator('.edition').innerText()).toContain(`edition 1 of ${measured.editions}`);
    await expect.poll(() => page.locator('.dateline time').getAttribute('datetime')).toBe(NOW);
    expect(await page.evaluate(CARDS)).toBe(measured.cards);
    expect(complaints).toEqual([]);
    await context.close();
  },
);
