// Which of the suites for folders run on a bucket as well, and why the rest does not. Every test
// file of the six folders in which trees are published is in one of these lists
// (test/objects/suites.test.ts), but for those that make their trees in a bucket themselves.

/** In `npm test`, on the store in memory. */
export const BRIEF: readonly string[] = [
  'test/cli/diff.test.ts',
  'test/cli/key-guards.test.ts',
  'test/cli/manifests.test.ts',
  'test/cli/release-names.test.ts',
  'test/cli/status.test.ts',
  'test/cli/summaries.test.ts',
  'test/cli/validity-of-releases.test.ts',
  'test/cli/verify.test.ts',
  'test/golden/golden.test.ts',
  'test/unit/bad-session-fronts.test.ts',
  'test/unit/excluding-front.test.ts',
  'test/unit/explain-bad-venue.test.ts',
  'test/unit/facets-over-time.test.ts',
  'test/unit/history-size.test.ts',
  'test/unit/odd-ids.test.ts',
  'test/unit/quiet-pointer.test.ts',
  'test/unit/recipes.test.ts',
  'test/unit/show.test.ts',
  'test/unit/valid-until.test.ts',
  'test/unit/verify-documents.test.ts',
  'test/unit/verify-files.test.ts',
  'test/unit/verify-key-ring.test.ts',
  'test/unit/verify-pointers.test.ts',
  'test/unit/verify-releases.test.ts',
  'test/unit/verify.test.ts',
];

/** In `npm run test:all`, on the store in memory. */
export const LONG: readonly string[] = [
  'test/cli/build.test.ts',
  'test/cli/edge.test.ts',
  'test/cli/going-back.test.ts',
  'test/cli/incidents.test.ts',
  'test/cli/shards.test.ts',
  'test/property/immutable.test.ts',
  'test/property/quiet-chain.test.ts',
  'test/property/sequences.test.ts',
];

/** In `npm run test:all`, on Ceph's gateway alone. */
const OF_SERVERS: readonly string[] = [
  'test/cli/key-files.test.ts',
  'test/cli/precompress.test.ts',
  'test/cli/show.test.ts',
  'test/property/shards.test.ts',
];

/**
 * On Ceph's gateway: what reads or writes most kinds of objects, in most ways. The rest is asked of
 * the store in memory alone, which answers as the gateway does (test/objects/stores.test.ts).
 */
export const ON_GATEWAY: readonly string[] = [
  ...OF_SERVERS,
  'test/golden/golden.test.ts',
  'test/unit/verify-files.test.ts',
  'test/unit/verify-releases.test.ts',
];

/** Once more through the proxy in front of it, which speaks Amazon's dialect. */
export const ON_PROXY: readonly string[] = [
  'test/cli/key-files.test.ts',
  'test/golden/golden.test.ts',
  'test/unit/verify-files.test.ts',
];

/** Of all these. */
export const ON_BUCKETS: readonly string[] = [...BRIEF, ...LONG, ...OF_SERVERS];

interface Reason {
  readonly why: string;
  readonly files: readonly string[];
}

