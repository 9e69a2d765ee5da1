// The tables of `npm run bench`: a row, how its figures are printed, and the table as a document.

/** A row of a table. `what` is the same in every run; `goal` is `-` if there is none. */
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

export function times(a = NaN, b = NaN, digits = 1): string {
  return `${(a / b).toFixed(digits)} ×`;
}

export function inSeconds(seconds = NaN): string {
  return `${seconds.toFixed(2)} s`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

/** A document for test/bench: title, method, and rows. */
export function tableText(title: string, how: string, rows: readonly Row[]): string {
  const lines = rows.map(({ what, measured, goal }) => `| ${what} | ${measured} | ${goal} |`);
  return [`# ${title}`, '', how, '', '| what | measured | goal |', '| --- | --- | --- |', ...lines, ''].join('\n');
}

/** A table with what an older one of the same title says beside it; as it is where that has another. */
export function besideOlder(table: string, older: string): string {
  const [title = ''] = table.split('\n');
  if (!older.startsWith(`${title}\n`)) return table;
  const before = new Map(older.split('\n').flatMap((line) => pairOf(line)));
  return table
    .split('\n')
    .map((line) => pairOf(line).reduce((whole, [what]) => `${whole} ${before.get(what) ?? '-'} |`, line))
    .join('\n')
    .replace('| what | measured | goal |', '| what | measured | goal | before |')
    .replace('| --- | --- | --- |', '| --- | --- | --- | --- |');
}

/** What a row measures, and what it was; nothing for a line that is no row of figures. */
function pairOf(line: string): readonly [what: string, measured: string][] {
  const [, what = '', measured = ''] = /^\| (.*?) \| (.*?) \| .* \|$/.exec(line) ?? [];
  return what === '' || what === 'what' || what === '---' ? [] : [[what, measured]];
}
