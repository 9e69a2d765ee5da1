// The demo as a catalogue database: made once for each instant, and copied from then on: a tenth of
// the time.

import { readFileSync, writeFileSync } from 'node:fs';
import { demoRows } from '../../data/demo/rows.ts';
import { catalogueAt } from './trees.ts';

const demos = new Map<string, Buffer>();

/** The demo as it is made for `now`. */
export function demoCatalogueAt(path: string, now: string): string {
  const bytes = demos.get(now);
  if (bytes === undefined) demos.set(now, readFileSync(catalogueAt(path, demoRows(now))));
  else writeFileSync(path, bytes, { flag: 'wx' });
  return path;
}
