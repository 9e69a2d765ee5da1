// What an edge keeps of a pointer, by a clock: for how long, and nothing by which it could not
// serve.

import { beforeAll, describe, expect, test } from 'vitest';
import { KeptPointers } from '../../src/edge/remote-tree/kept-pointers.ts';
import { makeWorld, pointerText, type World } from '../support/edge/world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld(1_800_000_000);
});

const textOf = (front: string, code = front): string => {
  const content = world.fronts.get(front);
  if (content === undefined) throw new Error(`no such front: ${front}`);
  return pointerText(code, world.now, content);
};

/** Pointers that are kept for five seconds, of an origin that answers whatever the test says. */
function keptFor5s() {
  const pointers = new KeptPointers();
  const asked: (readonly [path: string, wasThere: boolean | undefined])[] = [];
  return {
    asked,
    /** `text`: what the origin has: null: nothing; an error: it cannot be read. */
    read: async (seconds: number, text: string | null | Error, { front = 'moscow', keptSeconds = 5 } = {}) => {
      const load = async (path: string, wasThere?: boolean) => {
        asked.push([path, wasThere]);
        if (text instanceof Error) throw text;
        return text === null ? null : { text: async () => text };
      };
      return (await pointers.read(front, keptSeconds, world.now + seconds, load)).text;
    },
  };
}

test('a pointer is kept for its time, and no longer where the clock is set back', async () => {
  const { asked, read } = keptFor5s();
  for (const seconds of [0, 4.9, 5, -100, -96, -95, 0]) await read(seconds, textOf('moscow'));
  expect(asked).toHaveLength(5);
  await read(0, textOf('moscow'), { keptSeconds: 0 });
  expect(asked).toHaveLength(6);
});

test('that nothing is published is kept as well', async () => {
  const { asked, read } = keptFor5s();
  expect([await read(0, null), await read(4, textOf('moscow')), await read(5, textOf('moscow'))]).toEqual([
    null,
    null,
    textOf('moscow'),
  ]);
  expect(asked).toHaveLength(2);
});

describe('what the rule cannot read fails, is not kept, and replaces nothing:', () => {
  test.each<[string, () => string]>([
    ['nothing', () => ''],
    ['an error in JSON', () => '{"error":"maintenance"}\n'],
    ['a page', () => '<html></html>\n'],
    ['its beginning', () => textOf('moscow').slice(0, -30)],
    ['its end', () => textOf('moscow').slice(30)],
    ['that of another front', () => textOf('kazan')],
    ['one of a schema to come', () => textOf('moscow').replace('"schema":1', '"schema":2')],
    ['one without products', () => textOf('moscow').replace(/"products":\[[^\]]*\]/, '"products":[]')],
    ['one without categories', () => textOf('moscow').replace(/"categories":\[[^\]]*\]/, '"categories":[]')],
    ['one whose digest is none', () => textOf('moscow').replaceAll(/Z [0-9a-f]{4}/g, 'Z xxxx')],
  ])('%s', async (_, bad) => {
    const { asked, read } = keptFor5s();
    const why = 'expected a whole pointer of this front and of schema 1';
    await expect(read(0, bad())).rejects.toThrow(why);
    expect(await read(0, textOf('moscow'))).toBe(textOf('moscow'));
    // A fresh one was wanted, for an edition that was pruned.
    await expect(read(1, bad(), { keptSeconds: 0 })).rejects.toThrow(why);
    expect(await read(4.9, bad())).toBe(textOf('moscow'));
    // The good one counts for no longer than before.
    await expect(read(5, bad())).rejects.toThrow(why);
    expect(await read(5, textOf('moscow'))).toBe(textOf('moscow'));
    expect(asked).toHaveLength(5);
  });

  test('nor does a failure', async () => {
    const { read } = keptFor5s();
    await read(0, textOf('moscow'));
    await expect(read(1, new Error('away'), { keptSeconds: 0 })).rejects.toThrow('away');
    expect(await read(4, new Error('away'))).toBe(textOf('moscow'));
  });
});

test('the origin is asked for a pointer that was there, once it was, until it is said to be missing', async () => {
  const { asked, read } = keptFor5s();
  const wasThere = async (seconds: number, text: string | null, front: string) => {
    await read(seconds, text, { front });
    return asked.at(-1);
  };
  const path = 'fronts/constructor/pointer.json';
  expect(await wasThere(0, null, 'constructor')).toEqual([path, false]);
  expect(await wasThere(10, textOf('constructor'), 'constructor')).toEqual([path, false]);
  expect(await wasThere(20, textOf('constructor'), 'constructor')).toEqual([path, true]);
  expect(await wasThere(20, null, 'moscow')).toEqual(['fronts/moscow/pointer.json', false]);
  expect(await wasThere(30, null, 'constructor')).toEqual([path, true]);
  expect(await wasThere(40, null, 'constructor')).toEqual([path, false]);
});
