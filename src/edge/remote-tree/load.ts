// How a runtime loads a file of the tree that is not on its own disk, and what in an answer over
// HTTP shows that it is no such file.

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
