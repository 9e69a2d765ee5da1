// Escapes untrusted text (from a catalogue, a request, a file name) for a terminal, so that it is
// shown instead of interpreted. The escapes are those of JSON, so that JSON keeps its meaning.

/**
 * Control characters, line and paragraph separators, lone surrogates and format characters
 * (Unicode's Cc, Zl, Zp, Cs, Cf): they can hide or reverse text, forge lines, or control a
 * terminal. Exceptions: joiners and direction marks that the spelling of some scripts needs, and
 * visible number signs.
 */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u0600-\u0605\u06dd\u070f\u08e2\u200c-\u200f])\p{Cf}/gu;

/** The colours and weights that our own output uses. */
const OWN_STYLE = new RegExp(String.raw`\u001b\[(?:0|1|2|31|32|33)m`, 'u');

/** Escapes text for a single line: newlines and tabs as well. */
export function escapeLine(text: string): string {
  return text.replaceAll(UNSAFE, escapeOf);
}

/** Escapes text of several lines: newlines and tabs stay. */
export function escapeControls(text: string): string {
  return text.replaceAll(UNSAFE, (character) =>
    character === '\n' || character === '\t' ? character : escapeOf(character),
  );
}

/** Like escapeControls, but keeps the styles of our own output, which can do nothing but colour. */
export function escapeAllButColours(text: string): string {
  const styles = text.match(new RegExp(OWN_STYLE, 'gu')) ?? [];
  return text
    .split(OWN_STYLE)
    .map((piece, i) => escapeControls(piece) + (styles[i] ?? ''))
    .join('');
}

/** One escape for each UTF-16 unit. */
function escapeOf(character: string): string {
  return character.replaceAll(/[^]/g, (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
