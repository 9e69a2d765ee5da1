// The tree in a bucket is byte for byte the folder's, after every step of a history; each object
// bears the header fields of its kind; and a run that has nothing to say asks little and writes
// less. On Ceph's gateway, in both dialects.

import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { instantOf, type Instant } from '../../src/catalogue/instant.ts';
import { pruneTree, resumeTree, rollBackTree } from '../../src/operations/history.ts';
import { publishKeys } from '../../src/operations/publish-keys.ts';
import { verify } from '../../src/operations/verify.ts';
import { IS_SOAK, SEED } from '../speeds.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { startBucket, type MirrorBucket, type StoreName } from '../support/objects/mirror-bucket.ts';
import { catalogueArbitrary } from '../support/reference/random-catalogue.ts';
import { buildTree, catalogueAt, instant, KEY_SETTINGS, NO_GRACE, temporaryFolder } from '../support/trees.ts';

const STORES: readonly StoreName[] = ['gateway', 'proxy'];
const NOW = '2026-05-01T09:00:00Z';
const NOT_OF_THE_TREE = /^\.lock(-keyring)?$/;

/** One step of a history: done to a tree, it gives what must be the same for every tree. */
type Step = (root: string, now: Instant) => Promise<unknown>;

/** A build, after a change of the catalogue, which is made once for both trees. */
function building(database: string, options: Parameters<typeof buildTree>[3] = {}, change = ''): Step {
  let left = change;
  return async (root, now) => {
    const handle = new Database(database);
    handle.exec(left);
    handle.close();
    left = '';
    const { releaseId, hold, plan } = await buildTree(database, root, now, options);
    return { releaseId, hold, plan };
  };
}

const rollback =
  (name: string): Step =>
  async (root) => {
    const { manifest, plan } = await rollBackTree(root, name);
    return { manifest, plan };
  };
const resume: Step = async (root) => {
  const { lifted, current } = await resumeTree(root);
  return { lifted, current };
};
const prune: Step = async (root) => {
  const { plan } = await pruneTree(root, NO_GRACE, false);
  return plan;
};

/** Files of a folder, as Latin-1 text: siblings are no text of any other kind. */
function bytesIn(root: string): Map<string, string> {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const files = paths.filter((path) => !NOT_OF_THE_TREE.test(path)).sort();
  return new Map(files.map((path) => [path, readFileSync(join(root, path), 'latin1')]));
}

