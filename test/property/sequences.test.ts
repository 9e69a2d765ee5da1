// Promises 1 and 2 over time: whatever happened to the catalogue and to the tree before, a build
// serves what a build into an empty tree serves. The histories are those that once made a build
// serve a stale card: rows of every table changed, products taken off every front and put back, the
// clock forward and back, other horizons, some fronts only, copies of the database restored; and
// rollbacks of the whole tree or of fronts, over trees of this version and of an earlier one.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { demoRows } from '../../data/demo/rows.ts';
import { instantOf, type Instant } from '../../src/catalogue/instant.ts';
import type { ManifestFile } from '../../src/contract/manifest.ts';
import type { Pointer } from '../../src/contract/pointer.ts';
import { rollBackTree } from '../../src/operations/history.ts';
import { IS_THOROUGH, longRuns } from '../speeds.ts';
import { demoCatalogueAt } from '../support/demo-catalogue.ts';
import { ChangingCatalogue } from '../support/histories/changing-catalogue.ts';
import { ChangingTree } from '../support/histories/changing-tree.ts';
import { BEGINNINGS, SIX_HOURS, stepArbitrary, type Event, type Step } from '../support/histories/steps.ts';
import { makeOlder } from '../support/older-trees.ts';
import { catalogueArbitrary } from '../support/reference/random-catalogue.ts';
import { buildTree, catalogueAt, filesOf, instant, pointerOf, temporaryFolder } from '../support/trees.ts';

const NOW = '2026-05-01T09:00:00Z';

/** What only a build into a tree with a history can find: an empty one has no manifests and no key ring. */
const ABOUT_THE_TREE: readonly string[] = ['manifest-older', 'keys-revived'];

/** One catalogue and one tree with a history. */
class History {
  readonly #root: string;
  readonly #catalogue: ChangingCatalogue;
  readonly tree: ChangingTree;
  #now: Instant;
  #serial = 0;
  readonly #contents: Map<string, string>;
  /** How many published fronts were compared. */
  frontsCompared = 0;
  /** How many editions were kept without being assembled. */
  keptByRecipe = 0;
  /** How many fronts kept an earlier pointer, which says what a new one would. */
  quietPointers = 0;

  /** `contents` gets the digest of every edition, by its recipe. */
  constructor(root: string, database: string, now: Instant, contents = new Map<string, string>()) {
    this.#contents = contents;
    this.#root = root;
    this.#catalogue = new ChangingCatalogue(database);
    this.tree = new ChangingTree(join(root, 'out'));
    this.#now = now;
  }

  async walk(steps: readonly Step[], beginning: (typeof BEGINNINGS)[number] = 'empty'): Promise<void> {
    if (beginning !== 'empty') await this.#beginOlder(beginning === 'older-held');
    await this.#buildAndCompare(SIX_HOURS, null, false);
    for (const { events, seconds, horizonSeconds, isPartial } of steps) {
      for (const event of events) await this.#apply(event);
      const codes = this.#catalogue.codes('active');
      this.#now = instantOf(this.#now + seconds);
      // A partial build of a catalogue without fronts is refused, as is right.
      if (isPartial && codes.length === 0) continue;
      await this.#buildAndCompare(horizonSeconds, isPartial ? codes.slice(0, 1) : null, seconds < 0);
    }
  }

