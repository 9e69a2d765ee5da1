// The catalogue's tables as Kysely types for the plain reference: only the tables and columns that
// the two documents need. It checks no rows: what a CHECK or a row rule would refuse is not looked
// at here.

import Database from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';

/** The id of a front, venue, image or session. */
export type PlainId = string | number;

export interface PlainTables {
  fronts: {
    id: PlainId;
    code: string;
    timezone: string;
    day_starts_at: string | null;
    channel: string | null;
    locale: string | null;
    currency: string;
    currency_exponent: number;
    weekend_days: string;
    status: 'active' | 'disabled';
  };
  venues: { id: PlainId; name: string; timezone: string | null };
  images: {
    id: PlainId;
    url: string;
    alt_text: string | null;
    copyright: string | null;
    copyright_url: string | null;
  };
  products: {
    id: number;
    /** Null: the id. */
    slug: string | null;
    name: string;
    age_rating: number;
    sale_schema: number;
    pushka: number;
    paused: number;
    paused_until: string | null;
    image_id: PlainId | null;
    status: 'draft' | 'published' | 'archived';
  };
  front_products: {
    front_id: PlainId;
    product_id: number;
    featured: number;
    banner: number;
    paused: number;
    sort_weight: number;
    visible_from: string | null;
    visible_until: string | null;
  };
  sessions: {
    id: PlainId;
    product_id: number;
    venue_id: PlainId;
    starts_at: string | null;
    starts_local: string | null;
    ends_at: string | null;
    ends_local: string | null;
    daily: number;
    sales_start_at: string | null;
    sales_start_local: string | null;
    sales_end_at: string | null;
    sales_end_local: string | null;
    timezone: string | null;
    previous_starts_at: string | null;
    status: 'draft' | 'scheduled' | 'rescheduled' | 'postponed' | 'cancelled';
    visible_from: string | null;
    visible_from_local: string | null;
    paused: number;
    available: number | null;
  };
  front_session_exclusions: { front_id: PlainId; session_id: PlainId };
  front_allocations: { front_id: PlainId; session_id: PlainId; available: number };
  price_tiers: {
    id: number | null;
    product_id: number;
    session_id: PlainId | null;
    channels: string | null;
    kind: 'ticket' | 'addon';
    is_public: number;
    in_price_from: number;
    amount_minor: number;
    currency: string;
    available: number | null;
    valid_from: string | null;
    valid_until: string | null;
  };
  categories: { id: number; slug: string; name_singular: string; name_plural: string | null };
  front_categories: { front_id: PlainId; category_id: number; sort_weight: number };
  product_categories: { product_id: number; category_id: number };
  groups: { id: number; slug: string; name: string; card_type: number };
  front_groups: { front_id: PlainId; group_id: number; sort_weight: number };
  product_groups: { product_id: number; group_id: number; sort_weight: number };
  tags: { id: number; slug: string; name: string; sort_weight: number };
  product_tags: { product_id: number; tag_id: number };
  badges: {
    id: number;
    slug: string;
    name: string;
    color: string;
    sort_weight: number;
    rule: 'few-left' | 'moved' | null;
    rule_below: number | null;
  };
  texts: { kind: string; id: string; locale: string; field: string; text: string };
  product_badges: { product_id: number; badge_id: number; valid_from: string | null; valid_until: string | null };
}

/** Kysely over an open better-sqlite3 database. Destroying it closes the database. */
export function plainKysely(database: Database.Database): Kysely<PlainTables> {
  return new Kysely<PlainTables>({ dialect: new SqliteDialect({ database }) });
}
