// Tables as wide as the terminal. Nothing is truncated, because names are pasted into the next
// command: a name that is too long gets its own line, and a table that is too wide becomes one
// paragraph per row.

import stringWidth from 'fast-string-width';
import { escapeLine } from './escape.ts';
import { styled, type Style, type Terminal } from './terminal.ts';

type Cell = string | number | StyledCell;

/** A cell that is escaped already and may contain colours. */
interface StyledCell {
  readonly shown: string;
}

/** A cell with a state in the colour of `style`, plain if that is undefined. */
export function stateCell(state: string, style: Style | undefined, terminal: Pick<Terminal, 'isColoured'>): Cell {
  return style === undefined || state === '' ? state : { shown: styled(escapeLine(state), style, terminal) };
}

const GAP = '  ';

type Width = Pick<Terminal, 'columns'>;

/**
 * An aligned table; numbers are right-aligned. Escapes cells. `notes[i]` is printed below row i,
 * unless it is ''.
 */
export function tableText(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  width: Width,
  notes: readonly string[] = [],
): string {
  const [head = '', ...blocks] = tableBlocks(header, rows, width);
  const lines = [head, ...blocks.flatMap((block, i) => [block, notes[i] ?? ''])];
  return lines.filter((line) => line !== '').join('\n');
}

/** The header (empty if rows became paragraphs), then the rows, of one or more lines each. */
function tableBlocks(header: readonly string[], rows: readonly (readonly Cell[])[], width: Width): string[] {
  const cells = rows.map((row) => header.map((_, i) => shownText(row[i] ?? '')));
  const isNumber = header.map((_, i) => typeof rows[0]?.[i] === 'number');
  const widths = header.map((title, i) =>
    Math.max(stringWidth(title), ...cells.map((row) => stringWidth(row[i] ?? ''))),
  );
  const [firstWidth = 0, ...otherWidths] = widths;
  const otherTotal = otherWidths.reduce((sum, width) => sum + GAP.length + width, 0);
  const room = width.columns - otherTotal;
  if (room < stringWidth(header[0] ?? '')) return ['', ...cells.map((row) => paragraph(header, row, width))];

  // The first column is as wide as the widest name that leaves room for the other columns. A wider
  // name goes above its row.
  const names = [header[0] ?? '', ...cells.map(([name = '']) => name)].map((name) => stringWidth(name));
  const nameWidth = firstWidth <= room ? firstWidth : Math.max(...names.filter((width) => width <= room));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => padded(cell, i === 0 ? nameWidth : (widths[i] ?? 0), isNumber[i] === true))
      .join(GAP)
      .trimEnd();
  const block = (row: readonly string[]): string => {
    const [name = '', ...others] = row;
    return stringWidth(name) <= nameWidth ? line(row) : `${name}\n${line(['', ...others])}`;
  };
  return [line(header), ...cells.map(block)];
}

/** May contain colours: stringWidth does not count them. */
function shownText(cell: Cell): string {
  return typeof cell === 'object' ? cell.shown : escapeLine(String(cell));
}

/** A row as text: its name, then `title value` pairs. */
function paragraph(header: readonly string[], [name = '', ...others]: readonly string[], width: Width): string {
  const pairs = others.map((cell, i) => `${header[i + 1] ?? ''} ${cell}`);
  return `${name}\n${foldedText(GAP, pairs, width)}`;
}

/**
 * Joins parts with commas and folds them at the terminal's width. Does not break parts. Every line
 * begins with the indent.
 */
export function foldedText(indent: string, parts: readonly string[], { columns }: Width): string {
  const lines: string[] = [];
  let line = indent;
  for (const [i, part] of parts.entries()) {
    const piece = i === parts.length - 1 ? part : `${part},`;
    const isFirst = line === indent;
    if (!isFirst && stringWidth(line) + 1 + stringWidth(piece) > columns) {
      lines.push(line);
      line = indent + piece;
    } else line += isFirst ? piece : ` ${piece}`;
  }
  return [...lines, line].join('\n');
}

function padded(cell: string, width: number, isNumber: boolean): string {
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(cell)));
  return isNumber ? blanks + cell : cell + blanks;
}
