// Writes categories, groups, tags and badges, the same for every size, and assigns them to
// products. There are more than 64 tags, so that a front's tags do not fit into one machine word.

import { DAY, instantText } from './calendar.ts';
import { writeTexts } from './differences.ts';
import type { ProductPlan } from './plan.ts';
import type { Random } from './random.ts';
import { flag, midnight, type Seeding, soon } from './seeding.ts';

const CATEGORIES: readonly (readonly [slug: string, singular: string, plural: string])[] = [
  ['theatre', 'Спектакль', 'Спектакли'],
  ['concerts', 'Концерт', 'Концерты'],
  ['exhibitions', 'Выставка', 'Выставки'],
  ['excursions', 'Экскурсия', 'Экскурсии'],
  ['lectures', 'Лекция', 'Лекции'],
  ['workshops', 'Мастер-класс', 'Мастер-классы'],
  ['festivals', 'Фестиваль', 'Фестивали'],
  ['cinema', 'Кинопоказ', 'Кинопоказы'],
  ['opera', 'Opera', 'Operas'],
  ['ballet', 'Ballet', 'Ballets'],
  ['musicals', 'Musical', 'Musicals'],
  ['museums', 'Museum visit', 'Museum visits'],
  ['walks', 'Guided walk', 'Guided walks'],
  ['readings', 'Reading', 'Readings'],
  ['circus', 'Circus show', 'Circus shows'],
  ['stand-up', 'Stand-up evening', 'Stand-up evenings'],
  ['kabuki', '歌舞伎', '歌舞伎'],
  ['planetarium', 'Planetarium show', 'Planetarium shows'],
];

const GROUPS: readonly (readonly [slug: string, name: string])[] = [
  ['main', 'Главное'],
  ['premieres', 'Премьеры'],
  ['family', 'Всей семьёй'],
  ['tonight', 'Сегодня вечером'],
  ['museum-night', 'Ночь музеев'],
  ['last-chance', 'Последние показы'],
  ['editors-choice', 'Editors’ choice'],
  ['open-air', 'Open air'],
  ['weekend-trips', 'Weekend trips'],
  ['students', 'For students'],
  ['chamber', 'Chamber music'],
  ['spring', '春の特集'],
];

const TAG_SUBJECTS = [
  ['classics', 'Классика'],
  ['drama', 'Драма'],
  ['comedy', 'Комедия'],
  ['history', 'История'],
  ['science', 'Наука'],
  ['art', 'Искусство'],
  ['jazz', 'Jazz'],
  ['organ', 'Organ'],
  ['dance', 'Dance'],
  ['architecture', 'Architecture'],
  ['photography', 'Photography'],
  ['puppets', 'Puppets'],
] as const;

const TAG_SETTINGS = [
  ['outdoors', 'под открытым небом'],
  ['for-children', 'для детей'],
  ['in-the-evening', 'вечером'],
  ['accessible', 'step-free'],
  ['in-english', 'in English'],
  ['with-tasting', 'with a tasting'],
] as const;

const BADGES: readonly (readonly [slug: string, name: string, color: string])[] = [
  ['premiere', 'Премьера', '#D32F2F'],
  ['hit', 'Хит', '#F57C00'],
  ['last-tickets', 'Последние билеты', '#7B1FA2'],
  ['discount', 'Скидка', '#388E3C'],
  ['new', 'New', '#1976d2'],
  ['exclusive', 'Exclusive', '#455A64'],
  ['with-audio', 'Audio description', '#00796B'],
  ['surtitles', 'Surtitles', '#5D4037'],
  ['festival', 'Festival', '#C2185B'],
  ['students', 'Students', '#0097a7'],
];

const TAGS_TOTAL = TAG_SUBJECTS.length * TAG_SETTINGS.length;

