// Which of the suites for catalogues in SQLite run on PostgreSQL as well, and which of their tests
// do not.

/** In `npm test`, on PGlite. */
export const ON_PGLITE: readonly string[] = ['test/golden/golden.test.ts'];

/** In `npm run test:all`, on the cluster. */
export const ON_CLUSTER: readonly string[] = [
  ...ON_PGLITE,
  'test/cli/explain.test.ts',
  'test/fault/hostile-cells.test.ts',
  'test/property/containment.test.ts',
  'test/property/laws.test.ts',
  'test/property/shards.test.ts',
  'test/unit/database-check.test.ts',
  'test/unit/doubtful-rows.test.ts',
  'test/unit/excluding-front.test.ts',
  'test/unit/explain-bad-venue.test.ts',
  'test/unit/local-times.test.ts',
  'test/unit/odd-ids.test.ts',
];

/** From the cluster into a bucket as well; `npm run soak` runs them at length. */
export const SHARDS_ON_CLUSTER: readonly string[] = ['test/property/shards.test.ts'];

interface Exclusion {
  /** Of the names of tests, with those of what they are in. */
  readonly test: RegExp;
  readonly why: string;
}

const EXCLUSIONS: Readonly<Record<string, readonly Exclusion[]>> = {
  'test/unit/database-check.test.ts': [
    { test: /another journal mode than WAL/, why: 'PostgreSQL has no journal modes' },
    { test: /a damaged file/, why: 'the server looks after its files' },
    {
      test: /a declared type is wrong|lists the tables that are views/,
      why: 'is about the declarations; see contract.test.ts',
    },
  ],
};

/** Of a test file. */
export function exclusionsIn(path: string): readonly Exclusion[] {
  return EXCLUSIONS[path] ?? [];
}
