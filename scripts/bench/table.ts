// What every benchmark of `npm run bench` has in common: a row of its table, the median, and the table as a document.

/** One line of a table. `goal` is `-` where none was set. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  readonly goal: string;
}

/** The middle one of some values, the upper of two; NaN where there are no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A document of test/bench: a title, how it was measured, and the rows. */
export function tableText(title: string, how: string, rows: readonly Row[]): string {
  const lines = rows.map(({ what, measured, goal }) => `| ${what} | ${measured} | ${goal} |`);
  return [`# ${title}`, '', how, '', '| what | measured | goal |', '| --- | --- | --- |', ...lines, ''].join('\n');
}
