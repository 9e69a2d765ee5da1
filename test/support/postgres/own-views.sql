-- A schema of somebody else's, with views of the contract's names over it. Each table has what the views below select, and no more.

CREATE TYPE stage AS ENUM ('planned', 'on', 'on again', 'moved', 'off');

CREATE TABLE shops (
  shop_no integer PRIMARY KEY, login text UNIQUE, title text, zone text, money text, decimals smallint,
  days_off text, is_open boolean, at_least integer, sells_as text, speaks text, day_from text
);
CREATE TABLE shop_keys (
  key_name text PRIMARY KEY, shop_no integer, method text, jwk text, secret_name text,
  valid_from timestamptz, valid_to timestamptz, withdrawn_at timestamptz
);
CREATE TABLE halls (hall_no integer PRIMARY KEY, label text, zone text, town text);
CREATE TABLE pictures (picture_no integer PRIMARY KEY, address text, says text, credit text, credit_link text);
CREATE TABLE events (
  event_no integer PRIMARY KEY, handle text UNIQUE, title text, min_age integer, scheme integer, youth_card boolean,
  halted boolean, halted_to timestamptz, picture_no integer, is_announced boolean, is_over boolean
);
CREATE TABLE shop_events (
  shop_no integer, event_no integer, star boolean, on_top boolean, halted boolean, rank integer, shown timestamptz, hidden timestamptz,
  PRIMARY KEY (shop_no, event_no)
);
CREATE TABLE shows (
  show_no integer PRIMARY KEY, event_no integer, hall_no integer, begins timestamptz, printed timestamp, ends timestamptz, ends_printed timestamp,
  each_day boolean, zone text, sale_opens timestamptz, sale_opens_printed timestamp, sale_closes timestamptz, sale_closes_printed timestamp,
  announced timestamptz, announced_printed timestamp, stage stage, moved_from timestamptz, halted boolean, seats_left integer
);
CREATE INDEX shows_of_event ON shows (event_no);
CREATE TABLE not_sold (shop_no integer, show_no integer, PRIMARY KEY (shop_no, show_no));
CREATE TABLE contingents (shop_no integer, show_no integer, seats_left integer, PRIMARY KEY (shop_no, show_no));
CREATE TABLE prices (
  price_no integer PRIMARY KEY, event_no integer, show_no integer, label text, is_extra boolean, is_hidden boolean, is_advertised boolean,
  hundredths numeric(16, 2), money text, seats_left integer, opens timestamptz, closes timestamptz, sold_as text
);
CREATE INDEX prices_of_event ON prices (event_no);
CREATE TABLE terms (
  kind text, term_no integer, handle text, label text, label_of_many text, colour text, layout integer, rank integer,
  rule text, below integer, PRIMARY KEY (kind, term_no)
);
CREATE TABLE shop_terms (kind text, shop_no integer, term_no integer, rank integer, PRIMARY KEY (kind, shop_no, term_no));
CREATE TABLE event_terms (
  kind text, event_no integer, term_no integer, rank integer, opens timestamptz, closes timestamptz,
  PRIMARY KEY (kind, event_no, term_no)
);
CREATE TABLE translations (thing text, thing_no text, language text, part text, words text, PRIMARY KEY (thing, thing_no, language, part));

CREATE VIEW fronts AS
SELECT shop_no AS id, login AS code, title AS name, zone AS timezone, money AS currency, decimals AS currency_exponent,
  replace(days_off, ' ', '') AS weekend_days, CASE WHEN is_open THEN 'active' ELSE 'disabled' END AS status, at_least AS min_cards,
  sells_as AS channel, speaks AS locale, day_from AS day_starts_at
FROM shops;
CREATE VIEW front_keys AS
SELECT key_name AS keyid, shop_no AS front_id, method AS alg, jwk AS public_key, secret_name AS secret_ref,
  valid_from AS not_before, valid_to AS not_after, withdrawn_at AS revoked_at
