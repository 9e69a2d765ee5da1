-- Tables of the contract's names with the types that somebody would give them who thinks in PostgreSQL.

CREATE TYPE session_status AS ENUM ('draft', 'scheduled', 'rescheduled', 'postponed', 'cancelled');

CREATE TABLE fronts (
  id integer PRIMARY KEY,
  code varchar(63) NOT NULL UNIQUE,
  name varchar NOT NULL,
  timezone varchar(100) NOT NULL,
  locale varchar(35),
  channel varchar(100),
  day_starts_at char(5) NOT NULL DEFAULT '00:00',
  currency char(3) NOT NULL,
  currency_exponent smallint NOT NULL DEFAULT 2,
  weekend_days varchar(6) NOT NULL DEFAULT '67',
  status varchar(10) NOT NULL DEFAULT 'active',
  min_cards integer NOT NULL DEFAULT 0
);
CREATE TABLE front_keys (
  keyid varchar(128) PRIMARY KEY,
  front_id integer NOT NULL,
  alg varchar(20) NOT NULL,
  public_key text,
  secret_ref varchar(200),
  not_before timestamptz,
  not_after timestamptz,
  revoked_at timestamptz
);
CREATE TABLE venues (id integer PRIMARY KEY, name varchar NOT NULL, timezone varchar(100), city varchar);
CREATE TABLE images (id bigint PRIMARY KEY, url varchar NOT NULL, alt_text varchar, copyright varchar, copyright_url varchar);
CREATE TABLE products (
  id integer PRIMARY KEY,
  slug varchar(200) NOT NULL UNIQUE,
  name varchar NOT NULL,
  age_rating smallint NOT NULL,
  sale_schema smallint NOT NULL,
  pushka boolean NOT NULL DEFAULT false,
  paused boolean NOT NULL DEFAULT false,
  paused_until timestamptz,
  image_id bigint,
  status varchar(10) NOT NULL DEFAULT 'published'
);
CREATE TABLE front_products (
  front_id integer NOT NULL,
  product_id integer NOT NULL,
  featured boolean NOT NULL DEFAULT false,
  banner boolean NOT NULL DEFAULT false,
  paused boolean NOT NULL DEFAULT false,
  sort_weight integer NOT NULL DEFAULT 0,
  visible_from timestamptz,
  visible_until timestamptz,
  PRIMARY KEY (front_id, product_id)
);
CREATE TABLE sessions (
  id bigint PRIMARY KEY,
  product_id integer NOT NULL,
  venue_id integer NOT NULL,
  starts_at timestamptz,
  starts_local varchar(19),
  ends_at timestamptz,
  ends_local timestamp,
  daily boolean NOT NULL DEFAULT false,
  sales_start_at timestamptz,
  sales_start_local timestamp,
  sales_end_at timestamptz,
  sales_end_local varchar(19),
  timezone varchar(100),
  status session_status NOT NULL DEFAULT 'scheduled',
  previous_starts_at timestamptz,
  visible_from timestamptz,
  visible_from_local timestamp,
  paused boolean NOT NULL DEFAULT false,
  available integer
);
CREATE INDEX sessions_product ON sessions (product_id);
CREATE TABLE front_session_exclusions (front_id integer, session_id bigint, PRIMARY KEY (front_id, session_id));
CREATE TABLE front_allocations (front_id integer, session_id bigint, available integer NOT NULL, PRIMARY KEY (front_id, session_id));
CREATE TABLE price_tiers (
  id bigint PRIMARY KEY,
  product_id integer NOT NULL,
  session_id bigint,
  name varchar NOT NULL DEFAULT '',
  channels varchar,
  kind varchar(10) NOT NULL DEFAULT 'ticket',
  is_public boolean NOT NULL DEFAULT true,
  in_price_from boolean NOT NULL DEFAULT true,
  amount_minor numeric(14) NOT NULL,
  currency char(3) NOT NULL,
  available numeric,
  valid_from timestamptz,
  valid_until timestamptz
);
CREATE INDEX price_tiers_product ON price_tiers (product_id);
CREATE TABLE categories (id integer PRIMARY KEY, slug varchar(200) UNIQUE, name_singular varchar, name_plural varchar);
CREATE TABLE front_categories (front_id integer, category_id integer, sort_weight smallint, PRIMARY KEY (front_id, category_id));
CREATE TABLE product_categories (product_id integer, category_id integer, PRIMARY KEY (product_id, category_id));
CREATE TABLE groups (id integer PRIMARY KEY, slug varchar(200) UNIQUE, name varchar, card_type smallint);
CREATE TABLE front_groups (front_id integer, group_id integer, sort_weight smallint, PRIMARY KEY (front_id, group_id));
CREATE TABLE product_groups (product_id integer, group_id integer, sort_weight numeric NOT NULL, PRIMARY KEY (product_id, group_id));
CREATE TABLE tags (id integer PRIMARY KEY, slug varchar(200) UNIQUE, name varchar, sort_weight integer);
CREATE TABLE product_tags (product_id integer, tag_id integer, PRIMARY KEY (product_id, tag_id));
CREATE TABLE badges (id integer PRIMARY KEY, slug varchar(200) UNIQUE, name varchar, color char(7), sort_weight integer, rule varchar(10), rule_below smallint);
CREATE TABLE product_badges (
  product_id integer, badge_id integer, valid_from timestamptz, valid_until timestamptz, PRIMARY KEY (product_id, badge_id)
);
CREATE TABLE texts (
  kind varchar(10), id varchar(200), locale varchar(35), field varchar(20), text varchar, PRIMARY KEY (kind, id, locale, field)
);
