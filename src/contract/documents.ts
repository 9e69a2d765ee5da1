// The two documents of the API as this project serves them: spec, section 2, with the form of fields.md: every key always
// present, null where an optional field has no value. The schemas check documents in tests and in `verify`, never while building.

import * as z from 'zod';

const slug = z.string().regex(/^[a-z0-9-]{1,100}$/);
const sessionTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2}$/)
  .meta({
    description: "Start of a session: its venue's wall time with the offset in force",
    examples: ['2026-05-05T19:00:00+03:00'],
  });

export const categorySchema = z
  .strictObject({
    id: z.int().meta({ description: 'Unique category identifier' }),
    slug: slug.meta({ description: 'Unique slug of the category' }),
    nameSingular: z.string().meta({ description: 'Category name in the singular' }),
    namePlural: z.string().meta({ description: 'Category name in the plural' }),
  })
  .meta({ id: 'Category' });

export const groupSchema = z
  .strictObject({
    id: z.int(),
    slug,
    name: z.string(),
    cardType: z.int().min(0).meta({ description: 'Type of product cards used for the group' }),
  })
  .meta({ id: 'Group' });

export const tagSchema = z.strictObject({ id: z.int(), slug, name: z.string() }).meta({ id: 'Tag' });

export const badgeSchema = z
  .strictObject({ id: z.int(), slug, name: z.string(), color: z.string().regex(/^#[0-9A-Fa-f]{6}$/) })
  .meta({ id: 'Badge' });

export const productCardSchema = z
  .strictObject({
    productId: z.int(),
    slug,
    name: z.string(),
    ageRating: z.int().min(0).max(21),
    saleSchema: z.int().min(0),
    featured: z.boolean(),
    banner: z.boolean(),
    pushka: z.boolean(),
    paused: z.boolean(),
    soldOut: z.boolean(),
    nextScheduleSlot: sessionTime,
    multiScheduleSlots: z.boolean(),
    imageUrl: z.string().nullable(),
    altText: z.string().nullable(),
    copyright: z.string().nullable(),
    copyrightUrl: z.string().nullable(),
    inventoryItemName: z.string(),
    multiInventoryItems: z.boolean(),
    priceFrom: z.number().min(0).nullable(),
    badges: z.array(slug),
    groups: z.array(z.strictObject({ slug, sortWeight: z.int() })),
    todaySlot: sessionTime.nullable(),
    todayMultiScheduleSlots: z.boolean().nullable(),
    tomorrowSlot: sessionTime.nullable(),
    tomorrowMultiScheduleSlots: z.boolean().nullable(),
    weekendSlot: sessionTime.nullable(),
    weekendMultiScheduleSlots: z.boolean().nullable(),
  })
  .meta({ id: 'ProductCard' });

/** `GET /fronts/categories/` (spec 4.1). */
export const categoriesDocumentSchema = z.array(categorySchema);

/** `GET /products/` (spec 4.2, the object form). */
export const productsDocumentSchema = z
  .strictObject({
    productCards: z.array(productCardSchema),
    categories: categoriesDocumentSchema,
    groups: z.array(groupSchema),
    tags: z.array(tagSchema),
    badges: z.array(badgeSchema),
  })
  .meta({ id: 'ProductsDocument' });

export type Category = z.infer<typeof categorySchema>;
export type ProductCard = z.infer<typeof productCardSchema>;
export type CategoriesDocument = z.infer<typeof categoriesDocumentSchema>;
export type ProductsDocument = z.infer<typeof productsDocumentSchema>;
