// Bytes to lines of text. Only LF ends a line: readline would also break at U+2028, which JSON
// allows inside a string. Bytes that are not UTF-8 are refused, not replaced: otherwise a name with
// U+FFFD in it would be imported unnoticed.

import { isUtf8 } from 'node:buffer';
import { AppError, shellWord } from '../../errors.ts';

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text: string;
}

const LF = 0x0a;
/** How a database begins (SQLite, "Database File Format", 1.3). */
const SQLITE_HEADER = 'SQLite format 3\0';
/** RFC 1952, 2.3.1. */
const GZIP_HEADER = '\x1f\x8b';
const BYTE_ORDER_MARK = '\ufeff';

/**
 * The lines of a stream, of any length, without their LF and without blank ones; a byte order mark
 * at the start is dropped.
 * @throws AppError import-file-unreadable for a database or gzip; import-line-invalid, with `name`
 * and the line's number
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  name: string,
  databasePath: string,
): AsyncGenerator<Line> {
  let number = 0;
  // The parts of a line that continues in the next chunk.
  let parts: Uint8Array[] = [];
  const lineOf = (last: Uint8Array): Line => {
    number += 1;
    const bytes =
      parts.length === 0 ? Buffer.from(last.buffer, last.byteOffset, last.length) : Buffer.concat([...parts, last]);
    parts = [];
    if (number === 1) refuseBinary(bytes.toString('latin1', 0, SQLITE_HEADER.length), name, databasePath);
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

/** Refuses what rows are often kept in; the hint takes them out of it, into the same database. */
function refuseBinary(header: string, name: string, databasePath: string): void {
  const refused = (found: string, command: string): AppError =>
    new AppError(
      'import-file-unreadable',
      `expected rows as text in ${name}, found ${found}`,
      `${command} | playbill import - --db ${shellWord(databasePath)}`,
    );
  if (header === SQLITE_HEADER) throw refused('an SQLite database', 'export its rows: playbill export --db FILE');
  if (header.startsWith(GZIP_HEADER)) throw refused('gzip', 'unpack it: zcat FILE');
}
