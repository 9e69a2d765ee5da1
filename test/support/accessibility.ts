// What axe-core and the width of the window say of a page that a browser shows.

import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What is half faded in has half its contrast: the animations that end are waited for. */
const SETTLED = `Promise.all(document.getAnimations()
  .filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime))
  .map((one) => one.finished.catch(() => undefined))).then(() => undefined)`;

/**
 * What axe-core finds, by rule; the page's own policy does not let it in, so it comes by the
 * debugger.
 */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(SETTLED);
  await page.evaluate(`${axe.source}; 0`);
  const violations = await page.evaluate<Violation[]>('axe.run().then((result) => result.violations)');
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map((node) => `${id}: ${node.html} ${node.failureSummary}`),
  );
}

export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');