  /** Two releases of an earlier version; with `isHeld`, the first of them is held. */
  async #beginOlder(isHeld: boolean): Promise<void> {
    const { out } = this.tree;
    const first = await buildTree(this.#catalogue.path, out, this.#now, {});
    this.#now = instantOf(this.#now + 300);
    const second = await buildTree(this.#catalogue.path, out, this.#now, {});
    const isAny = first.release !== null && second.release !== null;
    if (isAny && isHeld) await rollBackTree(out, first.release.id);
    const [id = null] = makeOlder(out);
    this.tree.begin(isAny && isHeld ? id : null);
  }

  async #apply(event: Event): Promise<void> {
    switch (event.kind) {
      case 'rollback':
      case 'rollback-fronts':
      case 'resume':
      case 'resume-fronts':
      case 'prune':
      case 'notify':
        return this.tree.apply(event, this.#now);
      case 'row':
      case 'orphan':
      case 'withdraw':
      case 'return':
      case 'copy':
      case 'restore-in-place':
      case 'restore-beside':
      case 'front':
        return this.#catalogue.apply(event);
    }
  }

  /**
   * Builds into the old tree and into an empty one, and expects every front that was built to be
   * served alike.
   */
  async #buildAndCompare(horizonSeconds: number, frontCodes: readonly string[] | null, isBack: boolean): Promise<void> {
    const guards = {
      maxShrink: 0.5,
      maxBad: 0.05,
      allow: ['max-shrink', 'min-cards', 'price-jump'] as const,
      force: isBack,
    };
    const options = { horizonSeconds, frontCodes, guards };
    const built = await buildTree(this.#catalogue.path, this.tree.out, this.#now, options);
    const empty = join(this.#root, `empty-${++this.#serial}`);
    const fresh = await buildTree(this.#catalogue.path, empty, this.#now, options);
    expect(built.findings.filter(({ code }) => !ABOUT_THE_TREE.includes(code))).toEqual(fresh.findings);
    // A front is removed where its row can be read and the build is of all.
    const isRemoving = frontCodes === null && built.isEveryFrontKnown;
    const disabled = new Set(this.#catalogue.codes('disabled'));
    await this.tree.expectBuilt(built, disabled, isRemoving, this.#now);
    const { all, fronts: heldFronts } = this.tree.model;
    const [files, freshFiles] = [filesOf(this.tree.out), filesOf(empty)];
    for (const { code, held, files: freshListed } of fresh.outcomes) {
      for (const { recipe, sha256 } of freshListed) {
        if (recipe === undefined) continue;
        expect(this.#contents.get(recipe) ?? sha256, `recipe ${recipe} of ${code}`).toBe(sha256);
        this.#contents.set(recipe, sha256);
      }
      if (held === 'not-selected' || all !== null || heldFronts.has(code)) continue;
      const here = built.outcomes.find((outcome) => outcome.code === code);
      // A rebuild after the clock went back is forced; nothing else may hold a front that an empty
      // tree would publish.
      if (here?.held === 'now-earlier') continue;
      expect(here?.held, code).toBe(held);
      if (held !== null) continue;
      this.keptByRecipe += here?.plan.filter(({ reason }) => reason === 'same-recipe').length ?? 0;
      this.frontsCompared += 1;
      const pointer = pointerOf(freshFiles, code);
      const kept = pointerOf(files, code);
      if (kept.now === pointer.now) {
        expect(kept).toEqual(pointer);
        expect(here?.files).toEqual(freshListed);
      } else this.#expectQuiet(kept, pointer, horizonSeconds, { listed: here?.files ?? [], freshListed });
      for (const endpoint of ['products', 'categories'] as const) {
        for (const entry of pointer[endpoint]) {
          const path = `public/fronts/${code}/${endpoint}.${entry.slice(21)}.json`;
          expect(files.get(path), path).toBe(freshFiles.get(path));
        }
      }
    }
    rmSync(empty, { recursive: true });
    if (!isRemoving || all !== null) return;
    const stay = new Set([...fresh.outcomes.map(({ code }) => code), ...heldFronts.keys()]);
    expect([...this.tree.model.served.keys()].filter((code) => !stay.has(code))).toEqual([]);
  }

  /**
   * A pointer of an earlier build may stay for a while, where it answers whatever is asked from now
   * on as a fresh one does.
   */
  #expectQuiet(
    kept: Pointer,
    fresh: Pointer,
    horizonSeconds: number,
    { listed, freshListed }: Record<'listed' | 'freshListed', readonly ManifestFile[]>,
  ): void {
    const { now: keptNow, today: _, ...rest } = kept;
    const { now, today: __, ...freshRest } = fresh;
    const fromNow = (entries: readonly string[]): string[] => {
      const begun = entries.filter((entry) => entry.slice(0, 20) <= now);
      return [`${now}${begun.at(-1)?.slice(20)}`, ...entries.slice(begun.length)];
    };
    const answers = { products: fromNow(kept.products), categories: fromNow(kept.categories) };
    expect({ ...rest, ...answers }, kept.front).toEqual(freshRest);
    const ageSeconds = instant(now) - instant(keptNow);
    expect(ageSeconds).toBeGreaterThan(0);
    expect(ageSeconds).toBeLessThan(horizonSeconds / 4);
    expect(listed).toEqual(expect.arrayContaining([...freshListed]));
    this.quietPointers += 1;
  }
}

/** Walks histories of at least so many steps, and prints the seed that makes them again. */
async function walkHistories(
  catalogue: fc.Arbitrary<{ readonly rows: Parameters<typeof catalogueAt>[1]; readonly now: string }>,
  histories: number,
  stepsEach: number,
): Promise<void> {
  const root = temporaryFolder();
  const seed = Number(process.env['PLAYBILL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  let serial = 0;
  let steps = 0;
  let frontsCompared = 0;
  let keptByRecipe = 0;
  let quietPointers = 0;
  const contents = new Map<string, string>();
  const done = new Map<string, number>();
  const stepsArbitrary = fc.array(stepArbitrary, { minLength: stepsEach, maxLength: stepsEach });
  await fc.assert(
    fc.asyncProperty(catalogue, stepsArbitrary, fc.nat(2), async ({ rows, now }, history, beginning) => {
      const folder = join(root, String(++serial));
      const walked = new History(folder, catalogueAt(`${folder}.sqlite`, rows), instant(now), contents);
      await walked.walk(history, BEGINNINGS[beginning]);
      steps += history.length;
      for (const [kind, times] of walked.tree.done) done.set(kind, (done.get(kind) ?? 0) + times);
      frontsCompared += walked.frontsCompared;
      keptByRecipe += walked.keptByRecipe;
      quietPointers += walked.quietPointers;
      rmSync(folder, { recursive: true });
    }),
    { numRuns: histories, seed, endOnFailure: true },
  );
  const counts = `${frontsCompared} fronts compared, ${contents.size} recipes, ${keptByRecipe} editions kept by theirs`;
  console.info(`${steps} steps, ${counts}, ${quietPointers} quiet pointers (PLAYBILL_SEED=${seed})`);
  console.info([...done].map(([kind, times]) => `${kind}: ${times}`).join(', '));
  // Of few histories chance may take the fronts away early, or leave nothing to be kept; of a short
  // one it may leave nothing to be compared.
  const few = [steps < 50 ? -1 : 0, -1, -1] as const;
  const [fronts, recipes, quiet] = steps < 1000 ? few : [steps / 2, steps / 8, steps / 20];
  expect(frontsCompared).toBeGreaterThan(fronts);
  expect(keptByRecipe).toBeGreaterThan(recipes);
  expect(quietPointers).toBeGreaterThan(quiet);
}

describe('after any history, a build serves what a build into an empty tree serves', () => {
  test('of random catalogues', async () => {
    await walkHistories(catalogueArbitrary(), longRuns(2, 12), 32);
  });

  test('of the demo', async () => {
    await walkHistories(fc.constant({ rows: [...demoRows(NOW)], now: NOW }), longRuns(1, 2), IS_THOROUGH ? 100 : 12);
  });

  test('products taken off every front, changed or archived, and put back', async () => {
    const root = temporaryFolder();
    const step = { seconds: 0, horizonSeconds: SIX_HOURS, isPartial: false };
    const events = [0, 1].map((column) => ({ kind: 'withdraw' as const, row: 9 * column, column, from: 2 }));
    const database = demoCatalogueAt(join(root, 'demo.sqlite'), NOW);
    const history = new History(join(root, 'demo'), database, instant(NOW));
    await history.walk([
      { ...step, events },
      { ...step, events: [{ kind: 'return', row: 0, column: 0, from: 0 }] },
    ]);
    expect(history.frontsCompared).toBeGreaterThan(20);
  });
});
