// What can be seen of a tree by those who read it: an edge, which has pointers, editions and the
// key ring, and an operator, who has releases. The judge of every fault test: it shares no line
// with the program and forgives nothing but temporary names.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** The mutable files of a tree, as text: what a release changes. null where there is none. */
export interface TreeState {
  /** By the front's code. */
  readonly pointers: ReadonlyMap<string, string>;
  readonly keyRing: string | null;
  readonly current: string | null;
  /** The release that a rollback holds the tree at. */
  readonly hold: string | null;
}

/** Which release each front shows, and what lies about that nobody points at. */
export interface Sight {
  readonly fronts: ReadonlyMap<string, 'old' | 'new' | 'same'>;
  /** Files under a temporary name. */
  readonly temporaries: number;
  /**
   * Editions of the new release that are in place; those that both releases have are not counted.
   */
  readonly newEditions: number;
  /** Precompressed siblings of editions, of whatever release. */
  readonly siblings: number;
  readonly isCurrentNew: boolean;
}

export const EMPTY_TREE: TreeState = { pointers: new Map(), keyRing: null, current: null, hold: null };

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const ENTRY = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [0-9a-f]{16}$/;
const KNOWN_NAMES = [
  /^\.lock(?:-keyring)?$/,
  /^public\/fronts\/[a-z0-9][a-z0-9._-]{0,62}\/pointer\.json$/,
  /^edge\/keyring\.json$/,
  /^releases\/(?:current|hold|grace)$/,
  /^releases\/(?:\d{8}T\d{6}Z|fronts|files)-[0-9a-f]{16}\.json$/,
  /^runs\/[^/]+\/(?:run|shard-\d+)\.json$/,
];
const EDITION_NAME = /^public\/fronts\/([^/]+)\/(products|categories)\.([0-9a-f]{16})\.json(\.gz|\.br)?$/;
const TEMPORARY_NAME = /(?:^|\/)\.[^/]+\.tmp$/;
const POINTER_KEYS = ['schema', 'front', 'now', 'validUntil', 'today', 'timezone', 'products', 'categories'];
const DOCUMENT_KEYS = ['productCards', 'categories', 'groups', 'tags', 'badges'];

export function stateOf(root: string): TreeState {
  const pointers = new Map<string, string>();
  // In the opposite order of writing: whoever sees the new `current` must see all that was written
  // before it.
  const current = textOf(root, 'releases/current');
  for (const code of namesIn(root, 'public/fronts').sort()) {
    const text = textOf(root, `public/fronts/${code}/pointer.json`);
    if (text !== null) pointers.set(code, text);
  }
  const [keyRing, hold] = [textOf(root, 'edge/keyring.json'), textOf(root, 'releases/hold')];
  return { pointers, keyRing, current, hold };
}

/**
 * Reads a tree while a release takes the place of another, or after that was stopped at any
 * instant. Throws an AssertionError where anyone would see a front that is neither wholly old nor
 * wholly new, or anything torn.
 */
export function checkAsReader(root: string, before: TreeState, after: TreeState): Sight {
  const state = stateOf(root);
  const fronts = new Map<string, 'old' | 'new' | 'same'>();
  for (const code of new Set([...before.pointers.keys(), ...after.pointers.keys(), ...state.pointers.keys()])) {
    const text = state.pointers.get(code);
    const [old, young] = [before.pointers.get(code), after.pointers.get(code)];
    assert.ok(
      text === old || text === young,
      `front ${code}: its pointer is neither the old one nor the new one: ${text}`,
    );
    fronts.set(code, old === young ? 'same' : text === old ? 'old' : 'new');
    if (text !== undefined) checkFront(root, code, text);
  }
  const isAnyNew = [...fronts.values()].includes('new');
  assert.ok(
    state.keyRing === after.keyRing || (state.keyRing === before.keyRing && !isAnyNew),
    'key ring: later than a pointer',
  );
  if (state.keyRing !== null) checkKeyRing(state.keyRing);
  // No build may publish over a rollback that is half done.
  assert.ok(state.hold === after.hold || (state.hold === before.hold && !isAnyNew), 'hold: later than a pointer');
  assert.ok(state.current === before.current || state.current === after.current, `current: found ${state.current}`);
  const isCurrentNew = state.current !== before.current;
  if (isCurrentNew) assert.ok(![...fronts.values()].includes('old'), 'current: earlier than a pointer');
  checkReleases(root, state);
  const { temporaries, editions, siblings } = checkNames(root);
  const [oldPaths, newPaths] = [editionPathsOf(before), editionPathsOf(after)];
  const newEditions = editions.filter((path) => newPaths.has(path) && !oldPaths.has(path)).length;
  return { fronts, temporaries, newEditions, siblings, isCurrentNew };
}

