// Checks that no cache in front of the rule answers in its place, and that nobody can read the tree
// without going through the rule.

import type { CheckName } from './checks.ts';
import type { EdgeCheck } from '../contract/results/edge.ts';
import type { Pointer } from '../contract/pointer.ts';
import { entryOf } from '../contract/pointer-entry.ts';
import { editionPath, pathOf, PUBLIC_FOLDER } from '../render/paths.ts';
import { basePath, PATHS, type CheckedEdge, type FrontKey, type Probe } from './checked-edge.ts';
import { digestOfContent } from './bodies.ts';
import type { EdgeAnswer } from './exchange.ts';
import { answerText, differs, judged, notChecked, ok, rowOf } from './rows.ts';
import type { Documents } from './signed.ts';

const path = PATHS.products;

const NO_CACHE =
  'a cache in front of the rule answers in its place: turn it off for these paths. ' +
  'Cache editions behind the rule instead, by their path';

/** The headers in which caches report a hit. */
const CACHE_FIELDS = [
  'x-cache',
  'x-cache-status',
  'x-proxy-cache',
  'x-varnish-cache',
  'x-vercel-cache',
  'cf-cache-status',
  'cdn-cache',
  'cache-status',
];

export async function checkSharedCaches(edge: CheckedEdge, own: FrontKey): Promise<readonly EdgeCheck[]> {
  const signed: Probe = { path, signer: own };
  const unsigned: Probe = { path, signer: null, front: own.front };
  const second = (
    check: CheckName,
    expected: string,
    [before, probe]: readonly [Probe, Probe],
    foundIn: (answer: EdgeAnswer) => string | null,
  ): Promise<EdgeCheck> =>
    rowOf(check, expected, async () => {
      await edge.ask(before);
      return judged(check, expected, foundIn(await edge.ask(probe)), NO_CACHE);
    });
  const statusIs = (status: number) => (answer: EdgeAnswer) => (answer.status === status ? null : answerText(answer));
  const afterSigned = '401 to an unsigned request, right after a signed one for the same URL';
  const afterUnsigned = '200 to a signed request, right after an unsigned one for the same URL';
  return [
    await second('shared-cache', 'no answer comes from a cache', [signed, signed], cacheTrace),
    await second('unsigned-after-signed', afterSigned, [signed, unsigned], statusIs(401)),
    await second('signed-after-unsigned', afterUnsigned, [unsigned, signed], statusIs(200)),
  ];
}

function cacheTrace(answer: EdgeAnswer): string | null {
  const age = answer.field('age');
  if (age !== null && Number(age) > 0) return `Age: ${age}`;
  const name = CACHE_FIELDS.find((field) => /\bhit\b/i.test(answer.field(field) ?? ''));
  return name === undefined ? null : `${name}: ${answer.field(name) ?? ''}`;
}

/**
 * Requests one URL for two fronts, one after the other. `pointerOf`: the pointers of the tree; null
 * if no tree was given.
 */
export async function checkFrontsApart(
  edge: CheckedEdge,
  own: FrontKey,
  other: FrontKey | null,
  pointerOf: ((front: string) => Promise<Pointer | null>) | null,
): Promise<EdgeCheck> {
  const check = 'fronts-apart';
  const expected = 'two fronts get different documents from the same URL';
  if (other === null) return notChecked(check, expected, 'give a key of another front: --other-key FILE');
  if (other.front === own.front) return notChecked(check, expected, 'both keys are for the same front');
  const hint = `a cache mixes fronts: ${NO_CACHE}`;
  return rowOf(check, expected, async () => {
    const digests: string[] = [];
    for (const signer of [own, other]) {
      const answer = await edge.ask({ path, signer });
      if (answer.status !== 200) return judged(check, expected, `${signer.front}: ${answerText(answer)}`, hint);
      digests.push(digestOfContent(answer.content));
    }
    const [ownDigest = '', otherDigest = ''] = digests;
    if (ownDigest !== otherDigest) return ok(check, expected);
    const isOf = async ({ front }: FrontKey): Promise<boolean> =>
      (await pointerOf?.(front))?.products.some((entry) => entryOf(entry).digest === ownDigest) === true;
    const [isOwn, isOther] = [await isOf(own), await isOf(other)];
    if (isOwn && isOther) return ok(check, expected, 'both have the same document in the tree');
    if (!isOwn && !isOther)
      return notChecked(
        check,
        expected,
        'both get the same document, which may be right: to check, give the tree that has it: --out TREE',
      );
    const [reader, owner] = isOwn ? [other, own] : [own, other];
    return differs(check, expected, `${reader.front} gets the document of ${owner.front}`, hint);
  });
}

/** Requests files of the tree without a signature, from the root of the host and below the base. */
export async function checkTreeHidden(
  edge: CheckedEdge,
  { front }: FrontKey,
  documents: Documents | null,
): Promise<EdgeCheck> {
  const check = 'tree-hidden';
  const expected = 'no file of the tree can be read without the rule';
  const pointer = pathOf({ kind: 'pointer', front });
  const digest = documents === null ? null : digestOfContent(documents.products.content);
  const edition = digest === null ? [] : [editionPath(front, 'products', digest)];
  const files = [pointer, ...edition].flatMap((file) => [file, file.slice(PUBLIC_FOLDER.length + 1)]);
  const all = [...files, pathOf({ kind: 'key-ring' }), pathOf({ kind: 'current' })];
  const bases = [...new Set(['', basePath(edge.address.url)])];
  return rowOf(check, expected, async () => {
    for (const target of bases.flatMap((base) => all.map((file) => `${base}/${file}`))) {
      const answer = await edge.askRoot(target);
      if (answer.status === 200 && isOfTree(answer.content, digest))
        return judged(
          check,
          expected,
          `${target}: ${answerText(answer)}`,
          'anybody can fetch this without a key: make the folder of the tree readable only by the rule',
        );
    }
    return ok(check, expected);
  });
}

/**
 * Whether it is a pointer, a key ring, the id of a release, or the edition. Some hosts answer every
 * path with a page and 200.
 */
function isOfTree(content: Uint8Array, digest: string | null): boolean {
  const start = Buffer.from(content.subarray(0, 20)).toString('latin1');
  return start.startsWith('{"schema":') || /^[0-9a-f]{16}\n$/.test(start) || digestOfContent(content) === digest;
}
