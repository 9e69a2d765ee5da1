// `playbill import`: reads files of rows into a catalogue, which it creates if needed.

import type { MirrorResultJson, RowChanges, RowsResultJson } from '../../contract/results/import.ts';
import { AppError, shellWord } from '../../errors.ts';
import { databaseText } from '../../database/open.ts';
import { percentageArgument } from '../arguments.ts';
import type { FlagsOf, PlaybillCommand } from '../command.ts';
import { TRY_AGAIN } from '../exit-codes.ts';
import { tableText } from '../output/table.ts';
import { countText } from '../../count-text.ts';
import type { Terminal } from '../output/terminal.ts';

/** Progress is updated every so many rows; a smaller import shows none. */
const ROWS_BETWEEN_COUNTS = 1000;

const MAX_SHRINK = 0.5;

type ImportFlags = FlagsOf<typeof declareImport>;

function declareImport(program: PlaybillCommand) {
  return program
    .command('import')
    .summary('read rows into the catalogue; create it if needed')
    .description(
      'Reads rows as NDJSON, one {"table":…,"row":{…}} per line, and inserts all of them in one transaction, or none. ' +
        'Rows may come in any order. Omitted columns get their default. A row whose key exists already is refused.',
    )
    .operand('<file...>', 'files of rows; - for standard input')
    .writtenDbFlag('the catalogue; it and its parent folders are created if needed')
    .flag('--replace', 'replace existing rows with the same key; rows that refer to them stay')
    .flag('--mirror', 'make the catalogue hold exactly these rows: insert, update and delete what differs')
    .flag(
      '--max-shrink <percentage>',
      'with --mirror: the share of its rows that a table may lose (default: 50%)',
      percentageArgument,
    )
    .flag('--allow <code>', 'with --mirror: override this guard, and delete any number of rows', ['max-shrink'])
    .jsonFlag().helpBelow(`
Examples:
  playbill import rows.ndjson                           into data/catalogue.sqlite
  playbill import venues.ndjson sessions.ndjson --db /srv/catalogue.sqlite
  playbill import --mirror feed.ndjson                  the rows of the feed, and no others
  playbill export --table sessions | sed 's/"paused":1/"paused":0/' |
    playbill import - --replace

A line:
  {"table":"venues","row":{"id":1,"name":"Stage","timezone":"Europe/Berlin"}}

--replace deletes nothing: rows that are not in the files stay.

--mirror takes all files together as the whole catalogue. It deletes rows that are not in them, empties tables of which
they have no row, and does not write rows that are the same. The exception is front_keys, which keys issue and keys
revoke write: if the files have no row of it, its rows stay; a revoked key stays revoked. If a table would lose more than
--max-shrink of its rows, nothing is changed: the feed may be incomplete. From categories, groups, tags, badges, images,
texts and their links, up to 20 rows may always go.

Files without a row do not make a catalogue.

Tables and columns are those of data/schema.sql. Rules between rows are checked by: playbill check-db

Exit codes: 0 imported, 2 wrong usage or a refused row, 4 --mirror would delete too many rows; 2 and 4 change nothing;
${TRY_AGAIN}.`);
}

