// Real runs of the command, stopped (SIGSTOP) at a request until their lease is over and another
// run has published, then continued: on the store in memory, whose clock is put on, and on Ceph's
// gateway, in real time.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { Command, errorCodeOf, type Running } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { BucketTree, leaveStoreAtEnd, useStore } from '../support/objects/bucket-tree.ts';
import { chooser, type ChosenRequest } from '../support/objects/chosen-requests.ts';
import { buildAsCommand, Catalogues, scenarioOf, type Scenario } from '../support/objects/fault-scenarios.ts';
import { sharedGateway } from '../support/objects/gateway.ts';
import { startMemoryStore } from '../support/objects/memory-store.ts';
import { startProxy } from '../support/objects/proxy.ts';
import { LEASE_OVER_MS } from '../support/objects/request-faults.ts';
import type { ObservedStore } from '../support/objects/test-store.ts';
import { temporaryFolderOfFile } from '../support/trees.ts';
import { IS_SOAK, sample } from '../speeds.ts';

leaveStoreAtEnd();
const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url, IS_SOAK);

async function stop({ child }: Running): Promise<void> {
  child.kill('SIGSTOP');
  const isStopped = (): boolean => /\) T /.test(readFileSync(`/proc/${child.pid}/stat`, 'utf8'));
  while (!isStopped()) await sleep(5);
}

/** Publishes as soon as nobody else has the lease. */
async function publishAnother(database: string, root: string): Promise<void> {
  for (;;) {
    try {
      await buildAsCommand(database, root, '2026-05-01T09:20:00Z');
      return;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'tree-locked') throw error;
      await sleep(100);
    }
  }
}

/** Whether the release is published once this request has been answered. */
function isOver({ requests }: Scenario, request: ChosenRequest): boolean {
  const published = requests.findIndex(({ name }) => name.startsWith('PUT ') && name.endsWith('/releases/current'));
  return requests.indexOf(request) >= published;
}

/** An edition, a part of the manifest, a pointer. */
function firstOfEachKind(steps: readonly ChosenRequest[]): readonly ChosenRequest[] {
  const kinds = steps.map(({ name }) => /\/(public\/.*(?=pointer)|public|releases)/.exec(name)?.[0]);
  return steps.filter((_, i) => kinds.indexOf(kinds[i]) === i);
}

async function expectNothingLost(
  store: ObservedStore,
  isStep: (request: ChosenRequest, position: number) => boolean,
  letLeaseEnd: () => void,
  chosenOf: (steps: readonly ChosenRequest[]) => readonly ChosenRequest[],
  settings: Readonly<Record<string, string>> = {},
): Promise<number> {
  useStore(store, { PLAYBILL_LEASE_SECONDS: '6', ...settings });
  const tree = new BucketTree(store);
  const scenario = await scenarioOf('publish', tree, store, folder);
  const third = new Catalogues(folder).at('third', 'nobody');
  await tree.reset(scenario.base);
  await publishAnother(third, tree.root);
  const expected = await tree.state();

  const steps = scenario.requests.filter(isStep);
  for (const request of chosenOf(steps)) {
    const what = `${request.name} #${request.occurrence}`;
    await tree.reset(scenario.base);
    const isChosen = chooser(request);
    const running = command.start(scenario.words);
    const failures: Error[] = [];
    const meanwhile = async (): Promise<void> => {
      await stop(running);
      letLeaseEnd();
      await publishAnother(third, tree.root);
      await tree.judgeWhole();
    };
    store.afterApply = async (logged) => {
      if (!isChosen(logged)) return;
      store.afterApply = null;
      await meanwhile().catch((error: unknown) => {
        failures.push(error instanceof Error ? error : new Error(String(error)));
      });
      running.child.kill('SIGCONT');
    };
    const run = await running.ended;
    store.afterApply = null;
    for (const failure of failures) throw failure;
    if (isOver(scenario, request)) expect(run.code, `${what}: ${run.stderr}`).toBe(0);
    else {
      expect(run.code, `${what}: ${run.stderr}`).toBe(5);
      expect(errorCodeOf(run), what).toBe('tree-locked');
    }
    expect(await tree.state(), what).toEqual(expected);
    await tree.judgeWhole();
  }
  return steps.length;
}

test('stopped at each request that changes something, on the store in memory', async () => {
  const store = await startMemoryStore();
  onTestFinished(() => store.close());
  const steps = await expectNothingLost(
    store,
    // The lease is renewed as often as the machine is slow.
    ({ name, occurrence }) => /^(PUT|DELETE)/.test(name) && (occurrence === 1 || !name.endsWith('/.lock')),
    () => store.clock.advance(LEASE_OVER_MS),
    (steps) => sample(steps, 3),
  );
  expect(steps).toBeGreaterThan(12);
  const situation = 'a build is stopped past its lease, and another one publishes';
  tellFault({ situation, sees: 'the new release', heals: 'nothing' }, 'SIGSTOP', steps);
});

test("stopped for as long as its lease lasts, on Ceph's gateway", async () => {
  const store = await startProxy(await (await sharedGateway()).newBucket());
  onTestFinished(() => store.close());
  const steps = await expectNothingLost(
    store,
    // Not `current`: its answer comes when the run no longer waits for it, and finds another one's.
    ({ name }) => /^PUT .*(products|[0-9a-f]{16}\.json|alpha\/pointer\.json|keyring\.json)$/.test(name),
    () => undefined,
    // The lease runs out in real time.
    (steps) => (IS_SOAK ? steps : firstOfEachKind(steps)),
    { PLAYBILL_S3_TIMEOUT_SECONDS: '4' },
  );
  expect(steps).toBeGreaterThan(4);
  const situation = "a build into Ceph's gateway is stopped past its lease, and another one publishes";
  tellFault({ situation, sees: 'the new release', heals: 'nothing' }, 'SIGSTOP', steps);
});
