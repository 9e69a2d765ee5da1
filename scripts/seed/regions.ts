// The regions of fronts and venues, with various time zones, weekends, and currencies with and
// without decimals.

import { english, japanese, russian, type Vocabulary } from './vocabulary.ts';

export type Currency = 'RUB' | 'EUR' | 'JPY';

export const CURRENCIES: readonly Currency[] = ['RUB', 'EUR', 'JPY'];

export const EXPONENTS: Readonly<Record<Currency, number>> = { RUB: 2, EUR: 2, JPY: 0 };

export interface Place {
  readonly timezone: string;
  readonly city: string;
}

export interface Region {
  readonly key: string;
  readonly frontName: string;
  readonly timezone: string;
  readonly weekendDays: string;
  readonly currency: Currency;
  readonly vocabulary: Vocabulary;
  /**
   * The places of its venues. The second is far away, so that even the smallest size has such a
   * venue.
   */
  readonly places: readonly Place[];
}

const place = (timezone: string, city: string): Place => ({ timezone, city });

const moscow: Region = {
  key: 'moscow',
  frontName: 'Афиша столицы',
  timezone: 'Europe/Moscow',
  weekendDays: '67',
  currency: 'RUB',
  vocabulary: russian,
  places: [
    place('Europe/Moscow', 'Москва'),
    place('Asia/Vladivostok', 'Владивосток'),
    place('Europe/Moscow', 'Санкт-Петербург'),
    place('Europe/Samara', 'Самара'),
    place('Europe/Moscow', 'Казань'),
    place('Europe/Kaliningrad', 'Калининград'),
  ],
};

const tokyo: Region = {
  key: 'tokyo',
  frontName: '東京チケット',
  timezone: 'Asia/Tokyo',
  weekendDays: '67',
  currency: 'JPY',
  vocabulary: japanese,
  places: [
    place('Asia/Tokyo', '東京'),
    place('Pacific/Auckland', 'Auckland'),
    place('Asia/Tokyo', '大阪'),
    place('Asia/Seoul', '서울'),
  ],
};

const kolkata: Region = {
  key: 'kolkata',
  frontName: 'Kolkata Stages',
  timezone: 'Asia/Kolkata',
  weekendDays: '7',
  currency: 'EUR',
  vocabulary: english,
  places: [
    place('Asia/Kolkata', 'Kolkata'),
    place('Asia/Dubai', 'Dubai'),
    place('Asia/Kolkata', 'Mumbai'),
    place('Asia/Kolkata', 'Delhi'),
    place('Asia/Kathmandu', 'Kathmandu'),
    place('Asia/Kolkata', 'Chennai'),
  ],
};

const berlin: Region = {
  key: 'berlin',
  frontName: 'Bühnen & Museen',
  timezone: 'Europe/Berlin',
  weekendDays: '67',
  currency: 'EUR',
  vocabulary: english,
  places: [
    place('Europe/Berlin', 'Berlin'),
    place('Europe/London', 'London'),
    place('Europe/Berlin', 'München'),
    place('Europe/Paris', 'Paris'),
  ],
};

const yekaterinburg: Region = {
  key: 'yekaterinburg',
  frontName: 'Билеты Урала',
  timezone: 'Asia/Yekaterinburg',
  weekendDays: '67',
  currency: 'RUB',
  vocabulary: russian,
  places: [
    place('Asia/Yekaterinburg', 'Екатеринбург'),
    place('Asia/Novosibirsk', 'Новосибирск'),
    place('Asia/Yekaterinburg', 'Пермь'),
    place('Asia/Yekaterinburg', 'Челябинск'),
  ],
};

const newYork: Region = {
  key: 'new-york',
  frontName: 'Downtown Tickets',
  timezone: 'America/New_York',
  weekendDays: '67',
  currency: 'EUR',
  vocabulary: english,
  places: [
    place('America/New_York', 'New York'),
    place('Pacific/Honolulu', 'Honolulu'),
    place('America/New_York', 'Boston'),
    place('America/Chicago', 'Chicago'),
    place('America/Los_Angeles', 'Los Angeles'),
  ],
};

const riyadh: Region = {
  key: 'riyadh',
  frontName: 'Riyadh Evenings',
  timezone: 'Asia/Riyadh',
  weekendDays: '56',
  currency: 'EUR',
  vocabulary: english,
  places: [place('Asia/Riyadh', 'Riyadh'), place('Africa/Cairo', 'Cairo'), place('Asia/Riyadh', 'Jeddah')],
};

export const REGIONS: readonly Region[] = [moscow, tokyo, kolkata, berlin, yekaterinburg, newYork, riyadh];

/**
 * Fronts cycle through these regions; four of ten are in Moscow. The first three differ in zone,
 * weekend and currency.
 */
export const FRONT_REGIONS: readonly Region[] = [
  moscow,
  tokyo,
  kolkata,
  moscow,
  berlin,
  yekaterinburg,
  moscow,
  newYork,
  moscow,
  riyadh,
];
