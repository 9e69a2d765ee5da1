// Text of a catalogue on its way to the page. It never becomes markup, since it is only ever the text of a node; this keeps it from
// breaking the layout: length, control characters, lone surrogates, marks that turn the reading direction.

/** Characters of a text that reach the page: more than any element shows, few enough to lay out at once. */
export const LENGTH_MAX = 300;

/** Embeddings, overrides and isolates of Unicode's bidirectional algorithm, which could break out of the element that isolates a text. */
const DIRECTION_MARKS = /[\u202A-\u202E\u2066-\u2069]/g;

/** A text as it is shown: at most `LENGTH_MAX` characters, with an ellipsis where it was cut, without invalid characters. */
export function shown(text: string): string {
  const cut = text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text;
  return cut
    .replaceAll(DIRECTION_MARKS, '')
    .replaceAll(/[\t\n\v\f\r ]+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, '\uFFFD');
}

/** A name as it is shown; where none of it is visible, the slug, so that no heading and no button is empty. */
export function nameOf({ name, slug }: { readonly name: string; readonly slug: string }): string {
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(name.slice(0, LENGTH_MAX)) ? shown(name) : slug;
}

/** A URL that may be followed or loaded: https, absolute, without a name and password; null for anything else. */
export function httpsUrl(text: string | null): string | null {
  if (text === null || text.length > 4000 || !/^https:\/\//i.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : null;
}

/** Whether the first letter of a text is of a script that runs from right to left. */
export function runsFromRight(text: string): boolean {
  const letter = /\p{L}/u.exec(text.slice(0, LENGTH_MAX))?.[0] ?? '';
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(
    letter,
  );
}
