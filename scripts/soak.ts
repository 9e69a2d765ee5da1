// `npm run soak -- [--for 90m] [--seed N] [FILE…]`: runs the long random walks again and again,
// with another seed each time, until the time is up. A failure ends it and says how to repeat it.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { durationArgument } from '../src/cli/arguments.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { for: { type: 'string', default: '1h' }, seed: { type: 'string' } },
});
const endsAt = performance.now() + 1000 * durationArgument(values.for, '--for');
// Seeds of one night are not those of the next.
const first = values.seed === undefined ? Math.floor(Date.now() / 1000) % 1_000_000_000 : Number(values.seed);
if (!Number.isSafeInteger(first)) throw new Error(`--seed: expected an integer, found ${values.seed}`);

let rounds = 0;
do {
  const seed = first + rounds;
  console.log(`round ${rounds + 1}, seed ${seed}`);
  if (!isWell(seed)) {
    const files = positionals.map((file) => ` ${file}`).join('');
    console.log(`round ${rounds + 1} failed; to repeat it: npm run soak -- --for 0 --seed ${seed}${files}`);
    process.exitCode = 1;
    break;
  }
  rounds += 1;
} while (performance.now() < endsAt);
console.log(`${rounds} rounds passed, seeds from ${first}`);

function isWell(seed: number): boolean {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const words = [vitest, 'run', '--config', 'test/soak.vitest.config.ts', ...positionals];
  const env = { ...process.env, PLAYBILL_SEED: String(seed) };
  return spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit', env }).status === 0;
}
