// How the tests run: real files and servers, two at a time on the two cores we plan for.

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const report = process.env['PLAYBILL_TEST_REPORT'];

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    // Against hanging, and nothing else: no test fails because a machine is slow.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    maxWorkers: 2,
    globalSetup: ['test/machine-setup.ts'],
    reporters: report === undefined ? ['default'] : ['default', 'json'],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
  },
});
