// Checks that the edge has the tree's key ring. An edge does not say which keys it has, so this
// tries keys: the edge must accept a key if and only if it is in the ring, valid now, and for its
// front.

import type { CheckName } from './checks.ts';
import type { EdgeCheck } from '../contract/results/edge.ts';
import type { KeyRing } from '../contract/key-ring.ts';
import type { Pointer } from '../contract/pointer.ts';
import { findKey } from '../edge/rule/key-store.ts';
import { isKeyValid } from '../release/tree/key-validity.ts';
import { isOtherBody, OTHER_BODY } from './bodies.ts';
import { OTHER_TREE } from './documents.ts';
import { PATHS, type CheckedEdge, type FrontKey } from './checked-edge.ts';
import { answerText, codeOf, differs, judged, notChecked, ok, rowOf } from './rows.ts';

/** How an edge with this key ring treats a request that a key signs. */
type Standing = 'accepted' | 'refused' | 'not-its-front';

/** `now`: the text of an instant. */
export function standingOf({ front, key }: FrontKey, ring: KeyRing, now: string): Standing {
  const entry = findKey(ring, key.keyid);
  if (entry === null || !isKeyValid(entry, now)) return 'refused';
  return entry.front === front ? 'accepted' : 'not-its-front';
}

const STANDING_TEXT: Readonly<Record<Standing, string>> = {
  accepted: 'accepted: the tree has the key, and it is valid now',
  refused: 'refused: the tree does not have the key, or it is not valid now',
  'not-its-front': 'refused: the tree has the key for another front',
};

const OTHER_RING =
  'the edge has another key ring than the tree. nginx: it may read an old copy of edge/keyring.json; a worker ' +
  'with a URL or a binding: copy edge/keyring.json there; a bucket: wait a minute. For a key with a secret: check that the edge has the same secret';

/** Checks that the edge accepts or refuses a key as the tree's key ring says. */
export async function checkKey(edge: CheckedEdge, tried: FrontKey, ring: KeyRing, now: string): Promise<EdgeCheck> {
  const check: CheckName = `key ${tried.key.keyid}`;
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
    if (found === null) return notChecked(check, expected, `${answerText(answer)}: this shows nothing about the key`);
    return judged(check, expected, found === standing ? null : answerText(answer), OTHER_RING);
  });
}

/**
 * Checks that the edge serves the tree's snapshot of a front. `pointer`: null if the tree has none.
 */
export async function checkSnapshot(edge: CheckedEdge, own: FrontKey, pointer: Pointer | null): Promise<EdgeCheck> {
  const check: CheckName = `front ${own.front}`;
  const expected =
    pointer === null ? '404 not-found: the tree has no such front' : snapshotText(pointer.now, pointer.validUntil);
  return rowOf(check, expected, async () => {
    const answer = await edge.ask({ path: PATHS.products, signer: own });
    if (answer.status === 200 && isOtherBody(answer))
      return differs(check, expected, 'another document than its ETag names', OTHER_BODY);
    const [asOf, until] = [answer.field('catalogue-as-of'), answer.field('catalogue-valid-until')];
    const isServed = answer.status === 200 && asOf !== null && until !== null;
    if (!isServed && codeOf(answer) !== 'not-found')
      return notChecked(check, expected, `${answerText(answer)}: this shows nothing about the snapshot`);
    const found = isServed ? snapshotText(asOf, until) : answerText(answer);
    const isRight = isServed ? found === expected : pointer === null;
    return judged(check, expected, isRight ? null : found, OTHER_TREE);
  });
}

const snapshotText = (asOf: string, until: string): string => `as of ${asOf}, valid until ${until}`;

/** One row for all given keys. `ring`: null if no tree was given. */
export async function checkKeyRing(
  edge: CheckedEdge,
  keys: readonly FrontKey[],
  ring: KeyRing | null,
  now: string,
): Promise<EdgeCheck> {
  const check = 'key-ring';
  const expected = 'each given key is accepted if and only if it is valid in the tree';
  if (ring === null)
    return notChecked(check, expected, 'an edge does not say which keys it has: give the tree, --out TREE');
  for (const tried of keys) {
    const row = await checkKey(edge, tried, ring, now);
    if (row.state !== 'ok') return { ...row, check, expected: `${tried.key.keyid}: ${row.expected}` };
  }
  return ok(check, expected, `${keys.length} tried: ${keys.map(({ key }) => key.keyid).join(', ')}`);
}
