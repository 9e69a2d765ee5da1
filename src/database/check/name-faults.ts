// What keeps a text from being a name that people can read as it is: another system's markup,
// translations or emptiness. Only what is certain: a name may have `&`, `<3` or brackets.

/** A character that leaves a mark or takes part in one: no blank, and not invisible. */
const VISIBLE = /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/** The elements that editors of texts write; `<Machine>` may be part of a title. */
const MARKUP =
  /<\/?(?:a|abbr|b|big|blockquote|br|center|cite|code|del|div|em|font|h[1-6]|hr|i|img|ins|li|mark|ol|p|pre|small|span|strike|strong|sub|sup|table|td|tr|u|ul)(?:\s[^<>]*)?\/?>|<!--/i;

const REFERENCE = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});/i;

export type NameFault = 'empty' | 'blank' | 'json' | 'markup' | 'references';

/** The first fault of a name; null for plain text. */
export function nameFault(text: string): NameFault | null {
  if (text === '') return 'empty';
  if (!VISIBLE.test(text)) return 'blank';
  if (isJson(text)) return 'json';
  if (MARKUP.test(text)) return 'markup';
  return REFERENCE.test(text) ? 'references' : null;
}

/** Whether a text is a JSON object or array. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
