// Runs the sessions in the documents and writes their real output into them, and makes the generated sources anew: to be read as a diff
// before it is committed.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setup } from '../test/support/compiled.ts';
import { withRealOutput } from '../test/support/docs/console-blocks.ts';
import { generatedFiles } from './generated.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
for (const [path, text] of await generatedFiles()) writeFileSync(root + path, text);
const discard = setup();
try {
  writeFileSync(`${root}README.md`, withRealOutput(readFileSync(`${root}README.md`, 'utf8')));
} finally {
  discard();
}
