// From a decision to what is sent, for the runtimes that open files themselves: the best precompressed sibling, and one fresh look at
// the pointer when an edition is gone. nginx does the same in its configuration. Nothing here knows what a content is made of.

import { acceptedEncodings, SIBLING_SUFFIX, type SiblingEncoding } from './encoding.ts';
import type { Pointers } from './pointer.ts';
import { refuse } from './refusal.ts';
import { type FieldLine, fieldValue, type RuleRequest } from './request.ts';
import type { Decision } from './rule.ts';
import type { Service } from './file-response.ts';
import type { RuleSettings } from './profile.ts';

/** Where a runtime finds the tree. */
export interface Store<Content> {
  /** Pointers as the runtime may have kept them, or, when `isFresh`, read anew. */
  pointers(isFresh: boolean): Pointers;
  /** The siblings that may exist, best first. */
  readonly encodings: readonly SiblingEncoding[];
  /** Opens a file of the origin root; null when it is not there. Rejects when it cannot be read. */
  open(path: string): Promise<Content | null>;
}

export interface Answer<Content> {
  readonly decision: Decision;
  /** Those of the decision, and Content-Encoding where the content is a sibling's. */
  readonly headers: readonly FieldLine[];
  /** A file's content, a problem document, or nothing (304). */
  readonly content: Content | string | null;
}

/** Answers a request by `judge`, which is the rule with everything but the pointers filled in. Never rejects. */
export const answer = async <Content>(
  request: RuleRequest,
  store: Store<Content>,
  settings: RuleSettings,
  judge: (pointers: Pointers) => Promise<Decision>,
): Promise<Answer<Content>> => {
  const encodings = [...acceptedEncodings(fieldValue(request, 'accept-encoding'), store.encodings), null];
  try {
    // The second time: the edition was pruned after its pointer had been read, and the pointer of now names another.
    for (const isFresh of [false, true]) {
      const decision = await judge(store.pointers(isFresh));
      if (decision.kind !== 'serve') return withoutFile(decision);
      const { headers } = decision;
      for (const encoding of encodings) {
        const opening = store.open(decision.file + (encoding ? SIBLING_SUFFIX[encoding] : ''));
        // A sibling only saves bytes: whatever keeps it away, the plain file is as good an answer.
        const content = await (encoding ? opening.catch(() => null) : opening);
        if (content === null) continue;
        return { decision, headers: encoding ? [...headers, ['Content-Encoding', encoding]] : headers, content };
      }
    }
  } catch {
    // Not readable: the same answer as for an edition that stays away.
  }
  return withoutFile(refuse(503, 'internal', settings));
};

const withoutFile = (decision: Exclude<Decision, Service>): Answer<never> => ({
  decision,
  headers: decision.headers,
  content: decision.body,
});
