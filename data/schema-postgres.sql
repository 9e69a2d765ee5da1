-- The catalogue's tables in PostgreSQL, with the rules of schema.sql; a test compares the two. Runs in an empty schema:
--   psql -1 -v ON_ERROR_STOP=1 -d DATABASE -f schema-postgres.sql
-- Instants are UTC text, exactly YYYY-MM-DDTHH:MM:SSZ, and booleans 0 or 1, as in SQLite, so that the same rows go into both. Views may
-- have PostgreSQL's own types instead.
--
-- Names have no collation of their own: whatever sorts them says COLLATE "C". References are looked at when a transaction ends, so that
-- it may write rows in any order.

-- Whether text is a date of the calendar and a time of the day as YYYY-MM-DDTHH:MM:SS, and then the ending. NULL is let in by a CHECK.
CREATE FUNCTION is_date_time(value text, ending text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT value ~ ('^('
    || '[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))'
    -- Leap days: of years that 4 divides but not 100, and of those that 400 divides.
    || '|([0-9][0-9](0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29'
    || ')T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]' || ending || '$')
$$;

CREATE TABLE fronts (
  id bigint PRIMARY KEY,
  code text NOT NULL UNIQUE CHECK (code ~ '^[a-z0-9][a-z0-9._-]{0,62}$' AND code !~ '[.][.]'),
  name text NOT NULL,
  timezone text NOT NULL CHECK (length(timezone) > 0),
  locale text CHECK (locale ~ '^[A-Za-z0-9-]{2,35}$'),
  channel text CHECK (channel ~ '^[A-Za-z0-9._-]{1,100}$'),
  day_starts_at text NOT NULL DEFAULT '00:00' CHECK (day_starts_at ~ '^(0[0-5]:[0-5][0-9]|06:00)$'),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  currency_exponent smallint NOT NULL DEFAULT 2 CHECK (currency_exponent BETWEEN 0 AND 4),
  weekend_days text NOT NULL DEFAULT '67' CHECK (weekend_days ~ '^1?2?3?4?5?6?7?$' AND length(weekend_days) BETWEEN 1 AND 6),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  min_cards bigint NOT NULL DEFAULT 0 CHECK (min_cards >= 0)
);

-- Whether a key has exactly what its algorithm needs is a row rule (check-db), not a CHECK.
CREATE TABLE front_keys (
  keyid text PRIMARY KEY CHECK (keyid ~ '^[A-Za-z0-9._:-]{1,128}$'),
  front_id bigint NOT NULL REFERENCES fronts (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  alg text NOT NULL CHECK (alg IN ('ed25519', 'ecdsa-p256-sha256', 'hmac-sha256')),
  public_key text,
  secret_ref text,
  not_before text CHECK (is_date_time(not_before, 'Z')),
  not_after text CHECK (is_date_time(not_after, 'Z')),
  revoked_at text CHECK (is_date_time(revoked_at, 'Z'))
);

CREATE TABLE venues (
  id bigint PRIMARY KEY,
  name text NOT NULL,
  -- NULL where every session there has its own.
  timezone text CHECK (length(timezone) > 0),
  city text
);

CREATE TABLE images (
  id bigint PRIMARY KEY,
  url text NOT NULL CHECK (url ~ '^https://.'),
  alt_text text,
  copyright text,
  copyright_url text
);

CREATE TABLE products (
  id bigint PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+$' AND length(slug) <= 200),
  name text NOT NULL,
  age_rating smallint NOT NULL DEFAULT 0 CHECK (age_rating BETWEEN 0 AND 21),
  sale_schema bigint NOT NULL DEFAULT 2 CHECK (sale_schema >= 0),
  pushka smallint NOT NULL DEFAULT 0 CHECK (pushka IN (0, 1)),
  paused smallint NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  paused_until text CHECK (is_date_time(paused_until, 'Z')),
  image_id bigint REFERENCES images (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
  status text NOT NULL DEFAULT 'published' CHECK (status IN ('draft', 'published', 'archived')),
  CHECK (paused_until IS NULL OR paused = 1)
);

CREATE TABLE front_products (
  front_id bigint NOT NULL REFERENCES fronts (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  product_id bigint NOT NULL REFERENCES products (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  featured smallint NOT NULL DEFAULT 0 CHECK (featured IN (0, 1)),
  banner smallint NOT NULL DEFAULT 0 CHECK (banner IN (0, 1)),
  paused smallint NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  sort_weight bigint NOT NULL DEFAULT 0,
  visible_from text CHECK (is_date_time(visible_from, 'Z')),
  visible_until text CHECK (is_date_time(visible_until, 'Z')),
  PRIMARY KEY (front_id, product_id)
);

CREATE TABLE sessions (
  id bigint PRIMARY KEY,
  product_id bigint NOT NULL REFERENCES products (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  venue_id bigint NOT NULL REFERENCES venues (id) ON DELETE RESTRICT DEFERRABLE INITIALLY DEFERRED,
  starts_at text CHECK (is_date_time(starts_at, 'Z')),
  starts_local text CHECK (is_date_time(starts_local, '')),
  ends_at text CHECK (is_date_time(ends_at, 'Z')),
  ends_local text CHECK (is_date_time(ends_local, '')),
  daily smallint NOT NULL DEFAULT 0 CHECK (daily IN (0, 1)),
  sales_start_at text CHECK (is_date_time(sales_start_at, 'Z')),
  sales_start_local text CHECK (is_date_time(sales_start_local, '')),
  sales_end_at text CHECK (is_date_time(sales_end_at, 'Z')),
  sales_end_local text CHECK (is_date_time(sales_end_local, '')),
  timezone text CHECK (length(timezone) BETWEEN 1 AND 100),
  status text NOT NULL DEFAULT 'scheduled' CHECK (status IN ('draft', 'scheduled', 'rescheduled', 'postponed', 'cancelled')),
  previous_starts_at text CHECK (is_date_time(previous_starts_at, 'Z')),
  visible_from text CHECK (is_date_time(visible_from, 'Z')),
  visible_from_local text CHECK (is_date_time(visible_from_local, '')),
  paused smallint NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  available bigint,
  UNIQUE (id, product_id),
  -- Where an instant is NULL and its wall time is not, the zone of the session, else of its venue, says which it is.
  CHECK (starts_at IS NOT NULL OR starts_local IS NOT NULL),
  CHECK (daily = 0 OR ends_at IS NOT NULL OR ends_local IS NOT NULL)
);

CREATE TABLE front_session_exclusions (
  front_id bigint NOT NULL REFERENCES fronts (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  session_id bigint NOT NULL REFERENCES sessions (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (front_id, session_id)
);

-- What a front has left of its own contingent, in place of the session's available.
CREATE TABLE front_allocations (
  front_id bigint NOT NULL REFERENCES fronts (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  session_id bigint NOT NULL REFERENCES sessions (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  available bigint NOT NULL,
  PRIMARY KEY (front_id, session_id)
);

CREATE TABLE price_tiers (
  id bigint PRIMARY KEY,
  product_id bigint NOT NULL REFERENCES products (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  session_id bigint,
  name text NOT NULL DEFAULT '',
  channels text CHECK (channels ~ '^[A-Za-z0-9._-]+( [A-Za-z0-9._-]+)*$' AND length(channels) <= 1000),
  kind text NOT NULL DEFAULT 'ticket' CHECK (kind IN ('ticket', 'addon')),
  is_public smallint NOT NULL DEFAULT 1 CHECK (is_public IN (0, 1)),
  in_price_from smallint NOT NULL DEFAULT 1 CHECK (in_price_from IN (0, 1)),
  amount_minor bigint NOT NULL CHECK (amount_minor BETWEEN 0 AND 99999999999999),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  available bigint,
  valid_from text CHECK (is_date_time(valid_from, 'Z')),
  valid_until text CHECK (is_date_time(valid_until, 'Z')),
  FOREIGN KEY (session_id, product_id) REFERENCES sessions (id, product_id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE categories (
  id bigint PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+$' AND length(slug) <= 200),
  name_singular text NOT NULL,
  name_plural text
);

CREATE TABLE front_categories (
  front_id bigint NOT NULL REFERENCES fronts (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  category_id bigint NOT NULL REFERENCES categories (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  sort_weight bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (front_id, category_id)
);

CREATE TABLE product_categories (
  product_id bigint NOT NULL REFERENCES products (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  category_id bigint NOT NULL REFERENCES categories (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (product_id, category_id)
);

CREATE TABLE groups (
  id bigint PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+$' AND length(slug) <= 200),
  name text NOT NULL,
  card_type bigint NOT NULL DEFAULT 1 CHECK (card_type >= 0)
);

CREATE TABLE front_groups (
  front_id bigint NOT NULL REFERENCES fronts (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  group_id bigint NOT NULL REFERENCES groups (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  sort_weight bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (front_id, group_id)
);

-- The position of a product in a group has no default: whoever groups a product says where.
CREATE TABLE product_groups (
  product_id bigint NOT NULL REFERENCES products (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  group_id bigint NOT NULL REFERENCES groups (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  sort_weight bigint NOT NULL,
  PRIMARY KEY (product_id, group_id)
);

CREATE TABLE tags (
  id bigint PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+$' AND length(slug) <= 200),
  name text NOT NULL,
  sort_weight bigint NOT NULL DEFAULT 0
);

CREATE TABLE product_tags (
  product_id bigint NOT NULL REFERENCES products (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  tag_id bigint NOT NULL REFERENCES tags (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  PRIMARY KEY (product_id, tag_id)
);

CREATE TABLE badges (
  id bigint PRIMARY KEY,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+$' AND length(slug) <= 200),
  name text NOT NULL,
  color text NOT NULL CHECK (color ~ '^#[0-9A-Fa-f]{6}$'),
  sort_weight bigint NOT NULL DEFAULT 0,
  rule text CHECK (rule IN ('few-left', 'moved')),
  rule_below bigint CHECK (rule_below >= 1),
  CHECK (rule IS DISTINCT FROM 'few-left' OR rule_below IS NOT NULL)
);

CREATE TABLE product_badges (
  product_id bigint NOT NULL REFERENCES products (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  badge_id bigint NOT NULL REFERENCES badges (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  valid_from text CHECK (is_date_time(valid_from, 'Z')),
  valid_until text CHECK (is_date_time(valid_until, 'Z')),
  PRIMARY KEY (product_id, badge_id)
);

-- Names in other languages, for the fronts that have a locale.
CREATE TABLE texts (
  kind text NOT NULL CHECK (kind IN ('product', 'venue', 'image', 'category', 'group', 'tag', 'badge')),
  id text NOT NULL CHECK (length(id) BETWEEN 1 AND 200),
  locale text NOT NULL CHECK (locale ~ '^[A-Za-z0-9-]{2,35}$'),
  field text NOT NULL CHECK (field IN ('name', 'name_singular', 'name_plural', 'alt_text', 'copyright')),
  text text NOT NULL CHECK (text <> ''),
  PRIMARY KEY (kind, id, locale, field),
  CHECK (
    field IN ('name_singular', 'name_plural') AND kind = 'category' OR field IN ('alt_text', 'copyright') AND kind = 'image'
    OR field = 'name' AND kind NOT IN ('category', 'image')
  )
);

-- What the load selects and joins by.
CREATE INDEX sessions_load ON sessions (product_id, starts_at COLLATE "C", id);
CREATE INDEX price_tiers_load ON price_tiers (product_id, session_id, id);

-- The other side of each foreign key, so that deleting a parent does not scan its children.
CREATE INDEX front_keys_front ON front_keys (front_id);
CREATE INDEX products_image ON products (image_id);
CREATE INDEX front_products_product ON front_products (product_id);
CREATE INDEX sessions_venue ON sessions (venue_id);
CREATE INDEX front_session_exclusions_session ON front_session_exclusions (session_id);
CREATE INDEX front_allocations_session ON front_allocations (session_id);
CREATE INDEX price_tiers_session ON price_tiers (session_id, product_id);
CREATE INDEX front_categories_category ON front_categories (category_id);
CREATE INDEX product_categories_category ON product_categories (category_id);
CREATE INDEX front_groups_group ON front_groups (group_id);
CREATE INDEX product_groups_group ON product_groups (group_id);
CREATE INDEX product_tags_tag ON product_tags (tag_id);
CREATE INDEX product_badges_badge ON product_badges (badge_id);
