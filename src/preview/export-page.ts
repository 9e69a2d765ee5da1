// One view of the preview as a page that needs no server: the same script and style, inline and
// allowed by their hashes alone, and all that the page would ask its server for, embedded. It can
// load nothing, not even from its own folder.

import { createHash } from 'node:crypto';
import { formatInstant, parseOffsetDateTime } from '../catalogue/instant.ts';
import type { ProductCard, ProductsDocument } from '../contract/documents.ts';
import { AppError, shellWord } from '../errors.ts';
import { nothingPublished } from '../release/tree/found.ts';
import { answerTo, type Sources } from './answers.ts';
import type { PageBundle } from './bundle.ts';
import {
  ALARMS_PATH,
  CHANGES_PATH,
  CONTINGENTS_PATH,
  CURRENT,
  EXPLAIN_PATH,
  FRONTS_PATH,
  HISTORY_PATH,
  LABELS_PATH,
  MISSING_PATH,
  OVERVIEW_PATH,
  pathOf,
  RELEASES_PATH,
  type DaySessions,
  type ExportedPage,
  type MissingProduct,
  type Overview,
  type PreviewRelease,
} from './messages.ts';
import { dayPath } from './page/state/front-day.ts';
import { clampTo, editionPaths, frontOf, sceneOf, type Scene } from './page/state/scene.ts';
import { queryOf, type ViewState } from './page/state/view-state.ts';
import { instantAt } from './page/text/descriptions.ts';

/** What most mail servers take. */
const BYTES_MAX = 10_000_000;

