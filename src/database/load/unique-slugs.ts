// Slugs of one table's rows, where no constraint keeps them unique: of rows that have the same,
// which is meant cannot be known, whatever else is in them (containment.md).

import type { Taxonomy } from '../../catalogue/taxonomy.ts';
import type { Finding } from '../../findings.ts';
import { notUnique, parseId, RowChecker } from '../contract/row-checker.ts';

/** Tables of which a row has its id and its slug first. */
type SluggedTable = 'products' | keyof Taxonomy;

export class UniqueSlugs {
  readonly #checker: RowChecker<SluggedTable, readonly ['id', 'slug']>;
  /** The cell of the id in the first row with a slug. */
  readonly #firstIds = new Map<string, unknown>();

  constructor(table: SluggedTable) {
    this.#checker = new RowChecker(table, ['id', 'slug']);
  }

  /**
   * Notes a row.
   * @returns null, or what is wrong with it and with the row before it that has its slug
   */
  note(row: readonly unknown[]): { readonly finding: Finding; readonly otherId: number | undefined } | null {
    const slug = this.#checker.valueOf(row, 'slug');
    if (slug === undefined) return null;
    if (!this.#firstIds.has(slug)) {
      this.#firstIds.set(slug, row[0]);
      return null;
    }
    const otherId = this.#firstIds.get(slug);
    const finding = notUnique(this.#checker.locationOf(row), 'slug', slug, this.#checker.locationOf([otherId]));
    return { finding, otherId: parseId(otherId) };
  }
}
