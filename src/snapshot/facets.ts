// Facets: which categories, groups, tags and badges the cards of one front reach. Counted, so that a card that comes or goes
// changes a few numbers; a facet is printed while its count is above zero.

import type { Front } from '../catalogue/front.ts';
import type { Taxonomy } from '../catalogue/taxonomy.ts';
import type { CardFace, PressedProduct } from './card-timeline.ts';

/** Every element of the taxonomy as its JSON text, by position. */
export interface PressedTaxonomy {
  readonly categories: readonly string[];
  readonly groups: readonly string[];
  readonly tags: readonly string[];
  readonly badges: readonly string[];
}

/** Elements in the key order of the spec's tables 2.1 and 2.3 to 2.5. */
export function pressTaxonomy(taxonomy: Taxonomy): PressedTaxonomy {
  return {
    categories: taxonomy.categories.map(({ id, slug, nameSingular, namePlural }) =>
      JSON.stringify({ id, slug, nameSingular, namePlural }),
    ),
    groups: taxonomy.groups.map(({ id, slug, name, cardType }) => JSON.stringify({ id, slug, name, cardType })),
    tags: taxonomy.tags.map(({ id, slug, name }) => JSON.stringify({ id, slug, name })),
    badges: taxonomy.badges.map(({ id, slug, name, color }) => JSON.stringify({ id, slug, name, color })),
  };
}

export class Facets {
  readonly #front: Front;
  readonly #taxonomy: PressedTaxonomy;
  readonly #categories: Int32Array;
  readonly #groups: Int32Array;
  readonly #tags: Int32Array;
  readonly #badges: Int32Array;

  constructor(front: Front, taxonomy: PressedTaxonomy) {
    this.#front = front;
    this.#taxonomy = taxonomy;
    this.#categories = new Int32Array(taxonomy.categories.length);
    this.#groups = new Int32Array(taxonomy.groups.length);
    this.#tags = new Int32Array(taxonomy.tags.length);
    this.#badges = new Int32Array(taxonomy.badges.length);
  }

  /** Counts a card in (1) or out (-1). */
  count(product: PressedProduct, face: CardFace, by: 1 | -1): void {
    for (const category of product.categories) increase(this.#categories, category, by);
    for (const { group } of product.groups) increase(this.#groups, group, by);
    for (const tag of product.tags) increase(this.#tags, tag, by);
    for (const badge of face.badges) increase(this.#badges, badge, by);
  }

  /** `[…]` of the categories that the front attaches and a card reaches: the same for both endpoints. */
  categoriesText(): string {
    return arrayText(this.#front.categories, this.#categories, this.#taxonomy.categories);
  }

  groupsText(): string {
    return arrayText(this.#front.groups, this.#groups, this.#taxonomy.groups);
  }

  tagsText(): string {
    return arrayText(undefined, this.#tags, this.#taxonomy.tags);
  }

  badgesText(): string {
    return arrayText(undefined, this.#badges, this.#taxonomy.badges);
  }
}

function increase(counts: Int32Array, position: number, by: 1 | -1): void {
  counts[position] = (counts[position] ?? 0) + by;
}

/** The counted elements in a front's order, or in their own. */
function arrayText(order: readonly number[] | undefined, counts: Int32Array, texts: readonly string[]): string {
  const reached =
    order === undefined
      ? texts.filter((_, position) => (counts[position] ?? 0) > 0)
      : order.filter((position) => (counts[position] ?? 0) > 0).map((position) => texts[position] ?? '');
  return `[${reached.join(',')}]`;
}
