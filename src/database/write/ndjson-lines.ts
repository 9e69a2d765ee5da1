// Bytes to lines of text. Only LF ends a line: readline would also break at U+2028, which JSON allows inside a string. Bytes
// that are not UTF-8 are refused, not replaced: otherwise a name with U+FFFD in it would be imported unnoticed.

import { isUtf8 } from 'node:buffer';
import { AppError } from '../../errors.ts';

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

const LF = 0x0a;
/** How a database begins (SQLite, "Database File Format", 1.3). */
const SQLITE_HEADER = 'SQLite format 3\0';
const BYTE_ORDER_MARK = '\ufeff';

/**
 * The lines of a stream, of any length, without their LF and without blank ones; a byte order mark at the start is dropped.
 * @throws AppError import-file-unreadable for a database; import-line-invalid, with `name` and the line's number
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Line> {
  let number = 0;
  // The parts of a line that continues in the next chunk.
  let parts: Uint8Array[] = [];
  const lineOf = (last: Uint8Array): Line => {
    number += 1;
    const bytes =
      parts.length === 0 ? Buffer.from(last.buffer, last.byteOffset, last.length) : Buffer.concat([...parts, last]);
    parts = [];
    if (number === 1 && bytes.toString('latin1', 0, SQLITE_HEADER.length) === SQLITE_HEADER) {
      const message = `expected rows as text in ${name}, found an SQLite database`;
      const hint = 'export its rows: playbill export --db FILE | playbill import -';
      throw new AppError('import-file-unreadable', message, hint);
    }
    if (!isUtf8(bytes)) {
      const message = `${name}:${number}: expected UTF-8, found bytes that are not`;
      throw new AppError('import-line-invalid', message, 'convert it first, for example: iconv -f LATIN1 -t UTF-8');
    }
    const text = bytes.toString('utf8');
    return { number, text: number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text };
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      const line = lineOf(chunk.subarray(from, end));
      from = end + 1;
      if (line.text.trim() !== '') yield line;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  const line = lineOf(new Uint8Array());
  if (line.text.trim() !== '') yield line;
}
