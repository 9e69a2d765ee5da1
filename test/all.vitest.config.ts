// How `npm run test:all` runs: what `npm test` leaves out, on a machine that has what it needs.

import { defineConfig } from 'vitest/config';
import { BOTH, SERVERS_AND_TIME } from './speeds.ts';
import quick from './vitest.config.ts';

export default defineConfig({
  ...quick,
  test: {
    ...quick.test,
    include: [...SERVERS_AND_TIME, ...BOTH],
    exclude: [],
    // Servers, memory and signals: every file has a process of its own.
    isolate: true,
    env: { PLAYBILL_THOROUGH: 'yes' },
    globalSetup: ['test/support/compiled.ts', 'test/support/machine-setup.ts', 'test/support/objects/gateway.ts'],
  },
});
