// The key ring: its schema, both forms of each public key against each other, and above all that no secret is in it (law 8).
// A finding never shows a value of the file.

import { createPublicKey } from 'node:crypto';
import type { KeyRingEntry } from '../../contract/key-ring.ts';
import { EDGE_FOLDER, pathOf } from '../../render/paths.ts';
import type { TreeReader } from '../tree/reader.ts';
import { isSameText } from './manifest.ts';
import { gathered, type Report } from './report.ts';
import { readTreeFile, reportStrangersBelow, scanFolder } from './scan.ts';
import { parseKeyRing, PROBLEM_CODE } from '../tree/codec.ts';

const KEY_RING = pathOf({ kind: 'key-ring' });

/** Members of private JWKs (RFC 7518, section 6), and what a careless hand may call a secret. `secretRef` is a name, not one. */
const SECRET_MEMBER =
  /^(d|p|q|dp|dq|qi|oth|k|pkcs8|pem|seed|hmac|(?!secretref$).*(secret|private|password|passphrase).*)$/i;

/**
 * Checks everything below `edge/`. The key ring is the first file that a tree's first build puts, so it may be missing only
 * where nothing has been published. @throws AppError tree-newer-schema
 */
export async function checkEdgeFolder(isPublished: boolean, reader: TreeReader, report: Report): Promise<void> {
  const scan = await scanFolder(EDGE_FOLDER, reader, report);
  await reportStrangersBelow(scan.folders, reader, report);
  if (scan.taken.has(KEY_RING)) return;
  if (!scan.files.has(KEY_RING)) {
    const message = 'expected the key ring, found no such file; run build again';
    if (isPublished) report.error(PROBLEM_CODE['key-ring'], KEY_RING, message);
    return;
  }
  const bytes = await readTreeFile(KEY_RING, reader, report);
  if (bytes !== undefined) checkKeyRing(bytes, report);
}

function checkKeyRing(bytes: Uint8Array, report: Report): void {
  const { value: ring, problem } = parseKeyRing(bytes, KEY_RING);
  const json = jsonOf(bytes);
  const secret = secretMemberIn(json, '');
  if (secret !== undefined) {
    const message = `has a member ${secret}: whatever it is, treat it as known to others, revoke the key and run build again`;
    report.error('secret-in-tree', KEY_RING, message);
    return;
  }
  if (problem !== null) {
    report.error(PROBLEM_CODE['key-ring'], KEY_RING, problem);
    return;
  }
  const mismatched = Object.entries(ring.keys).flatMap(([keyid, key]) =>
    isOneKey(key) ? [] : [`key ${keyid}: jwk and spki are not one and the same public key`],
  );
  if (mismatched.length > 0) report.error(PROBLEM_CODE['key-ring'], KEY_RING, gathered(mismatched));
  if (!isSameText(`${JSON.stringify(json)}\n`, bytes)) {
    report.error(
      PROBLEM_CODE['key-ring'],
      KEY_RING,
      'expected the canonical form, found the same content written otherwise',
    );
  }
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

/** A key ring is four levels deep; a file that only looks like one may be a million. */
const DEPTH_MAX = 8;

/** Where in the key ring a member is that by its name holds a secret. keyids, the members of `keys`, may be called anything. */
function secretMemberIn(json: unknown, place: string, depth = 0): string | undefined {
  if (typeof json !== 'object' || json === null || depth > DEPTH_MAX) return undefined;
  for (const [name, value] of Object.entries(json)) {
    const here = place === '' ? name : `${place}.${name}`;
    if (place !== 'keys' && SECRET_MEMBER.test(name)) return here;
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
