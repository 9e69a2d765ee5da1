// Loads the texts of the languages that fronts have, all at once. An error in a row leaves out that
// text: the row's own stands (containment.md).

import { LanguageTexts, tagsOf, Texts } from '../../catalogue/texts.ts';
import type { Front } from '../../catalogue/front.ts';
import type { CatalogueReader } from '../reader.ts';
import { checkedRows } from '../contract/query-builders.ts';
import { repeated, RowChecker, type FindingLog, type RowOf } from '../contract/row-checker.ts';
import { textFieldFinding } from '../contract/row-rules.ts';

export const TEXT = new RowChecker('texts', ['kind', 'id', 'locale', 'field', 'text']);

type TextRow = RowOf<'texts', typeof TEXT.columns>;

/** The texts of the fronts' languages; rows of others are checked, and not kept. */
export async function loadTexts(
  reader: CatalogueReader,
  fronts: readonly Pick<Front, 'locale'>[],
  log: FindingLog,
): Promise<Texts> {
  const wanted = new Set(fronts.flatMap(({ locale }) => tagsOf(locale)));
  const byTag = new Map<string, LanguageTexts>();
  const repeatedRows: TextRow[] = [];
  for await (const batch of reader.batches(checkedRows(TEXT))) {
    await reader.markUndecodable(TEXT, batch);
    for (const row of batch) {
      if (!TEXT.check(row, log, {})) continue;
      const problem = textFieldFinding(() => TEXT.locationOf(row), row[0], row[3]);
      if (problem !== null) log.add([problem], {});
      else if (wanted.has(row[2].toLowerCase())) note(row);
    }
  }
  for (const [kind, id, locale, field] of repeatedRows) byTag.get(locale.toLowerCase())?.delete(kind, field, id);
  return new Texts(byTag);

  function note(row: TextRow): void {
    const [kind, id, locale, field, text] = row;
    const tag = locale.toLowerCase();
    const texts = byTag.get(tag) ?? new LanguageTexts();
    byTag.set(tag, texts);
    if (texts.has(kind, field, id)) {
      log.add([repeated(TEXT.locationOf(row))], {});
      repeatedRows.push(row);
    }
    texts.set(kind, field, id, text);
  }
}
