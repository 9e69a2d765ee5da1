// Reading ahead: in order, never more than a few at once, and nothing lost where a read fails or
// its reader stops.

import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readAhead } from '../../src/release/tree/read-ahead.ts';

const NUMBERS = Array.from({ length: 100 }, (_, i) => i);

/** Reads that end when they are told to, in any order. */
class Reads {
  underWay = 0;
  underWayMax = 0;
  readonly begun: number[] = [];
  readonly #ends = new Map<number, () => void>();

  readonly read = async (item: number): Promise<string> => {
    this.begun.push(item);
    this.underWay += 1;
    this.underWayMax = Math.max(this.underWayMax, this.underWay);
    await new Promise<void>((resolve) => this.#ends.set(item, resolve));
    this.underWay -= 1;
    return `read ${item}`;
  };

  /** Ends all that have begun, the last one first. */
  endAll(): void {
    for (const [item, end] of [...this.#ends].toReversed()) {
      this.#ends.delete(item);
      end();
    }
  }
}

test('gives every value in the order of the items, whatever the order in which they come', async () => {
  const reads = new Reads();
  const values: (readonly [number, string])[] = [];
  const ahead = readAhead(NUMBERS, reads.read);
  for (;;) {
    const next = ahead.next();
    reads.endAll();
    const { done, value } = await next;
    if (done === true) break;
    values.push(value);
  }
  expect(values).toEqual(NUMBERS.map((item) => [item, `read ${item}`]));
});

test('begins 32 reads before the first has ended, and no more', async () => {
  const reads = new Reads();
  const ahead = readAhead(NUMBERS, reads.read);
  const first = ahead.next();
  expect(reads.begun).toHaveLength(32);
  reads.endAll();
  expect(await first).toEqual({ done: false, value: [0, 'read 0'] });
  const second = ahead.next();
  expect(reads.begun).toHaveLength(33);
  reads.endAll();
  await second;
  expect(reads.underWayMax).toBe(32);
  // Those that were begun and are not wanted any more disturb nobody.
  await ahead.return(undefined);
  expect(reads.begun).toHaveLength(33);
});

test('throws what a read has thrown in its turn, and not before', async () => {
  const read = async (item: number): Promise<number> => {
    if (item === 3) throw new Error('the fourth is broken');
    // The first ones take their time: until then nobody has looked at the fourth, which ends the
    // process if nobody ever does.
    await setImmediate();
    return item;
  };
  const seen: number[] = [];
  const work = (async () => {
    for await (const [item] of readAhead(NUMBERS.slice(0, 10), read)) seen.push(item);
  })();
  await expect(work).rejects.toThrow('the fourth is broken');
  expect(seen).toEqual([0, 1, 2]);
});

test('nothing to read', async () => {
  const values = [];
  for await (const value of readAhead([], async () => 1)) values.push(value);
  expect(values).toEqual([]);
});
