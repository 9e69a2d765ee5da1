// Writes a view of the preview as a page that needs no server.

import type { Instant } from '../../catalogue/instant.ts';
import type { PreviewExportJson } from '../../contract/results/preview.ts';
import type { Sources } from '../../preview/answers.ts';
import type { PageBundle } from '../../preview/bundle.ts';
import { EXPORT_START, exportPage } from '../../preview/export-page.ts';
import { viewStateOf } from '../../preview/page/state/view-state.ts';
import { PreviewData } from '../../preview/preview-data.ts';
import { freshTrees } from '../../storage/open-tree.ts';
import { replaceOnlyFile } from '../../storage/write-folder.ts';

interface ExportOptions extends Omit<Sources, 'data'> {
  readonly out: string;
  readonly page: PageBundle;
  readonly to: string;
  /** The query of the address that the page shows. */
  readonly query: string;
  readonly front: string | null;
  readonly at: Instant | null;
  /** Makes the temporary name unique among processes. */
  readonly writer: string;
}

/**
 * Writes a view of the preview into a folder, as a page that needs no server. `front` and `at`
 * replace those of the query.
 * @throws AppError preview-export-…, nothing-published, tree-…, database-…
 */
export async function exportPreview(options: ExportOptions): Promise<PreviewExportJson> {
  const { out, to, query, front, at, page, writer, ...sources } = options;
  const asked = viewStateOf(query);
  const wanted = { ...asked, front: front ?? asked.front, at: at ?? asked.at };
  const data = new PreviewData(await freshTrees(out));
  const { html, ...shown } = await exportPage(wanted, { data, ...sources }, page);
  const path = replaceOnlyFile(to, ['index.html', html], { start: EXPORT_START, flag: '--export', writer });
  return { path, bytes: Buffer.byteLength(html), ...shown };
}
