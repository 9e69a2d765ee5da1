// A worker with the tree at a URL or behind a binding with `fetch`, and the key ring in the module.

import type { KeyRing } from '../../contract/key-ring.ts';
import { fetchHandler, type WorkerConfiguration } from './fetch-handler.ts';
import { fetchedTree, type FetchedTree } from './fetched-tree.ts';

declare const PLAYBILL: FetchedConfiguration;

/** The configuration that `edge build` writes at the start of this module. */
export interface FetchedConfiguration extends WorkerConfiguration, FetchedTree {
  readonly keyRing: KeyRing;
}

export default fetchHandler(PLAYBILL, fetchedTree, () => PLAYBILL.keyRing);
