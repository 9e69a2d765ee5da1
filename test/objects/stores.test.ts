// The stores on which publishing into a bucket is tested: they must keep S3's rules themselves, and break them only when asked.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMemoryStore, type MemoryStore } from '../support/objects/memory-store.ts';
import { etagOf, outcomeOf, RULES } from '../support/objects/rules.ts';
import { startS3rver } from '../support/objects/s3rver.ts';
import { send } from '../support/objects/send.ts';

describe('the store in memory', () => {
  let store: MemoryStore;
  beforeAll(async () => {
    store = await startMemoryStore();
  });
  afterAll(() => store.close());

  test.each(RULES)('$name', async (rule) => {
    const outcome = await outcomeOf(store, rule);
    expect(outcome).toMatchObject(rule.expected);
    if (rule.expected.objects !== undefined) expect(outcome.objects).toEqual(rule.expected.objects);
  });
});

test('s3rver ignores conditions', async () => {
  await using store = await startS3rver();
  await store.put('key', 'old');
  for (const headers of [{ 'if-none-match': '*' }, { 'if-match': etagOf('older') }]) {
    const { status } = await send(store, { method: 'PUT', key: 'key', body: JSON.stringify(headers), headers });
    expect(status).toBe(200);
    expect((await store.objects()).get('key')?.bytes.toString()).toBe(JSON.stringify(headers));
  }
});
