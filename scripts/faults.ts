// `npm run faults` rewrites the tables of faults; `npm run faults -- --plant [WORD…]` plants faults
// in the program, and says which no test notices.

import { rewriteTables } from './fault-matrix.ts';
import { plantFaults } from './planted-faults.ts';

const [option, ...words] = process.argv.slice(2);
if (option === undefined) rewriteTables();
else if (option === '--plant') plantFaults(words);
else {
  console.error(`expected --plant or nothing, found ${option}`);
  process.exitCode = 2;
}
