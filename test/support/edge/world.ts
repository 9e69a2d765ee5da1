// The tree and the keys that every transcript is about: made for each run, around the instant at
// which it starts, since nginx and workerd know no clock but the real one. README.md describes it
// for readers of transcripts.

import { createHash } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { instantText } from '../../../src/edge/rule/instant.ts';
import { generateKeyPair, type PrivateJwk } from '../../../src/edge/web-crypto/key-pair.ts';
import type { ProfileName } from '../../../src/edge/rule/profile.ts';
import { type KeyRing, type KeyRingEntry, keyRingSchema } from '../../../src/contract/key-ring.ts';
import { keyRingText } from '../../../src/release/tree/codec.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** One edition: when it starts, in seconds from the world's instant, and its bytes. */
interface WorldEdition {
  readonly from: number;
  readonly content: Buffer;
  readonly digest: string;
}

export interface WorldFront {
  readonly asOf: string;
  readonly validUntil: string;
  readonly products: readonly WorldEdition[];
  readonly categories: readonly WorldEdition[];
}

export interface World {
  /** Folder that holds `public` and `edge`. */
  readonly root: string;
  /** Whole seconds since 1970. */
  readonly now: number;
  readonly keyRing: KeyRing;
  readonly fronts: ReadonlyMap<string, WorldFront>;
  /** What a client signs with, by keyid. */
  readonly signingKeys: ReadonlyMap<string, PrivateJwk | string>;
  /** Secrets by the names in the key ring. */
  readonly secrets: { readonly [name: string]: string };
  /** Those that its edges have. */
  readonly profiles: readonly ProfileName[];
}

const HOUR = 3600;

/**
 * Makes a world around an instant (whole seconds since 1970) in a fresh folder. `more`: further
 * fronts, each with one edition that has both siblings.
 */
export async function makeWorld(
  now: number,
  profiles: readonly ProfileName[] = ['rfc9421'],
  more: readonly string[] = [],
): Promise<World> {
  const root = temporaryFolder();
  const fronts = new Map<string, WorldFront>([
    ['moscow', front('moscow', now, -HOUR, 6 * HOUR, [-HOUR, -600, 2 * HOUR])],
    ['kazan', front('kazan', now, -HOUR, 6 * HOUR, [-HOUR])],
    ['constructor', front('constructor', now, -HOUR, 6 * HOUR, [-HOUR])],
    ['stale', front('stale', now, -2 * HOUR, -HOUR, [-2 * HOUR, -1.5 * HOUR])],
    ['early', front('early', now, HOUR, 6 * HOUR, [HOUR, 2 * HOUR])],
    ['gone', front('gone', now, -HOUR, 6 * HOUR, [-HOUR])],
    ['empty', front('empty', now, -HOUR, 6 * HOUR, [])],
    ['torn', front('torn', now, -HOUR, 6 * HOUR, [-HOUR])],
    ['newer', front('newer', now, -HOUR, 6 * HOUR, [-HOUR])],
    ['foreign', front('kazan', now, -HOUR, 6 * HOUR, [-HOUR])],
    ['folder', front('folder', now, -HOUR, 6 * HOUR, [-HOUR])],
    ...more.map((code) => [code, front(code, now, -HOUR, 6 * HOUR, [-HOUR])] as const),
  ]);
  for (const [code, content] of fronts) writeFront(root, code, now, content, more.includes(code));
  const { keyRing, signingKeys } = await makeKeys(now, more);
  mkdirSync(join(root, 'edge'));
  writeFileSync(join(root, 'edge', 'keyring.json'), keyRingText(keyRing));
  const secrets = { MOSCOW_SECRET: 'what only the two of us know: ключ' };
  return { root, now, keyRing, fronts, signingKeys, secrets, profiles };
}

function front(code: string, now: number, asOf: number, validUntil: number, starts: readonly number[]): WorldFront {
  const edition = (endpoint: string, from: number): WorldEdition => {
    const card = `{"front":"${code}","endpoint":"${endpoint}","from":"${instantText(now + from)}","filler":"${'афиша '.repeat(200)}"}`;
    const text = endpoint === 'products' ? `{"productCards":[${card}]}\n` : `[${card}]\n`;
    const content = Buffer.from(text);
    return { from, content, digest: createHash('sha256').update(content).digest('hex').slice(0, 16) };
  };
  return {
    asOf: instantText(now + asOf),
    validUntil: instantText(now + validUntil),
    products: starts.map((from) => edition('products', from)),
    categories: starts.slice(0, 1).map((from) => edition('categories', from)),
  };
}

/** The pointer of snapshot.md, byte for byte. */
export function pointerText(code: string, now: number, content: WorldFront): string {
  const entries = (editions: readonly WorldEdition[]): string[] =>
    editions.map(({ from, digest }) => `${instantText(now + from)} ${digest}`);
  const pointer = {
    schema: 1,
    front: code,
    now: content.asOf,
    validUntil: content.validUntil,
    today: content.asOf.slice(0, 10),
    timezone: 'Europe/Moscow',
    products: entries(content.products),
    categories: entries(content.categories),
  };
  return `${JSON.stringify(pointer)}\n`;
}

