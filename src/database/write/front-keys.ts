// The keys of fronts in the catalogue: issued, listed, revoked. Public halves and names of secrets
// only; a private key is never stored. Each change is one transaction.

import { parseInstant, type Instant } from '../../catalogue/instant.ts';
import { AppError, shellWord } from '../../errors.ts';
import { openForWriting } from '../open.ts';
import { anyTable, knownTables } from '../contract/query-builders.ts';
import { checkContract } from '../contract/check-schema.ts';
import { loadFrontRows } from '../load/load-fronts.ts';
import { unknownFront } from '../load/unknown-front.ts';
import { KEY, keyRingEntry, loadKeys } from '../load/load-keys.ts';
import type { CatalogueReader, Query } from '../reader.ts';
import type { CatalogueKeys } from '../../release/publish/next-key-ring.ts';
import { FindingLog, quoted } from '../contract/row-checker.ts';
import { RefusedChange, type CatalogueWriter } from '../writer.ts';

/** What a new key needs; instants are canonical text. */
export interface NewKey {
  readonly keyid: string;
  readonly alg: 'ed25519' | 'ecdsa-p256-sha256' | 'hmac-sha256';
  /** JWK text; null for hmac. */
  readonly publicKey: string | null;
  /** Name of a secret; null for the others. */
  readonly secretRef: string | null;
  readonly notBefore: string | null;
  readonly notAfter: string | null;
}

/** One key as `keys list` shows it. */
export type ListedKey = Awaited<ReturnType<typeof listKeys>>[number];

/**
 * Stores a key for a front.
 * @throws AppError front-unknown, key-exists, key-invalid, database-…, contract-…
 */
export async function storeKey(databasePath: string, front: string, key: NewKey): Promise<void> {
  await changing(databasePath, async (catalogue) => {
    const { codeOf } = await loadFrontRows(catalogue, new FindingLog(catalogue));
    const frontId = [...codeOf].find(([, code]) => code === front)?.[0];
    if (frontId === undefined) throw unknownFront(front, [...codeOf.values()]);
    const row = [key.keyid, frontId, key.alg, key.publicKey, key.secretRef, key.notBefore, key.notAfter, null];
    const entry = KEY.accepts(row) ? keyRingEntry(row, front) : (KEY.findings(row, catalogue)[0]?.message ?? 'invalid');
    if (typeof entry === 'string') throw new AppError('key-invalid', entry, 'see: playbill keys issue --help');
    const taken = await catalogue.rows(
      anyTable.selectFrom('front_keys').select('keyid').where('keyid', '=', key.keyid).orderBy('keyid'),
    );
    if (taken.length > 0) throw keyidTaken(key.keyid, 'in use');
    const values = Object.fromEntries(KEY.columns.map((column, i) => [column, row[i]]));
    await changeKey(catalogue, anyTable.insertInto('front_keys').values(values), values);
  });
}

export function keyidTaken(keyid: string, where: string): AppError {
  return new AppError('key-exists', `expected a new keyid, found "${keyid}" ${where}`, 'choose another with --keyid');
}

/**
 * Revokes a key from an instant (canonical text) on; a key that is revoked from an earlier one
 * stays so.
 * @returns from when the key is revoked
 * @throws AppError key-unknown, database-…, contract-…
 */
export async function revokeKey(databasePath: string, keyid: string, revokedAt: string): Promise<string> {
  return changing(databasePath, async (catalogue) => {
    const query = anyTable.selectFrom('front_keys').select('revoked_at').where('keyid', '=', keyid).orderBy('keyid');
    const [row] = await catalogue.rows(query);
    if (row === undefined) {
      const hint = `see them with: playbill keys list --db ${shellWord(catalogue.path)}`;
      throw new AppError('key-unknown', `expected the keyid of a key, found "${keyid}"`, hint);
    }
    const [before] = row;
    // Instants compare as text. Anything else revokes the key, too, but does not say from when.
    if (typeof before === 'string' && parseInstant(before) !== undefined && before <= revokedAt) return before;
    const update = anyTable.updateTable('front_keys').set({ revoked_at: revokedAt }).where('keyid', '=', keyid);
    await changeKey(catalogue, update, { keyid, revoked_at: revokedAt });
    return revokedAt;
  });
}

/** All keys by keyid, those of disabled fronts included. @throws AppError database-unreadable */
export async function listKeys(reader: CatalogueReader) {
  const query = knownTables
    .selectFrom('front_keys as k')
    .innerJoin('fronts as f', 'f.id', 'k.front_id')
    .select(['k.keyid', 'f.code', 'k.alg', 'k.secret_ref', 'k.not_before', 'k.not_after', 'k.revoked_at'])
    .orderBy('k.keyid');
  const rows = await reader.rows(query);
  // Bad values are shown as they are; check-db reports them.
  const text = (value: unknown): string | null => (value === null || typeof value === 'string' ? value : quoted(value));
  return rows.map(([keyid, front, alg, secretRef, notBefore, notAfter, revokedAt]) => ({
    keyid: text(keyid) ?? '',
    front: text(front) ?? '',
    alg: text(alg) ?? '',
    secretRef: text(secretRef),
    notBefore: text(notBefore),
    notAfter: text(notAfter),
    revokedAt: text(revokedAt),
  }));
}

/** The keys of the catalogue as they are now. @throws AppError database-unreadable */
export async function currentKeys(reader: CatalogueReader, now: Instant): Promise<CatalogueKeys> {
  const log = new FindingLog(reader);
  const keys = await loadKeys(reader, await loadFrontRows(reader, log), log, now);
  await reader.confirmOneState();
  return keys;
}

/** Changes an existing catalogue in one transaction. */
async function changing<T>(databasePath: string, change: (catalogue: CatalogueWriter) => Promise<T>): Promise<T> {
  const catalogue = await openForWriting(databasePath, { isRequired: true });
  try {
    await checkContract(catalogue, ['front_keys']);
    // The later of two changes sees the result of the earlier one.
    await catalogue.lock(['front_keys']);
    const result = await change(catalogue);
    try {
      await catalogue.keep();
    } catch (error) {
      throw notAccepted(catalogue, error);
    }
    return result;
  } finally {
    await catalogue.discard();
  }
}

/**
 * Changes a key and checks that it has these values: row security, a rule or a trigger can prevent
 * that without an error.
 */
async function changeKey(
  catalogue: CatalogueWriter,
  query: Query,
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  try {
    await catalogue.change('front_keys', query);
  } catch (error) {
    throw notAccepted(catalogue, error);
  }
  const columns = Object.keys(values);
  const key = anyTable.selectFrom('front_keys').select(columns).where('keyid', '=', values['keyid']).orderBy('keyid');
  const [row = []] = await catalogue.rows(key);
  if (columns.every((column, i) => row[i] === values[column])) return;
  const message = `front_keys of ${catalogue.path} does not accept the change: expected the key as it was written, found another or none`;
  const hint = 'see the triggers, the rules and the row security of your own on front_keys';
  throw new AppError('database-not-writable', message, hint);
}

/** A refusal in terms of the keys; other errors pass unchanged. */
function notAccepted({ path }: CatalogueWriter, error: unknown): unknown {
  if (!(error instanceof RefusedChange)) return error;
  const message = `front_keys of ${path} does not accept the change: ${error.message}`;
  const hint = 'where front_keys is a view over your own tables, change those, then build';
  return new AppError('database-not-writable', message, hint, error);
}
