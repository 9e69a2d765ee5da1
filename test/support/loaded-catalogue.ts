// A whole catalogue loaded as a build loads it, and what is wrong with it.

import { FindingLog } from '../../src/database/contract/row-checker.ts';
import { loadCatalogue, loadProducts, type LoadedCatalogue } from '../../src/database/load/load-catalogue.ts';
import type { CatalogueReader } from '../../src/database/reader.ts';
import type { Instant } from '../../src/catalogue/instant.ts';

/**
 * `findings` has those of all products too; `leftOut` the ids of products that errors take out or
 * rob of sessions.
 */
export async function loadedCatalogue(
  reader: CatalogueReader,
  now: Instant,
): Promise<{
  readonly catalogue: LoadedCatalogue;
  readonly findings: FindingLog;
  readonly leftOut: ReadonlySet<number>;
}> {
  const settings = {
    frontCodes: null,
    tzdata: '2026a',
    withoutForeignKeys: reader.withoutForeignKeys(new Set()),
  };
  const findings = new FindingLog(reader);
  const catalogue = await loadCatalogue(reader, settings, findings, now);
  const spoilt: number[] = [];
  for await (const { products, done, total } of loadProducts(reader, catalogue, settings, findings, now)) {
    if (done > total) throw new Error(`${done} products, more than ${total}`);
    for (const { id, badSessions } of products) if (badSessions.length > 0) spoilt.push(id);
  }
  return { catalogue, findings, leftOut: new Set([...findings.badProducts.keys(), ...spoilt]) };
}
