// The plain per-front script: every active front, one edition per endpoint, each front loaded and
// rendered on its own. It is what the build's speed is measured against, and writes the same
// content bytes under the same names. It knows no transaction, pointers, manifest, guards or
// durability.
//
//   tsx test/support/reference/plain-build.ts --db CATALOGUE --out DIRECTORY --now INSTANT

import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import Database from 'better-sqlite3';
import { DateTime } from 'luxon';
import pLimit from 'p-limit';

import { renderPlain } from './plain-documents.ts';
import { plainKysely } from './plain-tables.ts';

/**
 * Writes `public/fronts/<code>/{products,categories}.<digest>.json` under `outDir` for every active
 * front of the catalogue at `dbPath`, as of `now` (canonical UTC text). Resolves to the number of
 * fronts.
 */
export async function plainBuild(dbPath: string, outDir: string, now: string): Promise<number> {
  const db = plainKysely(new Database(dbPath, { readonly: true, fileMustExist: true }));
  const limit = pLimit(16);
  try {
    const fronts = await db
      .selectFrom('fronts')
      .select('code')
      .where('status', '=', 'active')
      .orderBy('code')
      .execute();
    for (const { code } of fronts) {
      const documents = await renderPlain(db, code, now);
      const folder = join(outDir, 'public', 'fronts', code);
      await mkdir(folder, { recursive: true });
      await Promise.all(
        (['products', 'categories'] as const).map((endpoint) =>
          limit(async () => {
            const text = documents[endpoint];
            const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
            await writeFile(join(folder, `${endpoint}.${digest}.json`), text);
          }),
        ),
      );
    }
    return fronts.length;
  } finally {
    await db.destroy();
  }
}

/** `--now` in any ISO 8601 form with an offset, as canonical UTC text, floored to whole seconds. */
function canonicalInstant(text: string): string {
  const canonical = DateTime.fromISO(text, { zone: 'utc' }).startOf('second').toISO({ suppressMilliseconds: true });
  if (canonical === null) throw new Error(`--now: not an ISO 8601 instant: ${text}`);
  return canonical;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { db: { type: 'string' }, out: { type: 'string' }, now: { type: 'string' } },
  });
  if (values.db === undefined || values.out === undefined || values.now === undefined) {
    throw new Error('usage: tsx test/support/reference/plain-build.ts --db CATALOGUE --out DIRECTORY --now INSTANT');
  }
  const fronts = await plainBuild(values.db, values.out, canonicalInstant(values.now));
  console.log(`${fronts} fronts`);
}

const script = process.argv[1];
if (script !== undefined && realpathSync(script) === fileURLToPath(import.meta.url)) await main();
