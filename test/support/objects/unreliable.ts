// A store that is worse than any that is sold: requests fail in turn in every way that passes,
// removals take effect seconds after they were sent, and listings go on showing what is gone.

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { escapeXml } from './messages.ts';
import type { Fault } from './faults.ts';
import type { RemoteBucket } from './remote-bucket.ts';
import { send } from './send.ts';
import type { ObservedStore } from './test-store.ts';

/** A removal arrives so late that its client has given up, and earlier than the lease allows for. */
const LATE_MS = 4000;
/** Listings show what has been removed for so long. */
const STALE_MS = 15_000;

const PASSING: readonly Fault[] = [
  { kind: 'reset' },
  { kind: 'answer-dropped' },
  { kind: 'status', status: 409 },
  { kind: 'status', status: 429, retryAfterSeconds: 1 },
  { kind: 'status', status: 500 },
  { kind: 'status', status: 503 },
  { kind: 'cut-body' },
];

/** How often each thing has happened. */
export interface Mishaps {
  faults: number;
  lateRemovals: number;
  staleListings: number;
}

/** `bucket` is what the store is a proxy of. Counts until the store is closed. */
export function makeUnreliable(store: ObservedStore, bucket: RemoteBucket): Mishaps {
  const mishaps: Mishaps = { faults: 0, lateRemovals: 0, staleListings: 0 };
  const removed = new Map<string, { readonly entry: string; readonly at: number }>();
  store.beforeApply = async ({ method, key }) => {
    if (method !== 'DELETE') return;
    const { status, body } = await send(bucket, { method: 'GET', key });
    if (status !== 200) return;
    const etag = escapeXml(`"${createHash('md5').update(body).digest('hex')}"`);
    const entry = `<Contents><Key>${encodeURIComponent(key)}</Key><ETag>${etag}</ETag><Size>${body.length}</Size></Contents>`;
    removed.set(key, { entry, at: Date.now() });
  };
  store.faults = ({ n, method, key, query }) => {
    if (method === 'DELETE' && n % 3 === 0) {
      mishaps.lateRemovals += 1;
      return { kind: 'hold', until: sleep(LATE_MS) };
    }
    if (method === 'GET' && key === '' && n % 2 === 0)
      return {
        kind: 'lie',
        told: (honest) => {
          const text = honest.body.toString();
          const shown = [...removed].filter(
            ([gone, { at }]) =>
              gone.startsWith(query['prefix'] ?? '') &&
              Date.now() - at < STALE_MS &&
              !text.includes(`>${encodeURIComponent(gone)}<`) &&
              !text.includes(`>${gone}<`),
          );
          if (shown.length > 0) mishaps.staleListings += 1;
          const entries = shown.map(([, { entry }]) => entry).join('');
          return { ...honest, body: Buffer.from(text.replace('</ListBucketResult>', `${entries}</ListBucketResult>`)) };
        },
      };
    if (n % 11 !== 0) return null;
    mishaps.faults += 1;
    return PASSING[(n / 11) % PASSING.length] ?? null;
  };
  return mishaps;
}
