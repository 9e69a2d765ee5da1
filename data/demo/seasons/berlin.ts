// Berlin: a city portal in a zone with daylight saving, in euros.

import type { Season } from '../season.ts';

export const berlin: Season = {
  fronts: 'berlin',
  venues: {
    kanaloper: { name: 'Kammeroper am Kanal', city: 'Berlin' },
    gueterbahnhof: { name: 'Theater am Güterbahnhof', city: 'Berlin' },
    faerberei: { name: 'Konzertsaal Alte Färberei', city: 'Berlin' },
    berufe: { name: 'Museum der vergessenen Berufe', city: 'Berlin' },
    warte: { name: 'Sternwarte am Fließ', city: 'Berlin' },
    keller: { name: 'Lachkeller 36', city: 'Berlin' },
    kleeblatt: { name: 'Puppenbühne Kleeblatt', city: 'Berlin' },
    anleger: { name: 'Anleger Mühlendamm', city: 'Berlin' },
    ferry: { name: 'The Ferry Lane Theatre', city: 'London', timezone: 'Europe/London' },
  },
  credits: [
    ['Foto: Lichtbildwerkstatt Süd', 'https://lichtbild.example/'],
    ['© Spielplan Berlin', null],
  ],
  categories: [
    { slug: 'oper', name: 'Oper', plural: 'Opern' },
    { slug: 'schauspiel', name: 'Schauspiel', plural: 'Schauspiele' },
    { slug: 'konzerte', name: 'Konzert', plural: 'Konzerte' },
    { slug: 'fuer-kinder', name: 'Kinderstück', plural: 'Für Kinder' },
    { slug: 'museen', name: 'Museum', plural: 'Museen & Ausstellungen' },
    { slug: 'fuehrungen', name: 'Führung', plural: 'Führungen' },
    { slug: 'kabarett', name: 'Kabarett', plural: 'Kabarett & Comedy' },
    { slug: 'zirkus', name: 'Zirkusvorstellung', plural: 'Zirkus' },
  ],
  groups: [
    { slug: 'spielzeit', name: 'Die neue Spielzeit', cardType: 3 },
    { slug: 'heute-nacht', name: 'Nach Mitternacht', cardType: 1 },
    { slug: 'kleine-leute', name: 'Für kleine Leute', cardType: 1 },
    { slug: 'sommerbuehne', name: 'Sommerbühne', cardType: 2 },
  ],
  tags: [
    { slug: 'maerchen', name: 'Märchen' },
    { slug: 'mit-uebertiteln', name: 'Mit Übertiteln' },
    { slug: 'barrierefrei', name: 'Barrierefrei' },
  ],
  badges: [
    { slug: 'wiederaufnahme', name: 'Wiederaufnahme', color: '#1565C0' },
    { slug: 'letzte-plaetze', name: 'Letzte Plätze', color: '#B71C1C' },
  ],
  prices: {
    oper: { Parkett: 68, 'Rang Mitte': 42, 'Rang Seite': 17.5, Programmheft: { amount: 4, addon: true } },
    haus: { Parkett: 34, Empore: 19, 'Last Minute': { amount: 9, hidden: true } },
    fest: { Parkett: 85, Empore: 55 },
    frueh: { Frühbucher: { amount: 14.9, until: '+2d 23:00' }, Normalpreis: 22 },
    familie: { Kind: 7, Erwachsene: 11.5 },
    museum: { Regulär: 9, Ermäßigt: { amount: 4.5, aside: true }, Audioguide: { amount: 3, addon: true } },
    tour: { Teilnahme: 16 },
    frei: { 'Eintritt frei': 0 },
  },
  sections: [
    { venue: 'kanaloper', plays: 'opera', prices: 'oper', categories: 'oper', tags: 'mit-uebertiteln', alt: 'Szene aus „{}“', products: [
      { slug: 'die-zauberfloete', name: 'Die Zauberflöte', age: 6, groups: 'spielzeit', featured: 'berlin', banner: 'berlin', tags: 'maerchen mit-uebertiteln' },
      { slug: 'haensel-und-gretel', name: 'Hänsel und Gretel', age: 6, groups: 'kleine-leute', tags: 'maerchen' },
      { slug: 'der-freischuetz', name: 'Der Freischütz', age: 12, badges: ['wiederaufnahme'], sessions: { 1: { available: 0 } } },
      { slug: 'die-fledermaus', name: 'Die Fledermaus', age: 6, sessions: { 2: { prices: 'fest' } }, groups: 'spielzeit' },
      { slug: 'la-boheme', name: 'La Bohème', age: 12, paused: '+4d 10:00' },
    ] },
    { venue: 'gueterbahnhof', plays: 'repertoire', prices: 'haus', categories: 'schauspiel', alt: 'Szene aus „{}“', products: [
      { slug: 'faust', name: 'Faust. Der Tragödie erster Teil', age: 16, groups: 'spielzeit', badges: [['letzte-plaetze', '-1d', '+16h']], weekendPrices: 'fest' },
      { slug: 'woyzeck', name: 'Woyzeck', age: 16, venue: 'gueterbahnhof ferry', tags: 'mit-uebertiteln' },
      { slug: 'kabale-und-liebe', name: 'Kabale und Liebe', age: 12, sessions: { 0: { status: 'cancelled' } } },
      { slug: 'der-zerbrochne-krug', name: 'Der zerbrochne Krug', age: 12, sessions: { 0: { movedBy: 14 }, 1: { paused: true } } },
      { slug: 'leonce-und-lena', name: 'Leonce und Lena', age: 12, sessions: { all: { status: 'cancelled' } } },
      { slug: 'mutter-und-sohn-ag', name: 'Mutter & Sohn AG', age: 16, plays: 'run', prices: 'frueh', groups: 'spielzeit' },
      { slug: 'das-letzte-gleis', name: 'Das letzte Gleis', age: 16, plays: 'once', sessions: { all: { opens: '+1d 12:00' } }, badges: [['letzte-plaetze', '+2d', null]] },
    ] },
    { venue: 'faerberei', plays: 'concert', prices: 'frueh', categories: 'konzerte', alt: '{} im Konzertsaal Alte Färberei', products: [
      { slug: 'orgel-um-fuenf', name: 'Orgel um fünf', age: 0, prices: 'frei', sale: 1 },
      { slug: 'streicher-im-gleisbett', name: 'Streicher im Gleisbett', age: 6, tags: 'barrierefrei' },
      { slug: 'nachtmusik', name: 'Nachtmusik: Cello bei Kerzenlicht', age: 12, plays: 'midnight', groups: 'heute-nacht' },
      { slug: 'kaffeehausmusik', name: 'Kaffeehausmusik & Kuchen', age: 0, plays: 'matinee', prices: { Sitzplatz: 18, 'Stück Kuchen': { amount: 4.2, addon: true } } },
      { slug: 'jazz-im-hinterhof', name: 'Jazz im Hinterhof', age: 6, prices: { Abendkasse: { amount: 20, from: '+10h' }, Vorverkauf: { amount: 15, until: '+10h' } }, groups: 'sommerbuehne' },
    ] },
    { venue: 'kleeblatt', plays: 'matinee', prices: 'familie', categories: 'fuer-kinder', groups: 'kleine-leute', tags: 'maerchen', alt: 'Figuren aus „{}“', products: [
      { slug: 'rumpelstilzchen', name: 'Rumpelstilzchen', age: 4 },
      { slug: 'die-bremer-stadtmusikanten', name: 'Die Bremer Stadtmusikanten', age: 4, on: { berlin: { paused: true } } },
      { slug: 'das-tapfere-schneiderlein', name: 'Das tapfere Schneiderlein', age: 6, sessions: { all: { available: 0 } } },
      { slug: 'rotkaeppchen', name: 'Rotkäppchen und der höfliche Wolf', age: 4, on: { berlin: { from: '+2d 09:00' } } },
    ] },
    { venue: 'berufe', plays: 'slots30', prices: 'museum', categories: 'museen', alt: 'Blick in die Ausstellung', products: [
      { slug: 'vergessene-berufe', name: 'Dauerausstellung: Köhler, Seiler, Setzer', age: 0, tags: 'barrierefrei' },
      { slug: 'groesse-xxl', name: 'Sonderausstellung „Größe XXL – Riesen im Märchen“', age: 6, plays: 'evening30', tags: 'maerchen' },
      { slug: 'himmel-ueber-brandenburg', name: 'Der Himmel über Brandenburg', age: 6, venue: 'warte', plays: 'standup', prices: 'familie', groups: 'heute-nacht' },
    ] },
    { venue: 'anleger', plays: 'walk', prices: 'tour', categories: 'fuehrungen', products: [
      { slug: 'bruecken-vom-wasser', name: 'Brücken vom Wasser aus', age: 0, plays: 'cruise', alt: 'Fahrgastschiff vor einer Backsteinbrücke' },
      { slug: 'nachtwaechter', name: 'Mit dem Nachtwächter durch die Altstadt', age: 6, plays: 'standup', groups: 'heute-nacht' },
      { slug: 'hinterhoefe', name: 'Hinterhöfe, die niemand kennt', age: 12, prices: { Teilnahme: { amount: 12, until: '-1d' } }, image: null },
    ] },
    { venue: 'keller', plays: 'standup', prices: 'frueh', categories: 'kabarett', products: [
      { slug: 'offenes-mikro', name: 'Offenes Mikro', age: 16, prices: 'frei', sale: 6 },
      { slug: 'das-war-der-winter', name: 'Das war der Winter', age: 16, plays: 'lastMonth' },
    ] },
  ],
};
