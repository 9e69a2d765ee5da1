// Answers the preview's questions about a catalogue: why a product has a card or not, as `explain`
// reports it. Reads only, in one transaction per question.

import type { Instant } from '../catalogue/instant.ts';
import type { ExplainResultJson } from '../contract/results/explain.ts';
import { databaseText, openCatalogue } from '../database/open.ts';
import { listedSlugs } from '../database/load/explain-rows.ts';
import type { MissingProduct } from '../preview/messages.ts';
import type { PreviewCatalogue } from '../preview/preview-data.ts';
import { explainOn, explainProduct, loadFront } from './explain.ts';

/** Turns an explanation into text. The CLI does that. */
interface ExplanationText {
  readonly verdictLine: (explained: ExplainResultJson) => string;
  readonly explanationText: (explained: ExplainResultJson, db: string) => string;
}

export function previewCatalogue(databasePath: string, tzdata: string, text: ExplanationText): PreviewCatalogue {
  return {
    path: databaseText(databasePath),
    missing: async (front: string, at: Instant): Promise<readonly MissingProduct[]> => {
      await using reader = await openCatalogue(databasePath);
      const loaded = await loadFront(reader, front, tzdata, at);
      const missing: MissingProduct[] = [];
      for (const slug of loaded.front === null ? [] : await listedSlugs(reader, loaded.front.id)) {
        const explained = await explainOn(loaded, slug);
        const { reason, product } = explained;
        if (reason !== null) missing.push({ slug, name: product.name, reason, verdict: text.verdictLine(explained) });
      }
      return missing;
    },
    explain: async (frontCode, slug, at) =>
      text.explanationText(
        await explainProduct({ databasePath, frontCode, slug, tzdata }, at),
        databaseText(databasePath),
      ),
  };
}
