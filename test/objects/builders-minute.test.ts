// Two real builders for a minute, then six for two minutes, on one prefix of Ceph's gateway, each of
// them building again and again, and pruning all that it can. All the while one of them, and then
// another, is stopped (SIGSTOP) until its lease is over, and a reader reads. Before the six, the
// gateway also fails, removes late, and lists what is gone. Of `current` every version is known:
// they are one line.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { formatInstant, instantOf } from '../../src/catalogue/instant.ts';
import { Command, errorCodeOf, summaryOf, type Running } from '../support/fault/command.ts';
import { matrixOf } from '../support/fault/matrix.ts';
import { BucketTree, leaveStoreAtEnd, useStore } from '../support/objects/bucket-tree.ts';
import { buildAsCommand, Catalogues } from '../support/objects/fault-scenarios.ts';
import { sharedGateway } from '../support/objects/gateway.ts';
import { startProxy } from '../support/objects/proxy.ts';
import { makeUnreliable } from '../support/objects/unreliable.ts';
import { send } from '../support/objects/send.ts';
import { instant, temporaryFolderOfFile } from '../support/trees.ts';

leaveStoreAtEnd();
const command = new Command();
const folder = temporaryFolderOfFile();
const tellFault = matrixOf(import.meta.url);

/** Past the lease that the builders are given: requests for 3 s, the last of which may take 6 s. */
const SETTINGS = { PLAYBILL_LEASE_SECONDS: '6', PLAYBILL_S3_TIMEOUT_SECONDS: '3' };
const STOPPED_MS = 10_000;
const FRONTS = ['alpha', 'bravo', 'charlie'];

test.each([
  [2, 60, 'a gateway as it is'],
  [6, 120, 'one that fails, removes late, and lists what is gone'],
])('%i builders for %i s on %s, one of them always asleep', async (builders, seconds, how) => {
  const bucket = await (await sharedGateway()).newBucket();
  const store = await startProxy(bucket);
  onTestFinished(() => store.close());
  useStore(store, SETTINGS);
  const tree = new BucketTree(store);
  const catalogues = new Catalogues(folder);
  const databases = ['a', 'bb', 'ccc'].map((edition) => catalogues.at(edition, 'nobody'));
  let second = 0;
  const nextNow = (): string => formatInstant(instantOf(instant('2026-05-01T09:00:00Z') + second++));
  const textOf = async (path: string): Promise<string | null> => {
    const { status, body } = await send(bucket, { method: 'GET', key: tree.key(path) });
    return status === 200 ? body.toString() : null;
  };
  await buildAsCommand(databases[0] ?? '', tree.root, nextNow());
  const line = [(await textOf('releases/current')) ?? ''];
  const unconditional: string[] = [];
  store.afterApply = async ({ method, key, status, conditional }) => {
    if (method !== 'PUT' || status !== 200 || key !== tree.key('releases/current')) return;
    const condition = `If-Match: "${createHash('md5')
      .update(line.at(-1) ?? '')
      .digest('hex')}"`;
    if (conditional !== condition) unconditional.push(`${conditional} where ${condition} was to be kept`);
    line.push((await textOf('releases/current')) ?? '');
  };

  const running = new Set<Running>();
  const published: string[] = [];
  let [locked, looks, stops] = [0, 0, 0];
  const mishaps = how === 'a gateway as it is' ? null : makeUnreliable(store, bucket);
  const end = Date.now() + seconds * 1000;
  const isOver = (): boolean => Date.now() >= end;
  const builder = async (name: number): Promise<void> => {
    for (let i = name; !isOver(); i += 1) {
      const words = [
        'build',
        '--db',
        databases[i % 3] ?? '',
        '--now',
        nextNow(),
        '--horizon',
        '20m',
        '--allow',
        'max-shrink',
        'min-cards',
        '--keep-last',
        '1',
        '--keep-hourly',
        '0',
        '--keep-daily',
        '0',
        '--grace',
        '0',
      ];
      const one = command.start([...words, '--json', '--out', tree.root]);
      running.add(one);
      const run = await one.ended;
      running.delete(one);
      // 4: another one's clock was ahead, and the guard on an earlier `now` held each front.
      // 75: more mishaps came together than a request is repeated.
      expect(mishaps === null ? [0, 4, 5] : [0, 4, 5, 75], run.stderr).toContain(run.code);
      if (run.code === 5) expect(errorCodeOf(run)).toBe('tree-locked');
      if (run.code === 5) locked += 1;
      else if (run.code === 0) published.push(summaryOf(run).release ?? '');
    }
  };
  const sleeper = async (): Promise<void> => {
    for (let i = 0; !isOver(); i += 1) {
      // Somewhere in its run: a prime number of milliseconds meets another step each time.
      await sleep(251 * (i % 7));
      const { child } = [...running][i % Math.max(1, running.size)] ?? {};
      if (child === undefined) continue;
      child.kill('SIGSTOP');
      stops += 1;
      await sleep(STOPPED_MS);
      child.kill('SIGCONT');
    }
  };
  /** Reads a front as an edge does: where an edition has just been pruned, once more from its pointer. */
  const readFront = async (front: string): Promise<void> => {
    const path = `public/fronts/${front}/pointer.json`;
    const text = await textOf(path);
    const pointer = JSON.parse(text ?? '') as {
      readonly front: string;
      readonly products: readonly string[];
      readonly categories: readonly string[];
    };
    expect(pointer.front).toBe(front);
    for (const endpoint of ['products', 'categories'] as const) {
      for (const entry of pointer[endpoint]) {
        const digest = entry.slice(21);
        const edition = await textOf(`public/fronts/${front}/${endpoint}.${digest}.json`);
        if (edition === null && (await textOf(path)) !== text) return;
        const hash = createHash('sha256').update(edition ?? '');
        expect(hash.digest('hex').slice(0, 16), `${front} ${entry}`).toBe(digest);
      }
    }
  };
  const reader = async (): Promise<void> => {
    for (; !isOver(); looks += 1) {
      for (const front of FRONTS) await readFront(front);
    }
  };
  await Promise.all([...Array.from({ length: builders }, (_, i) => builder(i)), sleeper(), reader()]);
  store.afterApply = null;
  store.faults = null;
  await store.disconnectClients();
  await tree.judgeWhole();
  expect(Object.entries(mishaps ?? {}).filter(([, count]) => count === 0)).toEqual([]);

  expect(
    [published.length, locked, looks, stops].every((count) => count > 0),
    `${published.length} published, ${locked} refused, ${looks} looks, ${stops} stops`,
  ).toBe(true);
  expect(unconditional).toEqual([]);
  // One line: every release but the first was put there once, and whoever says that he has
  // published stands in it.
  const names = line.map((text) => text.trimEnd());
  expect(new Set(names).size).toBe(names.length);
  const ids = names.map((name) => name.replace(/^.*-/, ''));
  expect(published.filter((id) => !ids.includes(id))).toEqual([]);
  const situation = `${builders} builders write for ${seconds} s into ${how}, and one always sleeps past its lease`;
  tellFault({ situation, sees: 'each front old or new, whole', heals: 'nothing' }, 'SIGSTOP', 'at least 3');
});
