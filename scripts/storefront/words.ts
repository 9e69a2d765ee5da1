// The page's own words, by language. The operator's texts come in the front's language; so that a
// page speaks one language, dates and numbers are written in that of the words.

export interface Words {
  readonly programme: string;
  readonly all: string;
  readonly today: string;
  readonly tomorrow: string;
  readonly weekend: string;
  readonly highlights: string;
  readonly more: string;
  readonly categories: string;
  /** What the tabs choose, for screen readers. */
  readonly when: string;
  readonly back: string;
  readonly elsewhere: string;
  readonly otherTimes: string;
  readonly soldOut: string;
  readonly paused: string;
  readonly noPrice: string;
  readonly free: string;
  readonly from: (price: string) => string;
  /** null: at a time that is not known. */
  readonly asOf: (time: string | null) => string;
  readonly nothingNow: string;
  readonly nothingThen: string;
  readonly unknown: string;
  readonly sorry: string;
}

const WORDS: Readonly<Record<string, Words>> = {
  en: {
    programme: 'Programme',
    all: 'All',
    today: 'Today',
    tomorrow: 'Tomorrow',
    weekend: 'Weekend',
    highlights: 'Highlights',
    more: 'More',
    categories: 'Categories',
    when: 'When',
    back: 'The whole programme',
    elsewhere: ' and elsewhere',
    otherTimes: ' and other times',
    soldOut: 'Sold out',
    paused: 'Sales are paused',
    noPrice: 'No price at present',
    free: 'Free',
    from: (price) => `from ${price}`,
    asOf: (time) => `As of ${time === null ? 'earlier' : `${time} UTC`}: this may have changed.`,
    nothingNow: 'Nothing is on sale at the moment.',
    nothingThen: 'Nothing is on sale then.',
    unknown: 'This is not on the programme, or no longer.',
    sorry: 'The programme cannot be shown just now. Please try again in a minute.',
  },
  ru: {
    programme: 'Афиша',
    all: 'Всё',
    today: 'Сегодня',
    tomorrow: 'Завтра',
    weekend: 'Выходные',
    highlights: 'Рекомендуем',
    more: 'Ещё',
    categories: 'Разделы',
    when: 'Когда',
    back: 'Вся афиша',
    elsewhere: ' и на других площадках',
    otherTimes: ' и в другое время',
    soldOut: 'Билетов нет',
    paused: 'Продажа приостановлена',
    noPrice: 'Цены пока нет',
    free: 'Бесплатно',
    from: (price) => `от ${price}`,
    asOf: (time) => `Данные ${time === null ? 'не последние' : `на ${time} UTC`}: они могли измениться.`,
    nothingNow: 'Сейчас ничего не продаётся.',
    nothingThen: 'На это время ничего нет.',
    unknown: 'Этого в афише нет или уже нет.',
    sorry: 'Афишу сейчас показать не удалось. Попробуйте через минуту.',
  },
  de: {
    programme: 'Programm',
    all: 'Alles',
    today: 'Heute',
    tomorrow: 'Morgen',
    weekend: 'Wochenende',
    highlights: 'Höhepunkte',
    more: 'Weiteres',
    categories: 'Sparten',
    when: 'Wann',
    back: 'Das ganze Programm',
    elsewhere: ' und andernorts',
    otherTimes: ' und zu anderen Zeiten',
    soldOut: 'Ausverkauft',
    paused: 'Verkauf unterbrochen',
    noPrice: 'Zurzeit ohne Preis',
    free: 'Eintritt frei',
    from: (price) => `ab ${price}`,
    asOf: (time) => `Stand ${time === null ? 'von vorhin' : `${time} UTC`}: Das kann sich geändert haben.`,
    nothingNow: 'Zurzeit ist nichts im Verkauf.',
    nothingThen: 'Dann ist nichts im Verkauf.',
    unknown: 'Das steht nicht oder nicht mehr auf dem Programm.',
    sorry: 'Das Programm kann gerade nicht gezeigt werden. Bitte in einer Minute noch einmal versuchen.',
  },
  fr: {
    programme: 'Programme',
    all: 'Tout',
    today: 'Aujourd’hui',
    tomorrow: 'Demain',
    weekend: 'Week-end',
    highlights: 'À la une',
    more: 'Plus',
    categories: 'Catégories',
    when: 'Quand',
    back: 'Tout le programme',
    elsewhere: ' et ailleurs',
    otherTimes: ' et à d’autres heures',
    soldOut: 'Complet',
    paused: 'Vente suspendue',
    noPrice: 'Pas de prix pour le moment',
    free: 'Gratuit',
    from: (price) => `à partir de ${price}`,
    asOf: (time) => `État ${time === null ? 'antérieur' : `du ${time} UTC`} : cela a pu changer.`,
    nothingNow: 'Rien n’est en vente pour le moment.',
    nothingThen: 'Rien n’est en vente à cette date.',
    unknown: 'Ce spectacle n’est pas ou n’est plus au programme.',
    sorry: 'Le programme ne peut pas être affiché. Réessayez dans une minute.',
  },
  ar: {
    programme: 'البرنامج',
    all: 'الكل',
    today: 'اليوم',
    tomorrow: 'غدًا',
    weekend: 'نهاية الأسبوع',
    highlights: 'أبرز العروض',
    more: 'المزيد',
    categories: 'الفئات',
    when: 'متى',
    back: 'البرنامج كاملًا',
    elsewhere: ' وأماكن أخرى',
    otherTimes: ' وأوقات أخرى',
    soldOut: 'نفدت التذاكر',
    paused: 'البيع متوقف مؤقتًا',
    noPrice: 'لا يوجد سعر حاليًا',
    free: 'مجاني',
    from: (price) => `من ${price}`,
    asOf: (time) => `بيانات ${time === null ? 'سابقة' : `${time} UTC`}: ربما تغيّرت.`,
    nothingNow: 'لا شيء معروض للبيع الآن.',
    nothingThen: 'لا شيء معروض للبيع حينها.',
    unknown: 'هذا العرض ليس في البرنامج.',
    sorry: 'تعذّر عرض البرنامج الآن. حاول مرة أخرى بعد دقيقة.',
  },
  ja: {
    programme: 'プログラム',
    all: 'すべて',
    today: '今日',
    tomorrow: '明日',
    weekend: '週末',
    highlights: '注目',
    more: 'その他',
    categories: 'ジャンル',
    when: '日程',
    back: 'プログラム一覧',
    elsewhere: ' ほか',
    otherTimes: ' ほか',
    soldOut: '完売',
    paused: '販売休止中',
    noPrice: '価格未定',
    free: '無料',
    from: (price) => `${price}から`,
    asOf: (time) => `${time === null ? '以前' : `${time} UTC `}の情報です。変更されている可能性があります。`,
    nothingNow: '現在販売中のものはありません。',
    nothingThen: 'この日程のものはありません。',
    unknown: 'このプログラムは見つかりません。',
    sorry: 'プログラムを表示できません。しばらくしてからもう一度お試しください。',
  },
};

/** How a page is written. */
export interface Language {
  /** A language tag, for Intl and the page's `lang`. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  readonly words: Words;
}

/** The language of a tag; English where there are no words for it. */
export function languageOf(tag: string): Language {
  const locale = new Intl.Locale(tag);
  const words = WORDS[locale.language];
  if (words === undefined) return languageOf('en');
  return { tag, direction: locale.language === 'ar' ? 'rtl' : 'ltr', words };
}
