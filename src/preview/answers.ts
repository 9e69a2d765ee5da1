// What the page asks for, by path: answered by the server, and embedded in an export.

import { parseInstant, type Instant } from '../catalogue/instant.ts';
import {
  ALARMS_PATH,
  CHANGES_PATH,
  CONTINGENTS_PATH,
  CURRENT_PATH,
  DAY_PATH,
  EXPLAIN_PATH,
  FRONTS_PATH,
  HISTORY_PATH,
  LABELS_PATH,
  MISSING_PATH,
  OVERVIEW_PATH,
  RELEASES_PATH,
} from './messages.ts';
import type { PreviewCatalogue, PreviewData } from './preview-data.ts';

export interface Sources {
  readonly data: PreviewData;
  /** null to read only the tree. */
  readonly catalogue: PreviewCatalogue | null;
  /** The current time, floored to whole seconds. */
  readonly now: () => Instant;
}

/**
 * The JSON at an API path; null for any other path. `signal` is aborted when nobody waits for it
 * any more.
 * @throws AppError
 */
export async function answerTo(
  path: string,
  { data, catalogue, now }: Sources,
  signal: AbortSignal,
): Promise<string | null> {
  if (path === OVERVIEW_PATH) return JSON.stringify(await data.overview(now(), catalogue?.path ?? null));
  if (path === CURRENT_PATH) return JSON.stringify(await data.current(now()));
  const [, api, kind, ...encoded] = path.split('/');
  const parts = encoded.map(decoded);
  if (api !== 'api' || !parts.every((part) => part !== null)) return null;
  const [first = '', second = '', third = '', fourth = ''] = parts;
  const prefix = `/api/${kind}/`;
  if (prefix === RELEASES_PATH) return JSON.stringify(await data.release(parts.join('/')));
  if (prefix === FRONTS_PATH) return data.edition(parts.join('/'));
  if (prefix === CHANGES_PATH) return JSON.stringify(await data.changes(first, second));
  if (prefix === HISTORY_PATH) return JSON.stringify(await data.history(first));
  if (prefix === LABELS_PATH && catalogue !== null) return JSON.stringify(await catalogue.labels(first));
  const at = parseInstant(parts.at(-1) ?? '');
  if (at === undefined) return null;
  if (prefix === ALARMS_PATH) return JSON.stringify(await data.alarms(first, at));
  if (catalogue === null) return null;
  if (prefix === CONTINGENTS_PATH && second !== '')
    return JSON.stringify(await catalogue.contingents(first, at, signal));
  if (prefix === MISSING_PATH && third !== '') {
    const cards = await data.cards(first, second, at);
    return JSON.stringify(await catalogue.missing(second, at, cards, signal));
  }
  if (prefix === DAY_PATH && second !== '') return JSON.stringify(await catalogue.day(first, at, signal));
  const startsAt = parts.length === 5 ? parseInstant(fourth) : null;
  if (prefix !== EXPLAIN_PATH || third === '' || startsAt === undefined) return null;
  const session = startsAt === null ? null : { id: third, startsAt };
  return JSON.stringify({ text: await catalogue.explain(first, second, at, session) });
}

/** The inverse of `pathOf` for one part; null if it is not encoded so. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
