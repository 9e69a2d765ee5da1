// A builder that is suspended at each request it makes, until its lease is over and somebody else
// has written the tree; then it goes on where it was, as a virtual machine does, whose own clock
// has stood still. It must find out, end with tree-locked, and leave what the other has published:
// it changes nothing any more. A request that was on its way when it fell asleep, and arrives a
// whole lease late, is refused by its condition wherever the other one has written; nothing else
// could.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { rollBackTree } from '../../src/operations/history.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import type { TreeState } from '../support/fault/readers-check.ts';
import { BucketTree, leaveStoreAtEnd, useStore } from '../support/objects/bucket-tree.ts';
import { chooser, type ChosenRequest } from '../support/objects/chosen-requests.ts';
import {
  buildAsCommand,
  Catalogues,
  scenarioOf,
  type Scenario,
  type ScenarioName,
} from '../support/objects/fault-scenarios.ts';
import { S3Error } from '../support/objects/messages.ts';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { LEASE_OVER_MS, methodOf } from '../support/objects/request-faults.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';
import { IS_SOAK, sample } from '../speeds.ts';

/**
 * Under which the one that is suspended never renews its lease in the background, however slow this
 * machine is.
 */
const LEASE = { PLAYBILL_LEASE_SECONDS: '3600' };

leaveStoreAtEnd();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url, IS_SOAK);
let store: MemoryStore;
let tree: BucketTree;
let third = '';

beforeAll(async () => {
  store = await startMemoryStore();
  tree = new BucketTree(store);
  third = new Catalogues(folder).at('third', 'nobody');
});
afterAll(() => store.close());

/** Clients by two names of one store. */
function useNamed(name: '127.0.0.1' | 'localhost'): void {
  useStore(store, { ...LEASE, AWS_ENDPOINT_URL: store.endpoint.replace('127.0.0.1', name) });
}

type Moment = 'before' | 'after';

interface Awakening {
  /** What the suspended run ended with. */
  readonly thrown: unknown;
  /** How many of its writes had been answered before it slept. */
  readonly writesBefore: number;
  /** Its requests that took effect after it woke. */
  readonly late: readonly string[];
}

/**
 * Runs, suspended at a request: on its way to the store, or its answer on the way back. Other
 * requests that arrive while it sleeps have never been sent, and are made again when it wakes.
 */
async function suspendedAt(
  request: ChosenRequest,
  moment: Moment,
  { run }: Scenario,
  meanwhile: () => Promise<unknown>,
): Promise<Awakening> {
  const isChosen = chooser(request);
  const isSleeper = ({ host }: { readonly host: string }): boolean => host.startsWith('127.0.0.1');
  let state: 'awake' | 'asleep' | 'woken' = 'awake';
  let wake = (): void => undefined;
  const asleep = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const fallAsleep = async (): Promise<void> => {
    state = 'asleep';
    store.clock.advance(LEASE_OVER_MS);
    useNamed('localhost');
    await meanwhile();
    useNamed('127.0.0.1');
    state = 'woken';
    wake();
  };
  const unsent = new Set<number>();
  let writesBefore = 0;
  const late: string[] = [];
  const failures: Error[] = [];
  store.faults = (planned) => {
    if (!isSleeper(planned) || state === 'woken') return null;
    if (state === 'asleep') unsent.add(planned.n);
    else if (moment === 'before' && isChosen(planned))
      fallAsleep().catch((error: unknown) => {
        failures.push(error instanceof Error ? error : new Error(String(error)));
        wake();
      });
    else return null;
    return { kind: 'hold', until: asleep };
  };
  store.beforeApply = ({ n }) => {
    if (unsent.has(n)) throw new S3Error('SlowDown', 'It was never sent.');
  };
  store.afterApply = async (logged) => {
    if (!isSleeper(logged)) return;
    if (state === 'awake' && isWrite(`${logged.method} ${logged.key}`)) writesBefore += 1;
    const isDone = (logged.status ?? 0) < 300 && (logged.method === 'PUT' || logged.method === 'DELETE');
    if (state === 'woken' && isDone) late.push(`${logged.method} ${logged.key}`);
    if (state === 'awake' && moment === 'after' && isChosen(logged)) await fallAsleep();
  };
  useNamed('127.0.0.1');
  const thrown = await run().then(
    () => null,
    (error: unknown) => error,
  );
  store.faults = null;
  store.beforeApply = null;
  store.afterApply = null;
  for (const failure of failures) throw failure;
  expect(state).toBe('woken');
  return { thrown, writesBefore, late };
}

