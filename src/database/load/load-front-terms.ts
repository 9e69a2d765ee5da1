// Loads what fronts sell otherwise than their channel: exclusions and contingents. They are few:
// all of them at once.

import { otherTypeOf, type RowId } from '../../catalogue/row-id.ts';
import type { Finding } from '../../findings.ts';
import { dangling } from '../contract/row-checker.ts';
import type { CatalogueReader, Query } from '../reader.ts';
import type { MistypedTerm } from './product-maker.ts';
import { ALLOCATION, allocationsQuery, EXCLUSION, exclusionsQuery } from './product-queries.ts';

type TermChecker = Pick<typeof EXCLUSION, 'locationOf' | 'valueOf'>;

export class FrontTermRows {
  /** By product: rows of front_id, session_id, and the session's status. */
  readonly exclusions = new Map<number, unknown[][]>();
  /** By product: rows of front_id, session_id, and what is left. */
  readonly allocations = new Map<number, unknown[][]>();
  /** Findings of both in rows of sessions that do not exist, or have no product. */
  readonly orphans: Finding[] = [];
  /** By the id of the session that is meant where a row has it in the other type. */
  readonly mistyped = new Map<RowId, MistypedTerm[]>();

  static async load(reader: CatalogueReader): Promise<FrontTermRows> {
    const terms = new FrontTermRows();
    await terms.#load(reader, exclusionsQuery(reader), EXCLUSION, terms.exclusions);
    await terms.#load(reader, allocationsQuery(reader), ALLOCATION, terms.allocations);
    return terms;
  }

  async #load(
    reader: CatalogueReader,
    query: Query,
    checker: TermChecker,
    byProduct: Map<number, unknown[][]>,
  ): Promise<void> {
    for (const whole of await reader.rows(query)) {
      const [productId] = whole;
      const row = whole.slice(1);
      if (typeof productId !== 'number') this.#noteOrphan(checker, row);
      else if (byProduct.get(productId)?.push(row) === undefined) byProduct.set(productId, [row]);
    }
  }

  /** It takes out nothing, unless a session is meant that has its id in the other type. */
  #noteOrphan(checker: TermChecker, row: readonly unknown[]): void {
    const finding = dangling(checker.locationOf(row), 'session_id', 'sessions', row[1]);
    this.orphans.push(finding);
    const [meant, frontId] = [otherTypeOf(row[1]), checker.valueOf(row, 'front_id')];
    if (meant === null || frontId === undefined) return;
    const term = { frontId, finding };
    if (this.mistyped.get(meant)?.push(term) === undefined) this.mistyped.set(meant, [term]);
  }
}
