// The rules that the store in memory keeps, on a real object store: Ceph's gateway in its own
// dialect, and behind the proxy in AWS's.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedGateway } from '../support/objects/gateway.ts';
import { startProxy } from '../support/objects/proxy.ts';
import { differences } from '../support/objects/judge.ts';
import { RULES } from '../support/objects/rules.ts';
import { SIGNATURES } from '../support/objects/signature-rules.ts';
import { expectOneWinner, expectPages, expectSuspended, FAULTS, seenOf } from '../support/objects/scenarios.ts';
import type { ObservedStore, TestStore } from '../support/objects/test-store.ts';

const ALL = [...RULES, ...SIGNATURES];

describe("Ceph's gateway", () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await (await sharedGateway()).newBucket();
  });

  test.each(ALL)('$name', async (rule) => {
    expect(await differences(store, rule, rule.ceph ?? rule.expected)).toEqual({});
  });

  test('of eight creates at once one wins', () => expectOneWinner(store));
  test('a listing comes in pages', () => expectPages(store));
});

describe('the proxy', () => {
  let store: ObservedStore;
  beforeAll(async () => {
    store = await startProxy(await (await sharedGateway()).newBucket());
  });
  afterAll(() => store.close());

  test.each(ALL)('$name', async (rule) => {
    expect(await differences(store, rule, (rule.isCephsOwn && rule.ceph) || rule.expected)).toEqual({});
  });

  test('of eight creates at once one wins', () => expectOneWinner(store));
  test('a listing comes in pages', () => expectPages(store));
  test('suspended requests', () => expectSuspended(store));
  test.each(FAULTS)('%s', async (_name, fault, seen) => {
    expect(await seenOf(store, fault)).toEqual(seen);
  });
});