/** Who is suspended, and who writes meanwhile. */
const MEETINGS: readonly (readonly [ScenarioName, 'publish' | 'rollback'])[] = [
  ['publish', 'publish'],
  ['publish', 'rollback'],
  ['rollback', 'rollback'],
  ['resume', 'rollback'],
  ['prune', 'publish'],
];

describe.each(MEETINGS)('%s is suspended, and another %s comes', (name, other) => {
  let scenario: Scenario;
  let meanwhile: () => Promise<unknown>;
  /** What the other one leaves where it alone has been. */
  let expected: TreeState;

  beforeAll(async () => {
    useNamed('127.0.0.1');
    scenario = await scenarioOf(name, tree, store, folder);
    const current = scenario.before.current?.trimEnd() ?? '';
    const names = [...scenario.base.keys()].flatMap((key) => /\/releases\/(\d{8}T.*)\.json$/.exec(key)?.[1] ?? []);
    // The tree is held at the current one already where it is to be resumed.
    const target = name === 'resume' ? names.find((one) => one !== current) : current;
    const now = name === 'prune' ? '2028-06-01T09:00:00Z' : '2026-05-01T09:20:00Z';
    meanwhile =
      other === 'rollback' ? () => rollBackTree(tree.root, target ?? '') : () => buildAsCommand(third, tree.root, now);
    await tree.reset(scenario.base);
    await meanwhile();
    expected = await tree.state();
    expect(expected).not.toEqual(scenario.before);
  });

  test('at each request', async () => {
    // Before, it has not begun: then it may well do its work after the other one.
    const first = scenario.requests.findIndex(({ name: asked }) => asked.endsWith('/.lock'));
    const cases = scenario.requests.slice(first).flatMap((request) => {
      const isArrivingLate = name === 'publish' && other === 'publish' && methodOf(request) === 'PUT';
      const moments: readonly Moment[] = isArrivingLate ? ['before', 'after'] : ['after'];
      return moments.map((moment) => ({ request, moment }));
    });
    const tried = sample(cases, 3);
    for (const { request, moment } of tried) {
      const what = `${moment} ${request.name} #${request.occurrence}`;
      await tree.reset(scenario.base);
      const { thrown, writesBefore, late } = await suspendedAt(request, moment, scenario, meanwhile);
      const { keyRing, ...left } = await tree.state();
      expect(left, what).toEqual({ ...expected, keyRing: undefined });
      expect([expected.keyRing, scenario.after.keyRing], what).toContain(keyRing);
      // The other run has pruned what this manifest lists, and what arrives a whole lease late is
      // beyond all promises: verify names it.
      if (moment === 'before' && isManifest(request.name)) await store.delete(request.name.slice('PUT '.length));
      await tree.judgeWhole();
      expect(
        late.filter((asked) => !isContent(asked)),
        what,
      ).toEqual([]);
      if (isOver(request, writesBefore)) continue;
      // Before it would write, pruning may miss a release that the other one has pruned.
      const codes = name === 'prune' ? ['tree-locked', 'release-damaged'] : ['tree-locked'];
      expect(codes, what).toContain(thrown instanceof AppError ? thrown.code : thrown);
    }
    tellFault(
      {
        situation: `${name} sleeps past its lease at a request, and another ${other} comes`,
        sees: 'the new release',
        heals: 'nothing',
      },
      null,
      tried.length,
    );
  });

  /**
   * Whether all that the run is for was done before it slept (which of the writes that go together
   * is the last differs); or, of pruning, by the other one.
   */
  function isOver(request: ChosenRequest, writesBefore: number): boolean {
    const listed = scenario.requests.findIndex(({ name: asked }) => asked.includes('public/fronts/ '));
    if (name === 'prune' && scenario.requests.indexOf(request) < listed) return true;
    return writesBefore === scenario.requests.filter(({ name: asked }) => isWrite(asked)).length;
  }
});

function isWrite(asked: string): boolean {
  return /^(PUT|DELETE) /.test(asked) && !asked.endsWith('/.lock');
}

function isManifest(name: string): boolean {
  return /\/releases\/\d{8}T\d{6}Z-[0-9a-f]{16}\.json$/.test(name);
}

/** What no reader looks for: it may have been on its way. */
function isContent(asked: string): boolean {
  return isManifest(asked) || /\/(products\.|categories\.|fronts-|files-)[0-9a-f]{16}\.json$/.test(asked);
}
