// The tables of `npm run bench`: a row, the median, and the table as a document.

/** A row of a table. `goal` is `-` if there is none. */
export interface Row {
  readonly what: string;
  readonly measured: string;
  readonly goal: string;
}

/**
 * The median; of an even number of values, the upper of the middle two. NaN if there are no values.
 */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A document for test/bench: title, method, and rows. */
export function tableText(title: string, how: string, rows: readonly Row[]): string {
  const lines = rows.map(({ what, measured, goal }) => `| ${what} | ${measured} | ${goal} |`);
  return [`# ${title}`, '', how, '', '| what | measured | goal |', '| --- | --- | --- |', ...lines, ''].join('\n');
}
