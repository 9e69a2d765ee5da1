// Finds names similar to a mistyped one, for hints.

const NAMES_MAX = 5;

/** A name as it is typed, and the title that a person might type instead. */
export interface Candidate {
  readonly name: string;
  readonly title: string;
}

/**
 * At most five candidates: first those whose name or title contains what was typed, then those
 * within a small edit distance.
 */
export function nearNames(typed: string, candidates: readonly Candidate[]): readonly Candidate[] {
  const wanted = typed.toLowerCase();
  const distanceMax = Math.max(1, Math.floor(wanted.length / 3));
  const ranked = candidates.flatMap((candidate) => {
    const texts = [candidate.name.toLowerCase(), candidate.title.toLowerCase()];
    const isInside = wanted !== '' && texts.some((text) => text.includes(wanted));
    const rank = isInside ? 0 : Math.min(...texts.map((text) => distanceWithin(wanted, text, distanceMax)));
    return rank <= distanceMax ? [{ candidate, rank }] : [];
  });
  ranked.sort((a, b) => a.rank - b.rank || (a.candidate.name < b.candidate.name ? -1 : 1));
  return ranked.slice(0, NAMES_MAX).map(({ candidate }) => candidate);
}

/** The Levenshtein distance of two texts, or some number greater than `max` if it exceeds `max`. */
function distanceWithin(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > max) return max + 1;
    row = next;
  }
  return row[b.length] ?? max + 1;
}
