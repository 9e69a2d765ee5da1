// The sessions that start on one day of a front, each with what the rules of catalogue/ say of it
// at every instant of the day: for the preview's map. Read as `explain` reads a product.

import { setImmediate } from 'node:timers/promises';
import { boundariesOf } from '../../catalogue/boundaries.ts';
import { Zone } from '../../catalogue/calendar.ts';
import { dayAround } from '../../catalogue/days.ts';
import { formatInstant, instantOf, secondsOfDay, type Instant } from '../../catalogue/instant.ts';
import { formatAmount } from '../../catalogue/money.ts';
import { priceFromAt } from '../../catalogue/offer.ts';
import type { Product, Session } from '../../catalogue/product.ts';
import { badSessionsOn, productOn } from '../../catalogue/selling.ts';
import { timeOf } from '../../database/contract/row-rules.ts';
import { idsOfDay, idsOfSameSlug, sessionEnds } from '../../database/load/explain-rows.ts';
import { ProductLoad } from '../../database/load/load-products.ts';
import type { DayProduct, DaySession, DaySessions, DayState } from '../../preview/messages.ts';
import type { PlacedProduct } from '../../render/product-states.ts';
import { sessionStateAt } from '../explain-rules.ts';
import type { LoadedFront } from '../explain.ts';

type SoldProduct = Pick<PlacedProduct, 'front' | 'entry' | 'product'>;

/** By session: when it ends, as its row says. */
type Ends = Awaited<ReturnType<typeof sessionEnds>>;

/**
 * The sessions that start on the day that contains the instant for which the front was loaded. A
 * disabled front has none. Gives up when nobody waits for it any more.
 * @throws AppError database-unreadable, database-busy
 */
export async function sessionsOfDay(loaded: LoadedFront, signal: AbortSignal): Promise<DaySessions> {
  const { reader, front, frontId, state: frontState, log, now } = loaded;
  const days = front?.zone.daysFrom(front.dayStartsAt) ?? new Zone('UTC').daysFrom(0);
  const [from, until] = dayAround(days, now);
  const listed = new Map<number, DayProduct>();
  let leftOut = 0;
  if (front !== null && frontId !== undefined) {
    const ids = await idsOfDay(reader, frontId, from, until);
    const ends = await sessionEnds(reader, ids);
    const whole = new Set(ids);
    const others = (await idsOfSameSlug(reader, ids)).filter((id) => front.products.find(id) !== undefined);
    for await (const one of productsWith([...ids, ...others], from, loaded)) {
      if (signal.aborted) break;
      const entry = front.products.find(one.id);
      if (entry === undefined || front.products.badEntry(one.id) !== null) continue;
      const terms = one.terms.get(front.id);
      const product = productOn(one, front.channel, terms);
      if (badSessionsOn(one, front.channel, terms).length === 0) whole.delete(one.id);
      const sessions = product.sessions.filter(({ startsAt }) => startsAt >= from && startsAt < until);
      if (sessions.length === 0) continue;
      const name = loaded.catalogue.texts.in(front.locale).of('product', 'name', product.id, product.name);
      const sold = { front, entry, product };
      const described = sessions.map((session) => describe(session, sold, ends, [from, until], loaded));
      listed.set(product.id, { productId: product.id, slug: product.slug, name, sessions: described });
    }
    // Only when all are read is it known that two of one slug take each other out.
    for (const id of log.badProducts.keys()) if (listed.delete(id)) whole.add(id);
    leftOut = whole.size;
  }
  await reader.confirmOneState();
  const products = (front?.products.ids ?? []).flatMap((id) => listed.get(id) ?? []);
  return { from: formatInstant(from), until: formatInstant(until), frontState, products, leftOut };
}

/** Products with all their sessions: of daily ones, the dates that are not over at `from`. */
async function* productsWith(
  ids: readonly number[],
  from: Instant,
  { reader, context, log }: LoadedFront,
): AsyncGenerator<Product> {
  const wanted = new Set(ids);
  const load = new ProductLoad(reader, {
    ...context,
    now: from,
    rowsRead: 'all',
    wantedIds: wanted,
    listedIds: wanted,
  });
  const part = { ranges: [{ among: ids, orphansOf: null }], logOf: () => log, findsStrays: false };
  for await (const { products } of load.batches(log, part)) {
    // Other requests are answered in between.
    await setImmediate();
    yield* products;
  }
}

function describe(
  session: Session,
  sold: SoldProduct,
  ends: Ends,
  day: readonly [from: Instant, until: Instant],
  { catalogue: { texts }, context: { tzdata } }: LoadedFront,
): DaySession {
  const { id, zone, startsAt, venue, available, isAllocated } = session;
  const end = endOf(session, ends, tzdata);
  return {
    id: String(id),
    start: zone.format(startsAt),
    end: end === null ? null : formatInstant(end),
    venueId: String(venue.id),
    venue: texts.in(sold.front.locale).of('venue', 'name', venue.id, venue.name),
    available,
    isAllocated,
    states: statesOf(session, sold, day),
  };
}

/** When it closes or, unless it is daily, what its row says; null for an end before the start. */
function endOf({ id, zone, startsAt, daily }: Session, ends: Ends, tzdata: string): Instant | null {
  if (daily !== null) return instantOf(startsAt + secondsOfDay(daily.closesAt) - secondsOfDay(daily.opensAt));
  const cells = ends.get(id);
  const end = cells === undefined ? null : timeOf(() => '', { column: 'ends_at', ...cells }, zone, tzdata).at;
  return end === null || end <= startsAt ? null : end;
}

/** Each state that differs from the one before. */
function statesOf(session: Session, sold: SoldProduct, [from, until]: readonly [Instant, Instant]): DayState[] {
  const { product, entry } = sold;
  const last = instantOf(until - 1);
  const visible = [entry.visible.from, entry.visible.until].filter((at) => at > from && at <= last).map(instantOf);
  const instants = new Set([from, ...boundariesOf(product, from, last).within, ...visible]);
  const states: DayState[] = [];
  for (const at of [...instants].sort((a, b) => a - b)) {
    const state = sessionStateAt(sold, session, at);
    const priceFrom = priceAt(session, sold, state, at);
    const before = states.at(-1);
    if (before?.state !== state || before.priceFrom !== priceFrom)
      states.push({ from: formatInstant(at), state, priceFrom });
  }
  return states;
}

function priceAt(session: Session, { front }: SoldProduct, state: DayState['state'], at: Instant): number | null {
  if (state !== 'on-sale' && state !== 'paused') return null;
  const price = priceFromAt({ sessions: [session], isSoldOut: false }, front.currency, at);
  return typeof price === 'number' ? Number(formatAmount(price, front.currencyExponent)) : null;
}
