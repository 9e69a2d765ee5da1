// Reading many files one after the other, when a bucket needs 10 to 50 ms for each: the next reads are on their way while a value is looked
// at. Bounded, so that memory is: it keeps no value that was handed over.

/** How many reads are begun before the first is waited for: of editions and pointers. */
const AHEAD_MAX = 32;

/** What `read` gives for each item, in the order of the items. @throws what `read` throws, when it is that item's turn */
export async function* readAhead<Item, Value>(
  items: Iterable<Item>,
  read: (item: Item) => Promise<Value>,
  aheadMax = AHEAD_MAX,
): AsyncGenerator<readonly [item: Item, value: Value]> {
  const begun: (readonly [item: Item, value: Promise<Value>])[] = [];
  for (const item of items) {
    const value = read(item);
    // Thrown in its turn; never, where the caller stops before.
    value.catch(() => undefined);
    begun.push([item, value]);
    if (begun.length < aheadMax) continue;
    const next = begun.shift();
    if (next !== undefined) yield [next[0], await next[1]];
  }
  for (const [item, value] of begun) yield [item, await value];
}
