// The made-up box office of data/own-schema.md, filled with what a catalogue in our own tables
// holds: the same facts in another form.

import type Database from 'better-sqlite3';
import { DateTime } from 'luxon';

type Row = Readonly<Record<string, string | number | null>>;

/**
 * Copies a catalogue into the box office's tables; `theirs` has the tables of the document, but not
 * the views.
 */
export function fillBoxOffice(ours: Database.Database, theirs: Database.Database): void {
  const rows = (table: string): Row[] => ours.prepare(`SELECT * FROM ${table}`).all() as Row[];
  const insert = (table: string, row: Row): void => {
    const names = Object.keys(row);
    theirs
      .prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`)
      .run(...Object.values(row));
  };
  const texts = rows('texts');
  /** The words of a thing by language, as JSON. */
  const words = (kind: string, id: string | number, field: string): string | null => {
    const own = texts.filter((one) => one['kind'] === kind && one['id'] === String(id) && one['field'] === field);
    return own.length === 0 ? null : JSON.stringify(Object.fromEntries(own.map((one) => [one['locale'], one['text']])));
  };
  const zoneOf = (row: Row): string => String(row['timezone'] ?? zones.get(row['venue_id'] ?? 0) ?? '');
  const instantIn = (row: Row, instant: string, local: string): string | null => {
    const [at, wall] = [row[instant], row[local]];
    if (typeof at === 'string' || typeof wall !== 'string') return typeof at === 'string' ? at : null;
    return DateTime.fromISO(wall, { zone: zoneOf(row) })
      .toUTC()
      .toISO({ suppressMilliseconds: true });
  };
  const zones = new Map(rows('venues').map(({ id, timezone }) => [id, String(timezone)]));
  const images = new Map(rows('images').map((image) => [image['id'], image]));
  const decimals = new Map(
    rows('fronts').map(({ currency, currency_exponent }) => [currency, Number(currency_exponent)]),
  );

  for (const row of rows('fronts')) {
    const { id, code, name, timezone, currency, currency_exponent, weekend_days, status, min_cards } = row;
    const { locale, channel, day_starts_at } = row;
    const shop = {
      shop_no: id,
      login: code,
      title: name,
      zone: timezone,
      money: currency,
      decimals: currency_exponent,
    };
    insert('shop', {
      ...shop,
      days_off: weekend_days,
      open: status === 'active' ? 'yes' : 'no',
      at_least: min_cards,
      speaks: locale,
      sells_as: channel,
      day_from: day_starts_at,
    } as Row);
  }
  for (const [money, places] of decimals) insert('money', { money: String(money), decimals: places });
  for (const { id = 0, name = '', timezone = '', city = null } of rows('venues')) {
    const labels = words('venue', id ?? 0, 'name');
    insert('hall', { hall_no: id, label: name, labels, zone: timezone, town: city });
  }
  for (const row of rows('products')) {
    const image = images.get(row['image_id'] ?? null);
    insert('show', {
      show_no: row['id'] ?? 0,
      handle: row['slug'] ?? '',
      title: row['name'] ?? '',
      titles: words('product', row['id'] ?? 0, 'name'),
      min_age: row['age_rating'] ?? 0,
      scheme: row['sale_schema'] ?? 0,
      youth_card: yes(row['pushka']),
      halted: yes(row['paused']),
      halted_to: epoch(row['paused_until']),
      stage: { published: 'live', archived: 'past', draft: 'plan' }[String(row['status'])] ?? '',
      picture_url: image?.['url'] ?? null,
      picture_text: image?.['alt_text'] ?? null,
      picture_texts: image === undefined ? null : words('image', image['id'] ?? 0, 'alt_text'),
      picture_credits: image === undefined ? null : words('image', image['id'] ?? 0, 'copyright'),
      picture_credit: image?.['copyright'] ?? null,
      picture_credit_link: image?.['copyright_url'] ?? null,
    });
  }
  for (const row of rows('front_products')) {
    insert('shop_show', {
      shop_no: row['front_id'] ?? 0,
      show_no: row['product_id'] ?? 0,
      star: yes(row['featured']),
      on_top: yes(row['banner']),
      halted: yes(row['paused']),
      rank: row['sort_weight'] ?? 0,
      from_epoch: epoch(row['visible_from']),
      to_epoch: epoch(row['visible_until']),
    });
  }
  for (const row of rows('sessions')) {
    const announcement = instantIn(row, 'visible_from', 'visible_from_local');
    insert('performance', {
      perf_no: row['id'] ?? 0,
      show_no: row['product_id'] ?? 0,
      hall_no: row['venue_id'] ?? 0,
      begins: localTime(instantIn(row, 'starts_at', 'starts_local') ?? '', zoneOf(row)),
      zone: row['timezone'] ?? null,
      every_day: yes(row['daily']),
      announced: announcement === null ? null : localTime(announcement, zoneOf(row)),
      ends_epoch: epoch(instantIn(row, 'ends_at', 'ends_local')),
      sale_from_epoch: epoch(instantIn(row, 'sales_start_at', 'sales_start_local')),
      sale_to_epoch: epoch(instantIn(row, 'sales_end_at', 'sales_end_local')),
      moved_from_epoch: epoch(row['previous_starts_at']),
      stage:
        { scheduled: 'on', rescheduled: 'on again', postponed: 'moved', cancelled: 'off', draft: 'plan' }[
          String(row['status'])
        ] ?? '',
      halted: yes(row['paused']),
      seats_left: row['available'] ?? null,
    });
  }
  for (const { front_id = 0, session_id = 0 } of rows('front_session_exclusions'))
    insert('not_sold', { shop_no: front_id, perf_no: session_id });
  for (const { front_id = 0, session_id = 0, available = 0 } of rows('front_allocations'))
    insert('contingent', { shop_no: front_id, perf_no: session_id, seats_left: available });
  for (const row of rows('price_tiers')) {
    insert('tariff', {
      tariff_no: row['id'] ?? 0,
      show_no: row['product_id'] ?? 0,
      perf_no: row['session_id'] ?? null,
      label: row['name'] === '' ? null : (row['name'] ?? null),
      is_extra: yes(row['kind'] === 'addon' ? 1 : 0),
      hidden: row['is_public'] === 1 ? null : 'yes',
      advertised: yes(row['in_price_from']),
      sold_as: typeof row['channels'] === 'string' ? row['channels'].replaceAll(' ', ',') : null,
      price: Number(row['amount_minor']) / 10 ** (decimals.get(row['currency'] ?? '') ?? 2),
      money: row['currency'] ?? '',
      seats_left: row['available'] ?? null,
      from_epoch: epoch(row['valid_from']),
      to_epoch: epoch(row['valid_until']),
    });
  }
  fillTerms(rows, insert, words);
}

function fillTerms(
  rows: (table: string) => Row[],
  insert: (table: string, row: Row) => void,
  words: (kind: string, id: string | number, field: string) => string | null,
): void {
  const tables = { category: 'categories', group: 'groups', tag: 'tags', badge: 'badges' } as const;
  for (const [kind, table] of Object.entries(tables)) {
    for (const row of rows(table)) {
      insert('term', {
        kind,
        term_no: row['id'] ?? 0,
        handle: row['slug'] ?? '',
        label: row['name'] ?? row['name_singular'] ?? '',
        labels: words(kind, row['id'] ?? 0, kind === 'category' ? 'name_singular' : 'name'),
        label_of_many: row['name_plural'] ?? null,
        labels_of_many: kind === 'category' ? words(kind, row['id'] ?? 0, 'name_plural') : null,
        shown_when: row['rule'] ?? null,
        seats: row['rule_below'] ?? null,
        colour: row['color'] ?? null,
        layout: row['card_type'] ?? null,
        rank: row['sort_weight'] ?? 0,
      });
    }
    if (kind === 'category' || kind === 'group') {
      for (const row of rows(`front_${table}`)) {
        const term = row[`${kind}_id`] ?? 0;
        insert('term_of_shop', { kind, shop_no: row['front_id'] ?? 0, term_no: term, rank: row['sort_weight'] ?? 0 });
      }
    }
    for (const row of rows(`product_${table}`)) {
      insert('term_of_show', {
        kind,
        show_no: row['product_id'] ?? 0,
        term_no: row[`${kind}_id`] ?? 0,
        rank: row['sort_weight'] ?? null,
        from_epoch: epoch(row['valid_from']),
        to_epoch: epoch(row['valid_until']),
      });
    }
  }
}

const yes = (value: string | number | null | undefined): string => (value === 1 ? 'yes' : 'no');

function epoch(instant: string | number | null | undefined): number | null {
  return typeof instant === 'string' ? Date.parse(instant) / 1000 : null;
}

/** An instant as the wall time of a zone. */
function localTime(instant: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return format.format(new Date(instant));
}
