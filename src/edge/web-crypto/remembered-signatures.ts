// Remembers which key verified which signature of which text. A client repeats a signature for
// minutes, and to verify it again is the largest part of a request.
//
// This is safe because it replaces nothing but that computation, whose result cannot change.
// Whether the key may be used now, for which front, and whether the signature is still young enough
// is decided elsewhere, at every request. Only signatures that were accepted are remembered, so the
// quicker answer tells a client nothing that it does not know: that this request is signed well.
// The search takes as long whoever is meant, because a signature and its text are found as a whole,
// before the key is compared.

/** How many are remembered. */
const COUNT_MAX = 1000;
/**
 * The longest text, of some 300 characters usually: clients make an edge keep two megabytes at
 * most.
 */
const LENGTH_MAX = 2048;

export interface RememberedSignatures<Key> {
  /** The key that verified a signature of a text; undefined if none is known to have. */
  find(signature: string, base: string): Key | undefined;
  add(signature: string, base: string, key: Key): void;
}

/** Remembers nothing yet. `Key`: what a key is in this runtime, so that no other is equal to it. */
export const rememberSignatures = <Key>(): RememberedSignatures<Key> => {
  /** The oldest first. */
  const keys = new Map<string, Key>();
  return {
    find: (signature, base) => keys.get(statement(signature, base)),
    add: (signature, base, key) => {
      if (base.length > LENGTH_MAX) return;
      keys.set(statement(signature, base), key);
      if (keys.size > COUNT_MAX) keys.delete(keys.keys().next().value ?? '');
    },
  };
};

/** A signature contains no newline. */
const statement = (signature: string, base: string): string => signature + '\n' + base;
