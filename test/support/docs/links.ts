// The links of documents, and where they lead, in the checkout or in a package made of it.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Link {
  /** The document, by its path from the root. */
  readonly from: string;
  /** As it is written: relative to the document, perhaps with the anchor of a heading. */
  readonly target: string;
}

/** The links and pictures of a document below `root`, but those to other places. */
export function linksOf(root: string, from: string): Link[] {
  // In code blocks, brackets are no links.
  const prose = readFileSync(join(root, from), 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)|\b(?:src|srcset|href)="([^"]+)"/g)].map(
    ([, link, picture]) => link ?? picture ?? '',
  );
  return targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => ({ from, target }));
}

/** The path from the root that a link leads to, without its anchor. */
export function pathOf({ from, target }: Link): string {
  const [file = ''] = target.split('#');
  return file === '' ? from : join(dirname(from), file).replace(/\/$/, '');
}

/** Whether a link leads out of the root or to no file, or to a heading that its file does not have. */
export function isDead(root: string, link: Link): boolean {
  const path = pathOf(link);
  if (path.startsWith('..') || !existsSync(join(root, path))) return true;
  const [, anchor] = link.target.split('#');
  if (anchor === undefined) return false;
  const headings = [...readFileSync(join(root, path), 'utf8').matchAll(/^#+ (.*)$/gm)];
  return !headings.some(([, heading = '']) => anchorOf(heading) === anchor);
}

/** A heading's anchor, as hosts make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