/** Writes the lists themselves. */
export function writeTaxonomy(seeding: Seeding): void {
  const { write } = seeding;
  for (const [index, [slug, singular, plural]] of CATEGORIES.entries()) {
    const names = { name_singular: singular, name_plural: plural };
    write('categories', { id: index + 1, slug, ...names });
    writeTexts(seeding, 'category', index + 1, names);
  }
  for (const [index, [slug, name]] of GROUPS.entries()) {
    write('groups', { id: index + 1, slug, name, card_type: 1 + (index % 3) });
    writeTexts(seeding, 'group', index + 1, { name });
  }
  let tagId = 0;
  for (const [subject, subjectName] of TAG_SUBJECTS) {
    for (const [setting, settingName] of TAG_SETTINGS) {
      tagId += 1;
      const name = `${subjectName} ${settingName}`;
      // Equal weights leave the order to the id.
      write('tags', { id: tagId, slug: `${subject}-${setting}`, name, sort_weight: tagId % 5 });
      writeTexts(seeding, 'tag', tagId, { name });
    }
  }
  for (const [index, [slug, name, color]] of BADGES.entries()) {
    write('badges', { id: index + 1, slug, name, color, sort_weight: (index * 7) % 4 });
    writeTexts(seeding, 'badge', index + 1, { name });
  }
}

/** Writes which of them a front shows: most, each front in its own order. */
export function writeFrontTaxonomy({ write, random }: Seeding, frontId: number): void {
  for (const categoryId of draw(random, CATEGORIES.length, 10 + random.below(7))) {
    write('front_categories', { front_id: frontId, category_id: categoryId, sort_weight: random.below(12) });
  }
  for (const groupId of draw(random, GROUPS.length, 5 + random.below(5))) {
    write('front_groups', { front_id: frontId, group_id: groupId, sort_weight: random.below(8) });
  }
}

/** Assigns some of them to a product. */
export function writeProductTaxonomy(seeding: Seeding, plan: ProductPlan): void {
  const { write, random } = seeding;
  for (const categoryId of draw(random, CATEGORIES.length, 1 + flag(random.chance(0.3)))) {
    write('product_categories', { product_id: plan.id, category_id: categoryId });
  }
  for (const tagId of draw(random, TAGS_TOTAL, random.below(4))) {
    write('product_tags', { product_id: plan.id, tag_id: tagId });
  }
  const groupsCount = random.chance(0.6) ? 0 : 1 + random.below(2);
  for (const groupId of draw(random, GROUPS.length, groupsCount)) {
    write('product_groups', { product_id: plan.id, group_id: groupId, sort_weight: 10 * random.below(50) });
  }
  const badgesCount = random.chance(0.6) ? 0 : 1 + random.below(2);
  for (const badgeId of draw(random, BADGES.length, badgesCount)) {
    write('product_badges', { product_id: plan.id, badge_id: badgeId, ...badgeWindow(seeding, plan) });
  }
}

/** Mostly open; otherwise over, in force, in the future, or beginning or ending within the day. */
function badgeWindow(
  seeding: Seeding,
  { region }: ProductPlan,
): { valid_from: string | null; valid_until: string | null } {
  const { random } = seeding;
  if (random.chance(0.7)) return { valid_from: null, valid_until: null };
  if (random.chance(0.1)) {
    const from = soon(seeding);
    return { valid_from: instantText(from), valid_until: random.chance(0.5) ? null : instantText(from + 7 * DAY) };
  }
  if (random.chance(0.1)) return { valid_from: null, valid_until: instantText(soon(seeding)) };
  const firstDay = random.below(60) - 30;
  return {
    valid_from: instantText(midnight(seeding, region.timezone, firstDay)),
    valid_until: instantText(midnight(seeding, region.timezone, firstDay + 3 + random.below(20))),
  };
}

/** `count` distinct ids from 1 to `limit`, ascending. */
function draw(random: Random, limit: number, count: number): number[] {
  const ids = new Set<number>();
  while (ids.size < Math.min(count, limit)) ids.add(1 + random.below(limit));
  return [...ids].toSorted((left, right) => left - right);
}
