// Copies documents of the checkout into a package. A link to what the package does not have becomes
// the path of that in the source.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Sources whose declarations are in the package. */
const DECLARATIONS: Readonly<Record<string, string>> = {
  'src/operations/exports.ts': 'dist/operations/exports.d.ts',
};

/** Copies files of the checkout into `folder`: each path to its place there. */
export function copyDocuments(places: ReadonlyMap<string, string>, folder: string): void {
  for (const [path, place] of places) {
    mkdirSync(dirname(join(folder, place)), { recursive: true });
    cpSync(join(root, path), join(folder, place));
    if (path.endsWith('.md')) writeFileSync(join(folder, place), carriedText(path, place, places));
  }
}

/** A document, at its place, in which each link leads to something that is carried. */
function carriedText(path: string, place: string, places: ReadonlyMap<string, string>): string {
  const led = (link: string, label: string, target: string, anchor = ''): string => {
    if (/^[a-z]+:/.test(target)) return link;
    const to = join(dirname(path), target).replace(/\/$/, '');
    const carried = places.get(to) ?? places.get(join(to, 'README.md')) ?? DECLARATIONS[to];
    if (carried !== undefined) return `[${label}](${relative(dirname(place), carried)}${anchor})`;
    return label.startsWith('`') ? `\`${to}\`` : `${label} (\`${to}\` of the source)`;
  };
  // In code blocks, which are every second part, brackets are no links.
  return readFileSync(join(root, path), 'utf8')
    .split(/(^```[^]*?^```$)/m)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll(/\[([^\][]+)\]\(([^)\s#]+)(#[^)\s]*)?\)/g, led)))
    .join('');
}
