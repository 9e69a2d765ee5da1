// Writes fronts with their keys, the products that they show, and the sessions that they do not
// sell. The keys are real, but derived from the seed: whoever knows the seed knows the private
// halves, so they protect nothing.

import { createECDH, createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { DAY, instantText } from './calendar.ts';
import { contingentOf, differencesOfFront } from './differences.ts';
import { type ProductPlan, STORIES } from './plan.ts';
import { itemInTurn, type Random } from './random.ts';
import { EXPONENTS, FRONT_REGIONS, type Region } from './regions.ts';
import { flag, midnight, type Seeding, soon } from './seeding.ts';
import { writeFrontTaxonomy } from './taxonomy.ts';

/**
 * A front lists more products than it shows cards: some are drafts, over, not visible and so on.
 */
const PRODUCTS_PER_CARD = 1.06;
/** At least this share of a front's products is from its own region. */
const LOCAL_RATE = 0.7;
/** One product in so many is a banner; every front has at least one. */
const BANNER_EVERY = 60;
/** The share, and the minimum number, of a front's products of which it excludes sessions. */
const EXCLUSION_RATE = 0.004;
const EXCLUSIONS_MIN = 2;

/** Writes `size.fronts` active fronts, then a disabled one. */
export function writeFronts(seeding: Seeding): void {
  const { size, plans } = seeding;
  const local = new Map<Region, ProductPlan[]>();
  for (const plan of plans) {
    const list = local.get(plan.region);
    if (list === undefined) local.set(plan.region, [plan]);
    else list.push(plan);
  }
  for (let frontId = 1; frontId <= size.fronts + 1; frontId += 1) {
    const region = itemInTurn(FRONT_REGIONS, frontId - 1);
    const isDisabled = frontId > size.fronts;
    writeFront(seeding, frontId, region, isDisabled);
    writeKeys(seeding, frontId);
    writeFrontTaxonomy(seeding, frontId);
    const total = isDisabled ? 3 : Math.round(size.cardsPerFront * PRODUCTS_PER_CARD);
    const shown = drawProducts(seeding, frontId, local.get(region) ?? plans, total);
    for (const [turn, plan] of shown.entries()) writeFrontProduct(seeding, frontId, region, plan, turn);
    writeExclusions(seeding, frontId, shown);
    writeContingents(seeding, frontId, shown);
  }
}

function writeFront(seeding: Seeding, frontId: number, region: Region, isDisabled: boolean): void {
  const { size, write } = seeding;
  const number = String(frontId).padStart(4, '0');
  write('fronts', {
    id: frontId,
    code: `${region.key}-${number}`,
    name: `${region.frontName} ${number}`,
    timezone: region.timezone,
    ...differencesOfFront(seeding, frontId),
    currency: region.currency,
    currency_exponent: EXPONENTS[region.currency],
    weekend_days: region.weekendDays,
    status: isDisabled ? 'disabled' : 'active',
    min_cards: frontId % 4 === 0 ? Math.floor(size.cardsPerFront / 10) : 0,
  });
}

/** Every front has a valid key; some also have one that is revoked, expired or not yet valid. */
function writeKeys({ now, random, write }: Seeding, frontId: number): void {
  const alg = itemInTurn(['ed25519', 'hmac-sha256', 'ecdsa-p256-sha256'] as const, frontId - 1);
  const base = { front_id: frontId, alg };
  const none = { not_before: null, not_after: null, revoked_at: null };
  const other = itemInTurn(
    [
      { ...none, revoked_at: instantText(now - 3 * DAY) },
      { ...none, not_after: instantText(now - 10 * DAY) },
      { ...none, not_before: instantText(now + 2 * DAY) },
    ],
    frontId,
  );
  const count = random.chance(0.25) || frontId <= 3 ? 2 : 1;
  for (let turn = 1; turn <= count; turn += 1) {
    const keyid = `front-${frontId}.key-${turn}`;
    const material = keyMaterial(alg, keyid, random);
    write('front_keys', { keyid, ...base, ...material, ...(turn === 1 ? none : other) });
  }
}

type Algorithm = 'ed25519' | 'hmac-sha256' | 'ecdsa-p256-sha256';

interface KeyMaterial {
  readonly public_key: string | null;
  readonly secret_ref: string | null;
}

/** A PKCS #8 Ed25519 private key without its 32 secret bytes (RFC 8410, section 7). */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

const MATERIAL_BY_ALGORITHM: Readonly<Record<Algorithm, (keyid: string, secret: Buffer) => KeyMaterial>> = {
  'hmac-sha256': (keyid) => ({ public_key: null, secret_ref: keyid.replaceAll(/[.-]/gu, '_').toUpperCase() }),
  ed25519: (_keyid, secret) => {
    const key = createPrivateKey({ key: Buffer.concat([ED25519_PREFIX, secret]), format: 'der', type: 'pkcs8' });
    const { x } = createPublicKey(key).export({ format: 'jwk' });
    return { public_key: JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x }), secret_ref: null };
  },
  'ecdsa-p256-sha256': (_keyid, secret) => {
    const curve = createECDH('prime256v1');
    curve.setPrivateKey(secret);
    const point = curve.getPublicKey();
    const x = point.subarray(1, 33).toString('base64url');
    const y = point.subarray(33, 65).toString('base64url');
    return { public_key: JSON.stringify({ kty: 'EC', crv: 'P-256', x, y }), secret_ref: null };
  },
};

