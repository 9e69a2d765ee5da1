// Whether this page is an export, which has no server, and what it embeds instead.

import type { ProductsDocument } from '../../../contract/documents.ts';
import { FRONTS_PATH, pathOf, RELEASES_PATH, type ExportedPage } from '../../messages.ts';

const element = document.getElementById('export');

/** null on a page with a server. */
export const EXPORTED: ExportedPage | null =
  element === null ? null : (JSON.parse(element.textContent ?? '') as ExportedPage);

/** The embedded answer at a path; null if there is none. */
export function embedded({ answers, cards }: ExportedPage, path: string): object | null {
  const answer = answers[path] ?? null;
  if (answer === null || !path.startsWith(FRONTS_PATH)) return answer;
  const { productCards, ...rest } = answer as Omit<ProductsDocument, 'productCards'> & {
    readonly productCards: readonly number[];
  };
  return { ...rest, productCards: productCards.flatMap((index) => cards[index] ?? []) };
}

/** Whether the page can show a release. */
export function hasRelease(id: string): boolean {
  return EXPORTED === null || pathOf(RELEASES_PATH, id) in EXPORTED.answers;
}
