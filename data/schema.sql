-- The catalogue: the single source of truth for its tables. Runs unaided in the sqlite3 shell (3.40 or newer):
--   sqlite3 catalogue.sqlite < schema.sql
-- schema-postgres.sql has the same for PostgreSQL.
-- Instants are UTC text, exactly YYYY-MM-DDTHH:MM:SSZ. Periods are half-open [from, until), NULL = open. Money is an
-- integer in minor units. Booleans are 0 or 1. Ids are integers; tables of your own may have text for those of fronts,
-- venues, images and sessions, wherever they stand.
--
-- Two idioms of the CHECKs:
--   strftime(…, x, '+0 days') IS x   only canonical text passes; without '+0 days' SQLite 3.40 lets 30 February through
--   instr(x, char(0)) = 0   no NUL, behind which length and GLOB would see nothing

PRAGMA journal_mode = WAL;
PRAGMA foreign_keys = ON;

CREATE TABLE fronts (
  id INTEGER PRIMARY KEY,
  code TEXT NOT NULL UNIQUE CHECK (
    length(code) BETWEEN 1 AND 63 AND instr(code, char(0)) = 0
    AND code GLOB '[a-z0-9]*' AND code NOT GLOB '*[^a-z0-9._-]*' AND code NOT GLOB '*..*'
  ),
  name TEXT NOT NULL,
  timezone TEXT NOT NULL CHECK (length(timezone) > 0),
  locale TEXT CHECK (length(locale) BETWEEN 2 AND 35 AND instr(locale, char(0)) = 0 AND locale NOT GLOB '*[^A-Za-z0-9-]*'),
  channel TEXT CHECK (length(channel) BETWEEN 1 AND 100 AND instr(channel, char(0)) = 0 AND channel NOT GLOB '*[^A-Za-z0-9._-]*'),
  day_starts_at TEXT NOT NULL DEFAULT '00:00' CHECK (
    length(day_starts_at) = 5 AND instr(day_starts_at, char(0)) = 0
    AND (day_starts_at GLOB '0[0-5]:[0-5][0-9]' OR day_starts_at = '06:00')
  ),
  currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]' AND instr(currency, char(0)) = 0),
  currency_exponent INTEGER NOT NULL DEFAULT 2 CHECK (currency_exponent BETWEEN 0 AND 4),
  weekend_days TEXT NOT NULL DEFAULT '67' CHECK (
    length(weekend_days) BETWEEN 1 AND 6 AND instr(weekend_days, char(0)) = 0
    AND weekend_days NOT GLOB '*[^1-7]*'
    AND (length(weekend_days) < 2 OR substr(weekend_days, 1, 1) < substr(weekend_days, 2, 1))
    AND (length(weekend_days) < 3 OR substr(weekend_days, 2, 1) < substr(weekend_days, 3, 1))
    AND (length(weekend_days) < 4 OR substr(weekend_days, 3, 1) < substr(weekend_days, 4, 1))
    AND (length(weekend_days) < 5 OR substr(weekend_days, 4, 1) < substr(weekend_days, 5, 1))
    AND (length(weekend_days) < 6 OR substr(weekend_days, 5, 1) < substr(weekend_days, 6, 1))
  ),
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
  min_cards INTEGER NOT NULL DEFAULT 0 CHECK (min_cards >= 0)
) STRICT;