function keyMaterial(alg: Algorithm, keyid: string, random: Random): KeyMaterial {
  const seed = `${keyid} ${random.below(0x1_0000_0000)}`;
  return MATERIAL_BY_ALGORITHM[alg](keyid, createHash('sha256').update(seed).digest());
}

/**
 * Draws distinct products, sorted by id: first the front's share of the stories, then local and
 * other products, popular ones more often.
 */
function drawProducts({ size, plans, random }: Seeding, frontId: number, local: readonly ProductPlan[], total: number) {
  const drawn = new Set<ProductPlan>();
  for (const plan of plans.slice(0, STORIES.length)) {
    if (plan.id % size.fronts === frontId % size.fronts && frontId <= size.fronts) drawn.add(plan);
  }
  while (drawn.size < total) {
    const pool = random.chance(LOCAL_RATE) ? local : plans;
    // The smaller of two draws, so that low ids are on more fronts than high ones.
    drawn.add(itemInTurn(pool, Math.min(random.below(pool.length), random.below(pool.length))));
  }
  return [...drawn].toSorted((left, right) => left.id - right.id);
}

function writeFrontProduct(seeding: Seeding, frontId: number, region: Region, plan: ProductPlan, turn: number): void {
  const { random, write } = seeding;
  write('front_products', {
    front_id: frontId,
    product_id: plan.id,
    featured: flag(random.chance(0.08)),
    banner: flag(turn % BANNER_EVERY === 7),
    paused: flag(random.chance(0.01)),
    // Few different weights, so that the order of many products depends on their ids.
    sort_weight: 10 * random.below(20),
    ...visibility(seeding, region),
  });
}

/** Mostly open; otherwise in force, beginning or ending within the day, over, or in the future. */
function visibility(
  seeding: Seeding,
  { timezone }: Region,
): { visible_from: string | null; visible_until: string | null } {
  const { random } = seeding;
  if (!random.chance(0.04)) return { visible_from: null, visible_until: null };
  const day = (days: number): string => instantText(midnight(seeding, timezone, days));
  switch (random.below(8)) {
    case 0:
      return { visible_from: instantText(soon(seeding)), visible_until: day(30) };
    case 1:
      return { visible_from: null, visible_until: instantText(soon(seeding)) };
    case 2:
      return { visible_from: day(-30), visible_until: day(-1) };
    case 3:
      return { visible_from: day(5), visible_until: null };
    default:
      return { visible_from: day(-random.below(30)), visible_until: day(2 + random.below(40)) };
  }
}

/**
 * Excludes all sessions of one of the front's products, and a few sessions of other drawn products.
 */
function writeExclusions({ random, write }: Seeding, frontId: number, shown: readonly ProductPlan[]): void {
  const candidates = shown.filter(({ sessionCount }) => sessionCount > 1);
  const drawn = new Set<ProductPlan>();
  const total = Math.max(EXCLUSIONS_MIN, Math.round(shown.length * EXCLUSION_RATE));
  while (drawn.size < Math.min(total, candidates.length)) drawn.add(random.pick(candidates));
  for (const [turn, { firstSessionId, sessionCount }] of [...drawn].entries()) {
    const count = turn === 0 ? sessionCount : Math.min(sessionCount, 1 + random.below(6));
    const from = firstSessionId + random.below(sessionCount - count + 1);
    for (let sessionId = from; sessionId < from + count; sessionId += 1) {
      write('front_session_exclusions', { front_id: frontId, session_id: sessionId });
    }
  }
}

/** Gives the front a contingent of its own for a few sessions of as many products. */
function writeContingents({ differences, write }: Seeding, frontId: number, shown: readonly ProductPlan[]): void {
  if (differences === null) return;
  const sold = shown.filter(({ sessionCount }) => sessionCount > 0);
  for (let total = Math.max(EXCLUSIONS_MIN, Math.round(shown.length * EXCLUSION_RATE)); total > 0; total -= 1) {
    const [plan] = sold.splice(differences.below(sold.length), 1);
    if (plan === undefined) return;
    for (let turn = 0; turn < Math.min(plan.sessionCount, 5); turn += 1) {
      const session_id = plan.firstSessionId + turn;
      write('front_allocations', { front_id: frontId, session_id, available: contingentOf(differences) });
    }
  }
}
