// `npm run golden`: rewrites the golden files. Read the difference before you commit it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GOLDEN_INSTANTS, goldenName, goldenText } from '../test/support/golden-trees.ts';

const goldens = fileURLToPath(new URL('../test/golden/', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'playbill-golden-'));
for (const now of GOLDEN_INSTANTS) {
  writeFileSync(goldens + goldenName(now), await goldenText(folder, now));
  process.stderr.write(`test/golden/${goldenName(now)}\n`);
}
rmSync(folder, { recursive: true });
