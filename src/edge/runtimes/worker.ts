// The worker whose tree lies behind a URL, or behind a binding that has `fetch`, with the key ring in it: one ES module.

import type { KeyRing } from '../../contract/key-ring.ts';
import { fetchHandler, type WorkerConfiguration } from './fetch-handler.ts';
import { fetchedTree, type FetchedTree } from './fetched-tree.ts';

declare const PLAYBILL: FetchedConfiguration;

/** What `edge build` writes in front of this module. */
export interface FetchedConfiguration extends WorkerConfiguration, FetchedTree {
  readonly keyRing: KeyRing;
}

export default fetchHandler(PLAYBILL, fetchedTree, () => PLAYBILL.keyRing);
