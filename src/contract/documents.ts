// The two documents of the API (spec, section 2) in the form of fields.md: every key is always
// present, and null where an optional field has no value. Tests and `verify` check documents
// against these schemas; builds do not.

import * as z from 'zod';

const slug = z.string().regex(/^(?=.{1,200}$)([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+$/);

const sessionTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2}$/)
  .meta({ format: 'date-time', examples: ['2026-05-05T19:00:00+03:00'] });

const number = (description: string) => z.int().meta({ description });
const count = (description: string) => z.int().min(0).meta({ description });
const text = (description: string) => z.string().meta({ description });
const flag = (description: string) => z.boolean().meta({ description });
const named = (description: string) => slug.meta({ description });

const flagOrNull = (description: string) => z.boolean().nullable().meta({ description });
const textOrNull = (description: string) => z.string().nullable().meta({ description });
const sessionOrNull = (description: string) => sessionTime.nullable().meta({ description });

export const categorySchema = z
  .strictObject({
    id: number('Unique category identifier'),
    slug: named('Unique slug of the category'),
    nameSingular: text('Category name in the singular'),
    namePlural: text('Category name in the plural'),
  })
  .meta({ id: 'Category', description: 'A category that is relevant for the front and holds at least one card' });

export const groupSchema = z
  .strictObject({
    id: number('Unique group identifier'),
    slug: named('Unique slug of the group'),
    name: text('Group name'),
    cardType: count('Type of product cards used for the group: 1 regular, 2 main, 3 featured; others may come'),
  })
  .meta({ id: 'Group', description: 'A group that at least one card belongs to' });

export const tagSchema = z
  .strictObject({
    id: number('Unique tag identifier'),
    slug: named('Unique slug of the tag'),
    name: text('Tag name'),
  })
  .meta({ id: 'Tag', description: 'A tag of at least one product with a card' });

export const badgeSchema = z
  .strictObject({
    id: number('Unique badge identifier'),
    slug: named('Unique slug of the badge'),
    name: text('Badge name'),
    color: z
      .string()
      .regex(/^#[0-9A-Fa-f]{6}$/)
      .meta({ description: 'Background colour of the badge, #RRGGBB', examples: ['#E4572E'] }),
  })
  .meta({ id: 'Badge', description: 'A badge that at least one card has' });

export const groupMembershipSchema = z
  .strictObject({
    slug: named('Slug of a group among the top-level groups'),
    sortWeight: number('Position of the product in the group, ascending'),
  })
  .meta({ id: 'GroupMembership', description: 'A group that the product belongs to, and its place there' });

export const productCardSchema = z
  .strictObject({
    productId: number('Unique product identifier'),
    slug: named('Unique slug of the product'),
    name: text('Product name. Text, not markup: escape it'),
    ageRating: z.int().min(0).max(21).meta({ description: 'Age rating of the product, in years' }),
    saleSchema: count(
      'Sales scheme: 1 free, 2 sale, 3 registration, 4 external sale, 5 external registration, 6 on site; others may come',
    ),
    featured: flag('The product is among the featured ones'),
    banner: flag('The product is always shown in the highest-priority area of the main page'),
    pushka: flag('The product is sold under a state cultural-card programme'),
    paused: flag('Sales of the product are temporarily paused'),
    soldOut: flag('The product is completely sold out'),
    nextScheduleSlot: sessionTime.meta({
      description: "Nearest session: its venue's wall time with the offset in force there",
    }),
    multiScheduleSlots: flag('The product has more than one session available'),
    imageUrl: textOrNull('Link to the card image; null when there is none'),
    altText: textOrNull('Alternative text of the card image'),
    copyright: textOrNull('Copyright text for the card image'),
    copyrightUrl: textOrNull('Copyright link for the card image'),
    inventoryItemName: text('Name of the venue of the nearest session'),
    multiInventoryItems: flag('The product has more than one venue across its sessions'),
    priceFrom: z.number().min(0).nullable().meta({
      description: "Minimum ticket price valid now, in units of the front's currency; 0 is free, null no price",
    }),
    badges: z.array(slug).meta({ description: 'Slugs of badges among the top-level badges' }),
    groups: z.array(groupMembershipSchema).meta({ description: 'Groups the product belongs to' }),
    todaySlot: sessionOrNull('First session of the product today; null when there is none'),
    todayMultiScheduleSlots: flagOrNull('More than one session today; null when todaySlot is'),
    tomorrowSlot: sessionOrNull('First session of the product tomorrow; null when there is none'),
    tomorrowMultiScheduleSlots: flagOrNull('More than one session tomorrow; null when tomorrowSlot is'),
    weekendSlot: sessionOrNull('First session of the product on the nearest weekend; null when there is none'),
    weekendMultiScheduleSlots: flagOrNull('More than one session on the nearest weekend; null when weekendSlot is'),
  })
  .meta({ id: 'ProductCard', description: 'A product in short, as the main page shows it' });

/** `GET /fronts/categories/` (spec 4.1). */
export const categoriesDocumentSchema = z
  .array(categorySchema)
  .meta({ id: 'CategoriesDocument', description: 'The categories of a front, not sorted by id' });

/** `GET /products/` (spec 4.2, the object form). */
export const productsDocumentSchema = z
  .strictObject({
    productCards: z.array(productCardSchema).meta({ description: "Cards relevant for the front's main page" }),
    categories: z.array(categorySchema).meta({ description: 'The same as GET /fronts/categories/ returns' }),
    groups: z.array(groupSchema).meta({ description: 'Exactly the groups that cards belong to' }),
    tags: z.array(tagSchema).meta({ description: 'Exactly the tags of products with a card' }),
    badges: z.array(badgeSchema).meta({ description: 'Exactly the badges that cards have' }),
  })
  .meta({ id: 'ProductsDocument', description: "Everything needed to build a front's main page" });

export type ProductCard = z.infer<typeof productCardSchema>;
export type CategoriesDocument = z.infer<typeof categoriesDocumentSchema>;
export type ProductsDocument = z.infer<typeof productsDocumentSchema>;
