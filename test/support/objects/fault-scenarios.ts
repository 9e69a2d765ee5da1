// Every kind of run that writes a tree, each over a tree in a bucket that gives it all there is to
// do: what the bucket holds before, what the run asks of it, and what it holds after a run that
// nothing disturbed.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { formatInstant, instantOf } from '../../../src/catalogue/instant.ts';
import { AppError } from '../../../src/errors.ts';
import { pruneTree, resumeTree, rollBackTree } from '../../../src/operations/history.ts';
import { revoke } from '../../../src/operations/keys.ts';
import { publishKeys } from '../../../src/operations/publish-keys.ts';
import { NOW, smallCatalogue } from '../fault/small-catalogue.ts';
import type { TreeState } from '../fault/readers-check.ts';
import { buildTree, catalogueAt, instant, KEY_SETTINGS, NO_GRACE } from '../trees.ts';
import type { BucketTree, Objects } from './bucket-tree.ts';
import { requestsIn, type ChosenRequest } from './chosen-requests.ts';
import type { ObservedStore } from './test-store.ts';

export interface Scenario {
  readonly name: string;
  readonly base: Objects;
  readonly before: TreeState;
  readonly after: TreeState;
  /** The files of the tree after an undisturbed run. */
  readonly expected: ReadonlyMap<string, string>;
  /** What an undisturbed run asks, in order. */
  readonly requests: readonly ChosenRequest[];
  /** The run in this process. */
  readonly run: () => Promise<unknown>;
  /** The same run as words of the command. */
  readonly words: readonly string[];
}

export type ScenarioName =
  | 'first publish'
  | 'publish'
  | 'publish beside a held front'
  | 'rollback'
  | 'rollback of a front'
  | 'resume'
  | 'resume of a front'
  | 'prune'
  | 'revocation';

const LATER = '2026-05-01T09:10:00Z';
const LATEST = '2026-05-01T09:15:00Z';
/** A minute later: releases of one instant would begin a time of grace. */
const BACK = '2026-05-01T09:11:00Z';
const ALPHA = { isBySize: false, fronts: { codes: ['alpha'], now: instant(BACK) } };
const GUARDS = { maxShrink: 0.5, maxBad: 0.05, allow: ['max-shrink', 'min-cards'] as const, force: false };

/** Databases in a folder: each edition of the catalogue is made once. */
export class Catalogues {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Three fronts, one of them disabled. */
  at(edition: string, disabled: string): string {
    const path = join(this.#folder, `${edition}.sqlite`);
    if (existsSync(path)) return path;
    const size = { productsPerFront: 1, sessionsPerProduct: 1 };
    catalogueAt(path, smallCatalogue({ ...size, fronts: ['alpha', 'bravo', 'charlie'], edition }));
    const database = new Database(path);
    database.exec(`UPDATE fronts SET status = 'disabled' WHERE code = '${disabled}'`);
    database.close();
    return path;
  }
}

/** Runs a scenario undisturbed, on a bucket that is emptied first. */
export async function scenarioOf(
  name: ScenarioName,
  tree: BucketTree,
  store: ObservedStore,
  folder: string,
): Promise<Scenario> {
  await tree.reset(new Map());
  const { run, words } = await prepared(name, tree, folder);
  const base = await store.objects();
  const before = await tree.state();
  const mark = store.log.length;
  await run();
  const requests = requestsIn(store.log.slice(mark));
  return { name, base, before, after: await tree.state(), expected: await tree.files(), requests, run, words };
}

/** Brings the tree into the state that a run of this kind has to do with. */
async function prepared(
  name: ScenarioName,
  { root }: BucketTree,
  folder: string,
): Promise<Pick<Scenario, 'run' | 'words'>> {
  const catalogues = new Catalogues(folder);
  // Of the older release bravo is a part, of the newer one charlie.
  const old = catalogues.at(`${name}-old`, 'charlie');
  const young = catalogues.at(`${name}-young`, 'bravo');
  const build = (database: string, now: string) => ({
    run: () => buildAsCommand(database, root, now),
    words: [
      'build',
      '--db',
      database,
      '--now',
      now,
      '--horizon',
      '20m',
      '--allow',
      'max-shrink',
      'min-cards',
      '--json',
      '--out',
      root,
    ],
  });
  if (name === 'first publish') return build(old, NOW);
  const { releaseId } = await buildAsCommand(old, root, NOW);
  const id = releaseId ?? '';
  switch (name) {
    case 'publish':
      return build(young, LATER);
    case 'revocation': {
      // The command has the clock of the machine, and a key that was revoked over 30 days ago is no
      // longer in the ring.
      const today = formatInstant(instantOf(Math.floor(Date.now() / 1000)));
      await revoke(old, 'alpha-site', null, instant(today));
      return {
        run: () => publishKeys(old, root, KEY_SETTINGS, instant(today)),
        words: ['keys', 'revoke', 'alpha-site', '--at', today, '--db', old, '--json', '--out', root],
      };
    }
    case 'prune':
      // A dozen releases, so that retention leaves some to be pruned.
      for (let second = 10; second < 22; second += 1) {
        const options = { horizonSeconds: 0, guards: GUARDS, keep: null };
        await buildTree(young, root, instant(`2028-05-01T09:00:${second}Z`), options);
      }
      return {
        run: () => pruneTree(root, NO_GRACE, false),
        words: ['prune', '--grace', '0', '--json', '--out', root],
      };
    case 'publish beside a held front':
      await buildAsCommand(young, root, LATER);
      await rollBackTree(root, id, ALPHA);
      return build(catalogues.at(`${name}-latest`, 'bravo'), LATEST);
    case 'rollback of a front':
    case 'resume of a front': {
      await buildAsCommand(young, root, LATER);
      const front = ['--front', 'alpha'];
      if (name === 'rollback of a front')
        return {
          run: () => rollBackTree(root, id, ALPHA),
          words: ['rollback', id, ...front, '--now', BACK, '--json', '--out', root],
        };
      await rollBackTree(root, id, ALPHA);
      return {
        run: () => resumeTree(root, ['alpha']).catch(throwUnlessResumed),
        words: ['rollback', '--resume', ...front, '--json', '--out', root],
      };
    }
    case 'rollback':
    case 'resume':
      await buildAsCommand(young, root, LATER);
      if (name === 'rollback')
        return { run: () => rollBackTree(root, id), words: ['rollback', id, '--json', '--out', root] };
      await rollBackTree(root, id);
      return { run: () => resumeTree(root), words: ['rollback', '--resume', '--json', '--out', root] };
  }
}

/** What a stopped run has lifted cannot be lifted again. */
function throwUnlessResumed(thrown: unknown): void {
  if (!(thrown instanceof AppError && thrown.code === 'front-not-held')) throw thrown;
}

/** Builds twenty minutes ahead, as the installed command does: to the same bytes. */
export function buildAsCommand(database: string, root: string, now: string) {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return buildTree(database, root, instant(now), { horizonSeconds: 1200, guards: GUARDS, toolVersion: version });
}
