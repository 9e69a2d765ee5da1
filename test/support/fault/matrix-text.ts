// The table of faults as text: one section for each test file. Pure, so that a script may import it
// too.

/** What a reader sees after a fault, before anything is healed. */
export type Sees =
  | 'the old release'
  | 'the new release'
  | 'each front old or new, whole'
  | 'this front old, the others new'
  | 'these fronts old, the others new'
  | 'this front nothing whole, the others new'
  | 'nothing: no tree yet';

export interface Situation {
  readonly situation: string;
  readonly sees: Sees;
  /** Completes "what repairs it". */
  readonly heals: string;
}

/**
 * How a run ended: its exit code, or the signal that ended it; null where the test calls the build
 * without a process.
 */
export type Ending = number | NodeJS.Signals | null;

/** One row: a situation with all that was tried of it. */
export interface MatrixRow extends Situation {
  readonly endings: readonly Ending[];
  /** A number; or `at least 6` where the machine decides how many there are. */
  readonly faults: number | string;
}

const HEAD = '| situation | faults | a reader sees | exit | what repairs it |\n| --- | ---: | --- | --- | --- |';

/**
 * Throws where the table has other rows for a test file than its tests have reported. How many
 * faults a row counts does not matter: with every request that a run makes or saves it is another
 * number.
 */
export function expectSection(file: string, rows: readonly MatrixRow[], table: string): void {
  const expected = sectionText(file, rows);
  if (withoutCounts(table).includes(withoutCounts(expected))) return;
  throw new Error(
    `matrix.txt beside ${file} says something else than the tests: npm run faults. The tests say:\n${expected}`,
  );
}

function withoutCounts(text: string): string {
  return text.replaceAll(/^(\| [^|]+ \| )(?:at least )?\d+ \|/gm, '$1n |');
}

/** The table of one test file, with its heading, and a blank line at its end. */
export function sectionText(file: string, rows: readonly MatrixRow[]): string {
  const lines = rows.map(({ situation, sees, heals, endings, faults }) => {
    const exits = endings
      .filter((ending) => ending !== null)
      .map(String)
      .sort();
    return `| ${situation} | ${faults} | ${sees} | ${exits.length === 0 ? '–' : exits.join(', ')} | ${heals} |`;
  });
  return `## ${file}\n\n${HEAD}\n${lines.join('\n')}\n\n`;
}

/** The whole file: a section for each test file, by name, and the total. */
export function matrixText(rowsOf: ReadonlyMap<string, readonly MatrixRow[]>): string {
  const files = [...rowsOf].sort(([a], [b]) => (a < b ? -1 : 1));
  const sections = files.map(([file, rows]) => sectionText(file, rows));
  return `${sections.join('')}${totalText([...rowsOf.values()].flat())}\n`;
}

export function totalText(rows: readonly MatrixRow[]): string {
  const total = rows.reduce((sum, { faults }) => sum + Number(String(faults).replace('at least ', '')), 0);
  return `In all: at least ${total} faults in ${rows.length} situations.`;
}
