// Three speeds. `npm test` needs nothing but npm and takes a few minutes; `npm run test:all` adds
// what needs servers, a browser, other versions of Node.js, or time; `npm run soak` tries every case
// where these two try some, and random ones for as long as it is told.

/** What `npm test` leaves to `npm run test:all`. */
export const SERVERS_AND_TIME = [
  // nginx, Deno, Bun and edge-runtime, one after the other, and many requests to each.
  'test/edge/{authorizer,authorizer-service,boundary,deploy,edge-check,edge-check-command,edition-cache,fuzz,gateway-origin,installed,lying-origin,nginx,own-server,refusals-reveal-nothing,request-cost,revocation,signed-headers-hosts,slow-and-malformed,timing,worker-hosts,worker-key-ring}.test.ts',
  // Chromium.
  'test/preview/*.test.ts',
  'test/client/storefront.test.ts',
  // The compiler, several times; Deno, Bun and workerd.
  'test/client/{openapi-types,runtimes}.test.ts',
  'test/edge/new-target.test.ts',
  // What stands in for PostgreSQL in npm test, by itself.
  'test/postgres/pglite.test.ts',
  // nginx.
  'test/contract/openapi.test.ts',
  // Every way for a run to break: strace, SIGKILL, small disks.
  'test/fault/*.test.ts',
  // Ceph; the command, killed and suspended, and several at once; every request answered wrongly.
  'test/objects/{gateway,fault-gateway,fault-killed,fault-requests,fault-shards,builders-keys,builders-meet,builders-processes,builders-suspended,refused-midway,same-tree}.test.ts',
  // PostgreSQL, PgBouncer.
  'test/postgres/{absent,bad-input,cluster,command,connect,endless-queries,hints,import,import-disturbed,native-types,one-state,own-triggers,random-mirrors,replica,same-tree,sessions,shards,throwing-views,writers}.test.ts',
  // What hangs, is waited for, and tried again; openssl.
  'test/cli/{bucket-errors,edge-certificate,going-back-fronts,import,no-folder,on-publish,shards,terminal,try-again,umask}.test.ts',
  'test/objects/{late-removals,lease}.test.ts',
  // systemd, rsync, a container file, a compiled command.
  'test/recipes/*.test.ts',
  // The archive installed on three versions of Node.js; npm.
  'test/packed/*.test.ts',
  'test/checkout/*.test.ts',
  // zsh and fish.
  'test/cli/completion-shells.test.ts',
  // The sqlite3 shell; PHP and Go; whole sessions with a bucket and workerd, and with PostgreSQL.
  'test/docs/{buckets,build-costs,docs,first-day,https,own-schema,postgres,rehearsal,signing,upkeep}.test.ts',
  'test/unit/{schema-in-the-shell,undecodable-text}.test.ts',
];

/**
 * Of these, what takes longest although its file is small: `npm run test:all` begins with it. Where
 * no earlier run has left its times, vitest begins with the largest files, so that these would come
 * last, and the other workers would wait for them.
 */
export const BEGUN_FIRST: readonly string[] = [
  'test/fault/large-cells.test.ts',
  'test/objects/builders-processes.test.ts',
  'test/objects/fault-gateway.test.ts',
  'test/objects/fault-killed.test.ts',
  'test/objects/fault-requests.test.ts',
  'test/packed/packed.test.ts',
  'test/postgres/writers.test.ts',
  'test/preview/access.test.ts',
];

/** What `npm test` runs briefly and `npm run test:all` once more, on servers or at length. */
export const BOTH = [
  'test/edge/{independent-signers,signed-headers,transcripts}.test.ts',
  'test/postgres/{copy,schema}.test.ts',
];

/** What `npm run soak` alone runs: real builders, for minutes by the clock. */
export const SOAK_ONLY = ['test/objects/builders-minute.test.ts'];

/** Whether this is `npm run test:all`: more runtimes, longer histories. `npm run soak` is, too. */
export const IS_THOROUGH = process.env['PLAYBILL_THOROUGH'] === 'yes';

/** Whether this is `npm run soak`, or `npm run faults`, which counts every case. */
export const IS_SOAK = process.env['PLAYBILL_SOAK'] === 'yes';

/** Whether this is a suite for SQLite that runs on PostgreSQL. */
export const IS_ON_SERVER = process.env['PLAYBILL_ON_POSTGRES'] === 'yes';

/**
 * Whether this is a suite on another database or another store than it was written for: in question
 * is what comes out of one and goes into the other, and no longer the laws.
 */
const IS_MIRRORED = IS_ON_SERVER || process.env['PLAYBILL_TEST_STORE'] !== undefined;

/**
 * Of cases that each take long: every n-th, so that all kinds have their turn, and all of them in
 * `npm run soak`. `step` has no divisor in common with the number of kinds.
 */
export function sample<T>(all: readonly T[], step: number): readonly T[] {
  return IS_SOAK ? all : all.filter((_, i) => i % step === 0);
}

/** Of cases of a suite that a mirror runs once more: every n-th there, and all of them elsewhere. */
export function sampleOnMirror<const T>(all: readonly T[], step: number): readonly T[] {
  return IS_MIRRORED ? sample(all, step) : all;
}

/**
 * `PLAYBILL_TEST_LENGTH=12 npm run test:all` tries twelve times as many random cases where each
 * takes long.
 */
export const LENGTH = Number(process.env['PLAYBILL_TEST_LENGTH'] ?? 1);

/**
 * How often a property is tried that takes long each time: little in `npm test`, a third of it on a
 * mirror, and elsewhere as often as was asked for.
 */
export function longRuns(brief: number, thorough: number): number {
  return IS_THOROUGH ? thorough * LENGTH : Math.ceil(brief / (IS_MIRRORED ? 3 : 1));
}

/** How often a property is tried: a quarter of it in `npm test`, and a sixteenth on a mirror. */
export function runs(thorough: number): number {
  return IS_THOROUGH ? thorough : Math.ceil(thorough / (IS_MIRRORED ? 16 : 4));
}

/**
 * `npm run soak` gives every random walk another seed; null elsewhere, where each test has its own.
 */
export const SEED = process.env['PLAYBILL_SEED'] === undefined ? null : Number(process.env['PLAYBILL_SEED']);
