// Text from elsewhere (a catalogue, a request, names of files) before it reaches a terminal: what a terminal would obey is shown
// instead. Escapes are those of JSON, so that JSON stays what it was.

/**
 * Control characters, ends of lines and paragraphs, half characters, and what has no shape of its own (Unicode's Cc, Zl, Zp, Cs, Cf): all
 * of them can hide text, turn it around, forge lines, or drive a terminal. Not the joiners and marks without which names of some scripts
 * are misspelt, and number signs that can be seen.
 */
const OBEYED = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u0600-\u0605\u06dd\u070f\u08e2\u200c-\u200f])\p{Cf}/gu;

/** The colours and weights that we use ourselves. */
const OWN_STYLE = new RegExp(String.raw`\u001b\[(?:0|1|2|31|32|33)m`, 'u');

/** A text of one line: an end of line in it is shown like everything else that a terminal would obey. */
export function escapeLine(text: string): string {
  return text.replaceAll(OBEYED, escapeOf);
}

/** A text of several lines: ends of lines and tabs stay. */
export function escapeControls(text: string): string {
  return text.replaceAll(OBEYED, (character) =>
    character === '\n' || character === '\t' ? character : escapeOf(character),
  );
}

/** The same, for text that we have coloured: our own few styles stay. They can colour, and nothing else. */
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
