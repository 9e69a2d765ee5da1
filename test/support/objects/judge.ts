// Judges an object store by a rule: a request, and what is expected of its answer and of the bucket
// afterwards.

import { isDeepStrictEqual } from 'node:util';
import { parseListing } from './remote-bucket.ts';
import {
  receive,
  send,
  transmit,
  type Destination,
  type ReceivedAnswer,
  type SentRequest,
  type SignedRequest,
} from './send.ts';
import type { TestStore } from './test-store.ts';

export interface Expected {
  readonly status: number;
  /** Of the error. */
  readonly code?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** All that the bucket holds afterwards. */
  readonly objects?: Readonly<Record<string, string>>;
  /** In a listing's page. */
  readonly listed?: { readonly keys: readonly string[]; readonly commonPrefixes: readonly string[] };
  /** Parts of the answer's document. */
  readonly says?: readonly string[];
}

export interface Rule {
  readonly name: string;
  /** What the bucket holds before. */
  readonly given?: Readonly<Record<string, string>>;
  /** Sent before; answered with 200. */
  readonly first?: SentRequest;
  readonly request: SentRequest | ((to: Destination) => Promise<SignedRequest>);
  readonly expected: Expected;
  /** What Ceph's gateway answers where it differs. */
  readonly ceph?: Expected;
  /** No matter of dialect: the proxy passes it on, and the store in memory does not imitate it. */
  readonly isCephsOwn?: true;
}

/**
 * How a store's answer to a rule's request differs from what is expected, in the form of what is
 * expected; empty where it does not.
 */
export async function differences(
  store: TestStore,
  { given = {}, first, request }: Rule,
  expected: Expected,
): Promise<Partial<Record<keyof Expected, unknown>>> {
  for (const key of (await store.objects()).keys()) await store.delete(key);
  for (const [key, text] of Object.entries(given)) await store.put(key, text);
  if (first !== undefined && (await send(store, first)).status !== 200)
    throw new Error(`refused: ${JSON.stringify(first)}`);
  const answer =
    typeof request === 'function' ? await receive(await transmit(await request(store))) : await send(store, request);
  const body = answer.body.toString();
  const found: Required<Expected> = {
    status: answer.status,
    code: codeOf(answer),
    body,
    headers: Object.fromEntries(
      Object.keys(expected.headers ?? {}).map((name) => [name, String(answer.headers[name])]),
    ),
    objects: Object.fromEntries([...(await store.objects())].map(([key, { bytes }]) => [key, bytes.toString()])),
    listed: expected.listed === undefined ? { keys: [], commonPrefixes: [] } : listedIn(answer),
    says: (expected.says ?? []).filter((part) => body.includes(part)),
  };
  const names: readonly (keyof Expected)[] = ['status', 'code', 'body', 'headers', 'objects', 'listed', 'says'];
  const different = names.filter(
    (name) => expected[name] !== undefined && !isDeepStrictEqual(found[name], expected[name]),
  );
  return Object.fromEntries(different.map((name) => [name, found[name]]));
}

function listedIn({ body }: ReceivedAnswer): Required<Expected>['listed'] {
  const { keys, commonPrefixes } = parseListing(body);
  return { keys, commonPrefixes };
}

/** The code in an error's document; empty where there is none. */
export function codeOf({ body }: ReceivedAnswer): string {
  return /<Code>(\w+)<\/Code>/.exec(body.toString())?.[1] ?? '';
}
