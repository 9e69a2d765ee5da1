// Compares the body of an answer with its ETag. The rule makes the ETag of the tree's pointer, and
// looks at no body: they differ where an origin, a cache or a proxy put another body in the
// document's place.

import { sha256Of } from '../release/tree/digest.ts';
import { digestOf } from '../render/paths.ts';
import type { EdgeAnswer } from './exchange.ts';

/** The digest of a document's bytes. */
export function digestOfContent(content: Uint8Array): string {
  return digestOf(sha256Of(content));
}

/** Whether the ETag is one of the rule's, and names another document than this. */
export function isOtherBody(answer: EdgeAnswer): boolean {
  const named = /^W\/"([0-9a-f]{16})"$/.exec(answer.field('etag') ?? '')?.[1];
  return named !== undefined && named !== digestOfContent(answer.content);
}

/** The hint for such an answer. */
export const OTHER_BODY =
  "the ETag is the rule's and the body is not: the edge got another body from its origin or its cache, or something in front changes " +
  'documents. Check the tree (playbill verify), see what answers in its place (a maintenance page, a portal), and empty the cache of the edge';
