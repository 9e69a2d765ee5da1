// What the preview's tests share: the real server over a real tree, and Debian's Chromium with a
// fresh context for each test. Every request that a page makes is noted, and so is whatever a page
// complains of.

import type { Server } from 'node:http';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { demoRows } from '../../data/demo/rows.ts';
import * as explanationWords from '../../src/cli/output/explain.ts';
import { previewCatalogue } from '../../src/operations/preview/preview-catalogue.ts';
import { bundlePage } from '../../src/preview/bundle.ts';
import { PreviewData } from '../../src/preview/preview-data.ts';
import { createPreviewServer } from '../../src/preview/server.ts';
import { DirectoryReader } from '../../src/storage/folder/reader.ts';
import { buildTree, catalogueAt, instant, type Rows } from './trees.ts';

export const NOW = '2026-05-01T09:00:00Z';

/** A server on a free port; `origin` without a slash at its end. */
export interface Preview {
  readonly origin: string;
  readonly server: Server;
  /** What the server took for a bug of its own. */
  readonly bugs: readonly string[];
}

export async function startPreview(tree: string, now = NOW, database: string | null = null): Promise<Preview> {
  const bugs: string[] = [];
  const files = DirectoryReader.open(tree);
  const server = createPreviewServer({
    data: new PreviewData(() => files),
    catalogue: database === null ? null : previewCatalogue(database, process.versions['tz'] ?? '', explanationWords),
    page: await bundlePage(),
    now: () => instant(now),
    onBug: (message) => bugs.push(message),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return { origin: `http://127.0.0.1:${address.port}`, server, bugs };
}

/**
 * The preview of a tree for all tests of a file; `database`: of a catalogue, once the tree is
 * there.
 */
export function previewOfFile(tree: () => Promise<string>, now = NOW, database: string | null = null): () => Preview {
  let preview: Preview | null = null;
  beforeAll(async () => {
    preview = await startPreview(await tree(), now, database);
  });
  afterAll(() => {
    preview?.server.close();
    preview?.server.closeAllConnections();
  });
  return () => {
    if (preview === null) throw new Error('the preview is not running');
    return preview;
  };
}

/** One browser for all tests of a file. */
export function browserOfFile(): () => Browser {
  let browser: Browser | null = null;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());
  return () => {
    if (browser === null) throw new Error('the browser is not running');
    return browser;
  };
}

/**
 * Without limits of time of its own: a machine that is busy is waited for, and what hangs ends with
 * the test.
 */
export function launch(): Promise<Browser> {
  // As root Chromium runs without its sandbox or not at all; it is shown nothing but our own page
  // here.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: '/usr/bin/chromium', args, timeout: 0 });
}

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** URLs asked for, in order. */
  readonly requests: readonly string[];
  /**
   * Console errors and warnings, uncaught errors, dialogs, violations of the
   * Content-Security-Policy.
   */
  readonly complaints: readonly string[];
}

const NOTE_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));`;

/** Opens a page in a context of its own, which is closed when the test ends. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  return visitIn(context, url);
}

export async function visitIn(context: BrowserContext, url: string): Promise<Visit> {
  const requests: string[] = [];
  const complaints: string[] = [];
  context.setDefaultTimeout(0);
  context.on('request', (request) => requests.push(request.url()));
  await context.addInitScript(NOTE_VIOLATIONS);
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  await page.locator('.card, .listed, .bar, .empty').first().waitFor();
  return { page, context, requests, complaints };
}

/** Opens the sheet with fronts and releases where it does not stand beside the page. */
export async function openDesk(page: Page, width: number): Promise<void> {
  if (width >= 1100) return;
  await page.getByRole('button', { name: 'Fronts', exact: true }).click();
  await page.locator('dialog[open]').waitFor();
}

/**
 * The demo in three releases: an hour before `NOW`, at `NOW`, and at `NOW` again after five prices
 * have risen and a product has gone.
 */
export async function demoTree(folder: string): Promise<string> {
  const out = join(folder, 'out');
  const rows = [...demoRows(NOW)];
  const before = catalogueAt(join(folder, 'before.sqlite'), rows);
  await buildTree(before, out, instant('2026-05-01T08:00:00Z'));
  await buildTree(before, out, instant(NOW));
  const after = catalogueAt(join(folder, 'after.sqlite'), withOtherPrices(rows));
  await buildTree(after, out, instant('2026-05-01T09:05:00Z'));
  return out;
}

function withOtherPrices(rows: Rows): Rows {
  return [...rows].flatMap(({ table, row }) => {
    const product = Number(row['product_id']);
    if (table === 'front_products' && product === 7) return [];
    if (table === 'price_tiers' && product <= 5) {
      return [{ table, row: { ...row, amount_minor: Number(row['amount_minor']) + 5000 } }];
    }
    return [{ table, row }];
  });
}