-- Whether a key has exactly what its algorithm needs is a row rule (check-db), not a CHECK.
CREATE TABLE front_keys (
  keyid TEXT NOT NULL PRIMARY KEY CHECK (
    length(keyid) BETWEEN 1 AND 128 AND instr(keyid, char(0)) = 0 AND keyid NOT GLOB '*[^A-Za-z0-9._:-]*'
  ),
  front_id INTEGER NOT NULL REFERENCES fronts (id) ON DELETE CASCADE,
  alg TEXT NOT NULL CHECK (alg IN ('ed25519', 'ecdsa-p256-sha256', 'hmac-sha256')),
  public_key TEXT,
  secret_ref TEXT,
  not_before TEXT CHECK (not_before IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', not_before, '+0 days') IS not_before),
  not_after TEXT CHECK (not_after IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', not_after, '+0 days') IS not_after),
  revoked_at TEXT CHECK (revoked_at IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', revoked_at, '+0 days') IS revoked_at)
) STRICT;

CREATE TABLE venues (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- NULL where every session there has its own.
  timezone TEXT CHECK (length(timezone) > 0),
  city TEXT
) STRICT;

CREATE TABLE images (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL CHECK (url GLOB 'https://?*'),
  alt_text TEXT,
  copyright TEXT,
  copyright_url TEXT
) STRICT;

CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE CHECK (
    length(slug) BETWEEN 1 AND 200 AND instr(slug, char(0)) = 0 AND slug NOT GLOB '*[^A-Za-z0-9._~%-]*'
    AND slug NOT GLOB '*%[^0-9A-Fa-f]*' AND slug NOT GLOB '*%?[^0-9A-Fa-f]*' AND slug NOT GLOB '*%' AND slug NOT GLOB '*%?'
  ),
  name TEXT NOT NULL,
  age_rating INTEGER NOT NULL DEFAULT 0 CHECK (age_rating BETWEEN 0 AND 21),
  sale_schema INTEGER NOT NULL DEFAULT 2 CHECK (sale_schema >= 0),
  pushka INTEGER NOT NULL DEFAULT 0 CHECK (pushka IN (0, 1)),
  paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  paused_until TEXT CHECK (paused_until IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', paused_until, '+0 days') IS paused_until),
  image_id INTEGER REFERENCES images (id) ON DELETE SET NULL,
  status TEXT NOT NULL DEFAULT 'published' CHECK (status IN ('draft', 'published', 'archived')),
  CHECK (paused_until IS NULL OR paused = 1)
) STRICT;

CREATE TABLE front_products (
  front_id INTEGER NOT NULL REFERENCES fronts (id) ON DELETE CASCADE,
  product_id INTEGER NOT NULL REFERENCES products (id) ON DELETE CASCADE,
  featured INTEGER NOT NULL DEFAULT 0 CHECK (featured IN (0, 1)),
  banner INTEGER NOT NULL DEFAULT 0 CHECK (banner IN (0, 1)),
  paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  sort_weight INTEGER NOT NULL DEFAULT 0,
  visible_from TEXT CHECK (visible_from IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', visible_from, '+0 days') IS visible_from),
  visible_until TEXT CHECK (visible_until IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', visible_until, '+0 days') IS visible_until),
  PRIMARY KEY (front_id, product_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES products (id) ON DELETE CASCADE,
  venue_id INTEGER NOT NULL REFERENCES venues (id) ON DELETE RESTRICT,
  starts_at TEXT CHECK (starts_at IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', starts_at, '+0 days') IS starts_at),
  starts_local TEXT CHECK (starts_local IS NULL OR strftime('%Y-%m-%dT%H:%M:%S', starts_local, '+0 days') IS starts_local),
  ends_at TEXT CHECK (ends_at IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', ends_at, '+0 days') IS ends_at),
  ends_local TEXT CHECK (ends_local IS NULL OR strftime('%Y-%m-%dT%H:%M:%S', ends_local, '+0 days') IS ends_local),
  daily INTEGER NOT NULL DEFAULT 0 CHECK (daily IN (0, 1)),
  sales_start_at TEXT CHECK (sales_start_at IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', sales_start_at, '+0 days') IS sales_start_at),
  sales_start_local TEXT CHECK (sales_start_local IS NULL OR strftime('%Y-%m-%dT%H:%M:%S', sales_start_local, '+0 days') IS sales_start_local),
  sales_end_at TEXT CHECK (sales_end_at IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', sales_end_at, '+0 days') IS sales_end_at),
  sales_end_local TEXT CHECK (sales_end_local IS NULL OR strftime('%Y-%m-%dT%H:%M:%S', sales_end_local, '+0 days') IS sales_end_local),
  timezone TEXT CHECK (length(timezone) BETWEEN 1 AND 100 AND instr(timezone, char(0)) = 0),
  status TEXT NOT NULL DEFAULT 'scheduled' CHECK (status IN ('draft', 'scheduled', 'rescheduled', 'postponed', 'cancelled')),
  previous_starts_at TEXT CHECK (previous_starts_at IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', previous_starts_at, '+0 days') IS previous_starts_at),
  visible_from TEXT CHECK (visible_from IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', visible_from, '+0 days') IS visible_from),
  visible_from_local TEXT CHECK (visible_from_local IS NULL OR strftime('%Y-%m-%dT%H:%M:%S', visible_from_local, '+0 days') IS visible_from_local),
  paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)),
  available INTEGER,
  UNIQUE (id, product_id),
  -- Where an instant is NULL and its wall time is not, the zone of the session, else of its venue, says which it is.
  CHECK (starts_at IS NOT NULL OR starts_local IS NOT NULL),
  CHECK (daily = 0 OR ends_at IS NOT NULL OR ends_local IS NOT NULL)
) STRICT;

CREATE TABLE front_session_exclusions (
  front_id INTEGER NOT NULL REFERENCES fronts (id) ON DELETE CASCADE,
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  PRIMARY KEY (front_id, session_id)
) STRICT, WITHOUT ROWID;

-- What a front has left of its own contingent, in place of the session's available.
CREATE TABLE front_allocations (
  front_id INTEGER NOT NULL REFERENCES fronts (id) ON DELETE CASCADE,
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  available INTEGER NOT NULL,
  PRIMARY KEY (front_id, session_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE price_tiers (
  id INTEGER PRIMARY KEY,
  product_id INTEGER NOT NULL REFERENCES products (id) ON DELETE CASCADE,
  session_id INTEGER,
  name TEXT NOT NULL DEFAULT '',
  channels TEXT CHECK (
    length(channels) BETWEEN 1 AND 1000 AND instr(channels, char(0)) = 0 AND channels NOT GLOB '*[^A-Za-z0-9._ -]*'
    AND channels NOT GLOB ' *' AND channels NOT GLOB '* ' AND instr(channels, '  ') = 0
  ),
  kind TEXT NOT NULL DEFAULT 'ticket' CHECK (kind IN ('ticket', 'addon')),
  is_public INTEGER NOT NULL DEFAULT 1 CHECK (is_public IN (0, 1)),
  in_price_from INTEGER NOT NULL DEFAULT 1 CHECK (in_price_from IN (0, 1)),
  amount_minor INTEGER NOT NULL CHECK (amount_minor BETWEEN 0 AND 99999999999999),
  currency TEXT NOT NULL CHECK (currency GLOB '[A-Z][A-Z][A-Z]' AND instr(currency, char(0)) = 0),
  available INTEGER,
  valid_from TEXT CHECK (valid_from IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', valid_from, '+0 days') IS valid_from),
  valid_until TEXT CHECK (valid_until IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', valid_until, '+0 days') IS valid_until),
  FOREIGN KEY (session_id, product_id) REFERENCES sessions (id, product_id) ON DELETE CASCADE
) STRICT;

CREATE TABLE categories (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE CHECK (
    length(slug) BETWEEN 1 AND 200 AND instr(slug, char(0)) = 0 AND slug NOT GLOB '*[^A-Za-z0-9._~%-]*'
    AND slug NOT GLOB '*%[^0-9A-Fa-f]*' AND slug NOT GLOB '*%?[^0-9A-Fa-f]*' AND slug NOT GLOB '*%' AND slug NOT GLOB '*%?'
  ),
  name_singular TEXT NOT NULL,
  name_plural TEXT
) STRICT;

CREATE TABLE front_categories (
  front_id INTEGER NOT NULL REFERENCES fronts (id) ON DELETE CASCADE,
  category_id INTEGER NOT NULL REFERENCES categories (id) ON DELETE CASCADE,
  sort_weight INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (front_id, category_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE product_categories (
  product_id INTEGER NOT NULL REFERENCES products (id) ON DELETE CASCADE,
  category_id INTEGER NOT NULL REFERENCES categories (id) ON DELETE CASCADE,
  PRIMARY KEY (product_id, category_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE groups (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE CHECK (
    length(slug) BETWEEN 1 AND 200 AND instr(slug, char(0)) = 0 AND slug NOT GLOB '*[^A-Za-z0-9._~%-]*'
    AND slug NOT GLOB '*%[^0-9A-Fa-f]*' AND slug NOT GLOB '*%?[^0-9A-Fa-f]*' AND slug NOT GLOB '*%' AND slug NOT GLOB '*%?'
  ),
  name TEXT NOT NULL,
  card_type INTEGER NOT NULL DEFAULT 1 CHECK (card_type >= 0)
) STRICT;

CREATE TABLE front_groups (
  front_id INTEGER NOT NULL REFERENCES fronts (id) ON DELETE CASCADE,
  group_id INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  sort_weight INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (front_id, group_id)
) STRICT, WITHOUT ROWID;

-- The position of a product in a group has no default: whoever groups a product says where.
CREATE TABLE product_groups (
  product_id INTEGER NOT NULL REFERENCES products (id) ON DELETE CASCADE,
  group_id INTEGER NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
  sort_weight INTEGER NOT NULL,
  PRIMARY KEY (product_id, group_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE tags (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE CHECK (
    length(slug) BETWEEN 1 AND 200 AND instr(slug, char(0)) = 0 AND slug NOT GLOB '*[^A-Za-z0-9._~%-]*'
    AND slug NOT GLOB '*%[^0-9A-Fa-f]*' AND slug NOT GLOB '*%?[^0-9A-Fa-f]*' AND slug NOT GLOB '*%' AND slug NOT GLOB '*%?'
  ),
  name TEXT NOT NULL,
  sort_weight INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE product_tags (
  product_id INTEGER NOT NULL REFERENCES products (id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
  PRIMARY KEY (product_id, tag_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE badges (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE CHECK (
    length(slug) BETWEEN 1 AND 200 AND instr(slug, char(0)) = 0 AND slug NOT GLOB '*[^A-Za-z0-9._~%-]*'
    AND slug NOT GLOB '*%[^0-9A-Fa-f]*' AND slug NOT GLOB '*%?[^0-9A-Fa-f]*' AND slug NOT GLOB '*%' AND slug NOT GLOB '*%?'
  ),
  name TEXT NOT NULL,
  color TEXT NOT NULL CHECK (
    color GLOB '#[0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f]' AND instr(color, char(0)) = 0
  ),
  sort_weight INTEGER NOT NULL DEFAULT 0,
  rule TEXT CHECK (rule IN ('few-left', 'moved')),
  rule_below INTEGER CHECK (rule_below >= 1),
  CHECK (rule IS NOT 'few-left' OR rule_below IS NOT NULL)
) STRICT;

CREATE TABLE product_badges (
  product_id INTEGER NOT NULL REFERENCES products (id) ON DELETE CASCADE,
  badge_id INTEGER NOT NULL REFERENCES badges (id) ON DELETE CASCADE,
  valid_from TEXT CHECK (valid_from IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', valid_from, '+0 days') IS valid_from),
  valid_until TEXT CHECK (valid_until IS NULL OR strftime('%Y-%m-%dT%H:%M:%SZ', valid_until, '+0 days') IS valid_until),
  PRIMARY KEY (product_id, badge_id)
) STRICT, WITHOUT ROWID;

-- Names in other languages, for the fronts that have a locale.
CREATE TABLE texts (
  kind TEXT NOT NULL CHECK (kind IN ('product', 'venue', 'image', 'category', 'group', 'tag', 'badge')),
  id TEXT NOT NULL CHECK (length(id) BETWEEN 1 AND 200 AND instr(id, char(0)) = 0),
  locale TEXT NOT NULL CHECK (
    length(locale) BETWEEN 2 AND 35 AND instr(locale, char(0)) = 0 AND locale NOT GLOB '*[^A-Za-z0-9-]*'
  ),
  field TEXT NOT NULL CHECK (field IN ('name', 'name_singular', 'name_plural', 'alt_text', 'copyright')),
  text TEXT NOT NULL CHECK (text <> ''),
  PRIMARY KEY (kind, id, locale, field),
  CHECK (
    field IN ('name_singular', 'name_plural') AND kind = 'category' OR field IN ('alt_text', 'copyright') AND kind = 'image'
    OR field = 'name' AND kind NOT IN ('category', 'image')
  )
) STRICT, WITHOUT ROWID;

-- What the load scans, in its order, with every column it wants: the rows themselves are never visited.
CREATE INDEX front_products_load ON front_products (front_id, sort_weight, product_id, featured, banner, paused, visible_from, visible_until);
CREATE INDEX sessions_load ON sessions (
  product_id, starts_at, id, venue_id, starts_local, sales_start_at, sales_end_at, status, paused, available, timezone, daily, ends_at, ends_local,
  sales_start_local, sales_end_local, visible_from, visible_from_local, previous_starts_at
);
CREATE INDEX price_tiers_load ON price_tiers (product_id, session_id, id, kind, is_public, in_price_from, amount_minor, currency, available, valid_from, valid_until, channels);

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
