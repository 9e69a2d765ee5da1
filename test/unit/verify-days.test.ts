// verify judges today, tomorrow and weekend by the day of the front: what is right where the day
// begins at five is wrong where it begins at midnight, and the other way round.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Zone } from '../../src/catalogue/calendar.ts';
import { secondsOfTime } from '../../src/catalogue/days.ts';
import { instantOf } from '../../src/catalogue/instant.ts';
import { productsDocumentSchema } from '../../src/contract/documents.ts';
import { slotDateProblems } from '../../src/release/verify/dates.ts';
import { catalogueOf, session } from '../support/reference/hand-case.ts';
import { buildTree, catalogueAt, documentAt, filesOf, instant, pointerOf, temporaryFolder } from '../support/trees.ts';

const EVENING = '2026-05-01T17:00:00Z';
const NIGHT = '2026-05-01T21:30:00Z';

/** What verify says of the night's session, in a tree of one day start judged by another. */
async function problemsOf(builtFor: string, judgedBy: string, venueZone: string): Promise<readonly string[]> {
  const out = join(temporaryFolder(), 'out');
  const front = { day_starts_at: builtFor };
  const rows = catalogueOf({
    name: '',
    now: EVENING,
    front,
    venue: { timezone: venueZone },
    rows: [session(1, NIGHT)],
  });
  const database = catalogueAt(join(temporaryFolder(), 'catalogue.sqlite'), rows);
  await buildTree(database, out, instant(EVENING), { horizonSeconds: 0 });
  const files = filesOf(out);
  expect(pointerOf(files, 'here').dayStartsAt).toBe(builtFor === '00:00' ? undefined : builtFor);
  const document = productsDocumentSchema.parse(JSON.parse(documentAt(files, 'here', 'products', EVENING)));
  const use = { path: '', from: instant(EVENING), until: instantOf(instant(EVENING) + 60) };
  return slotDateProblems(document, use, new Zone('Europe/Moscow').daysFrom(secondsOfTime(judgedBy)), '67');
}

test.each([
  ['05:00', '05:00', 'Europe/Moscow', 0],
  ['00:00', '00:00', 'Europe/Moscow', 0],
  ['05:00', '00:00', 'Europe/Moscow', 1],
  ['00:00', '05:00', 'Europe/Moscow', 1],
  // 02:30 at a venue whose clocks verify does not know.
  ['05:00', '05:00', 'Asia/Dubai', 0],
  ['05:00', '00:00', 'Asia/Dubai', 1],
])('built for days from %s on, judged by days from %s on, at a venue in %s', async (built, judged, zone, least) => {
  const problems = await problemsOf(built, judged, zone);
  expect(Math.min(1, problems.length)).toBe(least);
});
