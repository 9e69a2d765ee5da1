// Names for shell completion: fronts, releases and keys of a tree, products of a catalogue. Reads
// as little as possible. A file that is missing or damaged yields no names, and a bucket is not
// read: completion must not wait for a network.

import { openCatalogue } from '../database/open.ts';
import { knownTables } from '../database/contract/query-builders.ts';
import { listedFronts, readKeyRing } from '../release/tree/read.ts';
import { keptReleases } from '../release/tree/releases.ts';
import { isInBucket, openTree } from '../storage/open-tree.ts';

/** Enough to choose from. */
const SLUGS_MAX = 200;

/** @throws AppError tree-… */
export async function frontNames(out: string): Promise<readonly string[]> {
  return isInBucket(out) ? [] : listedFronts(await openTree(out));
}

/** Names of releases, newest first. @throws AppError tree-… */
export async function releaseNames(out: string): Promise<readonly string[]> {
  if (isInBucket(out)) return ['current', 'current~1'];
  const { releases } = await keptReleases(await openTree(out));
  return ['current', 'current~1', ...releases.map(({ id }) => id)];
}

/** Ids of the published keys. @throws AppError tree-… */
export async function keyNames(out: string): Promise<readonly string[]> {
  if (isInBucket(out)) return [];
  const ring = await readKeyRing(await openTree(out));
  return ring.ok ? Object.keys(ring.value.keys) : [];
}

/**
 * Slugs that begin with `prefix`, of the products that a front lists, even without a card, or of
 * all (null).
 * @throws AppError database-…
 */
export async function productNames(database: string, front: string | null, prefix: string): Promise<readonly string[]> {
  await using reader = await openCatalogue(database);
  const listed = knownTables
    .selectFrom('front_products')
    .innerJoin('fronts', 'fronts.id', 'front_products.front_id')
    .select('product_id')
    .where('code', '=', front ?? '');
  const rows = await reader.rows(
    knownTables
      .selectFrom('products')
      .select('slug')
      .where('slug', '>=', prefix)
      // Slugs consist of letters, digits and hyphens, which all sort before `~`.
      .where('slug', '<', `${prefix}~`)
      .$if(front !== null, (query) => query.where('id', 'in', listed))
      .orderBy('slug')
      .limit(SLUGS_MAX),
  );
  return rows.map(([slug]) => String(slug));
}