FROM shop_keys;
CREATE VIEW venues AS SELECT hall_no AS id, label AS name, zone AS timezone, town AS city FROM halls;
CREATE VIEW images AS
SELECT picture_no AS id, address AS url, says AS alt_text, credit AS copyright, credit_link AS copyright_url FROM pictures;
CREATE VIEW products AS
SELECT event_no AS id, handle AS slug, title AS name, min_age AS age_rating, scheme AS sale_schema, youth_card AS pushka,
  halted AS paused, halted_to AS paused_until, picture_no AS image_id,
  CASE WHEN is_over THEN 'archived' WHEN is_announced THEN 'published' ELSE 'draft' END AS status
FROM events;
CREATE VIEW front_products AS
SELECT shop_no AS front_id, event_no AS product_id, star AS featured, on_top AS banner, halted AS paused, rank AS sort_weight,
  shown AS visible_from, hidden AS visible_until
FROM shop_events;
CREATE VIEW sessions AS
SELECT show_no AS id, event_no AS product_id, hall_no AS venue_id, begins AS starts_at,
  to_char(printed, 'YYYY-MM-DD"T"HH24:MI:SS') AS starts_local, ends AS ends_at, sale_opens AS sales_start_at, sale_closes AS sales_end_at,
  CASE stage WHEN 'planned' THEN 'draft' WHEN 'on' THEN 'scheduled' WHEN 'on again' THEN 'rescheduled' WHEN 'moved' THEN 'postponed' WHEN 'off' THEN 'cancelled' END AS status,
  moved_from AS previous_starts_at, halted AS paused, seats_left AS available, zone AS timezone, each_day AS daily,
  to_char(ends_printed, 'YYYY-MM-DD"T"HH24:MI:SS') AS ends_local, sale_opens_printed AS sales_start_local,
  sale_closes_printed AS sales_end_local, announced AS visible_from, announced_printed AS visible_from_local
FROM shows;
CREATE VIEW front_session_exclusions AS SELECT shop_no AS front_id, show_no AS session_id FROM not_sold;
CREATE VIEW front_allocations AS SELECT shop_no AS front_id, show_no AS session_id, seats_left AS available FROM contingents;
CREATE VIEW price_tiers AS
SELECT price_no AS id, event_no AS product_id, show_no AS session_id, label AS name,
  CASE WHEN is_extra THEN 'addon' ELSE 'ticket' END AS kind, NOT is_hidden AS is_public, is_advertised AS in_price_from,
  -- A whole number with two zeros behind the point.
  hundredths * 100 AS amount_minor,
  money AS currency, seats_left AS available, opens AS valid_from, closes AS valid_until, sold_as AS channels
FROM prices;
CREATE VIEW categories AS
SELECT term_no AS id, handle AS slug, label AS name_singular, label_of_many AS name_plural FROM terms WHERE kind = 'category';
CREATE VIEW front_categories AS
SELECT shop_no AS front_id, term_no AS category_id, rank AS sort_weight FROM shop_terms WHERE kind = 'category';
CREATE VIEW product_categories AS
SELECT event_no AS product_id, term_no AS category_id FROM event_terms WHERE kind = 'category';
CREATE VIEW groups AS
SELECT term_no AS id, handle AS slug, label AS name, layout AS card_type FROM terms WHERE kind = 'group';
CREATE VIEW front_groups AS
SELECT shop_no AS front_id, term_no AS group_id, rank AS sort_weight FROM shop_terms WHERE kind = 'group';
CREATE VIEW product_groups AS
SELECT event_no AS product_id, term_no AS group_id, rank AS sort_weight FROM event_terms WHERE kind = 'group';
CREATE VIEW tags AS
SELECT term_no AS id, handle AS slug, label AS name, rank AS sort_weight FROM terms WHERE kind = 'tag';
CREATE VIEW product_tags AS SELECT event_no AS product_id, term_no AS tag_id FROM event_terms WHERE kind = 'tag';
CREATE VIEW badges AS
SELECT term_no AS id, handle AS slug, label AS name, colour AS color, rank AS sort_weight, rule, below AS rule_below
FROM terms WHERE kind = 'badge';
CREATE VIEW product_badges AS
SELECT event_no AS product_id, term_no AS badge_id, opens AS valid_from, closes AS valid_until FROM event_terms WHERE kind = 'badge';
CREATE VIEW texts AS
SELECT thing AS kind, thing_no AS id, language AS locale, part AS field, words AS text FROM translations;
