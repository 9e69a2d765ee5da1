// How `npm test` runs: two files at a time on the two cores we plan for. Limits of time are there for what hangs, never for a machine that
// is slow: real files, servers and browsers take as long as they take.

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SERVERS_AND_TIME } from './speeds.ts';

const report = process.env['PLAYBILL_TEST_REPORT'];

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    exclude: SERVERS_AND_TIME,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 120_000 } },
    maxWorkers: 2,
    // A worker keeps the modules that it has loaded: loading them again for each file takes as long as most files do. Modules keep nothing
    // that a test could see but copies of what they would make again.
    isolate: false,
    globalSetup: ['test/support/compiled.ts'],
    reporters: report === undefined ? ['default'] : ['default', 'json'],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
  },
});
