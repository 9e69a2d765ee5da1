// What the compiler must refuse in a storefront's code, and what it must take. Compiled with the
// sources, and once more by a consumer of the packed client (test/client/package.test.ts): a line
// under "expect-error" that compiles is an error itself.

import { CatalogueError, createClient, keyFrom } from 'playbill/client';
import type { Answer, Category, Client, ClientOptions, ProductCard, ProductsDocument } from 'playbill/client';

/** What may be null must be asked about before it is used. */
export function nulls(card: ProductCard): readonly (string | number | boolean)[] {
  return [
    // @ts-expect-error a price may be null
    card.priceFrom.toFixed(2),
    // @ts-expect-error an image may be null
    card.imageUrl.length,
    // @ts-expect-error a text for it may be null
    card.altText.length,
    // @ts-expect-error a copyright may be null
    card.copyright.length,
    // @ts-expect-error its link may be null
    card.copyrightUrl.length,
    // @ts-expect-error there may be nothing today
    card.todaySlot.slice(11),
    // @ts-expect-error there may be nothing tomorrow
    card.tomorrowSlot.slice(11),
    // @ts-expect-error there may be nothing on the weekend
    card.weekendSlot.slice(11),
    // @ts-expect-error null is no boolean
    card.todayMultiScheduleSlots satisfies boolean,
    // @ts-expect-error null is no boolean
    card.tomorrowMultiScheduleSlots satisfies boolean,
    // @ts-expect-error null is no boolean
    card.weekendMultiScheduleSlots satisfies boolean,
    card.priceFrom?.toFixed(2) ?? 'no price',
    card.todaySlot === null ? '' : card.todaySlot.slice(11),
    card.nextScheduleSlot.slice(11),
    card.soldOut,
  ];
}

/**
 * Answers are shared between all who ask, so nobody may change them; and there are no further keys.
 */
export function shared(document: ProductsDocument): void {
  const [card] = document.productCards;
  // @ts-expect-error there may be no card at all
  const name: string = card.name;
  if (card === undefined) return;
  // @ts-expect-error a document is not to be changed
  card.name = name;
  // @ts-expect-error nor are its lists
  document.productCards.push(card);
  // @ts-expect-error no such key
  const unknown: unknown = card.price;
  // @ts-expect-error no such key either
  document.cards = unknown;
}

/**
 * A client needs to know whom it speaks for and what it signs with; a secret and a private key are
 * two things.
 */
export const options: readonly ClientOptions[] = [
  { baseUrl: 'https://cdn.example', ...keyFrom('{}') },
  { baseUrl: 'https://cdn.example', front: 'moscow', key: { keyid: 'k', secret: 's' } },
  { baseUrl: 'https://cdn.example', front: 'moscow', key: { keyid: 'k', secret: 's' }, profile: 'signed-headers' },
  // @ts-expect-error no such profile
  { baseUrl: 'https://cdn.example', front: 'moscow', key: { keyid: 'k', secret: 's' }, profile: 'cavage' },
  // @ts-expect-error the front is missing
  { baseUrl: 'https://cdn.example', key: { keyid: 'k', secret: 's' } },
  // @ts-expect-error a key without anything to sign with
  { baseUrl: 'https://cdn.example', front: 'moscow', key: { keyid: 'k' } },
  // @ts-expect-error a private key is a JWK, not PEM
  { baseUrl: 'https://cdn.example', front: 'moscow', key: { keyid: 'k', privateKey: '-----BEGIN' } },
];

/**
 * What comes back is a promise of the right document, with the time of it where that is asked for.
 */
export async function asked(client: Client): Promise<readonly Category[]> {
  // @ts-expect-error a promise is no document
  const early: ProductsDocument = client.products();
  const { document, isStale, asOf, failure }: Answer<ProductsDocument> = await client.productsAnswer();
  // @ts-expect-error most requests succeed
  const why: Error = failure;
  // @ts-expect-error something in between may take the header away
  const when: string = asOf;
  return isStale && early === document && when === why.message ? document.categories : client.categories();
}

/** A refusal has a code; what is no refusal has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof CatalogueError)) return '';
  // @ts-expect-error the code is null where it was not the edge rule that answered
  const code: string = error.code;
  return error.status === 403 ? code : '';
}

export const client: Client = createClient({ baseUrl: 'https://cdn.example', ...keyFrom('{}') });
