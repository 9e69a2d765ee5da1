// Opens trees in buckets: the connection, the requests and, for a run that writes, the lease.

import type { LockedTree, OnTransfer } from '../locked-tree.ts';
import type { SharedTree } from '../shared-tree.ts';
import { bucketAddress } from './address.ts';
import { Connection } from './connection.ts';
import { dialectOf, Lease } from './lease.ts';
import { probe } from './probe.ts';
import { Requests } from './requests.ts';
import { BucketStore } from './store.ts';
import { Uploads } from './uploads.ts';

/**
 * A tree without its lease. Others may be writing it; only the key ring may be written with this.
 * @throws AppError usage, region-missing
 */
export async function openBucket(root: string): Promise<BucketStore> {
  const requests = new Requests(await Connection.open(bucketAddress(root)));
  const writing = { uploads: new Uploads(() => undefined), dialect: () => dialectOf(requests), lease: null };
  return new BucketStore(requests, writing);
}

/**
 * Checks again that the store honours conditional writes.
 * @throws AppError store-not-conditional, and those of buckets
 */
export async function probeBucket(root: string): Promise<void> {
  const connection = await Connection.open(bucketAddress(root));
  try {
    await probe(new Requests(connection));
  } finally {
    await connection.close();
  }
}

/**
 * Takes the lease of a tree for writing.
 * @throws AppError tree-locked, store-not-conditional, and those of buckets
 */
export async function lockBucket(root: string, onTransfer: OnTransfer): Promise<LockedTree> {
  const connection = await Connection.open(bucketAddress(root));
  const requests = new Requests(connection);
  const lease = await Lease.take(requests, connection.settings.leaseSeconds);
  const uploads = new Uploads(onTransfer);
  return {
    store: new BucketStore(requests, { uploads, dialect: async () => lease.dialect, lease }),
    requests: () => requests.totals,
    storeSeconds: () => requests.clock.now(),
    hasWritten: () => requests.hasWritten,
    sweep: () => uploads.drain(),
    release: async () => {
      await lease.release();
      await connection.close();
    },
  };
}

/**
 * Opens a tree for one of several processes that write content only.
 * @throws AppError store-not-conditional, and those of buckets
 */
export async function shareBucket(root: string, onTransfer: OnTransfer): Promise<SharedTree> {
  const connection = await Connection.open(bucketAddress(root));
  const requests = new Requests(connection);
  const uploads = new Uploads(onTransfer);
  const dialect = await dialectOf(requests);
  const store = new BucketStore(requests, { uploads, dialect: async () => dialect, lease: null });
  return {
    store,
    createOnce: (file) => store.createOnce(file),
    requests: () => requests.totals,
    hasWritten: () => requests.hasWritten,
    release: async () => {
      await uploads.drain();
      await connection.close();
    },
  };
}
