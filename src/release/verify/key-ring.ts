// Checks the key ring: that it contains no secret, its schema, and that both forms of each public
// key agree. A finding never shows a value from the file.

import { createPublicKey } from 'node:crypto';
import type { KeyRing, KeyRingEntry } from '../../contract/key-ring.ts';
import { EDGE_FOLDER, pathOf } from '../../render/paths.ts';
import { isSameText, keyRingText, parseKeyRing, PROBLEM_CODE } from '../tree/codec.ts';
import type { TreeFolders } from '../tree/files.ts';
import { orNull } from '../tree/found.ts';
import { summary, type FindingSink } from './finding-sink.ts';
import { NOT_CANONICAL } from './pointer.ts';
import { reportFilesBelow, scanFolder } from './scan.ts';

const KEY_RING = pathOf({ kind: 'key-ring' });

/**
 * Members of private JWKs (RFC 7518, section 6), and other likely names of secrets. `secretRef`
 * only names one.
 */
const SECRET_MEMBER =
  /^(d|p|q|dp|dq|qi|oth|k|pkcs8|pem|seed|hmac|(?!secretref$).*(secret|private|password|passphrase).*)$/i;

/**
 * Checks everything below `edge/`. The key ring is the first file that a build writes, so it may be
 * missing only if nothing is published.
 * @returns the ring; null if it cannot be read
 * @throws AppError tree-newer-schema
 */
export async function checkEdgeFolder(
  isPublished: boolean,
  tree: TreeFolders,
  sink: FindingSink,
): Promise<KeyRing | null> {
  const scan = await scanFolder(EDGE_FOLDER, tree, sink);
  await reportFilesBelow(scan.folders, tree, sink);
  if (scan.misplaced.has(KEY_RING)) return null;
  const bytes = await tree.read(KEY_RING);
  if (bytes.ok) return checkKeyRing(bytes.value, sink);
  if (bytes.why !== 'missing') sink.error('file-unreadable', KEY_RING, bytes.message);
  else if (isPublished) {
    sink.error(PROBLEM_CODE['key-ring'], KEY_RING, 'expected the key ring, found no such file; run build again');
  }
  return null;
}

function checkKeyRing(bytes: Uint8Array, sink: FindingSink): KeyRing | null {
  const report = (message: string): void => sink.error(PROBLEM_CODE['key-ring'], KEY_RING, message);
  const ring = parseKeyRing(bytes, KEY_RING);
  const secret = secretMemberIn(lenientJson(bytes), '');
  if (secret !== undefined) {
    const message = `has a member ${secret}: treat its value as compromised, revoke the key and run build again`;
    sink.error('secret-in-tree', KEY_RING, message);
    return orNull(ring);
  }
  if (!ring.ok) {
    report(ring.message);
    return null;
  }
  const mismatched = Object.entries(ring.value.keys).flatMap(([keyid, key]) =>
    isOneKey(key) ? [] : [`key ${keyid}: jwk and spki are different public keys`],
  );
  if (mismatched.length > 0) report(summary(mismatched));
  if (!isSameText(keyRingText(ring.value), bytes)) report(NOT_CANONICAL);
  return ring.value;
}

/** Any JSON in the file, so that a secret is reported even if the key ring is invalid. */
function lenientJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

/** A key ring is four levels deep, but a hostile file may have a million. */
const DEPTH_MAX = 8;

/**
 * The path of a member whose name suggests a secret. Members of `keys` are keyids, which may be
 * called anything.
 */
function secretMemberIn(json: unknown, path: string, depth = 0): string | undefined {
  if (typeof json !== 'object' || json === null || depth > DEPTH_MAX) return undefined;
  for (const [name, value] of Object.entries(json)) {
    const here = path === '' ? name : `${path}.${name}`;
    if (path !== 'keys' && SECRET_MEMBER.test(name)) return here;
    const deeper = secretMemberIn(value, here, depth + 1);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

function isOneKey(key: KeyRingEntry): boolean {
  if (key.alg === 'hmac-sha256') return true;
  try {
    const spki = createPublicKey({ key: key.jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' });
    return spki.toString('base64') === key.spki;
  } catch {
    return false;
  }
}
