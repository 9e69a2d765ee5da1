// Reads the key files that `keys issue` writes, for the commands that sign requests.

import { readFileSync, statSync } from 'node:fs';
import type { ClientKey, ClientProfile } from '../client/signature.ts';
import type { IssuedKeyJson } from '../contract/results/keys.ts';
import type { FrontKey } from '../edge-check/checked-edge.ts';
import { AppError, messageOf, shellWord } from '../errors.ts';
import type { CommandContext } from './context.ts';
import type { Terminal } from './output/terminal.ts';

/**
 * Reads a key file; warns if other users can read its private key.
 * @throws AppError key-file-unreadable
 */
export async function readKeyFile(path: string, terminal: Terminal): Promise<IssuedKeyJson> {
  const hint = 'create one with: playbill keys issue --front CODE --to CODE.key.json';
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // The parser's message quotes the file, which may contain a secret.
    const found = error instanceof SyntaxError ? 'invalid JSON' : messageOf(error);
    const message = `expected a key as JSON in ${path}, found: ${found}`;
    throw new AppError('key-file-unreadable', message, hint, error);
  }
  const { issuedKeySchema } = await import('../contract/results/keys.ts');
  const issued = issuedKeySchema.safeParse(parsed);
  if (issued.success) {
    warnIfReadable(path, issued.data, terminal);
    return issued.data;
  }
  const [issue] = issued.error.issues;
  const found = `other JSON (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''})`;
  throw new AppError('key-file-unreadable', `expected the output of keys issue in ${path}, found ${found}`, hint);
}

function warnIfReadable(path: string, { privateKey }: IssuedKeyJson, terminal: Terminal): void {
  // A pipe has no permissions to check.
  const stats = statSync(path, { throwIfNoEntry: false });
  if (privateKey !== null && stats?.isFile() === true && (stats.mode & 0o044) !== 0)
    terminal.log({
      level: 'warning',
      message: `others can read the private key in ${path}: chmod 600 ${shellWord(path)}`,
    });
}

/**
 * The key that the client signs with. The secret of an hmac key is read from an environment
 * variable.
 * @throws AppError key-invalid
 */
export function clientKeyOf(
  issued: IssuedKeyJson,
  environment: CommandContext['environment'],
  secretEnv?: string,
): ClientKey {
  const { keyid, privateKey, secretRef } = issued;
  if (privateKey !== null) {
    const { y, ...rest } = privateKey;
    return { keyid, privateKey: y === undefined ? rest : { ...rest, y } };
  }
  const name = secretEnv ?? secretRef ?? '';
  const secret = environment(name);
  if (secret === undefined || secret === '') {
    const hint = `set it: export ${name}='the secret'`;
    throw new AppError('key-invalid', `expected the secret in the environment variable ${name}, found none`, hint);
  }
  return { keyid, secret };
}

/**
 * A key and its front, for commands that send requests. Signs a trial request to detect a broken
 * key before anything is sent.
 * @throws AppError key-file-unreadable, key-invalid
 */
export async function frontKeyFrom(
  path: string,
  { terminal, environment }: Pick<CommandContext, 'terminal' | 'environment'>,
  profile: ClientProfile,
): Promise<FrontKey> {
  const issued = await readKeyFile(path, terminal);
  const key = clientKeyOf(issued, environment);
  const { signRequest } = await import('../client/signature.ts');
  const trial = { method: 'GET', url: 'https://localhost/', front: issued.front, created: 0, profile } as const;
  await signRequest({ ...trial, key }).catch((error: unknown) => {
    throw unusableKey(error, profile);
  });
  return { front: issued.front, key };
}

/** An error of signing, as one that says what to do. */
export function unusableKey(error: unknown, profile: ClientProfile): AppError {
  const secret = profile === 'signed-headers' ? ' --profile signed-headers --secret-ref NAME' : '';
  const hint = `issue a new key: playbill keys issue --front CODE${secret} --to FILE`;
  return new AppError('key-invalid', messageOf(error), hint, error);
}