/** What runs on folders alone. */
export const FOLDERS_ONLY: readonly Reason[] = [
  {
    why: 'is about no tree, or asks a tree in passing in a test or two',
    files: [
      'test/cli/check-db.test.ts',
      'test/cli/completion.test.ts',
      'test/cli/dry-run.test.ts',
      'test/cli/edge-certificate.test.ts',
      'test/cli/explain.test.ts',
      'test/cli/export.test.ts',
      'test/cli/findings-reports.test.ts',
      'test/cli/help.test.ts',
      'test/cli/import.test.ts',
      'test/cli/log-format.test.ts',
      'test/cli/relative-times.test.ts',
      'test/cli/settings-of-commands.test.ts',
      'test/cli/shard-findings.test.ts',
      'test/cli/shard-states.test.ts',
      'test/cli/settings-unsafe.test.ts',
      'test/cli/settings-weaker.test.ts',
      'test/cli/settings.test.ts',
      'test/cli/terminal.test.ts',
      'test/cli/try-again.test.ts',
      'test/cli/wrong-words.test.ts',
      'test/fault/catalogue-writers.test.ts',
      'test/fault/databases.test.ts',
      'test/property/containment.test.ts',
      'test/unit/throwing-views.test.ts',
      'test/unit/absent.test.ts',
      'test/unit/absent-slugs.test.ts',
      'test/unit/keyless-tiers.test.ts',
      'test/unit/price-jump.test.ts',
      'test/fault/endless-queries.test.ts',
      'test/fault/large-cells.test.ts',
      'test/fault/mirror.test.ts',
      'test/property/explain.test.ts',
      'test/property/mirror.test.ts',
      'test/reference/plain-laws.test.ts',
      'test/reference/plain-documents.test.ts',
      'test/unit/bench.test.ts',
      'test/unit/calendar.test.ts',
      'test/unit/hints.test.ts',
      'test/unit/database-check.test.ts',
      'test/unit/database-import.test.ts',
      'test/unit/database-schema.test.ts',
      'test/unit/demo-rows.test.ts',
      'test/unit/document-buffer.test.ts',
      'test/unit/document-diff.test.ts',
      'test/unit/doubtful-rows.test.ts',
      'test/unit/verify-days.test.ts',
      'test/unit/edition-choice.test.ts',
      'test/unit/front-profiles.test.ts',
      'test/unit/guards.test.ts',
      'test/unit/instant.test.ts',
      'test/unit/json-with-lines.test.ts',
      'test/unit/key-validity.test.ts',
      'test/unit/language-texts.test.ts',
      'test/unit/large-cells.test.ts',
      'test/unit/lines.test.ts',
      'test/unit/moment.test.ts',
      'test/unit/money.test.ts',
      'test/unit/near-names.test.ts',
      'test/unit/postgres-connection.test.ts',
      'test/unit/precompress.test.ts',
      'test/unit/preview-page.test.ts',
      'test/unit/read-ahead.test.ts',
      'test/unit/retention.test.ts',
      'test/unit/schema-in-the-shell.test.ts',
      'test/unit/seed.test.ts',
      'test/unit/shards.test.ts',
      'test/unit/sqlite-errors.test.ts',
      'test/unit/status.test.ts',
      'test/unit/text-ids.test.ts',
      'test/unit/terminal.test.ts',
      'test/unit/variant-blocks.test.ts',
      'test/unit/heap.test.ts',
    ],
  },
  {
    why: 'is about documents and rows, in which no store looks',
    files: [
      'test/fault/hostile-cells.test.ts',
      'test/fault/hostile-data.test.ts',
      'test/fault/very-many.test.ts',
      'test/property/demo-instants.test.ts',
      'test/property/diff.test.ts',
      'test/property/laws.test.ts',
      'test/unit/day-sessions.test.ts',
      'test/unit/fields.test.ts',
      'test/unit/local-times.test.ts',
      'test/unit/undecodable-text.test.ts',
      'test/unit/verify-clean.test.ts',
    ],
  },
  {
    why: 'runs the command in a process of its own, which no mirror reaches',
    files: [
      'test/cli/going-back-fronts.test.ts',
      'test/cli/notify.test.ts',
      'test/cli/completion-shells.test.ts',
      'test/cli/demo.test.ts',
      'test/cli/hints.test.ts',
      'test/cli/keys-during-build.test.ts',
      'test/cli/no-folder.test.ts',
      'test/cli/on-failure.test.ts',
      'test/cli/on-publish.test.ts',
      'test/cli/preview.test.ts',
      'test/cli/profiles.test.ts',
      'test/fault/contained.test.ts',
      'test/fault/damaged-tree.test.ts',
      'test/fault/going-back-killed.test.ts',
      'test/fault/notices-broken.test.ts',
      'test/fault/notices-killed.test.ts',
      'test/fault/guards.test.ts',
      'test/fault/kill.test.ts',
      'test/fault/mid-load.test.ts',
      'test/fault/shards-killed.test.ts',
    ],
  },
  {
    why: 'is about the file system: its calls, its permissions, its room, its links; or breaks the store of folders itself',
    files: [
      'test/fault/breaking-store.test.ts',
      'test/cli/older-trees.test.ts',
      'test/cli/release-changes.test.ts',
      'test/cli/umask.test.ts',
      'test/fault/durability.test.ts',
      'test/fault/file-writers.test.ts',
      'test/fault/going-back.test.ts',
      'test/fault/links.test.ts',
      'test/fault/locks.test.ts',
      'test/fault/matrix.test.ts',
      'test/fault/places.test.ts',
      'test/fault/system-calls.test.ts',
      'test/unit/file-lock.test.ts',
      'test/unit/writing-tree.test.ts',
      'test/unit/unreadable-files.test.ts',
    ],
  },
];

