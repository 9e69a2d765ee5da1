// What errors in rows take out of one front's documents (containment.md): whole products, and
// sessions of products that have others.

import type { Front } from '../catalogue/front.ts';
import type { DropReason } from '../catalogue/offer.ts';
import type { Product } from '../catalogue/product.ts';
import type { RowId } from '../catalogue/row-id.ts';
import { badSessionsOn } from '../catalogue/selling.ts';

/** The products of a catalogue that are left out or lack sessions, by id. */
export interface BadRows {
  /** The code of the first finding of each. */
  readonly products: ReadonlyMap<number, string>;
  readonly sessions: ReadonlyMap<number, Product>;
}

export interface LeftOut {
  /** Products without a card at `now` because of an error. */
  readonly products: number;
  /** Sessions that products with another reason, or with a card, lack. */
  readonly sessions: number;
  /** The first hundred of both, by place on the front. */
  readonly rows: readonly LeftOutRow[];
  /** Products that were left out or lost a session, and all published ones that the front lists. */
  readonly affected: number;
  readonly published: number;
}

export interface LeftOutRow {
  /** The id of the product. */
  readonly product: number;
  /** The id of the session; left out for a whole product, null if it cannot be read. */
  readonly session?: RowId | null;
  /** The code of the first finding. */
  readonly code: string;
}

const ROWS_NAMED = 100;

/** Null if nothing is left out. `reasonAt`: why a position has no card at `now`. */
export function leftOutOf(
  { id: frontId, channel, products }: Front,
  bad: BadRows,
  reasonAt: (position: number) => DropReason | null,
): LeftOut | null {
  if (bad.products.size === 0 && bad.sessions.size === 0 && products.bad.size === 0) return null;
  const rows: LeftOutRow[] = [];
  const total = { products: 0, sessions: 0, affected: 0, published: 0 };
  for (let position = 0; position < products.length; position++) {
    const reason = reasonAt(position);
    if (reason === 'not-published') continue;
    total.published += 1;
    const product = products.idAt(position);
    const whole = bad.sessions.get(product);
    const sessions = whole === undefined ? [] : badSessionsOn(whole, channel, whole.terms.get(frontId));
    if (reason === 'bad-data') {
      const code = products.bad.get(position) ?? bad.products.get(product) ?? sessions[0]?.code ?? '';
      rows.push({ product, code });
      total.products += 1;
    } else {
      for (const { id, code } of sessions) rows.push({ product, session: id, code });
      total.sessions += sessions.length;
    }
    if (reason === 'bad-data' || sessions.length > 0) total.affected += 1;
  }
  return total.affected === 0 ? null : { ...total, rows: rows.slice(0, ROWS_NAMED) };
}
