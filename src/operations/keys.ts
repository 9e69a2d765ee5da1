// Issues, lists and revokes keys in the catalogue. The key ring in the tree is written by
// publish-keys.ts.

import { readFileSync, statSync } from 'node:fs';
import { formatInstant, parseInstant, type Instant } from '../catalogue/instant.ts';
import type { KeyRing } from '../contract/key-ring.ts';
import type { IssuedKeyJson, KeysResultJson } from '../contract/results/keys.ts';
import { openCatalogue } from '../database/open.ts';
import { checkContract } from '../database/contract/check-schema.ts';
import {
  keyidTaken,
  listKeys,
  revokeKey,
  storeKey,
  type ListedKey,
  type NewKey,
} from '../database/write/front-keys.ts';
import { generateKeyPair } from '../edge/web-crypto/key-pair.ts';
import { UnansweredCommit } from '../database/writer.ts';
import { AppError, shellWord } from '../errors.ts';
import { earliest } from '../release/publish/next-key-ring.ts';
import { createPrivateFile, type PrivateFile } from '../storage/private-file.ts';

export interface KeyRequest {
  readonly front: string;
  /** null: the front and the month, such as `moscow-2026-05`, with a number if that id is taken. */
  readonly keyid: string | null;
  readonly alg: NewKey['alg'];
  readonly secretRef: string | null;
  readonly notBefore: Instant | null;
  readonly notAfter: Instant | null;
  /** The file for the key; null: only the caller gets it. */
  readonly to: string | null;
  /**
   * Keyids that are taken, though the catalogue may have none of them: those of the published key
   * ring.
   */
  readonly takenKeyids?: ReadonlySet<string>;
}

/**
 * Makes a key and stores its public half. Writes the file before the catalogue, so that a stored
 * key never lacks its private half.
 * @throws AppError front-unknown, key-…, database-…, contract-…
 */
export async function issueKey(databasePath: string, request: KeyRequest, now: Instant): Promise<IssuedKeyJson> {
  const { front, alg, secretRef } = request;
  const pair = alg === 'hmac-sha256' ? null : await generateKeyPair(alg);
  const privateHalf = { privateKey: pair && { ...pair.privateJwk }, privatePem: pair?.privatePem ?? null };
  const stored = {
    alg,
    publicKey: pair && JSON.stringify(pair.jwk),
    secretRef,
    notBefore: request.notBefore === null ? null : formatInstant(request.notBefore),
    notAfter: request.notAfter === null ? null : formatInstant(request.notAfter),
  };
  const month = `${front}-${formatInstant(now).slice(0, 7)}`;
  const file = request.to === null ? null : await newFile(request.to, databasePath);
  try {
    for (let number = 1; ; number++) {
      const keyid = request.keyid ?? (number === 1 ? month : `${month}-${number}`);
      const issued: IssuedKeyJson = { keyid, front, alg, ...privateHalf, secretRef };
      file?.write(`${JSON.stringify(issued)}\n`);
      try {
        if (request.takenKeyids?.has(keyid) === true) throw keyidTaken(keyid, 'in the key ring of the tree');
        await storeKey(databasePath, front, { keyid, ...stored });
        file?.close();
        return issued;
      } catch (error) {
        const isTaken = error instanceof AppError && error.code === 'key-exists';
        if (!isTaken || request.keyid !== null) throw error;
      }
    }
  } catch (error) {
    if (!(error instanceof UnansweredCommit) || file === null || request.to === null) {
      file?.remove();
      throw error;
    }
    // The key may have been stored, and the file is the only copy of its private half.
    file.close();
    const hint = `${shellWord(request.to)} is kept; see whether its key was stored: playbill keys list; if not, remove the file`;
    throw new AppError(error.code, error.message, hint, error);
  }
}

/**
 * Creates the file for a key. If one is there, the hint says whether a `keys issue` that was
 * interrupted may have left it.
 */
async function newFile(path: string, databasePath: string): Promise<PrivateFile> {
  try {
    return createPrivateFile(path);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'key-file-exists') throw error;
    const holds = await unfinished(path, databasePath);
    if (holds === null) throw error;
    const hint = `${holds}, as an interrupted keys issue leaves it: rm ${shellWord(path)} and run the same command again`;
    throw new AppError(error.code, error.message, hint, error);
  }
}

/**
 * What is in a file whose key is not in the catalogue; null where it is, or where this is something
 * else.
 */
async function unfinished(path: string, databasePath: string): Promise<string | null> {
  // A pipe would be waited for.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const text = readFileSync(path, 'utf8');
  if (text === '') return 'the file is empty';
  const { issuedKeySchema } = await import('../contract/results/keys.ts');
  const issued = issuedKeySchema.safeParse(jsonIn(text)).data;
  if (issued === undefined) return null;
  await using reader = await openCatalogue(databasePath);
  const isStored = (await listKeys(reader)).some(({ keyid }) => keyid === issued.keyid);
  return isStored ? null : `the file has the key ${issued.keyid}, which this catalogue does not have`;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** All keys, with their state at an instant. @throws AppError database-…, contract-… */
export async function keysOf(databasePath: string, now: Instant): Promise<KeysResultJson> {
  await using reader = await openCatalogue(databasePath);
  await checkContract(reader);
  const at = formatInstant(now);
  return { keys: (await listKeys(reader)).map((key) => ({ ...key, state: stateOf(key, at) })) };
}

/** From when a key is revoked, and whether the catalogue has it. */
export interface Revoked {
  readonly revokedAt: string;
  readonly isInCatalogue: boolean;
}

/**
 * Revokes a key from an instant on. A key that only the published ring has, such as one that a
 * restored backup lacks, is left to whoever publishes the ring. @throws AppError key-unknown,
 * database-…, contract-…
 */
export async function revoke(
  databasePath: string,
  keyid: string,
  published: KeyRing | null,
  at: Instant,
): Promise<Revoked> {
  const revokedAt = formatInstant(at);
  try {
    return { revokedAt: await revokeKey(databasePath, keyid, revokedAt), isInCatalogue: true };
  } catch (error) {
    const isUnknown = error instanceof AppError && error.code === 'key-unknown';
    if (!isUnknown || published === null || !Object.hasOwn(published.keys, keyid)) throw error;
    return {
      revokedAt: earliest(published.keys[keyid]?.revokedAt ?? null, revokedAt) ?? revokedAt,
      isInCatalogue: false,
    };
  }
}

function stateOf(key: ListedKey, now: string): KeysResultJson['keys'][number]['state'] {
  // What stands there and is no instant revokes the key as well.
  if (key.revokedAt !== null && (key.revokedAt <= now || parseInstant(key.revokedAt) === undefined)) return 'revoked';
  if (key.notAfter !== null && key.notAfter <= now) return 'expired';
  return key.notBefore !== null && now < key.notBefore ? 'not-yet-valid' : 'valid';
}
