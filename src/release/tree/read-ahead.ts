// Reads many files in order, starting the next reads early, because a bucket takes 10 to 50 ms for
// each. The number of reads ahead is limited, to bound memory.

/** Enough for pointers and editions; manifests are larger. */
const AHEAD_MAX = 32;

/**
 * The results of `read` in the order of the items.
 * @throws what `read` throws for an item, when it is that item's turn
 */
export async function* readAhead<Item, Value>(
  items: Iterable<Item>,
  read: (item: Item) => Promise<Value>,
  aheadMax = AHEAD_MAX,
): AsyncGenerator<readonly [item: Item, value: Value]> {
  const begun: (readonly [item: Item, value: Promise<Value>])[] = [];
  for (const item of items) {
    const value = read(item);
    // A rejection is thrown below, or never if the caller stops early; it must not be reported as
    // unhandled until then.
    value.catch(() => undefined);
    begun.push([item, value]);
    if (begun.length < aheadMax) continue;
    const next = begun.shift();
    if (next !== undefined) yield [next[0], await next[1]];
  }
  for (const [item, value] of begun) yield [item, await value];
}
