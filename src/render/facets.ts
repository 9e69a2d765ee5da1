// Facets: the categories, groups, tags and badges that the cards of a front have.

import type { Front } from '../catalogue/front.ts';
import type { Taxonomy } from '../catalogue/taxonomy.ts';
import type { Names } from '../catalogue/texts.ts';

const FACET_KINDS = ['categories', 'groups', 'tags', 'badges'] as const;

type FacetKind = (typeof FACET_KINDS)[number];

/** The JSON text of every element of the taxonomy, by position. */
export type EncodedTaxonomy = Readonly<Record<FacetKind, readonly string[]>>;

/**
 * Encodes elements with their keys in the order of the spec's tables 2.1 and 2.3 to 2.5, and their
 * names in a front's language.
 */
export function encodeTaxonomy(taxonomy: Taxonomy, names: Names): EncodedTaxonomy {
  return {
    categories: taxonomy.categories.map(({ id, slug, nameSingular, namePlural }) =>
      JSON.stringify({ id, slug, ...names.ofCategory(id, nameSingular, namePlural) }),
    ),
    groups: taxonomy.groups.map(({ id, slug, name, cardType }) =>
      JSON.stringify({ id, slug, name: names.of('group', 'name', id, name), cardType }),
    ),
    tags: taxonomy.tags.map(({ id, slug, name }) =>
      JSON.stringify({ id, slug, name: names.of('tag', 'name', id, name) }),
    ),
    badges: taxonomy.badges.map(({ id, slug, name, color }) =>
      JSON.stringify({ id, slug, name: names.of('badge', 'name', id, name), color }),
    ),
  };
}

/**
 * Facets as a bit set: one bit for each element of the taxonomy, in 32-bit words. The facets of
 * many cards are the words or-ed together.
 */
export class FacetBits {
  /** The number of words for one card. */
  readonly wordCount: number;
  readonly #firstWords: Readonly<Record<FacetKind, number>>;

  constructor(taxonomy: Readonly<Record<FacetKind, readonly unknown[]>>) {
    let wordCount = 0;
    const firstWords = { categories: 0, groups: 0, tags: 0, badges: 0 };
    for (const kind of FACET_KINDS) {
      firstWords[kind] = wordCount;
      wordCount += Math.ceil(taxonomy[kind].length / 32);
    }
    this.wordCount = wordCount;
    this.#firstWords = firstWords;
  }

  set(bits: Int32Array, kind: FacetKind, position: number): void {
    const word = this.#firstWords[kind] + (position >>> 5);
    bits[word] = (bits[word] ?? 0) | (1 << (position & 31));
  }

  has(bits: Int32Array, kind: FacetKind, position: number): boolean {
    return ((bits[this.#firstWords[kind] + (position >>> 5)] ?? 0) & (1 << (position & 31))) !== 0;
  }
}

/** The facets of one front's documents as text; `bits` are the facets of all its cards. */
export class FrontFacets {
  readonly #front: Front;
  readonly #taxonomy: EncodedTaxonomy;
  readonly #facetBits: FacetBits;

  constructor(front: Front, taxonomy: EncodedTaxonomy, facetBits: FacetBits) {
    this.#front = front;
    this.#taxonomy = taxonomy;
    this.#facetBits = facetBits;
  }

  /**
   * `[…]` of the categories that the front attaches and at least one card has, as both endpoints
   * print them.
   */
  categoriesText(bits: Int32Array): string {
    return this.#text(bits, 'categories', this.#front.categories);
  }

  /**
   * `"groups":[…],"tags":[…],"badges":[…]`, with the groups that the front attaches, in its order.
   */
  otherTexts(bits: Int32Array): string {
    const groups = this.#text(bits, 'groups', this.#front.groups);
    const tags = this.#text(bits, 'tags', this.#taxonomy.tags.keys());
    const badges = this.#text(bits, 'badges', this.#taxonomy.badges.keys());
    return `"groups":${groups},"tags":${tags},"badges":${badges}`;
  }

  #text(bits: Int32Array, kind: FacetKind, positions: Iterable<number>): string {
    const present: string[] = [];
    for (const position of positions) {
      if (this.#facetBits.has(bits, kind, position)) present.push(this.#taxonomy[kind][position] ?? '');
    }
    return `[${present.join(',')}]`;
  }
}
