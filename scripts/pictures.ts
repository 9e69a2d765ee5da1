// Takes the README's pictures again: the preview of the demo at a fixed instant, in the browser that the tests use. The demo's posters
// are drawn here, since its catalogue names pictures that are nowhere.
//
//   tsx scripts/pictures.ts

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { hash } from '../data/demo/schedule.ts';
import { demoTree, launch, startPreview } from '../test/support/preview-stage.ts';

const BYTES_MAX = 150_000;
const AT = '2026-05-01T10:15:00Z';

interface Picture {
  readonly name: string;
  readonly query: string;
  /** How far the page is scrolled, in pixels. */
  readonly scroll: number;
  readonly context: BrowserContextOptions;
}

const PICTURES: readonly Picture[] = [
  ...(['light', 'dark'] as const).map((colorScheme) => ({
    name: `preview-${colorScheme}`,
    query: `front=moscow&at=${AT}`,
    scroll: 0,
    context: { colorScheme, viewport: { width: 1400, height: 1080 }, deviceScaleFactor: 1.5 },
  })),
  {
    name: 'preview-phone',
    query: `front=riyadh&at=${AT}`,
    scroll: 560,
    context: { colorScheme: 'light', viewport: { width: 375, height: 812 }, deviceScaleFactor: 2 },
  },
];

const INKS = ['#8a1f17', '#1f3a4d', '#c98a1b', '#2f5d50', '#5b2a4a', '#a8552c', '#27304f', '#6d7a3a'] as const;
const PAPERS = ['#f1e3c6', '#e9d8c3', '#dfe3d3', '#ead9d2', '#d9dfe2'] as const;

/** A poster: a few large shapes in two inks on tinted paper, chosen by the name; the same name gives the same poster. */
function posterOf(name: string): string {
  const seed = hash(name);
  const pick = <T>(list: readonly T[], shift: number): T | undefined => list[(seed >>> shift) % list.length];
  const [ink = '', other = ''] = [pick(INKS, 2), INKS[((seed >>> 2) + 1 + ((seed >>> 9) % 6)) % INKS.length]];
  const [x, y, size] = [160 + ((seed >>> 4) % 320), 110 + ((seed >>> 7) % 140), 90 + ((seed >>> 11) % 110)];
  const shapes = [
    `<circle cx="${x}" cy="${y}" r="${size}" fill="${ink}"/><path d="M0 ${300 - (size >> 1)}H640V360H0z" fill="${other}"/>`,
    `<path d="M${x} ${y - size}l${size} ${size * 2}h-${size * 2}z" fill="${ink}"/><circle cx="${640 - x}" cy="90" r="46" fill="${other}"/>`,
    [0, 1, 2, 3, 4]
      .map((i) => `<path d="M${x - 200 + i * 90} 0h45v360h-45z" fill="${i % 2 === 0 ? ink : other}"/>`)
      .join(''),
    `<path d="M0 360A${size + 220} ${size + 150} 0 0 1 640 360z" fill="${ink}"/><circle cx="${x}" cy="${y - 30}" r="${size >> 1}" fill="${other}"/>`,
    [0, 1, 2, 3]
      .map(
        (i) => `<circle cx="320" cy="180" r="${230 - i * 58}" fill="${i % 2 === 0 ? ink : (pick(PAPERS, 5) ?? '')}"/>`,
      )
      .join(''),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360"><rect width="640" height="360" fill="${pick(PAPERS, 5)}"/>${pick(shapes, 13)}</svg>`;
}

async function take(
  { name, query, scroll, context: options }: Picture,
  origin: string,
  browser: Browser,
): Promise<void> {
  const context = await browser.newContext(options);
  await context.route('https://images.example/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: posterOf(new URL(route.request().url()).pathname) }),
  );
  const page = await context.newPage();
  await page.goto(`${origin}/with-images?${query}`);
  await page.locator('.card img').first().waitFor();
  if (scroll === 0) await page.locator('.changes summary').click();
  await page.evaluate(`scrollTo(0, ${scroll})`);
  await page.waitForLoadState('networkidle');
  const session = await context.newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > BYTES_MAX) throw new Error(`${name}: expected at most ${BYTES_MAX} bytes, found ${bytes.length}`);
  writeFileSync(fileURLToPath(new URL(`pictures/${name}.webp`, import.meta.url)), bytes);
  process.stderr.write(`scripts/pictures/${name}.webp (${Math.round(bytes.length / 1000)} kB)\n`);
  await context.close();
}

const folder = mkdtempSync(join(tmpdir(), 'playbill-pictures-'));
const preview = await startPreview(await demoTree(folder), AT);
const browser = await launch();
try {
  for (const picture of PICTURES) await take(picture, preview.origin, browser);
} finally {
  await browser.close();
  preview.server.close();
  preview.server.closeAllConnections();
  rmSync(folder, { recursive: true });
}
