// A tree behind a URL, or behind a binding that has `fetch`.

import type { Origin } from './fetch-handler.ts';
import { isPlain, PAGE } from '../../remote-tree/load.ts';

declare const PLAYBILL: FetchedTree;

/** Its part of the configuration at the start of a bundle. */
export interface FetchedTree {
  /**
   * Where the tree's public folder is: a URL without a slash at its end, or the name of a binding.
   */
  readonly origin: string;
}

export const fetchedTree: Origin =
  (bindings) =>
  async (path, wasThere = false) => {
    const { origin } = PLAYBILL;
    const binding = bindings[origin] as Pick<typeof globalThis, 'fetch'> | undefined;
    const response = await (binding ?? globalThis).fetch(`${binding ? 'http://tree' : origin}/${path}`, {
      // For an origin that compresses what it has: fetch would decode that, and the bytes would not
      // be the file's.
      headers: { 'accept-encoding': 'identity' },
      // What a redirect leads to is another file, or none.
      redirect: 'manual',
      // A hanging origin must not hold a request for ever.
      signal: AbortSignal.timeout(60_000),
    });
    const { status, headers } = response;
    const type = headers.get('content-type') ?? '';
    const coding = binding ? null : headers.get('content-encoding');
    if (status === 200 && !PAGE.test(type)) {
      if (isPlain(coding)) return response;
      // fetch has decoded the sibling: the plain file is as good.
      if (!path.endsWith('json')) return null;
    }
    // S3 and GCS answer 403 for a missing object to a reader who may not list the bucket.
    if (status === 404 || (status === 403 && !wasThere)) return null;
    throw new Error([status, type, coding].join(' ').trim());
  };
