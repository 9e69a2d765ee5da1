// Takes the pictures for the README: the preview of the demo at a fixed instant, in the browser
// that the tests use.
//
//   tsx scripts/pictures.ts

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { demoTree, launch, startPreview } from '../test/support/preview-stage.ts';

const BYTES_MAX = 150_000;
const AT = '2026-05-01T10:15:00Z';

interface Picture {
  readonly name: string;
  readonly query: string;
  readonly context: BrowserContextOptions;
}

const PICTURES: readonly Picture[] = [
  ...(['light', 'dark'] as const).map((colorScheme) => ({
    name: `preview-${colorScheme}`,
    query: `front=moscow&at=${AT}`,
    context: { colorScheme, viewport: { width: 1400, height: 1080 }, deviceScaleFactor: 1.5 },
  })),
  {
    name: 'preview-phone',
    query: `front=riyadh&view=cards&at=${AT}`,
    context: { colorScheme: 'light', viewport: { width: 375, height: 812 }, deviceScaleFactor: 2 },
  },
];

async function take({ name, query, context: options }: Picture, origin: string, browser: Browser): Promise<void> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(`${origin}/?${query}`);
  await page.locator('.card, .listed').first().waitFor();
  // On a phone the open list of changes would hide most cards.
  if ((options.viewport?.width ?? 0) > 1000) await page.locator('.clock .summary').click();
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
