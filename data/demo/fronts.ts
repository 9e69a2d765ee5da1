// The storefronts and the keys of their clients. The public keys are real and their private halves
// were thrown away, so nobody signs with them; a secret is only ever named.

import type { Moment } from './moment.ts';
import type { Currency } from './season.ts';

interface Key {
  readonly keyid: string;
  readonly alg: 'ed25519' | 'ecdsa-p256-sha256' | 'hmac-sha256';
  /** A JWK, public part only. */
  readonly publicKey?: string;
  readonly secretRef?: string;
  readonly from?: Moment;
  readonly until?: Moment;
  readonly revoked?: Moment;
}

interface Front {
  readonly code: string;
  readonly name: string;
  readonly timezone: string;
  /** Language of its names, where `texts` of a season have them. */
  readonly locale?: string;
  /** Where it sells: its tiers are those for this channel and those for all. */
  readonly channel?: string;
  /** When its day begins; at midnight when not said. */
  readonly dayStart?: string;
  readonly currency: Currency;
  /** Decimals of the currency; 2 when not said. */
  readonly exponent?: number;
  /** ISO days of the week; Saturday and Sunday when not said. */
  readonly weekend?: string;
  readonly minCards?: number;
  readonly disabled?: true;
  readonly keys?: readonly Key[];
}

const p256 = '{"kty":"EC","crv":"P-256","x":"-qAszvyoDu-VdbTczqTkrK_RVlFndWPaIDA2Htn-u6w","y":"vYErSxkZT-9SP9f7HhL64AQy2wcw6hAyvij11yEYgQI"}';
const p256Lost = '{"kty":"EC","crv":"P-256","x":"SkrWNZgh-lD03Fa3MCm4e4gBHbUIpQFsUVATCwtpwmM","y":"mTqjkiGvU5D1t2LPSNwRZlRYA9ScKKKcLSLfedPOhKc"}';
const ed25519 = (x: string): string => `{"kty":"OKP","crv":"Ed25519","x":"${x}"}`;

export const fronts: readonly Front[] = [
  {
    code: 'moscow', name: 'Афиша «Москва вечером»', timezone: 'Europe/Moscow', currency: 'RUB', minCards: 30,
    keys: [
      { keyid: 'moscow-web-2', alg: 'ecdsa-p256-sha256', publicKey: p256 },
      { keyid: 'moscow-web-1', alg: 'ecdsa-p256-sha256', publicKey: p256Lost, revoked: '-9d' },
    ],
  },
  {
    code: 'fonar', name: 'Театр «Синий фонарь»', timezone: 'Europe/Moscow', currency: 'RUB', minCards: 10,
    keys: [{ keyid: 'fonar-site', alg: 'hmac-sha256', secretRef: 'FONAR_SITE_SECRET' }],
  },
  {
    code: 'kassa', name: 'Приложение «Касса рядом»', timezone: 'Europe/Moscow', currency: 'RUB', minCards: 15,
    keys: [
      { keyid: 'kassa:app-old', alg: 'hmac-sha256', secretRef: 'KASSA_APP_SECRET_OLD', until: '+2d' },
      { keyid: 'kassa:app-new', alg: 'hmac-sha256', secretRef: 'KASSA_APP_SECRET', from: '-1d' },
    ],
  },
  {
    code: 'berlin', name: 'Spielplan Berlin', timezone: 'Europe/Berlin', currency: 'EUR', minCards: 12,
    keys: [{ keyid: 'berlin-web', alg: 'ed25519', publicKey: ed25519('b-L3c9pHB1haUpB3GUDHFvopi3DMqq2dUdEmXhNoOLA') }],
  },
  {
    code: 'riyadh', name: 'ليالي الرياض', timezone: 'Asia/Riyadh', currency: 'SAR', weekend: '56', minCards: 8,
    keys: [{ keyid: 'riyadh-web', alg: 'ed25519', publicKey: ed25519('vzIhdHKeaVWCbmX9VBAneDgf4GApbSvRtfyzUvjaGf4') }],
  },
  {
    code: 'kuwait', name: 'تذاكر المرسى', timezone: 'Asia/Kuwait', currency: 'KWD', exponent: 3, weekend: '56', minCards: 3,
    keys: [{ keyid: 'kuwait-web', alg: 'ed25519', publicKey: ed25519('jm9V5kdCCwJoOn4G0CbOLaDE1VNbr40-k6SxqqM2yVc') }],
  },
  {
    code: 'tokyo', name: '東京おでかけチケット', timezone: 'Asia/Tokyo', currency: 'JPY', exponent: 0, minCards: 10,
    keys: [{ keyid: 'tokyo-web', alg: 'ed25519', publicKey: ed25519('BXrk-_BEskRz6YQYHxEoZvcvWBjQMcXkhHlj3VTgtL0') }],
  },
  {
    code: 'mumbai', name: 'मुंबई रंगमंच', timezone: 'Asia/Kolkata', currency: 'INR', weekend: '7', minCards: 8,
    keys: [{ keyid: 'mumbai-web', alg: 'ed25519', publicKey: ed25519('jdXMM_7m7BKMYhORB5aMYtWwgoO_7ISMTjNPXUPF2b4') }],
  },
  {
    code: 'montreal', name: 'Sorties Montréal', timezone: 'America/Toronto', currency: 'CAD', minCards: 8,
    keys: [{ keyid: 'montreal-web', alg: 'ed25519', publicKey: ed25519('15BV-dxrlkiyBNseLSPyhFGSrOHDqYk_AbTTfISZiyY') }],
  },
  { code: 'neva', name: 'Невская касса', timezone: 'Europe/Moscow', currency: 'RUB', disabled: true },
  {
    code: 'rives', name: 'Maison des Deux Rives', timezone: 'Europe/Paris', locale: 'fr', channel: 'rives', currency: 'EUR', minCards: 8,
    keys: [{ keyid: 'rives-web', alg: 'hmac-sha256', secretRef: 'RIVES_WEB_SECRET' }],
  },
  {
    code: 'rives-en', name: 'House of the Two Rivers', timezone: 'Europe/Paris', locale: 'en-GB', channel: 'rives', currency: 'EUR', minCards: 8,
    keys: [{ keyid: 'rives-en-web', alg: 'hmac-sha256', secretRef: 'RIVES_WEB_SECRET' }],
  },
  {
    code: 'quais', name: 'Billetterie des Quais', timezone: 'Europe/Paris', locale: 'fr', channel: 'quais', currency: 'EUR', minCards: 8,
    keys: [{ keyid: 'quais-web', alg: 'hmac-sha256', secretRef: 'QUAIS_WEB_SECRET' }],
  },
  {
    code: 'minuit-passe', name: 'Minuit Passé', timezone: 'Europe/Paris', dayStart: '05:00', currency: 'EUR', minCards: 2,
    keys: [{ keyid: 'minuit-passe-web', alg: 'hmac-sha256', secretRef: 'MINUIT_PASSE_WEB_SECRET' }],
  },
];
