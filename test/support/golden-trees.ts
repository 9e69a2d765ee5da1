// The demo catalogue at a few chosen instants, as text that a person can review: the manifest whole
// (every file of the tree with its digest, every pointer), and every edition of a few small fronts
// with a line per card.

import { join } from 'node:path';
import { demoRows } from '../../data/demo/rows.ts';
import { parsePointer } from '../../src/release/tree/codec.ts';
import { buildTree, catalogueAt, filesOf, instant } from './trees.ts';

/**
 * An ordinary Friday noon, the evening before Berlin's clocks go forward, and the last night of a
 * year.
 */
export const GOLDEN_INSTANTS = ['2026-05-01T09:00:00Z', '2026-03-28T19:30:00Z', '2026-12-31T20:59:59Z'] as const;

/** The fronts shown in full: a plain one, a translated one, a partner, and one with a night. */
const FRONTS = ['kuwait', 'rives-en', 'quais', 'minuit-passe'];

export function goldenName(now: string): string {
  return `${now.replaceAll(':', '')}.txt`;
}

/** Builds the demo as of an instant below a folder, and tells the tree as text. */
export async function goldenText(folder: string, now: string): Promise<string> {
  const database = catalogueAt(join(folder, `${goldenName(now)}.sqlite`), demoRows(now));
  const out = join(folder, `${goldenName(now)}-out`);
  await buildTree(database, out, instant(now), { toolVersion: 'golden', tzdata: 'golden' });
  const files = filesOf(out);
  const lines = [`# The demo catalogue as of ${now}, horizon 6h. Made by: npm run golden`, ''];
  const manifests = [...files].filter(([path]) => path.startsWith('releases/') && path.endsWith('.json'));
  for (const [path, text] of manifests) lines.push(`## ${path}`, text);
  lines.push(`## files that are no edition and no manifest`);
  for (const [path, text] of files) {
    if (!/\.[0-9a-f]{16}\.json$/.test(path) && !manifests.some(([manifest]) => manifest === path))
      lines.push(path, `  ${text.trimEnd()}`);
  }
  for (const front of FRONTS) {
    const pointerPath = `public/fronts/${front}/pointer.json`;
    const pointer = parsePointer(new TextEncoder().encode(files.get(pointerPath) ?? ''), pointerPath);
    for (const endpoint of ['products', 'categories'] as const) {
      for (const entry of pointer.ok ? pointer.value[endpoint] : []) {
        const text = files.get(`public/fronts/${front}/${endpoint}.${entry.slice(21)}.json`) ?? '';
        lines.push('', `## ${front} ${endpoint} from ${entry.slice(0, 20)}`, text.replaceAll('},{', '},\n{').trimEnd());
      }
    }
  }
  return `${lines.join('\n')}\n`;
}
