// Values that columns do not accept and that have a hint, and what they become by it: the tests of both databases run the hints on them.

import type { Column } from '../../src/database/contract/columns.ts';
import { TABLE_NAMES, TABLES } from '../../src/database/contract/tables.ts';
import { BAD_VALUES } from './database-rows.ts';

export function columnAt(location: string): [name: string, column: Column<unknown>] {
  const [table = '', name = ''] = location.split('.');
  const columns: Readonly<Record<string, Readonly<Record<string, Column<unknown>>>>> = TABLES;
  const column = columns[table]?.[name];
  if (column === undefined) throw new Error(`no column ${location}`);
  return [name, column];
}

const UTC = 'where it is UTC (to local time, append its offset first)';
export const LOCAL_START =
  "where it is the local time of the venue: NULL AS starts_at, strftime('%Y-%m-%dT%H:%M:%S', starts_at) AS starts_local; where it is UTC";
const AMOUNT = 'for a currency of two decimals';

/** The condition is that of SQLite's hint; the other's has another SQL in it. */
export const HINTED: readonly [location: string, found: unknown, condition: string, made: unknown][] = [
  ['sessions.starts_at', '2026-12-01 19:00:00', LOCAL_START, '2026-12-01T19:00:00Z'],
  ['sessions.ends_at', '2026-12-01 19:00', UTC, '2026-12-01T19:00:00Z'],
  ['sessions.ends_at', '2026-12-01T19:00:00.125', UTC, '2026-12-01T19:00:00Z'],
  ['sessions.ends_at', '2026-12-01T19:00:00.000Z', '', '2026-12-01T19:00:00Z'],
  ['sessions.ends_at', '2026-12-01 19:00:00+03:00', '', '2026-12-01T16:00:00Z'],
  ['sessions.ends_at', '', '', null],
  ['sessions.starts_at', 1_796_151_600, '', '2026-12-01T19:00:00Z'],
  ['sessions.starts_at', '1796151600', '', '2026-12-01T19:00:00Z'],
  ['sessions.starts_at', 1_796_151_600_250, '', '2026-12-01T19:00:00Z'],
  ['sessions.starts_local', '2026-12-01 19:00', '', '2026-12-01T19:00:00'],
  ['sessions.starts_local', '2026-12-01 19:00:00+03:00', '', '2026-12-01T19:00:00'],
  ['sessions.starts_local', '2026-12-01T19:00:00Z', '', '2026-12-01T19:00:00'],
  ['price_tiers.amount_minor', 19.99, AMOUNT, 1999],
  ['price_tiers.amount_minor', '19.99', AMOUNT, 1999],
  ['price_tiers.amount_minor', '20.00', AMOUNT, 2000],
  ['price_tiers.amount_minor', 1998.9999999999998, '', 1999],
  ['price_tiers.amount_minor', '1999', '', 1999],
  ['products.id', '17', '', 17],
  ['products.paused', 'true', '', 1],
  ['products.paused', 'Y', '', 1],
  ['products.paused', 'No', '', 0],
  ['products.paused', '0', '', 0],
  ['products.paused', -1, '', 1],
  ['products.paused', null, '', 0],
  ['products.status', null, '', 'published'],
  ['products.status', 'Draft', '', 'draft'],
  ['badges.color', 'ff0000', '', '#ff0000'],
  ['products.slug', 'the_seagull', '', 'the-seagull'],
  ['products.slug', 'Hamlet', '', 'hamlet'],
  ['products.slug', 'The_Seagull', '', 'the-seagull'],
  ['fronts.code', 'Moscow', '', 'moscow'],
  ['fronts.currency', 'rub', '', 'RUB'],
  ['images.url', 'http://example.org/a.jpg', '', 'https://example.org/a.jpg'],
  ['products.age_rating', null, 'where NULL is for all ages', 0],
  ['fronts.weekend_days', 67, '', '67'],
  ['products.name', 1984, '', '1984'],
];

const odd = [
  'Yes',
  'f',
  '1',
  '0',
  'ff8800',
  'A_B',
  'Ab',
  'rub',
  '67',
  '5',
  '-7',
  '1.50',
  '0.1',
  3,
  -1,
  0.5,
  67,
  1e9,
  1e12,
];
const times = ['2026-12-01 19:00', '2026-12-01T19:00:00+14:00', '2024-02-29 23:59:59.999Z', '2026-12-01T19:00-09:30'];
/** Where nothing is expected of any of them. */
export const ODD_VALUES: readonly unknown[] = [
  ...odd,
  ...times,
  ...TABLE_NAMES.flatMap((table) => Object.values(BAD_VALUES[table]).flat()),
];
