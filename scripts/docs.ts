// Runs the sessions in the documents and writes their real output into them: to be read as a diff before it is committed.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { withRealOutput } from '../test/docs/console-blocks.ts';

const readme = fileURLToPath(new URL('../README.md', import.meta.url));
writeFileSync(readme, withRealOutput(readFileSync(readme, 'utf8')));