export function addImportCommand(program: PlaybillCommand): void {
  declareImport(program)
    .writes()
    .runs(async (files, flags, context) => {
      const { terminal } = context;
      refuseContradictions(flags);
      const { importFiles, mirrorFiles } = await import('../../operations/import.ts');
      const db = databaseText(flags.db);
      const interrupted = new AbortController();
      let state = 'nothing was imported; the database is as it was';
      // Removes the catalogue that it was creating, or rolls back, so that no journal is left to
      // readers who may not apply it.
      context.onInterrupt((signal) => {
        interrupted.abort();
        terminal.log(`interrupted by ${signal}: ${state}`);
        process.kill(process.pid, signal);
      });
      const warnOf = (leftBehind: string | null): void => {
        if (leftBehind !== null)
          terminal.log({
            level: 'warning',
            message: `${leftBehind} could not be removed; the next import into ${db} removes it`,
          });
      };
      const bar = terminal.progress('importing', 'rows');
      let rowsTotal = 0;
      const options = {
        databasePath: flags.db,
        signal: interrupted.signal,
        onRow: () => {
          rowsTotal += 1;
          if (rowsTotal % ROWS_BETWEEN_COUNTS === 0) bar.show(rowsTotal);
        },
        onCommit: () => {
          state = 'either everything was imported or nothing; to find out which, look with: playbill export';
        },
      };
      if (flags.mirror === true) {
        const guard = { maxShrink: flags.maxShrink ?? MAX_SHRINK, allowShrink: flags.allow !== undefined };
        const { tables, keysLeftAlone, guards, isNew, leftBehind } = await mirrorFiles(files, process.stdin, {
          ...options,
          ...guard,
        });
        warnOf(leftBehind);
        const json: MirrorResultJson = { tables, total: totalOf(Object.values(tables)), keysLeftAlone, guards };
        terminal.print(flags.json === true ? JSON.stringify(json) : mirrorText(json, db, isNew, terminal));
        return;
      }
      const { rows, isNew, leftBehind } = await importFiles(files, process.stdin, {
        ...options,
        isReplacing: flags.replace === true,
      });
      warnOf(leftBehind);
      const json: RowsResultJson = { rows, rowsTotal };
      terminal.print(flags.json === true ? JSON.stringify(json) : importText(json, db, isNew, terminal));
    });
}

/** @throws AppError usage */
function refuseContradictions({ mirror, replace, maxShrink, allow }: ImportFlags): void {
  if (mirror === true && replace === true) {
    const hint = 'type --mirror alone: it also replaces rows, and deletes those that are not in the files';
    throw new AppError('usage', 'expected --mirror or --replace, found both', hint);
  }
  const flag = allow === undefined ? '--max-shrink' : '--allow max-shrink';
  if (mirror !== true && (allow !== undefined || maxShrink !== undefined)) {
    const hint = `leave out ${flag}, or type --mirror ${flag}: only --mirror deletes rows`;
    throw new AppError('usage', `expected --mirror with ${flag}, found ${flag} alone`, hint);
  }
}

function importText(
  { rows, rowsTotal }: RowsResultJson,
  db: string,
  isNew: boolean,
  width: Pick<Terminal, 'columns'>,
): string {
  const table = rowsTotal > 0 ? `${tableText(['table', 'rows'], Object.entries(rows), width)}\n\n` : '';
  const tables = countText(Object.keys(rows).length, 'table');
  return `${table}Imported ${countText(rowsTotal, 'row')} of ${tables} into ${db}${isNew ? CREATED : ''}\n${checkText(db)}`;
}

function mirrorText(
  { tables, total, keysLeftAlone, guards }: MirrorResultJson,
  db: string,
  isNew: boolean,
  width: Pick<Terminal, 'columns'>,
): string {
  const rows = Object.entries(tables).map(([table, changes]) => [table, ...KINDS.map((kind) => changes[kind])]);
  const table = rows.length > 0 ? `${tableText(['table', ...KINDS], rows, width)}\n\n` : '';
  const mirrored = countText(total.inserted + total.updated + total.unchanged, 'row');
  const counts = KINDS.map((kind) => `${total[kind]} ${kind}`).join(', ');
  const keys = keysLeftAlone === 0 ? '' : `\nKeys of fronts, kept because the files have none: ${keysLeftAlone}`;
  const overridden = guards.map(({ code, message }) => `\noverridden ${code}: ${message}`).join('');
  return `${table}Mirrored ${mirrored} into ${db}${isNew ? CREATED : ''}: ${counts}${keys}${overridden}\n${checkText(db)}`;
}

const CREATED = ', which was created';

const checkText = (db: string): string => `Check it with: playbill check-db --db ${shellWord(db)}`;

const KINDS = ['inserted', 'updated', 'deleted', 'unchanged'] as const satisfies readonly (keyof RowChanges)[];

function totalOf(all: readonly RowChanges[]): RowChanges {
  const sum = (kind: keyof RowChanges): number => all.reduce((total, changes) => total + changes[kind], 0);
  return { inserted: sum('inserted'), updated: sum('updated'), deleted: sum('deleted'), unchanged: sum('unchanged') };
}