interface Exclusion {
  /** Of the test's name. */
  readonly test: RegExp;
  readonly reason: string;
}

const NO_FOLDER = 'a bucket has no folder in the place of a file';
const NO_LINK = 'a bucket has no links and no pipes';
const NO_EMPTY_FOLDER = 'a bucket has no empty folders';
const NO_TEMPORARY = 'a bucket has no temporary names: one that lies there is a stranger';
const NOT_A_FOLDER = 'a bucket is never something that is not a folder';

/**
 * What of a suite that runs on a bucket is for folders alone. Each of these must be there
 * (mirror-setup.ts).
 */
const EXCLUSIONS: Readonly<Record<string, readonly Exclusion[]>> = {
  'test/cli/edge.test.ts': [
    { test: /where the tree cannot be written the key is still printed once/, reason: NOT_A_FOLDER },
    { test: /a newer tool’s key ring is not overwritten/, reason: 'revokes the key that the test before issues' },
  ],
  'test/cli/status.test.ts': [
    { test: /a broken pointer, however broken/, reason: NO_FOLDER },
    { test: /a tree in which nothing is published yet is stale/, reason: NO_EMPTY_FOLDER },
  ],
  'test/cli/verify.test.ts': [
    { test: /damage as JSON/, reason: NO_LINK },
    { test: /warnings alone exit 0/, reason: NO_TEMPORARY },
    { test: /a file is there: error tree-missing/, reason: NOT_A_FOLDER },
    { test: /an empty folder is there: error tree-missing/, reason: NO_EMPTY_FOLDER },
  ],
  'test/unit/show.test.ts': [
    { test: /a folder in a pointer’s place/, reason: NO_FOLDER },
    { test: /a link in a pointer’s place/, reason: NO_LINK },
  ],
  'test/unit/verify.test.ts': [
    { test: /names what cannot be read, and goes on/, reason: 'a bucket has no permission bits' },
    {
      test: /another release is published meanwhile/,
      reason: 'a change of the folder while its copy is read is not seen',
    },
  ],
  'test/unit/verify-files.test.ts': [
    { test: /a folder stands in (an edition|a pointer)’s place/, reason: NO_FOLDER },
    { test: /a pipe stands|a link/, reason: NO_LINK },
    { test: /a stopped run has left temporary names/, reason: NO_TEMPORARY },
  ],
  'test/unit/verify-releases.test.ts': [{ test: /(manifest|hold|current) is a folder/, reason: NO_FOLDER }],
};

/** What of a test file is for folders alone. */
export function exclusionsOf(file: string): readonly Exclusion[] {
  return EXCLUSIONS[file] ?? [];
}

/** The files of which something is. */
export const FILES_WITH_EXCLUSIONS = Object.keys(EXCLUSIONS);
