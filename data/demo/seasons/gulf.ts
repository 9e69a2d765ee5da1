// Riyadh and Kuwait: Arabic names, a weekend of Friday and Saturday, and a currency with three
// decimals beside one with two.

import type { Season } from '../season.ts';

export const gulf: Season = {
  fronts: 'riyadh kuwait',
  venues: {
    waha: { name: 'مسرح الواحة الكبير', city: 'الرياض' },
    nakheel: { name: 'قاعة النخيل للموسيقى', city: 'الرياض' },
    khatt: { name: 'متحف الخط والورق', city: 'الرياض' },
    suhail: { name: 'القبة الفلكية «سهيل»', city: 'الرياض' },
    dunes: { name: 'مخيم الكثبان الحمراء', city: null },
    marsa: { name: 'مسرح المرسى', city: 'الكويت', timezone: 'Asia/Kuwait' },
  },
  credits: [
    ['تصوير: استوديو السراب', 'https://sarab.example/'],
    ['الصورة من المنظّم', null],
  ],
  categories: [
    { slug: 'masrah', name: 'مسرحية', plural: 'مسرحيات' },
    { slug: 'musiqa', name: 'حفلة موسيقية', plural: 'حفلات موسيقية' },
    { slug: 'matahif', name: 'متحف', plural: 'متاحف ومعارض', fronts: 'riyadh' },
    { slug: 'rihlat', name: 'رحلة', plural: 'رحلات وجولات', fronts: 'riyadh' },
    { slug: 'atfal', name: 'عرض للأطفال', plural: 'عروض الأطفال' },
    { slug: 'koomedia', name: 'كوميديا', plural: 'ليالي الكوميديا', fronts: 'riyadh' },
  ],
  groups: [
    { slug: 'nihayat-al-usbu', name: 'نهاية الأسبوع', cardType: 2 },
    { slug: 'lil-aila', name: 'للعائلة', cardType: 1 },
    { slug: 'layali-ramadan', name: 'ليالي رمضان', cardType: 3, fronts: 'riyadh' },
  ],
  tags: [
    { slug: 'turath', name: 'تراث' },
    { slug: 'fi-al-hawa', name: 'في الهواء الطلق' },
  ],
  badges: [
    { slug: 'jadid', name: 'جديد', color: '#00695C' },
    { slug: 'khasm', name: 'خصم', color: '#AD1457' },
  ],
  prices: {
    sala: { 'الصف الأول': { SAR: 260, KWD: 21 }, 'عادي': { SAR: 120, KWD: 9.75 } },
    sahra: { 'تذكرة': 180, 'طاولة لأربعة': { amount: 900, aside: true } },
    mathaf: { 'بالغ': 40, 'طفل': { amount: 15, aside: true }, 'دليل صوتي': { amount: 20, addon: true } },
    rihla: { 'مبكر': { amount: 150, until: '+1d 21:00' }, 'عادي': 195 },
    majjani: { 'مجاناً': { SAR: 0, KWD: 0 } },
  },
  sections: [
    { venue: 'waha', plays: 'run', prices: 'sala', categories: 'masrah', groups: 'nihayat-al-usbu', alt: 'مشهد من «{}»', products: [
      { slug: 'alf-layla', name: 'حكايات ألف ليلة وليلة', age: 12, tags: 'turath', featured: 'riyadh', banner: 'riyadh', badges: ['jadid'] },
      { slug: 'ala-al-din', name: 'علاء الدين والمصباح', age: 6, venue: 'waha marsa', groups: 'lil-aila nihayat-al-usbu', badges: [['khasm', '-2d', '+13h']] },
      { slug: 'sindibad', name: 'السندباد البحري', age: 6, venue: 'marsa', groups: 'lil-aila', sessions: { 0: { available: 0 }, 1: { status: 'cancelled' } } },
      { slug: 'majnun-layla', name: 'مجنون ليلى', age: 12, plays: 'repertoire', fronts: 'riyadh', paused: '+26h' },
    ] },
    { venue: 'nakheel', plays: 'concert', prices: 'sahra', categories: 'musiqa', alt: '{}', fronts: 'riyadh', products: [
      { slug: 'laylat-al-oud', name: 'ليلة العود', age: 6, tags: 'turath', groups: 'nihayat-al-usbu' },
      { slug: 'taht-al-nujum', name: 'موسيقى تحت النجوم', age: 6, venue: 'dunes', plays: 'once', tags: 'fi-al-hawa', sessions: { all: { opens: '+2d 18:00' } } },
      { slug: 'desert-jazz', name: 'Desert Jazz & Coffee', age: 12, prices: 'rihla', fronts: 'riyadh kuwait' },
    ] },
    { venue: 'khatt', plays: 'evening30', prices: 'mathaf', categories: 'matahif', fronts: 'riyadh', products: [
      { slug: 'mathaf-al-khatt', name: 'متحف الخط والورق: تذكرة دخول', age: 0, alt: 'قاعة المخطوطات', tags: 'turath' },
      { slug: 'huruf-min-daw', name: 'معرض «حروف من ضوء»', age: 0, prices: 'majjani', sale: 3, plays: 'slots30' },
      { slug: 'asrar-al-majarra', name: 'أسرار المجرة', age: 6, venue: 'suhail', plays: 'dome', groups: 'lil-aila', alt: 'عرض تحت القبة' },
    ] },
    { venue: 'dunes', plays: 'walk', prices: 'rihla', categories: 'rihlat', tags: 'fi-al-hawa', fronts: 'riyadh', products: [
      { slug: 'al-kuthban', name: 'رحلة إلى الكثبان الحمراء', age: 6, badges: ['khasm'] },
    ] },
    { venue: 'waha', plays: 'matinee', prices: 'sala', categories: 'atfal', groups: 'lil-aila', alt: 'دمى مسرحية «{}»', products: [
      { slug: 'al-thalab-wal-inab', name: 'الثعلب والعنقود', age: 0, venue: 'marsa' },
      { slug: 'sirk-al-aila', name: 'سيرك العائلة', age: 0, sessions: { all: { available: 0 } } },
    ] },
    { venue: 'nakheel', plays: 'standup', prices: 'sahra', categories: 'koomedia', fronts: 'riyadh', products: [
      { slug: 'dahk', name: 'ضحك حتى منتصف الليل', age: 18, sessions: { 0: { paused: true } } },
      { slug: 'sahra-ramadaniya', name: 'سهرة رمضانية', age: 12, groups: 'layali-ramadan', plays: 'none', image: null },
    ] },
  ],
};
