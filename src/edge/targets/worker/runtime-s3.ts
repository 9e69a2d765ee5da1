// A worker with the tree in a private S3 bucket. It signs its requests and keeps editions in the
// host's cache.

import { type BucketOrigin, bucketLoad } from '../../remote-tree/bucket-load.ts';
import { throughCache } from './edition-cache.ts';
import { fetchHandler, type WorkerConfiguration } from './fetch-handler.ts';
import { liveKeyRing } from '../../remote-tree/live-key-ring.ts';

declare const PLAYBILL: S3Configuration;

/** The configuration that `edge build` writes at the start of this module. */
export interface S3Configuration extends WorkerConfiguration, BucketOrigin {}

export default fetchHandler(
  PLAYBILL,
  (bindings, now) => bucketLoad(PLAYBILL, 'public/', bindings, now),
  (bindings, now) => liveKeyRing(bucketLoad(PLAYBILL, 'edge/', bindings, now), now, PLAYBILL.ringGrace),
  throughCache(`${PLAYBILL.origin}/public`),
);
