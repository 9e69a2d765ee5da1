// Finds texts that no front can show: in a language of no front, or of a row that does not exist.
// Only warnings: a language may be prepared, and a row of `texts` has no foreign key.

import { tagsOf } from '../../catalogue/texts.ts';
import type { Finding } from '../../findings.ts';
import { anyTable, checkedRows, knownTables } from '../contract/query-builders.ts';
import { findingOf, RowChecker } from '../contract/row-checker.ts';
import { TABLE_OF_KIND } from '../contract/tables.ts';
import { ruleOnTotals, type Rows, type Rule } from './rule.ts';

const FRONT = new RowChecker('fronts', ['id', 'locale']);
const LOCALE = new RowChecker('texts', ['locale']);

/** The languages of texts, with the number of these. */
const LOCALES_TOTAL = knownTables
  .selectFrom('texts')
  .select(['locale', (eb) => eb.fn.countAll().as('texts')])
  .groupBy('locale')
  .orderBy('locale');

/** A warning for each language of texts that is none of a front, nor a shortening of one. */
export const LOCALES = ruleOnTotals({
  needs: ['fronts', 'texts'],
  unspoiled: ['fronts'],
  queries: () => [checkedRows(FRONT), LOCALES_TOTAL],
  findingsIn: (fronts: Rows, locales: Rows) => {
    const shown = new Set(fronts.flatMap((row) => (FRONT.accepts(row) ? tagsOf(row[1]) : [])));
    return locales.flatMap((row): Finding[] => {
      if (!LOCALE.accepts(row) || shown.has(row[0].toLowerCase())) return [];
      const message = `locale: expected the locale of a front, or a shorter form of one, found ${row[0]}, in ${String(row[1])} texts: no front shows them`;
      return [findingOf('warning', 'locale-unused', `texts ${row[0]}`, message, 'locale')];
    });
  },
});

const TEXT = new RowChecker('texts', ['kind', 'id', 'locale', 'field']);

/**
 * For each kind of thing, a warning for each text of one that does not exist: not weighed, as no
 * document shows it anyway.
 */
export const TEXTS_OF_NOTHING = Object.entries(TABLE_OF_KIND).map(([kind, table]): Rule => ({
  needs: ['texts', table],
  unspoiled: [],
  findings: async function* ({ reader }) {
    // EXCEPT, as for other ids (contract/dangling-ids.ts).
    const texts = anyTable.selectFrom('texts').select('id').where('kind', '=', kind);
    const unknown = texts.except(anyTable.selectFrom(table).select(reader.idAsText(table).as('id')));
    for await (const batch of reader.batches(checkedRows(TEXT).where('kind', '=', kind).where('id', 'in', unknown))) {
      for (const row of batch) {
        if (!TEXT.accepts(row)) continue;
        const message = `id: expected the id of a row of ${table}, found ${row[1]}: no front shows it`;
        yield findingOf('warning', 'text-unused', TEXT.locationOf(row), message, 'id');
      }
    }
  },
}));
