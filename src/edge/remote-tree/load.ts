// How a runtime loads a file of the tree that is not on its own disk, and what in an answer over
// HTTP shows that it is no such file.
//
// An origin that says something else: captive portals, maintenance pages and broken connections
// answer in a file's place with 200: in HTML, in JSON, with nothing, or with half of the file. An
// edge that reads over HTTP or S3 therefore reads an edition whole, compares it with the digest in
// its name, a sibling after decoding, and only then keeps and serves it: once for each fetch, not
// for what its cache has. Other content, HTML, XML, a redirect (the file of another front may be at
// its end) or a `Content-Encoding` of a plain file is a 503; for a sibling, the plain file is sent.
// The origin is asked for `identity`, so one that compresses when asked to does not. A pointer has
// no digest: what the rule cannot read fails that request, and the last pointer stays for its time.
// A missing type is as good as `application/json`. The handler logs one line for each 503, and
// nothing if only a sibling cannot be used. A folder, a binding and R2 are part of the deployment:
// their bytes are passed on as they come.
//
// 403: stores answer it for a missing object to somebody who may not list, so it counts as 404,
// until the edge has read a front's pointer. From then on, it means for this front that the
// permission was lost: 503, and storefronts keep what they have. A front that is withdrawn from
// such a bucket is a 503, too, in an edge that has seen it.

/** A file of the tree. */
export type LoadedFile = Pick<Response, 'body' | 'text' | 'arrayBuffer'>;

/**
 * Loads a file of the tree. null if it does not exist. Rejects with a message for the log if the
 * tree cannot be read. `wasThere`: the file was read before, so that 403 is no way to say that it
 * does not exist.
 */
export type Load<File = LoadedFile> = (path: string, wasThere?: boolean) => Promise<File | null>;

/** Loads a pointer or the key ring. */
export type LoadText = Load<Pick<Response, 'text'>>;

/**
 * Media types of pages and errors, which some origins send with 200. Files of the tree never have
 * such a type; some have none.
 */
export const PAGE = /xml|html/i;

/**
 * Whether an answer with this Content-Encoding has the bytes of the file, and not those that fetch
 * made of them.
 */
export const isPlain = (coding: string | null): boolean => (coding ?? 'identity') === 'identity';
