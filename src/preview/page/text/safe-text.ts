// Makes text from a catalogue safe to show. It cannot become markup, because the page only sets it
// as text nodes. This file keeps it from breaking the layout: by its length, control characters,
// lone surrogates, or direction marks.

/**
 * Text is cut to this many characters: more than any element shows, few enough to lay out quickly.
 */
export const LENGTH_MAX = 300;

/**
 * Embeddings, overrides and isolates of Unicode's bidirectional algorithm: they could affect text
 * outside the element.
 */
const DIRECTION_MARKS = /[\u202A-\u202E\u2066-\u2069]/g;

/**
 * Text to show: at most `LENGTH_MAX` characters and an ellipsis; invalid characters and line breaks
 * are replaced.
 */
export function shown(text: string): string {
  const cut = text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text;
  return cut
    .replaceAll(DIRECTION_MARKS, '')
    .replaceAll(/[\t\n\v\f\r ]+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, '\uFFFD');
}

/**
 * A name to show; the slug if the name has no visible character, so that no heading or button is
 * empty.
 */
export function nameOf({ name, slug }: { readonly name: string; readonly slug: string }): string {
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name.slice(0, LENGTH_MAX)) ? shown(name) : slug;
}

/**
 * A URL that is safe to open: absolute, https, without user and password; null for anything else.
 */
export function httpsUrl(text: string | null): string | null {
  if (text === null || text.length > 4000 || !/^https:\/\//i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : null;
}

/** Whether the first letter belongs to a right-to-left script. */
export function runsFromRight(text: string): boolean {
  const letter = /\p{L}/u.exec(text.slice(0, LENGTH_MAX))?.[0] ?? '';
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(
    letter,
  );
}
