// The time zone of a front, for times of day that a person types.

import { Zones, type Zone } from '../catalogue/calendar.ts';
import type { Instant } from '../catalogue/instant.ts';
import { mayBeOpened, openCatalogue } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { showDocument } from '../release/status/show.ts';
import { openTree } from '../storage/open-tree.ts';
import { loadFront } from './explain.ts';

/** Where to look: in the catalogue if there is one, else in the tree. */
export interface FrontSources {
  readonly databasePath: string | null;
  readonly outPath: string | null;
  /** Version of the time-zone rules. */
  readonly tzdata: string;
}

/** @throws AppError front-unknown, nothing-published, database-…, tree-… */
export async function frontZone(
  code: string,
  { databasePath, outPath, tzdata }: FrontSources,
  now: Instant,
): Promise<Zone> {
  const zone = await (databasePath === null
    ? zoneInTree(outPath ?? '', code, now)
    : outPath === null || mayBeOpened(databasePath)
      ? zoneIn(databasePath, code, tzdata, now)
      : // `preview` needs no catalogue. For what does, that it is missing is the error.
        zoneInTree(outPath, code, now).catch(() => zoneIn(databasePath, code, tzdata, now)));
  if (zone !== null) return zone;
  const message = `expected the time zone of ${code}, for a time of day, found none`;
  throw new AppError('nothing-published', message, 'type the time as an instant, with its date and an offset');
}

async function zoneIn(databasePath: string, code: string, tzdata: string, now: Instant): Promise<Zone | null> {
  await using reader = await openCatalogue(databasePath);
  return (await loadFront(reader, code, tzdata, now)).front?.zone ?? null;
}

async function zoneInTree(outPath: string, code: string, now: Instant): Promise<Zone | null> {
  const { pointer } = await showDocument(code, 'products', await openTree(outPath), now);
  return new Zones().get(pointer.timezone);
}
