// Montréal: French and English names in Canadian dollars, daylight saving on other dates than in
// Europe.

import type { Season } from '../season.ts';

export const montreal: Season = {
  fronts: 'montreal',
  venues: {
    chandelle: { name: 'Théâtre de la Chandelle', city: 'Montréal' },
    fonderie: { name: 'Salle de l’Ancienne Fonderie', city: 'Montréal' },
    neige: { name: 'Musée de la neige', city: 'Montréal' },
    tour: { name: 'Belvédère du Vieux-Silo', city: 'Montréal' },
    boreal: { name: 'Planétarium Boréal', city: 'Montréal' },
    quai: { name: 'Quai des Éclusiers', city: 'Montréal' },
    cave: { name: 'La Cave à rires', city: 'Montréal' },
    narrows: { name: 'The Narrows Playhouse', city: 'St. John’s', timezone: 'America/St_Johns' },
  },
  credits: [
    ['Photo\u00A0: Atelier Contre-jour', 'https://contrejour.example/'],
    ['© Sorties Montréal', null],
  ],
  categories: [
    { slug: 'theatre', name: 'Pièce de théâtre', plural: 'Théâtre' },
    { slug: 'musique-et-danse', name: 'Concert', plural: 'Musique et danse' },
    { slug: 'jeune-public', name: 'Spectacle jeune public', plural: 'Jeune public' },
    { slug: 'musees', name: 'Musée', plural: 'Musées et belvédères' },
    { slug: 'croisieres', name: 'Croisière', plural: 'Croisières et visites' },
    { slug: 'humour', name: 'Spectacle d’humour', plural: 'Humour' },
  ],
  groups: [
    { slug: 'a-la-une', name: 'À\u00A0la une', cardType: 2 },
    { slug: 'en-famille', name: 'En famille', cardType: 1 },
    { slug: 'cabane-a-sucre', name: 'Temps des sucres', cardType: 3 },
  ],
  tags: [
    { slug: 'repertoire', name: 'Répertoire' },
    { slug: 'bilingue', name: 'Bilingue' },
  ],
  badges: [
    { slug: 'coup-de-coeur', name: 'Coup de cœur', color: '#C62828' },
    { slug: 'supplementaire', name: 'Supplémentaire', color: '#283593' },
  ],
  prices: {
    salle: { Parterre: 62, Corbeille: 48, Balcon: 29.5, 'Billet de faveur': { amount: 0, hidden: true } },
    prevente: { Prévente: { amount: 25, until: '+6h' }, Régulier: 38 },
    famille: { Enfant: 12, Adulte: 18.25 },
    entree: { Adulte: 16, 'Moins de 18\u00A0ans': { amount: 0, aside: true }, Audioguide: { amount: 5, addon: true } },
    libre: { 'Entrée libre': 0 },
  },
  sections: [
    { venue: 'chandelle', plays: 'repertoire', prices: 'salle', categories: 'theatre', tags: 'repertoire', alt: 'Scène de «\u00A0{}\u00A0»', products: [
      { slug: 'le-malade-imaginaire', name: 'Le Malade imaginaire', age: 8, groups: 'a-la-une', featured: 'montreal', badges: ['coup-de-coeur'] },
      { slug: 'l-ecole-des-femmes', name: 'L’École des femmes', age: 12, sessions: { 0: { available: 0 }, 1: { movedBy: 5 } } },
      { slug: 'phedre', name: 'Phèdre', age: 12, paused: '+3d 09:00' },
      { slug: 'ubu-roi', name: 'Ubu roi', age: 16, plays: 'chamber', prices: 'prevente' },
      { slug: 'the-tempest', name: 'The Tempest / La Tempête', age: 12, venue: 'chandelle narrows', tags: 'repertoire bilingue', badges: [['supplementaire', '+12h', null]] },
      { slug: 'cyrano', name: 'Cyrano de Bergerac', age: 12, sessions: { all: { status: 'cancelled' } } },
    ] },
    { venue: 'fonderie', plays: 'concert', prices: 'prevente', categories: 'musique-et-danse', products: [
      { slug: 'minuit-baroque', name: '«\u00A0Minuit baroque\u00A0»', age: 8, plays: 'midnight', alt: 'Clavecin éclairé à la bougie' },
      { slug: 'orgue-et-accordeon', name: 'Orgue & accordéon', age: 0, prices: 'libre', sale: 1 },
      { slug: 'jazz-a-l-erable', name: 'Jazz à\u00A0l’érable', age: 0, groups: 'cabane-a-sucre', plays: 'lastMonth' },
      { slug: 'casse-noisette', name: 'Casse-Noisette', age: 4, plays: 'opera', prices: 'salle', groups: 'a-la-une en-famille', banner: 'montreal' },
    ] },
    { venue: 'chandelle', plays: 'matinee', prices: 'famille', categories: 'jeune-public', groups: 'en-famille', alt: 'Marionnettes de «\u00A0{}\u00A0»', products: [
      { slug: 'le-chat-botte', name: 'Le Chat botté', age: 4 },
      { slug: 'le-petit-chaperon-rouge', name: 'Le Petit Chaperon rouge', age: 4, sessions: { 0: { paused: true } } },
      { slug: 'aurores', name: 'Aurores\u00A0: la nuit en couleurs', age: 6, venue: 'boreal', plays: 'dome' },
    ] },
    { venue: 'neige', plays: 'slots30', prices: 'entree', categories: 'musees', products: [
      { slug: 'musee-de-la-neige', name: 'Musée de la neige\u00A0: billet daté', age: 0, groups: 'en-famille', alt: 'Salle des traîneaux' },
      { slug: 'vieux-silo', name: 'Belvédère du Vieux-Silo', age: 0, venue: 'tour', plays: 'deck', alt: 'Le fleuve vu du belvédère', badges: [['coup-de-coeur', '-2d', '+4h']] },
    ] },
    { venue: 'quai', plays: 'cruise', prices: 'prevente', categories: 'croisieres', products: [
      { slug: 'ecluses-au-couchant', name: 'Les écluses au couchant', age: 0, sessions: { 2: { status: 'cancelled' } } },
    ] },
    { venue: 'cave', plays: 'standup', prices: 'prevente', categories: 'humour', tags: 'bilingue', products: [
      { slug: 'rire-en-rafale', name: 'Rire en rafale', age: 16, badges: ['supplementaire'] },
      { slug: 'improv-sans-filet', name: 'Impro sans filet / No Net Improv', age: 16, on: { montreal: { paused: true } } },
    ] },
  ],
};
