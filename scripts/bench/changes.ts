// Changes a catalogue as happens between two runs from cron, for benchmarks.

import Database from 'better-sqlite3';

/** Sells seats, raises prices and cancels sessions; in total, of one product in a thousand. */
export function sell(database: string, prefix: string, serial: number): void {
  const handle = new Database(database);
  const products = (kind: number): string => `product_id % 3000 = ${(serial * 7 + kind * 1000) % 3000}`;
  handle.exec(`
    UPDATE ${prefix}sessions SET available = available - 1 WHERE ${products(0)} AND available > 0;
    UPDATE ${prefix}price_tiers SET amount_minor = amount_minor + 100 WHERE ${products(1)};
    UPDATE ${prefix}sessions SET status = 'cancelled'
      WHERE id IN (SELECT min(id) FROM ${prefix}sessions WHERE ${products(2)} AND status = 'scheduled' AND starts_at > '2026-05-02' GROUP BY product_id)`);
  handle.close();
}

/** Sells a seat in every session of one product in a thousand. */
export function sellSeats(database: string, serial: number): void {
  const handle = new Database(database);
  handle.exec(
    `UPDATE sessions SET available = available - 1 WHERE product_id % 1000 = ${serial % 1000} AND available > 0`,
  );
  handle.close();
}

/** Raises the prices of one product in a thousand. */
export function reprice(database: string, serial: number): void {
  const handle = new Database(database);
  handle.exec(`UPDATE price_tiers SET amount_minor = amount_minor + 100 WHERE product_id % 1000 = ${serial % 1000}`);
  handle.close();
}
