// How the tests run: real files and servers, so a minute of patience each; two at a time on the two cores we plan for.

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const report = process.env['PLAYBILL_TEST_REPORT'];

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    globalSetup: ['test/machine-setup.ts'],
    reporters: report === undefined ? ['default'] : ['default', 'json'],
    ...(report === undefined ? {} : { outputFile: { json: report } }),
  },
});