/** How an exported page begins. */
export const EXPORT_START = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="Playbill, an exported preview">
`;

export interface PageExport {
  readonly html: string;
  readonly front: string;
  /** The id of the release; null if no manifest names it. */
  readonly release: string | null;
  /** The instant that it shows. */
  readonly at: string;
}

/**
 * The page that shows what an address of the preview shows.
 * @throws AppError preview-export-too-large, nothing-published, tree-…, database-…
 */
export async function exportPage(
  asked: ViewState,
  sources: Sources,
  page: PageBundle,
  bytesMax = BYTES_MAX,
): Promise<PageExport> {
  const wanted = asked.view === 'health' ? { ...asked, beside: null, from: null } : asked;
  const answers = new Answers(sources);
  const { scene, overview } = await answers.takeScene(wanted);
  const release = wanted.release === CURRENT ? overview.current : wanted.release;
  await answers.takeFront(scene);
  if (sources.catalogue !== null) await answers.takeCatalogue(scene, wanted);
  const at = formatInstant(scene.chosen);
  const html = htmlOf(page, {
    query: queryOf({ ...wanted, front: scene.front, at: scene.chosen }),
    made: overview.now,
    release,
    answers: Object.fromEntries(answers.known),
    cards: answers.cards,
  });
  const bytes = Buffer.byteLength(html);
  if (bytes > bytesMax) {
    const build = [
      'playbill build --horizon 0',
      `--now ${at}`,
      `--front ${shellWord(scene.front)}`,
      '--out FOLDER',
    ].join(' ');
    throw new AppError(
      'preview-export-too-large',
      `expected a page of at most ${bytesMax} bytes, found ${bytes}`,
      `end the comparison if there is one; or export a tree of this instant alone: ${build}`,
    );
  }
  return { html, front: scene.front, release, at };
}

/** What the page will ask for, by path. */
class Answers {
  readonly known = new Map<string, object>();
  readonly cards: ProductCard[] = [];
  /** Indexes of `cards` by their JSON. */
  readonly #indexes = new Map<string, number>();
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** @throws AppError */
  async takeScene(wanted: ViewState): Promise<{ readonly scene: Scene; readonly overview: Overview }> {
    const overview = await this.#ask<Overview>(OVERVIEW_PATH);
    const own = await this.#ask<PreviewRelease>(pathOf(RELEASES_PATH, wanted.release));
    const beside =
      wanted.beside === null ? null : await this.#ask<PreviewRelease>(pathOf(RELEASES_PATH, wanted.beside));
    const scene = sceneOf(wanted, own, beside, instantAt(overview.now));
    if (scene === null) {
      const front = frontOf(wanted, own);
      const problem = own.fronts.find((one) => one.front === front)?.problem ?? null;
      if (problem !== null) throw new AppError('tree-unreadable', problem, 'to find all damage, run: playbill verify');
      const what = front === null ? 'a published front' : `front ${JSON.stringify(front)}`;
      throw nothingPublished(
        what,
        overview.root,
        own.fronts.map((one) => one.front),
      );
    }
    const shown = [own, ...(beside === null ? [] : [beside])];
    for (const { id, fronts } of shown)
      this.known.set(pathOf(RELEASES_PATH, id), { id, fronts: fronts.filter((one) => one.front === scene.front) });
    const ids = shown.map(({ id }) => (id === CURRENT ? overview.current : id));
    const releases = overview.releases.filter(({ id }) => ids.includes(id));
    this.known.set(OVERVIEW_PATH, { ...overview, releases });
    return { scene, overview };
  }

  /** What the tree says of the front. */
  async takeFront({ front, chosen, sides }: Scene): Promise<void> {
    for (const side of sides) {
      await this.#take(pathOf(CHANGES_PATH, side.release, front));
      for (const edition of editionPaths(side, [...side.pointer.products.keys()])) await this.#takeEdition(edition);
    }
    await this.#take(pathOf(HISTORY_PATH, front));
    await this.#take(pathOf(ALARMS_PATH, front, formatInstant(chosen)));
  }

  /** What the catalogue says of the front: products without a card, what is open, the map's day. */
  async takeCatalogue({ front, at, timeline, sides }: Scene, wanted: ViewState): Promise<void> {
    const { card, missing, session } = wanted;
    if (wanted.view === 'map' && sides.length === 1)
      await this.#takeDay(front, dayPath(front, sides[0].pointer, at), formatInstant(at), session);
    await this.#take(pathOf(LABELS_PATH, front));
    await this.#take(pathOf(CONTINGENTS_PATH, front, formatInstant(at)));
    const [{ release, pointer }] = sides;
    const without = await this.#take<readonly MissingProduct[]>(
      pathOf(MISSING_PATH, release, front, formatInstant(at)),
    );
    if (missing !== null) await this.#take(pathOf(MISSING_PATH, release, front, pointer.now));
    const instants = new Set(sides.map(({ instant }) => formatInstant(clampTo(timeline, instant))));
    const slugs = new Set([...(without ?? []).map(({ slug }) => slug), ...(card === null ? [] : [card])]);
    for (const slug of slugs)
      for (const instant of instants) await this.#take(pathOf(EXPLAIN_PATH, front, slug, instant));
  }

  /** `session`: the one that is open. */
  async #takeDay(front: string, path: string, at: string, session: string | null): Promise<void> {
    const day = await this.#take<DaySessions>(path);
    for (const { slug, sessions } of day?.products ?? []) {
      const start = sessions.find(({ id }) => id === session)?.start;
      if (start !== undefined && session !== null)
        await this.#take(
          pathOf(EXPLAIN_PATH, front, slug, session, formatInstant(parseOffsetDateTime(start) ?? instantAt(at)), at),
        );
    }
  }

  /** Editions share most of their cards, so that each card is kept once. */
  async #takeEdition(edition: string): Promise<void> {
    const path = FRONTS_PATH + edition;
    if (this.known.has(path)) return;
    const document = await this.#ask<ProductsDocument>(path);
    this.known.set(path, { ...document, productCards: document.productCards.map((card) => this.#indexOf(card)) });
  }

  #indexOf(card: ProductCard): number {
    const text = JSON.stringify(card);
    const index = this.#indexes.get(text) ?? this.cards.push(card) - 1;
    this.#indexes.set(text, index);
    return index;
  }

  /** Leaves out what cannot be answered: the page then says so in its place. */
  async #take<T extends object>(path: string): Promise<T | null> {
    try {
      const answer = await this.#ask<T>(path);
      this.known.set(path, answer);
      return answer;
    } catch (error) {
      if (error instanceof AppError) return null;
      throw error;
    }
  }

  async #ask<T extends object>(path: string): Promise<T> {
    const json = await answerTo(path, this.#sources, new AbortController().signal);
    if (json === null) throw new Error(`no such path: ${path}`);
    return JSON.parse(json) as T;
  }
}

function htmlOf({ script, style }: PageBundle, exported: ExportedPage): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  // Inside of a script element, only this character could end it.
  const data = JSON.stringify(exported).replaceAll('<', String.raw`\u003c`);
  return `${EXPORT_START}<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>Playbill preview</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>${style}</style>
</head>
<body><div id="page"></div><noscript>The preview needs JavaScript.</noscript>
<script type="application/json" id="export">${data}</script>
<script type="module">${script}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
