// `playbill import`: files of rows into a catalogue, which is made where there is none.

import type { RowsResultJson } from '../../contract/results.ts';
import { shellWord } from '../../errors.ts';
import type { PlaybillCommand } from '../command.ts';
import { tableText } from '../output/table.ts';
import { countText } from '../output/terminal.ts';

/** A small import is over before a count could be read. */
const ROWS_BETWEEN_COUNTS = 1000;

export function addImportCommand(program: PlaybillCommand): void {
  program
    .command('import')
    .summary('read rows into the catalogue, which is made if there is none')
    .description(
      'Reads rows as NDJSON, one {"table":…,"row":{…}} a line, and inserts all of them in one transaction, or none. ' +
        'Rows may come in any order. Columns left out get their default. A row whose key is there already is refused.',
    )
    .operand('<file...>', 'files of rows; - for standard input')
    .dbFlag('the catalogue database; made, with the folders above it, if there is none')
    .flag('--replace', 'let a row take the place of one with the same key; what refers to it stays')
    .jsonFlag('print the summary as JSON')
    .helpBelow(`
Examples:
  playbill import rows.ndjson                           into data/catalogue.sqlite
  playbill import venues.ndjson sessions.ndjson --db /srv/catalogue.sqlite
  playbill export --table sessions | sed 's/"paused":1/"paused":0/' |
    playbill import - --replace
  playbill import /dev/null --db empty.sqlite           an empty catalogue

A line:
  {"table":"venues","row":{"id":1,"name":"Stage","timezone":"Europe/Berlin"}}

--replace removes nothing: rows that the files do not have stay. For those to go, import all rows into a new file and
move it over the old one.

Tables and columns are those of data/schema.sql. What takes several rows to judge is found by playbill check-db.

Exit codes: 0 imported, 2 wrong usage or a row that is refused; then nothing is imported.`)
    .writes(': nothing was imported; the database is as it was')
    .runs(async (files, flags, { terminal }) => {
      const { importFiles } = await import('../../operations/import.ts');
      const interrupted = new AbortController();
      // Before the process's own handlers, which end it: a catalogue that is being made leaves nothing behind.
      for (const signal of ['SIGINT', 'SIGTERM'] as const)
        process.prependOnceListener(signal, () => interrupted.abort());
      const bar = await terminal.progress('importing', 'rows');
      let rowsTotal = 0;
      const { rows, isNew } = await importFiles(files, process.stdin, {
        databasePath: flags.db,
        isReplacing: flags.replace === true,
        signal: interrupted.signal,
        onRow: () => {
          rowsTotal += 1;
          if (rowsTotal % ROWS_BETWEEN_COUNTS === 0) bar.show(rowsTotal);
        },
      }).finally(bar.end);
      if (flags.json === true) {
        const json: RowsResultJson = { rows, rowsTotal };
        terminal.print(JSON.stringify(json));
        return;
      }
      if (rowsTotal > 0) terminal.print(`${tableText(['table', 'rows'], Object.entries(rows))}\n`);
      const tables = countText(Object.keys(rows).length, 'table');
      terminal.print(
        `Imported ${countText(rowsTotal, 'row')} of ${tables} into ${flags.db}${isNew ? ', which was made' : ''}\n` +
          `Check it with: playbill check-db --db ${shellWord(flags.db)}`,
      );
    });
}
