// Rows of the contract's tables as rows of the tables in own-views.sql: the inverse of its views.

import type { TableName } from '../../../src/database/contract/tables.ts';

/** As SQLite has it; yes and no where a table of ours has them. */
export type Value = string | bigint | boolean | null;

/** The value of a column of the contract's row. */
type ValueIn = (column: string) => Value;

export interface OwnTable {
  readonly table: string;
  /** Its columns, each with what it holds. */
  readonly columns: Readonly<Record<string, (valueIn: ValueIn) => Value>>;
}

/** `renamed`: `ours=theirs` for columns that hold the same. */
function own(table: string, renamed: string, computed: OwnTable['columns'] = {}): OwnTable {
  const columns = renamed.split(' ').map((pair): [string, (valueIn: ValueIn) => Value] => {
    const [ours = '', theirs = ''] = pair.split('=');
    return [ours, (valueIn) => valueIn(theirs)];
  });
  return { table, columns: { ...Object.fromEntries(columns), ...computed } };
}

function term(kind: string, renamed: string): OwnTable {
  return own('terms', `term_no=id handle=slug ${renamed}`, { kind: () => kind });
}

function termOf(table: 'shop_terms' | 'event_terms', kind: string, renamed: string): OwnTable {
  const owner = table === 'shop_terms' ? 'shop_no=front_id' : 'event_no=product_id';
  return own(table, `${owner} term_no=${kind}_id${renamed}`, { kind: () => kind });
}

const STAGES: Readonly<Record<string, string>> = {
  draft: 'planned',
  scheduled: 'on',
  rescheduled: 'on again',
  postponed: 'moved',
  cancelled: 'off',
};

/** By the contract's table. */
export const OWN_TABLES: Readonly<Record<TableName, OwnTable>> = {
  fronts: own(
    'shops',
    'shop_no=id login=code title=name zone=timezone money=currency decimals=currency_exponent at_least=min_cards ' +
      'sells_as=channel speaks=locale day_from=day_starts_at',
    {
      days_off: (valueIn) => String(valueIn('weekend_days')).split('').join(' '),
      is_open: (valueIn) => valueIn('status') === 'active',
    },
  ),
  front_keys: own(
    'shop_keys',
    'key_name=keyid shop_no=front_id method=alg jwk=public_key secret_name=secret_ref valid_from=not_before valid_to=not_after ' +
      'withdrawn_at=revoked_at',
  ),
  venues: own('halls', 'hall_no=id label=name zone=timezone town=city'),
  images: own('pictures', 'picture_no=id address=url says=alt_text credit=copyright credit_link=copyright_url'),
  products: own(
    'events',
    'event_no=id handle=slug title=name min_age=age_rating scheme=sale_schema youth_card=pushka halted=paused ' +
      'halted_to=paused_until picture_no=image_id',
    {
      is_announced: (valueIn) => valueIn('status') !== 'draft',
      is_over: (valueIn) => valueIn('status') === 'archived',
    },
  ),
  front_products: own(
    'shop_events',
    'shop_no=front_id event_no=product_id star=featured on_top=banner halted=paused rank=sort_weight shown=visible_from ' +
      'hidden=visible_until',
  ),
  sessions: own(
    'shows',
    'show_no=id event_no=product_id hall_no=venue_id begins=starts_at printed=starts_local ends=ends_at ends_printed=ends_local ' +
      'each_day=daily sale_opens=sales_start_at sale_opens_printed=sales_start_local sale_closes=sales_end_at ' +
      'sale_closes_printed=sales_end_local zone=timezone moved_from=previous_starts_at announced=visible_from ' +
      'announced_printed=visible_from_local halted=paused seats_left=available',
    { stage: (valueIn) => STAGES[String(valueIn('status'))] ?? null },
  ),
  front_session_exclusions: own('not_sold', 'shop_no=front_id show_no=session_id'),
  front_allocations: own('contingents', 'shop_no=front_id show_no=session_id seats_left=available'),
  price_tiers: own(
    'prices',
    'price_no=id event_no=product_id show_no=session_id label=name is_advertised=in_price_from money=currency ' +
      'seats_left=available opens=valid_from closes=valid_until sold_as=channels',
    {
      is_extra: (valueIn) => valueIn('kind') === 'addon',
      is_hidden: (valueIn) => valueIn('is_public') === 0n,
      hundredths: (valueIn) =>
        String(valueIn('amount_minor'))
          .padStart(3, '0')
          .replace(/(?=..$)/, '.'),
    },
  ),
  categories: term('category', 'label=name_singular label_of_many=name_plural'),
  front_categories: termOf('shop_terms', 'category', ' rank=sort_weight'),
  product_categories: termOf('event_terms', 'category', ''),
  groups: term('group', 'label=name layout=card_type'),
  front_groups: termOf('shop_terms', 'group', ' rank=sort_weight'),
  product_groups: termOf('event_terms', 'group', ' rank=sort_weight'),
  tags: term('tag', 'label=name rank=sort_weight'),
  product_tags: termOf('event_terms', 'tag', ''),
  badges: term('badge', 'label=name colour=color rank=sort_weight rule=rule below=rule_below'),
  product_badges: termOf('event_terms', 'badge', ' opens=valid_from closes=valid_until'),
  texts: own('translations', 'thing=kind thing_no=id language=locale part=field words=text'),
};
