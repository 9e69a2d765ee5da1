-- The box office of own-schema.md, which has the views that make a catalogue of it.

PRAGMA journal_mode = WAL;

CREATE TABLE shop (
  shop_no INTEGER PRIMARY KEY, login TEXT, title TEXT, zone TEXT, money TEXT, decimals INTEGER,
  days_off TEXT, open TEXT, at_least INTEGER,
  speaks TEXT, -- de-AT
  sells_as TEXT, day_from TEXT
);
CREATE TABLE hall (hall_no INTEGER PRIMARY KEY, label TEXT, labels TEXT, zone TEXT, town TEXT);
CREATE TABLE show (
  show_no INTEGER PRIMARY KEY, handle TEXT, title TEXT, titles TEXT, -- {"de":"Die Möwe"}
  min_age INTEGER, scheme INTEGER, youth_card TEXT,
  halted TEXT, halted_to INTEGER, stage TEXT,
  picture_url TEXT, picture_text TEXT, picture_texts TEXT, picture_credit TEXT, picture_credits TEXT, picture_credit_link TEXT
);
CREATE TABLE shop_show (
  shop_no INTEGER, show_no INTEGER, star TEXT, on_top TEXT, halted TEXT, rank INTEGER,
  from_epoch INTEGER, to_epoch INTEGER, PRIMARY KEY (shop_no, show_no)
);
CREATE TABLE performance (
  perf_no INTEGER PRIMARY KEY, show_no INTEGER, hall_no INTEGER,
  begins TEXT, -- local time: 2026-05-05 19:00:00
  zone TEXT, -- where it tours
  every_day TEXT, announced TEXT, -- local time
  ends_epoch INTEGER, sale_from_epoch INTEGER, sale_to_epoch INTEGER, moved_from_epoch INTEGER,
  stage TEXT, halted TEXT, seats_left INTEGER
);
CREATE INDEX performance_of_show ON performance (show_no);
CREATE TABLE not_sold (shop_no INTEGER, perf_no INTEGER, PRIMARY KEY (shop_no, perf_no));
CREATE TABLE contingent (shop_no INTEGER, perf_no INTEGER, seats_left INTEGER, PRIMARY KEY (shop_no, perf_no));
CREATE TABLE tariff (
  tariff_no INTEGER PRIMARY KEY, show_no INTEGER, perf_no INTEGER, label TEXT, is_extra TEXT, hidden TEXT, advertised TEXT,
  sold_as TEXT, -- names of partners, with commas
  price REAL, money TEXT, seats_left INTEGER, from_epoch INTEGER, to_epoch INTEGER
);
CREATE INDEX tariff_of_show ON tariff (show_no);
CREATE TABLE money (money TEXT PRIMARY KEY, decimals INTEGER);
CREATE TABLE term (
  kind TEXT, term_no INTEGER, handle TEXT, label TEXT, labels TEXT, label_of_many TEXT, labels_of_many TEXT,
  colour TEXT, layout INTEGER, rank INTEGER, shown_when TEXT, seats INTEGER,
  PRIMARY KEY (kind, term_no)
);
CREATE TABLE term_of_shop (kind TEXT, shop_no INTEGER, term_no INTEGER, rank INTEGER, PRIMARY KEY (kind, shop_no, term_no));
CREATE TABLE term_of_show (
  kind TEXT, show_no INTEGER, term_no INTEGER, rank INTEGER, from_epoch INTEGER, to_epoch INTEGER,
  PRIMARY KEY (kind, show_no, term_no)
);
