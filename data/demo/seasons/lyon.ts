// Lyon: one house in French and in English, a partner with its own prices and seats, and a club
// whose night ends at five.

import type { Season } from '../season.ts';

const picture = (alt_text: string) => ({ alt_text, copyright: 'Photo: Studio Traboule' });

export const lyon: Season = {
  fronts: 'rives rives-en quais',
  venues: {
    confluent: { name: 'Grande Salle du Confluent', city: 'Lyon' },
    canuts: { name: 'Studio des Canuts', city: 'Lyon' },
    halle: { name: 'Halle aux Soies', city: 'Lyon' },
    minuit: { name: 'Minuit Passé', city: 'Lyon' },
    chapiteau: { name: 'Chapiteau en tournée', city: null, timezone: null },
  },
  credits: [['Photo\u00A0: Studio Traboule', 'https://traboule.example/']],
  categories: [
    { slug: 'pieces', name: 'Pièce', plural: 'Pièces' },
    { slug: 'recitals', name: 'Récital', plural: 'Récitals' },
    { slug: 'expositions', name: 'Exposition', plural: 'Expositions' },
    { slug: 'tout-petits', name: 'Jeune public' },
    { slug: 'rencontres', name: 'Rencontre', plural: 'Rencontres' },
    { slug: 'nuits', name: 'Nuit', plural: 'Nuits', fronts: 'quais minuit-passe' },
  ],
  groups: [
    { slug: 'temps-forts', name: 'Temps forts', cardType: 2 },
    { slug: 'en-tribu', name: 'En tribu', cardType: 1 },
  ],
  tags: [
    { slug: 'creation', name: 'Création' },
    { slug: 'surtitre', name: 'Surtitré en anglais' },
  ],
  badges: [
    { slug: 'nouvelle-date', name: 'Nouvelle date', color: '#6A1B9A', rule: 'moved' },
    { slug: 'dernieres-places', name: 'Dernières places', color: '#D84315', rule: 'few-left', below: 20 },
    { slug: 'prix-du-public', name: 'Prix du public', color: '#00695C' },
  ],
  prices: {
    salle: {
      'Plein tarif': { amount: 32, channels: 'rives' },
      'Tarif réduit': { amount: 18, channels: 'rives', aside: true },
      'Billet des quais': { amount: 34.5, channels: 'quais' },
    },
    maison: { 'Tarif unique': { amount: 24, channels: 'rives' } },
    studio: { 'Tarif unique': { amount: 15, channels: 'rives quais' }, Programme: { amount: 4, addon: true } },
    entree: { Entrée: 12, 'Moins de 26\u00A0ans': { amount: 7, aside: true } },
    nuit: { Prévente: { amount: 12, until: '+5h' }, 'Sur place': 16 },
    libre: { 'Entrée libre': 0 },
  },
  sections: [
    { venue: 'confluent', plays: 'repertoire', prices: 'salle', categories: 'pieces', tags: 'surtitre', alt: 'Scène de «\u00A0{}\u00A0»', products: [
      { slug: 'la-grande-ourse', name: 'La Grande Ourse', age: 10, plays: 'once', tags: 'creation surtitre', groups: 'temps-forts', featured: 'rives rives-en', badges: ['nouvelle-date'], sessions: { 0: { status: 'rescheduled', movedBy: 12 } } },
      { slug: 'les-bateliers', name: 'Les Bateliers', age: 12, groups: 'temps-forts', badges: ['prix-du-public', 'dernieres-places'], sessions: { 0: { available: 0, allotted: { quais: 40 } }, 1: { available: 120, allotted: { quais: 0 } }, 2: { allotted: { quais: -2 } } } },
      { slug: 'dernier-acte-avant-l-aube', name: 'Dernier acte avant l’aube', age: 14, plays: 'once', badges: ['dernieres-places'], banner: 'rives', sessions: { 0: { available: 7, allotted: { quais: 60 } } } },
      { slug: 'le-jardin-sous-verre', name: 'Le Jardin sous verre', age: 12, prices: 'maison' },
      { slug: 'reverie-pour-deux-horloges', name: 'Rêverie pour deux horloges', age: 12, tags: 'creation' },
      { slug: 'la-lettre-de-vaise', name: 'La Lettre de Vaise', age: 12, sessions: { 0: { available: 150, announced: '+4h' } } },
      { slug: 'les-voyageurs-immobiles', name: 'Les Voyageurs immobiles', age: 8, venue: 'chapiteau', zone: 'Europe/London', plays: 'run', fronts: 'rives rives-en', groups: 'en-tribu' },
    ] },
    { venue: 'canuts', plays: 'chamber', prices: 'studio', categories: 'recitals', alt: 'Les musiciens de «\u00A0{}\u00A0»', products: [
      { slug: 'quatuor-des-brumes', name: 'Quatuor des brumes', age: 6, plays: 'run' },
      { slug: 'choeurs-de-la-saone', name: 'Chœurs de la Saône', age: 0, alt: 'Les choristes de «\u00A0{}\u00A0»', badges: ['dernieres-places'] },
      { slug: 'petit-poisson-lune', name: 'Petit Poisson-Lune', age: 3, plays: 'matinee', categories: 'tout-petits', groups: 'en-tribu', alt: 'Un poisson-lune en papier au-dessus de la scène' },
    ] },
    { venue: 'halle', plays: 'exhibition', prices: 'entree', categories: 'expositions', groups: 'en-tribu', alt: 'Vue de l’exposition «\u00A0{}\u00A0»', products: [
      { slug: 'soie', name: 'Soie\u00A0: le fil et la couleur', age: 0, groups: 'temps-forts en-tribu' },
      { slug: 'cartes-des-fleuves', name: 'Cartes des fleuves', age: 0, badges: ['prix-du-public'] },
    ] },
    { venue: 'canuts', plays: 'once', prices: 'libre', categories: 'rencontres', sale: 3, products: [
      { slug: 'parlons-de-la-saison', name: 'Parlons de la saison', age: 0, sessions: { 0: { announced: '+18h' } } },
      { slug: 'dans-l-atelier-des-costumes', name: 'Dans l’atelier des costumes', age: 0, plays: 'walk', image: null },
    ] },
    { venue: 'minuit', plays: 'clubNight', prices: 'nuit', categories: 'nuits', fronts: 'minuit-passe quais', alt: '{}', products: [
      { slug: 'bal-des-insomniaques', name: 'Bal des insomniaques', age: 18, banner: 'minuit-passe' },
      { slug: 'vinyles-apres-minuit', name: 'Vinyles après minuit', age: 18, plays: 'midnight' },
      { slug: 'premier-metro', name: 'Premier métro', age: 18, plays: 'smallHours', badges: ['dernieres-places'] },
    ] },
  ],
  texts: {
    en: {
      product: {
        'la-grande-ourse': { name: 'The Great Bear' },
        'les-bateliers': { name: 'The Boatmen' },
        'dernier-acte-avant-l-aube': { name: 'Last Act before Dawn' },
        'le-jardin-sous-verre': { name: 'The Garden under Glass' },
        'la-lettre-de-vaise': { name: 'The Letter from Vaise' },
        'les-voyageurs-immobiles': { name: 'Travellers Standing Still' },
        'quatuor-des-brumes': { name: 'Quartet of the Mists' },
        'choeurs-de-la-saone': { name: 'Choirs of the Saône' },
        'petit-poisson-lune': { name: 'Little Moonfish' },
        soie: { name: 'Silk: Thread and Colour' },
        'cartes-des-fleuves': { name: 'Maps of Rivers' },
        'parlons-de-la-saison': { name: 'Let’s Talk about the Season' },
        'dans-l-atelier-des-costumes': { name: 'Inside the Costume Workshop' },
      },
      venue: {
        confluent: { name: 'Confluence Main Stage' },
        canuts: { name: 'Silk Weavers’ Studio' },
        halle: { name: 'The Silk Hall' },
        chapiteau: { name: 'Touring Big Top' },
      },
      image: {
        'la-grande-ourse': picture('A scene from “The Great Bear”'),
        'les-bateliers': picture('A scene from “The Boatmen”'),
        'dernier-acte-avant-l-aube': picture('A scene from “Last Act before Dawn”'),
        'le-jardin-sous-verre': picture('A scene from “The Garden under Glass”'),
        'la-lettre-de-vaise': picture('A scene from “The Letter from Vaise”'),
        'les-voyageurs-immobiles': picture('A scene from “Travellers Standing Still”'),
        'quatuor-des-brumes': picture('The players of “Quartet of the Mists”'),
        'choeurs-de-la-saone': picture('The singers of “Choirs of the Saône”'),
        'petit-poisson-lune': picture('A paper moonfish above the stage'),
        soie: picture('A view of the exhibition “Silk: Thread and Colour”'),
        'cartes-des-fleuves': picture('A view of the exhibition “Maps of Rivers”'),
      },
      category: {
        pieces: { name_singular: 'Play', name_plural: 'Plays' },
        recitals: { name_singular: 'Recital', name_plural: 'Recitals' },
        expositions: { name_singular: 'Exhibition', name_plural: 'Exhibitions' },
        'tout-petits': { name_singular: 'For children' },
        rencontres: { name_singular: 'Talk', name_plural: 'Talks' },
      },
      group: { 'temps-forts': { name: 'Highlights' }, 'en-tribu': { name: 'For the whole family' } },
      tag: { creation: { name: 'New work' }, surtitre: { name: 'English surtitles' } },
      badge: {
        'nouvelle-date': { name: 'New date' },
        'dernieres-places': { name: 'Last tickets' },
        'prix-du-public': { name: 'Audience award' },
      },
    },
  },
};