describe.each(STORES)('on the store: %s', (name) => {
  let bucket: MirrorBucket;
  let trees = 0;
  beforeAll(async () => {
    bucket = await startBucket(name);
    for (const [variable, value] of Object.entries(bucket.store.environment)) vi.stubEnv(variable, value);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await bucket.store.close();
  });
  afterEach(() => {
    expect(trees, 'no tree was compared').toBeGreaterThan(0);
  });

  const addressOf = (prefix: string): string => `s3://${bucket.store.bucket}/${prefix.slice(0, -1)}`;
  const newPrefix = (): string => `trees/${(trees += 1)}/`;

  async function bytesBelow(prefix: string): Promise<Map<string, string>> {
    const objects = [...(await bucket.below(prefix))].filter(([path]) => !NOT_OF_THE_TREE.test(path));
    const bytes = objects.map(async ([path, object]) => [path, (await object.read()).toString('latin1')] as const);
    return new Map((await Promise.all(bytes)).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Does each step to a folder and to a bucket, and compares. */
  async function walk(
    folder: string,
    prefix: string,
    steps: readonly (readonly [minutes: number, step: Step])[],
    start: Instant,
  ) {
    let now: number = start;
    let filesMax = 0;
    for (const [i, [minutes, step]] of steps.entries()) {
      now += minutes * 60;
      const inFolder = await step(folder, instantOf(now));
      expect(await step(addressOf(prefix), instantOf(now)), `step ${i}: result`).toEqual(inFolder);
      const files = bytesIn(folder);
      expect(await bytesBelow(prefix), `step ${i}: tree`).toEqual(files);
      filesMax = Math.max(filesMax, files.size);
    }
    return filesMax;
  }

  // Through the proxy the random catalogues take the same way.
  test.runIf(IS_SOAK || name === 'gateway')(
    'the demo: built, changed, rolled back, held, resumed, pruned',
    async () => {
      const folder = temporaryFolder();
      const database = demoCatalogueAt(join(folder, 'demo.sqlite'), NOW);
      const dearer = 'UPDATE price_tiers SET amount_minor = amount_minor + 100 WHERE id % 5 = 0';
      const fewer = "UPDATE fronts SET status = 'disabled' WHERE id = (SELECT MIN(id) FROM fronts)";
      const precompress = ['gzip'] as const;
      const force = {
        guards: { maxShrink: 1, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: true },
      };
      const files = await walk(
        join(folder, 'out'),
        newPrefix(),
        [
          [0, building(database, { precompress })],
          [5, building(database)],
          [5, building(database, {}, dearer)],
          [0, (root) => publishKeys(database, root, KEY_SETTINGS, instant(NOW))],
          [0, rollback('current~1')],
          [5, building(database, {}, dearer)],
          [0, resume],
          [5, building(database)],
          [0, building(database, force, fewer)],
          [300, building(database, { frontCodes: ['kuwait'] })],
          [60, building(database)],
          [0, prune],
          [0, prune],
        ],
        instant(NOW),
      );
      expect(files).toBeGreaterThan(100);
    },
  );

  test('random catalogues, the same way', async () => {
    const catalogues = fc.sample(catalogueArbitrary(), { numRuns: IS_SOAK ? 4 : 1, seed: SEED ?? 20260501 });
    for (const { rows, now } of catalogues) {
      const folder = temporaryFolder();
      const database = catalogueAt(join(folder, 'random.sqlite'), rows);
      const guards = { maxShrink: 1, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false };
      const options = { horizonSeconds: 3600, guards };
      const change = 'UPDATE price_tiers SET amount_minor = amount_minor / 2 WHERE id % 2 = 0';
      const steps = [
        [0, building(database, options)],
        [20, building(database, options, change)],
        [1, rollback('current')],
        [1, building(database, options)],
        [1, resume],
        [1, building(database, { ...options, frontCodes: null })],
        [1, prune],
      ] as const;
      expect(await walk(join(folder, 'out'), newPrefix(), steps, instant(now))).toBeGreaterThan(0);
    }
  });

  const EDITION = String.raw`public/fronts/[^/]+/(products|categories)\.[0-9a-f]{16}\.json`;
  const KEPT_FOR_EVER = 'public, max-age=31536000, immutable';
  const JSON_TYPE = 'application/json';
  const TEXT = 'text/plain; charset=utf-8';

  test('each kind of file with its header fields', async () => {
    const KINDS = [
      ['edition', EDITION, JSON_TYPE, KEPT_FOR_EVER, undefined],
      ['its sibling by gzip', `${EDITION}.gz`, JSON_TYPE, KEPT_FOR_EVER, 'gzip'],
      ['its sibling by brotli', `${EDITION}.br`, JSON_TYPE, KEPT_FOR_EVER, 'br'],
      ['manifest', String.raw`releases/\d{8}T\d{6}Z-[0-9a-f]{16}\.json`, JSON_TYPE, KEPT_FOR_EVER, undefined],
      [
        'part of a manifest',
        String.raw`releases/(fronts|files)-[0-9a-f]{16}\.json`,
        JSON_TYPE,
        KEPT_FOR_EVER,
        undefined,
      ],
      ['pointer', 'public/fronts/[^/]+/pointer.json', JSON_TYPE, 'no-cache', undefined],
      ['key ring', 'edge/keyring.json', JSON_TYPE, 'no-cache', undefined],
      ['current', 'releases/current', TEXT, 'no-cache', undefined],
      ['hold', 'releases/hold', JSON_TYPE, 'no-cache', undefined],
      ['grace', 'releases/grace', TEXT, 'no-cache', undefined],
      ['lease', '.lock', JSON_TYPE, 'no-cache', undefined],
    ] as const;
    const folder = temporaryFolder();
    const database = demoCatalogueAt(join(folder, 'demo.sqlite'), NOW);
    const prefix = newPrefix();
    const root = addressOf(prefix);
    const options = { frontCodes: ['kuwait', 'tokyo'], precompress: ['gzip', 'br'] as const };
    await buildTree(database, root, instant(NOW), options);
    await buildTree(database, root, instant('2026-05-01T11:00:00Z'), options);
    const seen = new Set<string>();
    const check = async (): Promise<void> => {
      for (const [key, { headers }] of await bucket.store.objects()) {
        if (!key.startsWith(prefix)) continue;
        const path = key.slice(prefix.length);
        const kinds = KINDS.filter(([, pattern]) => new RegExp(`^${pattern}$`).test(path));
        expect(kinds.length, path).toBe(1);
        for (const [kind, , ...expected] of kinds) {
          const fields = ['content-type', 'cache-control', 'content-encoding'].map((field) => headers[field]);
          expect(fields, path).toEqual(expected);
          seen.add(kind);
        }
      }
    };
    await rollBackTree(root, 'current~1');
    await check();
    await resumeTree(root);
    await check();
    expect([...seen].sort()).toEqual(KINDS.map(([kind]) => kind).sort());
  });

  test('verify says so when another release is published meanwhile', async () => {
    const folder = temporaryFolder();
    const database = demoCatalogueAt(join(folder, 'demo.sqlite'), NOW);
    const prefix = newPrefix();
    const root = addressOf(prefix);
    await buildTree(database, root, instant(NOW), { frontCodes: ['kuwait'] });
    await bucket.store.put(`${prefix}public/stranger`, '');
    const lines: string[] = [];
    const counts = { fronts: 0, editions: 0, bytes: 0, releases: 0 };
    for await (const { severity, code, place } of verify(root, counts, () => undefined)) {
      lines.push(`${severity} ${code} ${place}`);
      await buildTree(database, root, instant('2026-05-01T11:00:00Z'), { frontCodes: ['kuwait'] });
    }
    expect(lines.filter((line) => line.startsWith('error file-'))).toEqual([]);
    expect([lines[0], lines.at(-1)]).toEqual([
      'warning unexpected public/stranger',
      'warning tree-changed releases/current',
    ]);
  });

  // The gateway itself keeps no log.
  test.skipIf(name === 'gateway')('a run with nothing to say writes manifest, current and the lease', async () => {
    const folder = temporaryFolder();
    const database = demoCatalogueAt(join(folder, 'demo.sqlite'), NOW);
    const prefix = newPrefix();
    await buildTree(database, addressOf(prefix), instant(NOW));
    const before = bucket.log?.length ?? 0;
    const { release } = await buildTree(database, addressOf(prefix), instant('2026-05-01T09:05:00Z'));
    const requests = bucket.log?.slice(before) ?? [];
    const keysOf = (asked: string): string[] =>
      requests
        .filter(({ method, key }) => `${method}${key === '' ? ' list' : ''}` === asked)
        .map(({ key }) => key.slice(prefix.length));
    expect(keysOf('PUT').filter((path) => path !== '.lock')).toEqual([
      `releases/${release?.name}.json`,
      'releases/current',
    ]);
    expect(keysOf('DELETE')).toEqual([]);
    // Taken, made sure of before what readers look for, given back.
    expect(keysOf('PUT').filter((path) => path === '.lock')).toHaveLength(3);
    // Editions and pointers are known from one listing, releases from another, runs of shards from a
    // third; a handful of other files is read.
    expect(keysOf('GET list')).toHaveLength(3);
    expect(keysOf('GET').filter((path) => path.startsWith('public/'))).toEqual([]);
    expect(keysOf('GET').length).toBeLessThan(20);
  });
});
