// One vocabulary, in the field's own terms: words that only we used are held out of the program,
// its data, scripts and README.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * A private word, and what it is called. Matched without regard to case, in code, comments and
 * prose alike.
 */
const PRIVATE_WORDS: readonly (readonly [word: RegExp, instead: string])[] = [
  [/(?<!aria-)\b[Pp]ress(es|ed|ing)?\b(?! (Ctrl|Enter))|[a-z]Press(ed)?\b|\bPressed[A-Z]/, 'render'],
  [/\bcrews?\b/i, 'worker threads'],
  [/\bfaces?\b/i, 'card variant'],
  [/\bshel(f|ves)\b/i, "the front's products"],
  [/\bShelf[A-Z]|[a-z]Shelf\b/, "the front's products"],
  [/\bwish(es)?\b/i, 'request target'],
  [/\b[Cc]laim(s|ed)?\b|[a-z]Claims?\b/, 'signed request, listed file'],
  [/\bstrays?\b|\bof none\b/i, 'orphan'],
  [/\btold\b(?! apart)|\btells? of\b/i, 'reports, says'],
  [/\banew\b/i, 'again'],
  [/(?<!there )\b(is|are|be|was|were|that|which) none\b(?! of)/i, 'is not one'],
  [/\bare others\b|\bfound others?\b/i, 'differ, do not match'],
  [/\blets? go of\b/i, 'releases, frees'],
  [/\bsuch as there are\b|\bbe it\b|\bnobody asks\b/i, 'plain English'],
  [/\b(too |so )?dear\b/i, 'slow, expensive'],
  [/\bharmless\b|\boneLine\b|\bpainted\b|\blastWords\b/i, 'escaped, styled'],
  [/\bblam(e|es|ed)\b|\bputFront|\bcarryFront|\bcarriedOn\b|\bFrontPut\b|\bWatchedTree\b|\bidMeant\b/, 'words.md'],
  [/\bunguarded\b|\bShownProducts\b|\bBilled\b|\bspares\b/, 'what it is'],
];

/**
 * Press offices in catalogues, volume claims in Kubernetes: words of others, which mean what they
 * say.
 */
const NAMES_OF_OTHERS =
  /^data\/demo\/seasons\/|^scripts\/(seed\/vocabulary|recipes\/(cronjob(-bucket)?|shards(?=\.yaml)))\./;

/** Every use of a private word in a text, as `line: word`. */
function privateWordsIn(text: string): string[] {
  return text.split('\n').flatMap((line, i) => {
    return PRIVATE_WORDS.flatMap(([word, instead]) => {
      const match = word.exec(line);
      return match === null ? [] : [`${i + 1}: "${match[0]}" (say: ${instead}) in: ${line.trim().slice(0, 120)}`];
    });
  });
}

function filesBelow(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|tsx|mjs|md|sql|css|sh|yml|yaml|conf|service|timer)$/.test(name))
    .map((name) => `${path}/${name}`)
    .filter((name) => !NAMES_OF_OTHERS.test(name));
}

test('nothing says press, shelf, claim, stray or told', () => {
  const files = ['src', 'data', 'scripts', 'README.md'].flatMap(filesBelow);
  expect(files.length).toBeGreaterThan(200);
  const uses = files.flatMap((file) =>
    privateWordsIn(readFileSync(join(root, file), 'utf8')).map((use) => `${file}:${use}`),
  );
  expect(uses).toEqual([]);
});

test.each([
  'presses a catalogue',
  'class PressedBuilder {}',
  'the face of a card',
  'const shelf = front.products;',
  'a stray row',
  'whoever is told',
  'a code that is none',
  'found others',
  'const unguarded = new Set();',
])('a planted word is seen: %s', (line) => {
  expect(privateWordsIn(line)).not.toEqual([]);
});

test.each(["reason: 'not-listed'", 'the interface', 'expression', 'surface'])(
  'a name of the contract and a plain word may stay: %s',
  (line) => {
    expect(privateWordsIn(line)).toEqual([]);
  },
);
