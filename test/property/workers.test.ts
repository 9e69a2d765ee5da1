// Law 1, for threads: the same bytes, findings and failures with any number of workers, each with its own connection.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { demoRows } from '../../scripts/demo-rows.ts';
import { seedCatalogue } from '../../scripts/seed.ts';
import { buildTree, catalogueAt, filesOf, instant, temporaryFolder } from '../trees.ts';

const NOW = '2026-05-01T09:00:00Z';

/** A catalogue of several ranges of products, with bad rows far apart, so that several threads have something to say. */
function spoiltCatalogue(path: string): void {
  seedCatalogue({ path, size: 'S', now: NOW, seed: 7 });
  const handle = new Database(path);
  handle.pragma('ignore_check_constraints = ON');
  handle.pragma('foreign_keys = OFF');
  const shown = handle.prepare('select product_id from front_products where front_id = 3 order by product_id').pluck();
  const ids = shown.all().map(Number);
  for (const share of [0.1, 0.5, 0.9]) {
    const id = ids[Math.floor(ids.length * share)];
    handle.prepare('update products set age_rating = 99 where id = ?').run(id);
    handle.prepare("update sessions set starts_at = 'soon' where product_id = ?").run(id);
  }
  handle.prepare('update front_products set product_id = 999999 where front_id = 3 and product_id = ?').run(ids[1]);
  handle.close();
}

describe('workers', () => {
  test('one, two and four build the same tree and say the same of it', async () => {
    const root = temporaryFolder();
    const database = join(root, 'S.sqlite');
    spoiltCatalogue(database);
    const results = [];
    for (const workers of [1, 2, 4]) {
      const out = join(root, `out-${workers}`);
      const result = await buildTree(database, out, instant(NOW), { workers });
      results.push({ files: filesOf(out), findings: result.findings, outcomes: result.outcomes, plan: result.plan });
    }
    const [one, two, four] = results;
    expect(one?.findings.length).toBeGreaterThan(3);
    expect(one?.outcomes.some((outcome) => outcome.held !== null)).toBe(true);
    expect(one?.outcomes.some((outcome) => outcome.held === null)).toBe(true);
    expect(two).toEqual(one);
    expect(four).toEqual(one);
  });

  test('what fails in another thread is the build’s failure, with its code', async () => {
    const root = temporaryFolder();
    const database = catalogueAt(join(root, 'demo.sqlite'), demoRows(NOW));
    const out = join(root, 'out');
    // Every front's folder would be in a file: whoever comes to write there is refused.
    mkdirSync(join(out, 'public'), { recursive: true });
    writeFileSync(join(out, 'public/fronts'), 'no folder');
    const built = buildTree(database, out, instant(NOW), { workers: 3 });
    await expect(built).rejects.toMatchObject({ code: 'tree-not-writable' });
  });
});
