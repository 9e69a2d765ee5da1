// Whether the edge goes by the key ring of the tree. An edge does not say which keys it has, so keys themselves are tried: one is accepted
// if and only if the ring has it, valid now, for its front.

import type { EdgeCheck } from '../contract/edge-results.ts';
import type { KeyRing } from '../contract/key-ring.ts';
import type { Pointer } from '../contract/pointer.ts';
import { findKey } from '../edge/rule/key-store.ts';
import { OTHER_TREE } from './documents.ts';
import { PATHS, type CheckedEdge, type FrontKey } from './checked-edge.ts';
import { answerText, codeOf, judged, notChecked, ok, rowOf } from './rows.ts';

/** What becomes of a request that a key signs, by the key ring. */
type Standing = 'accepted' | 'refused' | 'not-its-front';

/** `now`: as text of an instant. */
export function standingOf({ front, key }: FrontKey, ring: KeyRing, now: string): Standing {
  const entry = findKey(ring, key.keyid);
  if (entry === null || (entry.notBefore !== null && now < entry.notBefore)) return 'refused';
  if ([entry.notAfter, entry.revokedAt].some((end) => end !== null && end <= now)) return 'refused';
  return entry.front === front ? 'accepted' : 'not-its-front';
}

const STANDING_TEXT: Readonly<Record<Standing, string>> = {
  accepted: 'accepted, as the key ring of the tree has it',
  refused: 'refused, as the key ring of the tree has it not, or not valid now',
  'not-its-front': 'refused, as the key ring of the tree has it for another front',
};

const OTHER_RING =
  'the edge goes by another key ring than the tree: nginx reads a copy of edge/keyring.json; a worker with a URL must be built and ' +
  'deployed again; over a bucket wait a minute. A key with a secret is refused where the edge does not have the same secret';

/** One row: whether a key is accepted where the tree's key ring says so, and refused where it does not. */
export async function checkKey(edge: CheckedEdge, tried: FrontKey, ring: KeyRing, now: string): Promise<EdgeCheck> {
  const check = `key ${tried.key.keyid}`;
  const standing = standingOf(tried, ring, now);
  const expected = STANDING_TEXT[standing];
  return rowOf(check, expected, async () => {
    const answer = await edge.ask({ path: PATHS.products, signer: tried, query: true });
    const code = codeOf(answer);
    // The rule looks for pointer and edition only after it has accepted the key.
    const isAccepted = answer.status === 200 || code === 'not-found';
    const isRefused = answer.status === 401 && (code === null || code === 'signature-invalid');
    const found: Standing | null = isAccepted
      ? 'accepted'
      : isRefused
        ? 'refused'
        : code === 'front-not-allowed'
          ? 'not-its-front'
          : null;
    if (found === null) return notChecked(check, expected, `${answerText(answer)}: this says nothing about the key`);
    return judged(check, expected, found === standing ? null : answerText(answer), OTHER_RING);
  });
}

/** Whether the edge serves the tree's snapshot of a front, by its signed answer; `pointer` null: the tree has none. */
export async function checkSnapshot(edge: CheckedEdge, own: FrontKey, pointer: Pointer | null): Promise<EdgeCheck> {
  const check = `front ${own.front}`;
  const expected =
    pointer === null ? '404 not-found: the tree has no such front' : snapshotText(pointer.now, pointer.validUntil);
  return rowOf(check, expected, async () => {
    const answer = await edge.ask({ path: PATHS.products, signer: own });
    const [asOf, until] = [answer.field('catalogue-as-of'), answer.field('catalogue-valid-until')];
    const isServed = answer.status === 200 && asOf !== null && until !== null;
    if (!isServed && codeOf(answer) !== 'not-found')
      return notChecked(check, expected, `${answerText(answer)}: this says nothing of a snapshot`);
    const found = isServed ? snapshotText(asOf, until) : answerText(answer);
    const isRight = isServed ? found === expected : pointer === null;
    return judged(check, expected, isRight ? null : found, OTHER_TREE);
  });
}

const snapshotText = (asOf: string, until: string): string => `as of ${asOf}, right until ${until}`;

/** All keys at hand as one row; `ring` null: no tree was given. */
export async function checkKeyRing(
  edge: CheckedEdge,
  keys: readonly FrontKey[],
  ring: KeyRing | null,
  now: string,
): Promise<EdgeCheck> {
  const check = 'key-ring';
  const expected = 'each key given is accepted if and only if it is valid by the tree';
  if (ring === null)
    return notChecked(check, expected, 'an edge does not say which keys it has: give the tree, --out TREE');
  for (const tried of keys) {
    const row = await checkKey(edge, tried, ring, now);
    if (row.state !== 'ok') return { ...row, check, expected: `${tried.key.keyid}: ${row.expected}` };
  }
  return ok(check, expected, `${keys.length} tried: ${keys.map(({ key }) => key.keyid).join(', ')}`);
}
