// From an authorized request to what is sent, for the runtimes that open files themselves: the best
// precompressed sibling, and one fresh look at the pointer when an edition has vanished. nginx does
// the same in its configuration.

import { acceptedEncodings, SIBLING_SUFFIX, type SiblingEncoding } from './encoding.ts';
import type { FileResponse } from './file-response.ts';
import type { PointerText } from './pointer.ts';
import type { Refusal } from './refusal-response.ts';
import type { FieldLine, RuleRequest } from './request.ts';
import { type Decision, type RequestTarget, select, unforeseen } from './rule.ts';

/** Where a runtime finds the tree. */
export interface Store<Content> {
  /** The siblings that may exist, best first. */
  readonly encodings: readonly SiblingEncoding[];
  /**
   * A front's pointer; null when nothing is published for it. Rejects when it cannot be read. A
   * runtime may keep the text for up to 10 s (snapshot.md, "Copying elsewhere"), unless a fresh one
   * is asked for.
   */
  readPointer(front: string, isFresh: boolean): Promise<PointerText | null>;
  /** Opens a file of the origin root; null when it is not there. Rejects when it cannot be read. */
  open(path: string): Promise<Content | null>;
}

export interface EdgeResponse<Content> {
  readonly decision: Decision;
  /** Those of the decision, and Content-Encoding where the content is a sibling's. */
  readonly headers: readonly FieldLine[];
  /** A file's content, a problem document, or nothing (304). */
  readonly content: Content | string | null;
}

/**
 * What is sent for a request, by its target or its refusal; `maxAge` and `at` as for `select`.
 * Never rejects.
 */
export const respond = async <Content>(
  request: RuleRequest,
  target: RequestTarget | Refusal,
  store: Store<Content>,
  maxAge: number | null,
  at: number,
): Promise<EdgeResponse<Content>> => {
  if (target.kind === 'refuse') return withoutFile(target);
  const encodings = [...acceptedEncodings(request.field('accept-encoding'), store.encodings), null];
  try {
    // The second time: the edition was pruned after its pointer had been read, and the pointer of
    // now names another.
    for (const isFresh of [false, true]) {
      const decision = select(target, await store.readPointer(target.front, isFresh), maxAge, at);
      if (decision.kind !== 'serve') return withoutFile(decision);
      for (const encoding of encodings) {
        const opening = store.open(decision.file + (encoding ? SIBLING_SUFFIX[encoding] : ''));
        // A sibling only saves bytes. If it cannot be read for any reason, the plain file is as
        // good an answer.
        const content = await (encoding ? opening.catch(() => null) : opening);
        if (content === null) continue;
        return {
          decision,
          headers: decision.headers.concat(encoding ? [['Content-Encoding', encoding]] : []),
          content,
        };
      }
    }
  } catch {
    // Not readable: the same answer as for an edition that stays away.
  }
  return withoutFile(unforeseen());
};

const withoutFile = (decision: Exclude<Decision, FileResponse>): EdgeResponse<never> => ({
  decision,
  headers: decision.headers,
  content: decision.body,
});
