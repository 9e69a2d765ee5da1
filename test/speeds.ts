// Two speeds. `npm test` needs nothing but npm and takes a few minutes; `npm run test:all` adds what needs servers, a browser, other
// versions of Node.js, or time. Between them every test runs.

/** What `npm test` leaves to `npm run test:all`. */
export const SERVERS_AND_TIME = [
  // nginx, Deno, Bun and edge-runtime, one after the other, and many requests to each.
  'test/edge/{boundary,deploy,fuzz,nginx,nginx-bucket,nginx-bucket-boundary,nginx-bucket-faults,refusals-reveal-nothing,revocation,timing,worker-hosts}.test.ts',
  // Chromium.
  'test/preview/*.test.ts',
  'test/client/storefront.test.ts',
  // nginx.
  'test/contract/openapi.test.ts',
  // Every way for a run to break: strace, SIGKILL, small disks.
  'test/fault/*.test.ts',
  // Ceph; the command, killed and suspended.
  'test/objects/{gateway,fault-gateway,fault-killed,builders-minute,builders-processes}.test.ts',
  // systemd, rsync, a container file, a compiled command.
  'test/recipes/*.test.ts',
  // The archive installed on three versions of Node.js; npm.
  'test/packed/*.test.ts',
  'test/checkout/*.test.ts',
  // zsh and fish.
  'test/cli/completion-shells.test.ts',
  // The sqlite3 shell; PHP and Go; a whole session with a bucket and workerd.
  'test/docs/{buckets,docs,own-schema,signing}.test.ts',
  'test/unit/schema-in-the-shell.test.ts',
];

/** What `npm test` runs briefly and `npm run test:all` once more, at length. */
export const BOTH = [
  'test/property/*.test.ts',
  'test/edge/transcripts.test.ts',
  'test/objects/{fault-requests,builders-keys,builders-meet,builders-suspended,same-tree}.test.ts',
];

/** Whether this is `npm run test:all`: more runtimes, longer histories. */
export const IS_THOROUGH = process.env['PLAYBILL_THOROUGH'] === 'yes';

/** How often a property is tried: all of it under `npm run test:all`, a quarter of it else. */
export function runs(thorough: number): number {
  return IS_THOROUGH ? thorough : Math.ceil(thorough / 4);
}