function writeFront(root: string, code: string, now: number, content: WorldFront, hasSiblings: boolean): void {
  const write = (path: string, bytes: Buffer | string): void => {
    const file = join(root, 'public', 'fronts', code, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    utimesSync(file, now - HOUR, now - HOUR);
  };
  const pointer = pointerText(code === 'foreign' ? 'kazan' : code, now, content);
  if (code === 'torn') write('pointer.json', pointer.slice(0, -30));
  else if (code === 'folder') write('pointer.json/inside', pointer);
  else if (code === 'newer') write('pointer.json', pointer.replace('"schema":1', '"schema":2'));
  else write('pointer.json', pointer);
  for (const endpoint of ['products', 'categories'] as const) {
    for (const { digest, content: bytes } of content[endpoint]) {
      if (code === 'gone') continue;
      write(`${endpoint}.${digest}.json`, bytes);
      // Two siblings, one sibling, none.
      if (code === 'moscow' || code === 'stale' || hasSiblings) write(`${endpoint}.${digest}.json.gz`, gzipSync(bytes));
      if (code === 'moscow' || hasSiblings) write(`${endpoint}.${digest}.json.br`, brotliCompressSync(bytes));
    }
  }
}

/** A key ring of these keys, as its schema has it. */
export function keyRingOf(keys: Record<string, unknown>): KeyRing {
  return keyRingSchema.parse({ schema: 1, keys });
}

/** The ring with so many keys of one algorithm before its own. */
export async function withManyKeys({ keys }: KeyRing, count: number): Promise<KeyRing> {
  const { jwk, spki } = await generateKeyPair('ecdsa-p256-sha256');
  const entry = {
    front: 'moscow',
    notBefore: null,
    notAfter: null,
    revokedAt: null,
    alg: 'ecdsa-p256-sha256',
    jwk,
    spki,
  };
  const many = Array.from({ length: count }, (_, i) => [`a-${String(i).padStart(4, '0')}`, entry] as const);
  return keyRingOf({ ...Object.fromEntries(many), ...keys });
}

async function makeKeys(now: number, more: readonly string[]): Promise<Pick<World, 'keyRing' | 'signingKeys'>> {
  const keys: Record<string, unknown> = {};
  const signingKeys = new Map<string, PrivateJwk | string>();
  const open = { notBefore: null, notAfter: null, revokedAt: null };
  const add = async (
    keyid: string,
    speaksFor: string,
    alg: 'ecdsa-p256-sha256' | 'ed25519',
    validity: Partial<KeyRingEntry>,
  ): Promise<void> => {
    const { jwk, spki, privateJwk } = await generateKeyPair(alg);
    keys[keyid] = { front: speaksFor, alg, jwk, spki, ...open, ...validity };
    signingKeys.set(keyid, privateJwk);
  };
  for (const code of [
    'moscow',
    'kazan',
    'constructor',
    'stale',
    'early',
    'gone',
    'empty',
    'torn',
    'newer',
    'foreign',
    'folder',
    'unpublished',
    ...more,
  ]) {
    await add(`${code}-1`, code, 'ecdsa-p256-sha256', {
      notBefore: instantText(now - HOUR),
      notAfter: instantText(now + HOUR),
    });
  }
  await add('moscow-2', 'moscow', 'ecdsa-p256-sha256', { revokedAt: instantText(now + HOUR) });
  await add('moscow-over', 'moscow', 'ecdsa-p256-sha256', { notAfter: instantText(now) });
  await add('moscow-not-yet', 'moscow', 'ecdsa-p256-sha256', { notBefore: instantText(now + HOUR) });
  await add('moscow-revoked', 'moscow', 'ecdsa-p256-sha256', { revokedAt: instantText(now) });
  await add('moscow-ed25519', 'moscow', 'ed25519', {});
  for (const [keyid, secretRef, revokedAt] of [
    ['moscow-hmac', 'MOSCOW_SECRET', null],
    ['moscow-hmac-revoked', 'MOSCOW_SECRET', instantText(now)],
    ['moscow-no-secret', 'NO_SUCH_SECRET', null],
  ] as const) {
    keys[keyid] = { front: 'moscow', alg: 'hmac-sha256', secretRef, ...open, revokedAt };
    signingKeys.set(keyid, 'what only the two of us know: ключ');
  }
  // What somebody might try instead of a secret: the one in the source, and none.
  signingKeys.set('decoy-secret', 'nobody');
  signingKeys.set('empty-secret', '');
  // Known to a client, and to no key ring.
  for (const keyid of ['stranger', '__proto__', 'constructor'])
    signingKeys.set(keyid, (await generateKeyPair('ecdsa-p256-sha256')).privateJwk);
  return { keyRing: keyRingOf(keys), signingKeys };
}

/**
 * The text behind a placeholder such as `moscow products 2` (a digest) or `moscow as-of`; undefined
 * when it is none.
 */
export function resolvePlaceholder(world: World, name: string): string | undefined {
  const [code = '', what = '', index = ''] = name.split(' ');
  const found = world.fronts.get(code);
  if (what === 'modified') return new Date((world.now - HOUR) * 1000).toUTCString();
  if (what === 'as-of') return found?.asOf;
  if (what === 'valid-until') return found?.validUntil;
  if (what === 'products' || what === 'categories') return found?.[what][Number(index) - 1]?.digest;
  return undefined;
}

/** The bytes behind `moscow products 2`. Throws Error when there is no such edition. */
export function editionContent(world: World, name: string): Buffer {
  const [code = '', what = '', index = ''] = name.split(' ');
  const editions = what === 'products' || what === 'categories' ? world.fronts.get(code)?.[what] : undefined;
  const edition = editions?.[Number(index) - 1];
  if (edition === undefined) throw new Error(`no such edition: ${name}`);
  return edition.content;
}
