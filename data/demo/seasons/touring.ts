// On tour and online: products of several cities' fronts, with a tier for each currency (and one
// front left without). The taxonomy is that of the cities.

import type { Season } from '../season.ts';

export const touring: Season = {
  fronts: 'berlin moscow riyadh kuwait tokyo mumbai montreal',
  venues: {
    online: { name: 'Online', city: null, timezone: 'UTC' },
    hall: { name: 'Zelttheater „Wanderzirkel“', city: 'Berlin', timezone: 'Europe/Berlin' },
    pavilion: { name: 'الجناح الأبيض', city: 'الرياض', timezone: 'Asia/Riyadh' },
  },
  credits: [['© Wanderzirkel', 'https://wanderzirkel.example/']],
  categories: [],
  groups: [],
  tags: [{ slug: 'online', name: 'Online' }],
  badges: [{ slug: 'live', name: 'Live', color: '#000000' }],
  prices: {
    stream: { Stream: { EUR: 12, CAD: 17, INR: 399, JPY: 1500 } },
    tent: { Standard: { EUR: 39, SAR: 150, KWD: 12.25 }, Loge: { amount: { EUR: 79, SAR: 320, KWD: 26.5 } } },
  },
  sections: [
    { venue: 'online', plays: 'lecture', prices: 'stream', categories: 'museen sangrahalay musees hakubutsukan', tags: 'online', fronts: 'berlin mumbai montreal tokyo', products: [
      { slug: 'paper-across-the-world', name: 'Paper Across the World: a Live Guided Tour', age: 0, badges: [['live', '-1d', null]], alt: 'Sheets of handmade paper drying' },
      { slug: 'stars-tonight', name: 'Stars Tonight — live from the dome', age: 6, fronts: 'montreal riyadh berlin moscow', categories: 'musees matahif museen planetariy', plays: 'midnight' },
    ] },
    { venue: 'hall pavilion', plays: 'run', prices: 'tent', categories: 'konzerte musiqa', fronts: 'berlin riyadh kuwait', alt: '{}', products: [
      { slug: 'mitternachtszelt', name: 'Mitternachtszelt · خيمة منتصف الليل', age: 12, groups: 'sommerbuehne nihayat-al-usbu', sessions: { 0: { excluded: 'kuwait' } } },
    ] },
  ],
};
