// Mumbai: Hindi and English names, half-hour zones (and one of three quarters), a six-day working
// week.

import type { Season } from '../season.ts';

export const mumbai: Season = {
  fronts: 'mumbai',
  venues: {
    rangmanch: { name: 'सागर रंगमंच', city: 'मुंबई' },
    mandap: { name: 'संगीत मंडप', city: 'मुंबई' },
    vastra: { name: 'वस्त्र एवं रंग संग्रहालय', city: 'मुंबई' },
    tara: { name: 'ध्रुव तारामंडल', city: 'मुंबई' },
    dock: { name: 'The Rope Dock', city: 'मुंबई' },
    himal: { name: 'हिमाल नाटकघर', city: 'काठमाडौँ', timezone: 'Asia/Kathmandu' },
  },
  credits: [
    ['छायाचित्र: धूप-छाँव स्टूडियो', 'https://dhoop.example/'],
    ['Photo: courtesy of the organiser', null],
  ],
  categories: [
    { slug: 'natak', name: 'नाटक', plural: 'नाटक' },
    { slug: 'sangeet-nritya', name: 'संगीत और नृत्य', plural: 'संगीत और नृत्य' },
    { slug: 'bachchon-ke-liye', name: 'बाल नाटक', plural: 'बच्चों के लिए' },
    { slug: 'sangrahalay', name: 'संग्रहालय', plural: 'संग्रहालय और सैर' },
    { slug: 'hasya', name: 'हास्य', plural: 'हास्य संध्या' },
  ],
  groups: [
    { slug: 'is-hafte', name: 'इस हफ़्ते', cardType: 2 },
    { slug: 'parivar', name: 'परिवार के साथ', cardType: 1 },
  ],
  tags: [
    { slug: 'shastriya', name: 'शास्त्रीय' },
    { slug: 'in-english', name: 'In English' },
  ],
  badges: [
    { slug: 'naya', name: 'नया', color: '#6A1B9A' },
    { slug: 'antim-avsar', name: 'अंतिम अवसर', color: '#BF360C' },
  ],
  prices: {
    manch: { 'अग्र पंक्ति': 1500, 'सामान्य': 600, 'बालकनी': 350 },
    mehfil: { 'शीघ्र बुकिंग': { amount: 499, until: '+11h' }, 'प्रवेश': 799, 'चाय और नाश्ता': { amount: 120, addon: true } },
    parivar: { 'बच्चे': 200, 'वयस्क': 300 },
    darshan: { 'प्रवेश टिकट': 150, 'विद्यार्थी': { amount: 50, aside: true } },
    nishulk: { 'निःशुल्क': 0 },
  },
  sections: [
    { venue: 'rangmanch', plays: 'repertoire', prices: 'manch', categories: 'natak', groups: 'is-hafte', alt: '“{}” का एक दृश्य', products: [
      { slug: 'shakuntala', name: 'शकुंतला', age: 6, tags: 'shastriya', featured: 'mumbai', banner: 'mumbai' },
      { slug: 'mrichchhakatik', name: 'मृच्छकटिकम्', age: 12, tags: 'shastriya', venue: 'rangmanch himal' },
      { slug: 'andher-nagari', name: 'अंधेर नगरी', age: 6, badges: ['antim-avsar'], sessions: { 0: { available: 0 } } },
      { slug: 'earnest', name: 'The Importance of Being Earnest', age: 12, tags: 'in-english', plays: 'run', badges: [['naya', null, '+18h']] },
      { slug: 'purani-haveli', name: 'पुरानी हवेली का रहस्य', age: 16, sessions: { 0: { status: 'postponed' }, 1: { movedBy: 10 } } },
    ] },
    { venue: 'mandap', plays: 'concert', prices: 'mehfil', categories: 'sangeet-nritya', tags: 'shastriya', alt: '{}', products: [
      { slug: 'bansuri-aur-tabla', name: 'बाँसुरी और तबला', age: 6, groups: 'is-hafte' },
      { slug: 'meghdoot', name: 'मेघदूत — नृत्य नाटिका', age: 6, paused: '+7h' },
      { slug: 'raat-ki-ragini', name: 'रात की रागिनी', age: 12, plays: 'midnight' },
      { slug: 'monsoon-sessions', name: 'Monsoon Sessions', age: 0, plays: 'festivalLater', tags: 'in-english', badges: ['naya'] },
    ] },
    { venue: 'rangmanch', plays: 'matinee', prices: 'parivar', categories: 'bachchon-ke-liye', groups: 'parivar', products: [
      { slug: 'panchatantra', name: 'कठपुतली: पंचतंत्र की कहानियाँ', age: 0, alt: 'शेर और खरगोश की कठपुतलियाँ' },
      { slug: 'jungle-ki-kahani', name: 'जंगल की कहानी', age: 0, on: { mumbai: { from: '+8h' } } },
      { slug: 'surya-se-shani', name: 'सूर्य से शनि तक', age: 6, venue: 'tara', plays: 'dome', alt: 'तारामंडल का गुंबद' },
    ] },
    { venue: 'vastra', plays: 'slots30', prices: 'darshan', categories: 'sangrahalay', products: [
      { slug: 'vastra-aur-rang', name: 'वस्त्र और रंग: प्रवेश टिकट', age: 0, groups: 'parivar', alt: 'हथकरघे पर नीला धागा' },
      { slug: 'bandargah-ki-sair', name: 'पुराने बंदरगाह की सैर', age: 6, venue: 'dock', plays: 'walk', prices: 'parivar' },
      { slug: 'shunya-ka-itihas', name: 'शून्य का इतिहास', age: 12, plays: 'lecture', prices: 'nishulk', sale: 3, image: null },
    ] },
    { venue: 'dock', plays: 'standup', prices: 'mehfil', categories: 'hasya', tags: 'in-english', products: [
      { slug: 'chai-and-chaos', name: 'Chai & Chaos: Open Mic', age: 18, sale: 6 },
      { slug: 'hansi-ka-adda', name: 'हँसी का अड्डा', age: 16, tags: '', sessions: { 1: { available: 0 } } },
    ] },
  ],
};
