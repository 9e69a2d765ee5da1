// Tokyo: a currency without decimals, and a tour on the other side of the date line.

import type { Season } from '../season.ts';

export const tokyo: Season = {
  fronts: 'tokyo',
  venues: {
    matsukaze: { name: '能楽堂「松風」', city: '東京' },
    hinoki: { name: '檜座', city: '東京' },
    hibiki: { name: 'ひびきホール', city: '東京' },
    mizu: { name: '水のいきもの館', city: '東京' },
    kumo: { name: '雲の美術館', city: '東京' },
    hoshi: { name: '星空ドーム', city: '東京' },
    yose: { name: '寄席「えびす亭」', city: '東京' },
    yanagi: { name: '柳橋の船着き場', city: null },
    lagoon: { name: 'Lagoon Playhouse', city: 'Honolulu', timezone: 'Pacific/Honolulu' },
  },
  credits: [
    ['撮影：写真工房ひかげ', 'https://hikage.example/'],
    ['写真提供：主催者', null],
  ],
  categories: [
    { slug: 'dento-geino', name: '伝統芸能', plural: '伝統芸能' },
    { slug: 'konsato', name: 'コンサート', plural: 'コンサート' },
    { slug: 'owarai', name: 'お笑い', plural: 'お笑い・落語' },
    { slug: 'kodomo', name: 'こども向け公演', plural: 'こども' },
    { slug: 'hakubutsukan', name: '展覧会', plural: '美術館・水族館' },
    { slug: 'tsua', name: 'ツアー', plural: 'まち歩き・クルーズ' },
  ],
  groups: [
    { slug: 'kotoshi-no-ichioshi', name: '今年のイチオシ', cardType: 2 },
    { slug: 'oyako-de', name: '親子で楽しむ', cardType: 1 },
    { slug: 'shigoto-gaeri', name: '仕事帰りに', cardType: 1 },
    { slug: 'hanami', name: 'お花見特集', cardType: 3 },
  ],
  tags: [
    { slug: 'jimaku', name: '字幕あり' },
    { slug: 'okugai', name: '屋外' },
    { slug: 'hajimete', name: 'はじめての方に' },
  ],
  badges: [
    { slug: 'shinsaku', name: '新作', color: '#D81B60' },
    { slug: 'nokori-wazuka', name: '残りわずか', color: '#EF6C00' },
  ],
  prices: {
    nogaku: { 正面席: 8800, 脇正面席: 6600, 中正面席: 4400, 解説書: { amount: 500, addon: true } },
    hall: { 'S席': 7500, 'A席': 5500, 'B席': { amount: 3500, left: 0 } },
    yose: { 前売: { amount: 2500, until: '+15h' }, 当日: 3000 },
    oyako: { こども: 1200, おとな: 2200 },
    nyukan: { 一般: 1800, 学生: { amount: 900, aside: true } },
    muryo: { 無料: 0 },
  },
  sections: [
    { venue: 'matsukaze', plays: 'chamber', prices: 'nogaku', categories: 'dento-geino', tags: 'jimaku', alt: '「{}」の舞台', products: [
      { slug: 'hagoromo', name: '羽衣', age: 0, venue: 'matsukaze', groups: 'kotoshi-no-ichioshi', featured: 'tokyo', tags: 'jimaku hajimete' },
      { slug: 'sumidagawa', name: '隅田川', age: 6, sessions: { 0: { movedBy: 3 } } },
      { slug: 'kanjincho', name: '勧進帳', age: 6, venue: 'hinoki', plays: 'run', prices: 'hall', groups: 'kotoshi-no-ichioshi', banner: 'tokyo' },
      { slug: 'hagoromo-hawaii', name: '羽衣 ハワイ公演', age: 0, venue: 'lagoon', image: { of: 'hagoromo' } },
      { slug: 'gagaku', name: '雅楽の夕べ', age: 0, plays: 'once', badges: ['shinsaku'], sessions: { all: { opens: '+4d 12:00' } } },
    ] },
    { venue: 'hibiki', plays: 'concert', prices: 'hall', categories: 'konsato', groups: 'shigoto-gaeri', alt: '{}', products: [
      { slug: 'hakucho-no-mizuumi', name: 'バレエ「白鳥の湖」', age: 6, plays: 'opera', groups: 'kotoshi-no-ichioshi', paused: '+1d 09:00' },
      { slug: 'asa-no-piano', name: '朝のピアノ', age: 0, plays: 'matinee', prices: 'muryo', sale: 3 },
      { slug: 'sakura-no-uta', name: 'さくらの歌コンサート', age: 0, plays: 'lastMonth', groups: 'hanami' },
    ] },
    { venue: 'yose', plays: 'standup', prices: 'yose', categories: 'owarai', groups: 'shigoto-gaeri', products: [
      { slug: 'shinya-rakugo', name: '深夜の落語会', age: 12, plays: 'midnight', badges: [['shinsaku', '-3d', '+22h']] },
      { slug: 'kinyobi-no-sumikko', name: 'お笑いライブ「金曜日のすみっこ」', age: 16, sessions: { 0: { available: 0 }, 2: { status: 'cancelled' } } },
      { slug: 'hatsuwarai', name: '寄席「初笑い」', age: 0, prices: { 前売: { amount: 2500, until: '-6h' } } },
    ] },
    { venue: 'hoshi', plays: 'matinee', prices: 'oyako', categories: 'kodomo', groups: 'oyako-de', alt: '「{}」の一場面', products: [
      { slug: 'kaguyahime', name: '人形劇「かぐや姫」', age: 0, tags: 'hajimete' },
      { slug: 'momotaro', name: '桃太郎', age: 0, sessions: { all: { available: 0 } } },
      { slug: 'issunboshi', name: '一寸法師', age: 0, on: { tokyo: { weight: -5 } } },
      { slug: 'fuyu-no-daisankaku', name: '星空案内「冬の大三角」', age: 6, plays: 'dome' },
    ] },
    { venue: 'mizu', plays: 'slots15', prices: 'nyukan', categories: 'hakubutsukan', groups: 'oyako-de', products: [
      { slug: 'mizu-no-ikimono', name: '水のいきもの館 入館券', age: 0, alt: '大水槽とエイ', tags: 'hajimete' },
      { slug: 'ukiyoe-to-kumo', name: '「浮世絵と雲」展', age: 0, venue: 'kumo', plays: 'slots30', alt: '雲を描いた屏風' },
    ] },
    { venue: 'yanagi', plays: 'cruise', prices: 'oyako', categories: 'tsua', tags: 'okugai', products: [
      { slug: 'yakatabune', name: '屋形船で夕涼み', age: 0, groups: 'shigoto-gaeri' },
      { slug: 'roji-meguri', name: '江戸の路地めぐり', age: 6, plays: 'walk', sessions: { 1: { available: 2 } }, on: { tokyo: { weight: 5 } } },
    ] },
  ],
};
