// By nginx's own clock, an answer from a bucket is the edition in force at some instant between question and answer, whatever is kept of
// its pointer. What is expected follows from instants that were seen, never from how quick the machine is.

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { headerValues } from '../support/edge/messages.ts';
import { ask, asked, withNginx } from '../support/edge/nginx-bucket.ts';
import { PREFIX } from '../support/edge/private-bucket.ts';
import { makeWorld, pointerText } from '../support/edge/world.ts';

/** Seconds for which an edition is in force here. */
const LENGTH = 2;

test('changes from one edition to the next in the second in which it starts', async () => {
  const world = await makeWorld(Math.floor(Date.now() / 1000));
  const kazan = world.fronts.get('kazan');
  if (kazan === undefined) throw new Error('no such front');
  await withNginx(world, async (nginx, store) => {
    const first = Math.floor(Date.now() / 1000) - LENGTH;
    const folder = `${PREFIX}/public/fronts/kazan`;
    const products = Array.from({ length: 300 }, (_, i) => {
      const content = Buffer.from(`edition ${i}\n`);
      const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
      return { from: first + i * LENGTH - world.now, content, digest };
    });
    for (const { content, digest } of products) await store.put(`${folder}/products.${digest}.json`, content);
    await store.put(`${folder}/pointer.json`, pointerText('kazan', world.now, { ...kazan, products }));

    // Each boundary that is crossed is crossed with a pointer that is kept, but for those at which it is fetched again.
    const seen: number[] = [];
    while (new Set(seen).size < 4) {
      const begun = Date.now() / 1000;
      const answer = await ask(world, nginx, 'kazan');
      const answered = Date.now() / 1000;
      expect(answer.status).toBe(200);
      const index = Number(/^edition (\d+)\n$/.exec(answer.content.toString())?.[1]);
      const start = first + index * LENGTH;
      expect(start).toBeLessThanOrEqual(answered);
      expect(start + LENGTH).toBeGreaterThan(begun);
      // Kept from the answer on, it is never kept beyond the boundary.
      const maxAge = Number(/^private, max-age=(\d+)$/.exec(headerValues(answer, 'Cache-Control').join())?.[1]);
      expect(maxAge).toBeLessThanOrEqual(start + LENGTH - begun);
      seen.push(index);
    }
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    const fetches = asked(store).filter((line) => line.includes('products'));
    expect(fetches).toHaveLength(new Set(fetches).size);
  });
});
