// Answers the preview's questions about a catalogue: why a product has a card or not, as `explain`
// reports it. Reads only, in one transaction per question.

import { setImmediate } from 'node:timers/promises';
import type { Instant } from '../../catalogue/instant.ts';
import type { ExplainResultJson } from '../../contract/results/explain.ts';
import { databaseText, openCatalogue } from '../../database/open.ts';
import { labelsOfListed, listedSlugs } from '../../database/load/explain-rows.ts';
import type { Contingent, MissingProduct, ProductLabels } from '../../preview/messages.ts';
import type { PreviewCatalogue } from '../../preview/preview-data.ts';
import { sessionsOfDay } from './day-sessions.ts';
import { explainOn, explainProduct, loadFront } from '../explain.ts';

/** Turns an explanation into text. The CLI does that. */
interface ExplanationText {
  readonly verdictOf: (explained: ExplainResultJson) => string | null;
  readonly sessionExplanation: (explained: ExplainResultJson) => string;
  readonly untitledExplanation: (explained: ExplainResultJson, db: string) => string;
}

export function previewCatalogue(databasePath: string, tzdata: string, text: ExplanationText): PreviewCatalogue {
  /**
   * The products that the front lists and that are wanted, explained one by one until nobody waits.
   */
  async function* listed(
    front: string,
    at: Instant,
    isWanted: (slug: string) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<readonly [slug: string, explained: ExplainResultJson]> {
    await using reader = await openCatalogue(databasePath);
    const loaded = await loadFront(reader, front, tzdata, at);
    for (const slug of loaded.front === null ? [] : await listedSlugs(reader, loaded.front.id)) {
      if (!isWanted(slug)) continue;
      // Other requests are answered in between.
      await setImmediate();
      if (signal.aborted) break;
      yield [slug, await explainOn(loaded, slug)];
    }
  }

  return {
    path: databaseText(databasePath),
    missing: async (front, at, cards, signal): Promise<readonly MissingProduct[]> => {
      const missing: MissingProduct[] = [];
      for await (const [slug, explained] of listed(front, at, (one) => !cards.has(one), signal)) {
        const { reason, product } = explained;
        const verdict = text.verdictOf(explained);
        if (reason !== null) missing.push({ slug, name: product.name, reason, verdict: verdict ?? '' });
      }
      return missing;
    },
    contingents: async (front, at, signal): Promise<readonly Contingent[]> => {
      const contingents: Contingent[] = [];
      for await (const [slug, { product, rules }] of listed(front, at, () => true, signal)) {
        for (const { start, available, isAllocated, refusal } of rules?.sessions ?? []) {
          if (isAllocated && available !== null && refusal === null)
            contingents.push({ slug, name: product.name, start, left: available });
        }
      }
      return contingents;
    },
    labels: async (front: string): Promise<readonly ProductLabels[]> => {
      await using reader = await openCatalogue(databasePath);
      return await labelsOfListed(reader, front);
    },
    explain: async (frontCode, slug, at, session) => {
      const explained = await explainProduct({ databasePath, frontCode, slug, tzdata }, at, session);
      if (session !== null) return text.sessionExplanation(explained);
      return text.untitledExplanation(explained, databaseText(databasePath));
    },
    day: async (front, at, signal) => {
      await using reader = await openCatalogue(databasePath);
      return await sessionsOfDay(await loadFront(reader, front, tzdata, at), signal);
    },
  };
}
