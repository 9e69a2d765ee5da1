// Words for names, in several scripts. Cyrillic, Latin and Japanese differ in bytes per character,
// which affects the size of a card.

export interface Vocabulary {
  /** Slug and name. */
  readonly titles: readonly (readonly [slug: string, name: string])[];
  readonly subtitles: readonly string[];
  readonly venues: readonly string[];
  readonly scenes: readonly string[];
  readonly credits: readonly string[];
  readonly ticket: string;
  readonly reduced: string;
  readonly earlyBird: string;
  readonly staff: string;
  readonly addOn: string;
}

export const russian: Vocabulary = {
  titles: [
    ['vishnevyi-sad', 'Вишнёвый сад'],
    ['chaika', 'Чайка'],
    ['revizor', 'Ревизор'],
    ['groza', 'Гроза'],
    ['shchelkunchik', 'Щелкунчик'],
    ['lebedinoe-ozero', 'Лебединое озеро'],
    ['snegurochka', 'Снегурочка'],
    ['pikovaya-dama', 'Пиковая дама'],
    ['gamlet', 'Гамлет'],
    ['malenkii-prints', 'Маленький принц'],
    ['russkii-avangard', 'Русский авангард'],
    ['sokrovishcha-muzeya', 'Сокровища музея'],
    ['nochnaya-ekskursiya', 'Ночная экскурсия по усадьбе'],
    ['organnyi-vecher', 'Органный вечер'],
    ['kvartet-na-kryshe', 'Квартет на крыше'],
    ['planetarii', 'Планетарий: путь к звёздам'],
  ],
  subtitles: [
    'премьера сезона',
    'спектакль для всей семьи',
    'экскурсия с хранителем',
    'концерт при свечах',
    'с симфоническим оркестром',
    'выставка из частных собраний',
    'гастроли театра',
    'лекция и показ',
    'в постановке молодых режиссёров',
    'к юбилею автора',
  ],
  venues: [
    'Большой зал филармонии',
    'Театр на набережной',
    'Музей изобразительных искусств',
    'Малая сцена драматического театра',
    'Дворец культуры железнодорожников',
    'Выставочный зал «Манеж»',
    'Органный зал',
    'Дом-музей композитора',
  ],
  scenes: ['Сцена из спектакля', 'Афиша', 'Зал во время показа', 'Фрагмент экспозиции', 'Артисты на поклоне'],
  credits: ['© Пресс-служба театра', 'Фото: А. Смирнова', 'Предоставлено музеем', '© Архив филармонии'],
  ticket: 'Взрослый',
  reduced: 'Льготный',
  earlyBird: 'Ранняя покупка',
  staff: 'Для сотрудников',
  addOn: 'Аудиогид',
};

export const english: Vocabulary = {
  titles: [
    ['twelfth-night', 'Twelfth Night'],
    ['the-tempest', 'The Tempest'],
    ['a-dolls-house', 'A Doll’s House'],
    ['die-zauberfloete', 'Die Zauberflöte'],
    ['la-boheme', 'La Bohème'],
    ['goldberg-variations', 'Goldberg Variations'],
    ['messiah', 'Messiah'],
    ['rivers-and-bridges', 'Rivers and Bridges'],
    ['the-glass-collection', 'The Glass Collection'],
    ['old-town-by-night', 'Old Town by Night'],
    ['ragas-at-dawn', 'Ragas at Dawn'],
    ['jazz-in-the-courtyard', 'Jazz in the Courtyard'],
    ['masters-of-light', 'Masters of Light'],
    ['the-whale-hall', 'The Whale Hall: Giants of the Sea'],
    ['improvised-tuesday', 'Improvised Tuesday'],
    ['peter-and-the-wolf', 'Peter and the Wolf'],
  ],
  subtitles: [
    'the new production of this season',
    'a guided tour with the curator',
    'an evening with the chamber orchestra',
    'for children of six years and older',
    'the touring exhibition',
    'a concert by candlelight',
    'an open rehearsal with discussion',
    'in the original language with surtitles',
    'from private collections',
    'the anniversary performance',
  ],
  venues: [
    'Grand Concert Hall',
    'Riverside Playhouse',
    'Museum of Fine Arts, East Wing',
    'Kammerspiele am Stadtgarten',
    'The Old Customs House',
    'Botanical Garden, Palm House',
    'City Opera, Main Stage',
    'Natural History Museum',
  ],
  scenes: ['A scene from the performance of', 'Poster of', 'The hall during', 'A visitor in front of', 'Musicians of'],
  credits: ['© Theatre press office', 'Photo: J. Lindqvist', 'Courtesy of the museum', '© Festival archive'],
  ticket: 'Adult',
  reduced: 'Reduced',
  earlyBird: 'Early bird',
  staff: 'Staff',
  addOn: 'Audio guide',
};

export const japanese: Vocabulary = {
  titles: [
    ['kabuki-no-yoru', '歌舞伎の夜'],
    ['noh-takasago', '能「高砂」'],
    ['bunraku', '文楽 曾根崎心中'],
    ['ukiyoe', '浮世絵コレクション'],
    ['daiku', '第九演奏会'],
    ['planetarium', 'プラネタリウム'],
    ['rakugo', '落語の会'],
    ['taiko', '太鼓コンサート'],
  ],
  subtitles: ['春の特別公演', '親子で楽しむ', '学芸員と巡る展覧会', '英語字幕付き', '千秋楽公演'],
  venues: ['国立劇場 大劇場', '市民文化会館', '東京芸術ホール', '近代美術館', '港の見える小劇場'],
  scenes: ['公演の一場面', 'ポスター', '会場の様子', '展示の一部'],
  credits: ['© 劇場広報部', '写真: 佐藤', '提供: 美術館'],
  ticket: '一般',
  reduced: '学生',
  earlyBird: '早割',
  staff: '関係者',
  addOn: '音声ガイド',
};

/**
 * Text that must not be changed: quotes, markup, a backslash, a line separator, no-break spaces.
 */
export const AWKWARD_NAME = '«Бал» "The Ball" <b>& other\\stories</b> №\u00a07 — 10\u00a0% \u2028акт второй 🎭';
