// `npm run docs`: runs the console sessions in the documents and writes their real output into
// them; regenerates the generated files. Read the difference before you commit it.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setup } from '../test/support/compiled.ts';
import { withRealOutput } from '../test/support/docs/console-blocks.ts';
import { documentsWithSessions } from '../test/support/docs/documents.ts';
import { generatedFiles } from './generated.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
for (const [path, text] of await generatedFiles()) writeFileSync(root + path, text);
const discard = setup();
try {
  for (const path of documentsWithSessions())
    writeFileSync(root + path, withRealOutput(readFileSync(root + path, 'utf8')));
} finally {
  discard();
}
