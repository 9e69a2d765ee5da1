// Creates a catalogue of a given size for benchmarks and tests. The same seed and instant give the
// same rows on every machine. Replaces no file without --force, and never reads the clock.
//
//   tsx scripts/seed.ts --size S|M|L|XS --db PATH [--now 2026-05-01T09:00:00Z] [--seed 1] [--force]
//     [--differences]

import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { parseInstant } from './seed/calendar.ts';
import { createCatalogue, type RowCounts } from './seed/database.ts';
import { differencesSeed } from './seed/differences.ts';
import { writeFronts } from './seed/fronts.ts';
import { planProducts, type SizeName, SIZES } from './seed/plan.ts';
import { writePrices } from './seed/prices.ts';
import { writeProduct, writeVenues } from './seed/products.ts';
import { createRandom } from './seed/random.ts';
import { createZones, type Seeding } from './seed/seeding.ts';
import { writeSessions } from './seed/sessions.ts';
import { writeProductTaxonomy, writeTaxonomy } from './seed/taxonomy.ts';

export interface SeedOptions {
  readonly path: string;
  readonly size: SizeName;
  /** The instant around which the rows are spread, `YYYY-MM-DDTHH:MM:SSZ`. */
  readonly now: string;
  /** A 32-bit integer. */
  readonly seed: number;
  /**
   * Fronts in three languages and on three channels, with the texts and prices that go with them,
   * contingents, and daily sessions.
   */
  readonly differences?: boolean;
  /** Replace an existing file. */
  readonly force?: boolean;
}

export class SeedRefusal extends Error {}

const DEFAULT_NOW = '2026-05-01T09:00:00Z';
const USAGE =
  'usage: tsx scripts/seed.ts --size S|M|L|XS --db PATH [--now INSTANT] [--seed N] [--force] [--differences]';

/**
 * Writes a new catalogue with the schema of data/schema.sql and returns the number of rows by
 * table.
 * @throws SeedRefusal if the file exists and `force` is not set, the folder is missing, the instant
 * is not canonical, or the seed is not a 32-bit integer
 */
export function seedCatalogue(options: SeedOptions): RowCounts {
  const { path, size: sizeName, now: nowText, seed, force = false } = options;
  if (!Number.isInteger(seed) || Math.abs(seed) > 0x7fff_ffff) {
    throw new SeedRefusal(`expected a 32-bit integer as the seed, found ${seed}`);
  }
  const now = instantOf(nowText);
  if (existsSync(path) && !force) throw new SeedRefusal(`${path} exists already; --force replaces it`);
  if (!existsSync(dirname(path))) throw new SeedRefusal(`expected ${path} in a folder that exists`);
  const size = SIZES[sizeName];
  const random = createRandom(seed);
  const plans = planProducts(size, random);
  return createCatalogue(path, (write) => {
    const differences = options.differences === true ? createRandom(differencesSeed(seed)) : null;
    const seeding: Seeding = { size, now, random, differences, plans, write, zone: createZones(now) };
    writeTaxonomy(seeding);
    const venues = writeVenues(seeding);
    for (const plan of plans) {
      writeProduct(seeding, plan);
      writeProductTaxonomy(seeding, plan);
      writePrices(seeding, plan, writeSessions(seeding, plan, venues));
    }
    writeFronts(seeding);
  });
}

function instantOf(text: string): number {
  try {
    return parseInstant(text);
  } catch (error) {
    throw new SeedRefusal(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function isSizeName(text: string): text is SizeName {
  return Object.hasOwn(SIZES, text);
}

function readOptions(): SeedOptions {
  const { values } = parseArgs({
    options: {
      size: { type: 'string' },
      db: { type: 'string' },
      now: { type: 'string', default: DEFAULT_NOW },
      seed: { type: 'string', default: '1' },
      force: { type: 'boolean', default: false },
      differences: { type: 'boolean', default: false },
    },
  });
  const { size = '', db: path = '', now, seed, force, differences } = values;
  if (!isSizeName(size)) throw new SeedRefusal(`expected --size S, M, L or XS, found ${JSON.stringify(size)}`);
  if (path === '') throw new SeedRefusal('expected --db PATH');
  return { path, size, now, seed: seed.trim() === '' ? Number.NaN : Number(seed), force, differences };
}

/** parseArgs throws TypeErrors with such codes for unknown options. */
function isUsageError(error: unknown): error is Error {
  if (error instanceof SeedRefusal) return true;
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

// If started through a symbolic link, argv has the path of the link, import.meta that of the file.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename) {
  try {
    const options = readOptions();
    const counts = seedCatalogue(options);
    console.log(
      JSON.stringify({ db: options.path, size: options.size, now: options.now, seed: options.seed, rows: counts }),
    );
  } catch (error) {
    if (!isUsageError(error)) throw error;
    console.error(`${error.message}\n${USAGE}`);
    process.exitCode = 2;
  }
}