/**
 * The fronts of a tree of which a reader sees a whole snapshot, whatever has become of the others.
 */
export function wholeFrontsIn(root: string): string[] {
  return namesIn(root, 'public/fronts')
    .sort()
    .filter((code) => {
      try {
        const text = textOf(root, `public/fronts/${code}/pointer.json`);
        if (text === null) return false;
        checkFront(root, code, text);
        return true;
      } catch {
        return false;
      }
    });
}

/** The paths of all editions that the pointers of a state name. */
function editionPathsOf(state: TreeState): Set<string> {
  const paths = new Set<string>();
  for (const [code, text] of state.pointers) {
    const pointer = canonicalJson(text, code) as Record<string, unknown>;
    for (const endpoint of ['products', 'categories']) {
      for (const { digest } of entriesOf(pointer, endpoint, code)) paths.add(editionPathOf(code, endpoint, digest));
    }
  }
  return paths;
}

/**
 * A pointer is canonical, in order, and all it names is there, bears its digest and agrees across
 * endpoints.
 */
function checkFront(root: string, code: string, text: string): void {
  const place = `pointer of ${code}`;
  const pointer = canonicalJson(text, place) as Record<string, unknown>;
  assert.deepEqual(Object.keys(pointer), POINTER_KEYS, place);
  assert.equal(pointer['schema'], 1, place);
  assert.equal(pointer['front'], code, place);
  const { now, validUntil, today, timezone } = pointer;
  assert.ok(typeof now === 'string' && INSTANT.test(now), `${place}: now`);
  assert.ok(typeof validUntil === 'string' && INSTANT.test(validUntil) && validUntil > now, `${place}: validUntil`);
  assert.ok(typeof today === 'string' && /^\d{4}-\d\d-\d\d$/.test(today), `${place}: today`);
  assert.ok(typeof timezone === 'string' && timezone !== '', `${place}: timezone`);
  const products = entriesOf(pointer, 'products', code);
  const categories = entriesOf(pointer, 'categories', code);
  for (const entries of [products, categories]) {
    assert.equal(entries[0]?.from, now, `${place}: the first edition begins at now`);
    for (const [i, { from }] of entries.entries()) {
      assert.ok(from > (entries[i - 1]?.from ?? '') && from < validUntil, `${place}: ${from} out of order`);
    }
  }
  for (const { from, digest } of products) {
    const document = canonicalJson(editionText(root, code, 'products', digest), `${code} products ${from}`);
    assert.deepEqual(Object.keys(document as object), DOCUMENT_KEYS, `${code} products ${from}`);
    const beside = categories.findLast((entry) => entry.from <= from)?.digest ?? '';
    const text = `${JSON.stringify((document as Record<string, unknown>)['categories'])}\n`;
    assert.equal(editionText(root, code, 'categories', beside), text, `${code} at ${from}: the endpoints disagree`);
  }
  for (const { from, digest } of categories) {
    const document = canonicalJson(editionText(root, code, 'categories', digest), `${code} categories ${from}`);
    assert.ok(Array.isArray(document), `${code} categories ${from}`);
  }
}

function entriesOf(
  pointer: Record<string, unknown>,
  endpoint: string,
  code: string,
): { from: string; digest: string }[] {
  const entries = pointer[endpoint];
  assert.ok(Array.isArray(entries) && entries.length > 0, `pointer of ${code}: ${endpoint}`);
  return entries.map((entry: unknown) => {
    assert.ok(typeof entry === 'string' && ENTRY.test(entry), `pointer of ${code}: ${JSON.stringify(entry)}`);
    return { from: entry.slice(0, 20), digest: entry.slice(21) };
  });
}

function editionPathOf(code: string, endpoint: string, digest: string): string {
  return `public/fronts/${code}/${endpoint}.${digest}.json`;
}

function editionText(root: string, code: string, endpoint: string, digest: string): string {
  const path = editionPathOf(code, endpoint, digest);
  const text = textOf(root, path);
  assert.ok(text !== null, `${path}: a pointer names it and it is not there`);
  assert.ok(sha256Of(text).startsWith(digest), `${path}: its content has another digest`);
  return text;
}

/**
 * `current` names a manifest, and of every manifest both parts are there, and all files with their
 * size and digest.
 */
