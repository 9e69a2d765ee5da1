// The worker whose tree lies in a private bucket that speaks S3: it signs what it fetches, and keeps editions in the
// cache of its host.

import { type BucketAddress, bucketLoad } from './bucket-load.ts';
import { cachingHandler } from './edition-cache.ts';
import type { WorkerConfiguration } from './fetch-handler.ts';
import { liveKeyRing } from './live-key-ring.ts';

declare const PLAYBILL: S3Configuration;

/** What `edge build` writes in front of this module. */
export interface S3Configuration extends WorkerConfiguration, BucketAddress {}

export default cachingHandler(
  PLAYBILL,
  `${PLAYBILL.origin}/public`,
  (bindings, now) => bucketLoad(PLAYBILL, 'public/', bindings, now),
  (bindings, now) => liveKeyRing(bucketLoad(PLAYBILL, 'edge/', bindings, now), now),
);
