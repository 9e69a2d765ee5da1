// What builds into a bucket cost: the compiled command publishes every five minutes into a store in
// this process, which counts what it is asked for. The command's own count is not used.

import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startMemoryStore } from '../../test/support/objects/memory-store.ts';
import { seedCatalogue } from '../seed.ts';
import { reprice, sellSeats } from './changes.ts';
import type { Row } from './table.ts';

const NOW = Date.parse('2026-05-01T09:00:00Z');
const INTERVAL_SECONDS = 300;
/** Enough that every pointer has become a quarter of the horizon old once. */
const BUILDS = 18;
const BUILDS_A_MONTH = (30 * 86_400) / INTERVAL_SECONDS;
/** Dollars for a thousand requests: Amazon S3 Standard, us-east-1, 2026. DELETE is free. */
export const PRICES = { PUT: 0.005, LIST: 0.005, GET: 0.0004 };

const run = promisify(execFile);

/** What one run has asked the store for. */
interface Bill {
  readonly PUT: number;
  readonly GET: number;
  readonly LIST: number;
  readonly DELETE: number;
  readonly bytesSent: number;
}

const CHANGES: Readonly<Record<string, (database: string, serial: number) => void>> = {
  'nothing changed': () => undefined,
  'one product in a thousand sold': sellSeats,
  'one product in a thousand repriced': reprice,
};

/** How it is measured. */
export const BILL_METHOD = `means of ${BUILDS} builds, ${INTERVAL_SECONDS / 60} minutes apart, at the default horizon, and in brackets the least; counted by the store. Dollars at ${PRICES.PUT} for a thousand PUT or LIST and ${PRICES.GET} for a thousand GET.`;

/** `root` is the checkout, with a compiled command. */
export async function benchBill(root: string, folder: string): Promise<Row[]> {
  const main = `${root}dist/cli/main.js`;
  return [...(await billOf(main, 'S', folder)), ...(await billOf(main, 'M', folder))];
}

async function billOf(main: string, size: 'S' | 'M', folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, change] of Object.entries(CHANGES)) {
    const database = join(folder, 'bill.sqlite');
    seedCatalogue({ path: database, size, now: '2026-05-01T09:00:00Z', seed: 1, force: true });
    const store = await startMemoryStore();
    const bills: Bill[] = [];
    for (let i = 0; i <= BUILDS; i += 1) {
      if (i > 0) change(database, i);
      const now = new Date(NOW + i * INTERVAL_SECONDS * 1000).toISOString().replace('.000', '');
      const mark = store.log.length;
      const env = { PATH: process.env['PATH'], ...store.environment };
      await run(process.execPath, [main, 'build', '--db', database, '--out', 's3://bucket/tree', '--now', now], {
        env,
      });
      const log = store.log.slice(mark);
      const count = (isMeant: (one: (typeof log)[number]) => boolean): number => log.filter(isMeant).length;
      bills.push({
        PUT: count(({ method }) => method === 'PUT'),
        GET: count(({ method, key }) => method === 'GET' && key !== ''),
        LIST: count(({ method, key }) => method === 'GET' && key === ''),
        DELETE: count(({ method }) => method === 'DELETE'),
        bytesSent: log.reduce((sum, { method, bytes }) => sum + (method === 'PUT' ? bytes : 0), 0),
      });
    }
    await store.close();
    rmSync(database);
    const [, ...later] = bills;
    const goal = size === 'M' && what === 'nothing changed' ? 'at least once ≤ 20 GET, 0.1 MB' : '-';
    rows.push({ what: `${size}, ${what}`, measured: billText(later), goal });
  }
  return rows;
}

/** The means of some runs, the least of them, and what a month of such runs costs. */
function billText(bills: readonly Bill[]): string {
  const mean = (name: keyof Bill): number => bills.reduce((sum, bill) => sum + bill[name], 0) / bills.length;
  const least = (name: keyof Bill): number => Math.min(...bills.map((bill) => bill[name]));
  const parts = (['PUT', 'GET', 'LIST', 'DELETE'] as const).map(
    (name) => `${mean(name).toFixed(0)} ${name} (${least(name)})`,
  );
  const dollars = (['PUT', 'GET', 'LIST'] as const).reduce((sum, name) => sum + (mean(name) * PRICES[name]) / 1000, 0);
  const sent = `${(mean('bytesSent') / 1e6).toPrecision(2)} MB (${(least('bytesSent') / 1e6).toPrecision(2)})`;
  return `${parts.join(', ')}; ${sent} sent; $${(dollars * BUILDS_A_MONTH).toFixed(2)} a month`;
}