function checkReleases(root: string, { current }: TreeState): void {
  const names = namesIn(root, 'releases').flatMap((name) => /^(\d{8}T\d{6}Z-.{16})\.json$/.exec(name)?.[1] ?? []);
  if (current !== null)
    assert.ok(names.includes(current.trimEnd()), `current names ${current.trimEnd()}, which is not there`);
  for (const name of names) {
    const head = JSON.parse(namedByDigest(root, name)) as { now: string; fronts: string; files: string };
    assert.equal(head.now.replaceAll(/[-:]/g, ''), name.slice(0, 16), `releases/${name}.json: its now`);
    const listed = JSON.parse(namedByDigest(root, `fronts-${head.fronts}`)) as unknown[];
    const files = JSON.parse(namedByDigest(root, `files-${head.files}`)) as ListedFile[];
    assert.ok(listed.length > 0 || files.length === 0, `releases/${name}.json: files of no front`);
    for (const { path, bytes, sha256 } of files) {
      const content = textOf(root, path);
      assert.ok(content !== null, `${path}: release ${name} lists it and it is not there`);
      assert.equal(Buffer.byteLength(content), bytes, `${path}: bytes in release ${name}`);
      assert.equal(sha256Of(content), sha256, `${path}: SHA-256 in release ${name}`);
    }
  }
}

interface ListedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A file below `releases/` whose name ends with its digest. */
function namedByDigest(root: string, name: string): string {
  const text = textOf(root, `releases/${name}.json`);
  assert.ok(text !== null, `releases/${name}.json is not there`);
  assert.ok(sha256Of(text).startsWith(name.slice(-16)), `releases/${name}.json: its content has another digest`);
  return text;
}

/**
 * No unexpected files; and an edition that no pointer names yet is as whole as any, as is a
 * precompressed sibling.
 */
function checkNames(root: string): { temporaries: number; editions: string[]; siblings: number } {
  let [temporaries, siblings] = [0, 0];
  const editions: string[] = [];
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    if (entry.isDirectory() || KNOWN_NAMES.some((name) => name.test(path))) continue;
    if (TEMPORARY_NAME.test(path)) {
      temporaries += 1;
      continue;
    }
    const [, code, endpoint, digest, suffix] = EDITION_NAME.exec(path) ?? [];
    assert.ok(
      code !== undefined && endpoint !== undefined && digest !== undefined,
      `${path}: an unexpected file in the tree`,
    );
    if (suffix === undefined) {
      canonicalJson(editionText(root, code, endpoint, digest), path);
      editions.push(path);
    } else {
      checkSibling(path, readFileSync(join(root, path)), suffix === '.gz' ? gunzipSync : brotliDecompressSync, digest);
      siblings += 1;
    }
  }
  return { temporaries, editions, siblings };
}

/**
 * What a sibling unfolds to bears the digest of the edition whose name it has, be that there or
 * not.
 */
function checkSibling(path: string, bytes: Buffer, unfold: (bytes: Buffer) => Buffer, digest: string): void {
  assert.doesNotThrow(() => unfold(bytes), `${path}: cannot be unfolded`);
  const sha256 = createHash('sha256').update(unfold(bytes)).digest('hex');
  assert.ok(sha256.startsWith(digest), `${path}: unfolds to another digest`);
}

/** A line for each key, in order and of one width, which an edge counts on. */
function checkKeyRing(text: string): void {
  const place = 'edge/keyring.json';
  const [head, ...lines] = text.split('\n');
  assert.equal(head, '{"schema":1,"keys":{', place);
  assert.deepEqual(lines.splice(-2), ['}}', ''], place);
  const rings = lines.map((line) => JSON.parse(`{${line.trimEnd().replace(/,$/, '')}}`) as Record<string, unknown>);
  const keyids = rings.flatMap((ring) => Object.keys(ring));
  assert.equal(keyids.length, lines.length, place);
  assert.deepEqual(keyids, [...new Set(keyids)].sort(), place);
  for (const line of lines) assert.equal(line.length, lines[0]?.length, place);
  assert.equal(((lines[0]?.length ?? 511) + 1) % 512, 0, place);
  assert.deepEqual(JSON.parse(text), { schema: 1, keys: Object.assign({}, ...rings) as unknown }, place);
}

function canonicalJson(text: string, place: string): unknown {
  const parsed: unknown = JSON.parse(text);
  assert.equal(text, `${JSON.stringify(parsed)}\n`, `${place}: not canonical JSON`);
  return parsed;
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** UTF-8 or nothing: a cut character is no text. */
function textOf(root: string, path: string): string | null {
  try {
    // A reader would wait for ever for what comes out of a pipe.
    assert.ok(statSync(join(root, path)).isFile(), `${path}: no file`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(join(root, path)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function namesIn(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
