// `playbill sign`: the headers of a signed request, or a curl command that works when pasted.

import { readFileSync, statSync } from 'node:fs';
import type { ClientKey } from '../../client/signature.ts';
import type { IssuedKeyJson } from '../../contract/results.ts';
import { AppError, messageOf, shellWord } from '../../errors.ts';
import type { PlaybillCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';

export function addSignCommand(program: PlaybillCommand): void {
  program
    .command('sign')
    .summary('print the headers, or a ready curl command, of a signed request')
    .description(
      'Signs a request by RFC 9421, in the profile of the edge rule. A signature is valid for five minutes, plus one for clocks that differ.',
    )
    .operand('<url>', 'the whole URL of the request')
    .requiredFlag('--key <file>', 'what keys issue wrote or printed')
    .flag(
      '--secret-env <name>',
      'hmac only: the environment variable with the secret (default: the name in the key file)',
    )
    .flag('--front <code>', 'X-Front (default: the front of the key)')
    .presetFlag('--method <name>', 'a HEAD is signed as HEAD', 'GET', ['GET', 'HEAD'])
    .instantFlag('--created', 'the time of the signature (default: the current time)')
    .flag('--no-authority', 'leave @authority out: for a deployment whose proxy rewrites Host')
    .flag('--curl', 'print a curl command')
    .jsonFlag('print the headers as JSON')
    .helpBelow(`
Examples:
  playbill sign http://127.0.0.1:8080/products/ --key moscow.key.json --curl
  playbill sign https://cdn.example/products/ --key moscow.key.json --json

Exit codes: 0 done, 2 wrong usage, or a key file that cannot be read.`)
    .runs(async (url, flags, { terminal, now, environment }) => {
      const issued = await readKeyFile(flags.key);
      // A pipe needs no protection.
      const stats = statSync(flags.key, { throwIfNoEntry: false });
      if (issued.privateKey !== null && stats?.isFile() === true && (stats.mode & 0o044) !== 0)
        terminal.log(`warning: others can read the private key in ${flags.key}: chmod 600 ${shellWord(flags.key)}`);
      if (!URL.canParse(url) || !/^https?:/.test(url)) {
        const hint = 'type the whole URL: https://cdn.example/products/';
        throw new AppError('usage', `expected an http or https URL, found "${url}"`, hint);
      }
      const { curlCommand, signRequest } = await import('../../client/signature.ts');
      const headers = await signRequest({
        method: flags.method,
        url,
        front: flags.front ?? issued.front,
        key: clientKeyOf(issued, flags.secretEnv, environment),
        created: flags.created ?? now(),
        coversAuthority: flags.authority,
      }).catch((error: unknown) => {
        const hint = 'issue a new key: playbill keys issue --front CODE --to FILE';
        throw new AppError('key-invalid', messageOf(error), hint, error);
      });
      if (flags.curl === true) {
        const command = curlCommand(url, headers);
        // curl sends a HEAD under -I.
        terminal.print(flags.method === 'HEAD' ? command.replace(/^curl -i/, 'curl -I') : command);
      } else if (flags.json === true) terminal.print(JSON.stringify(headers));
      else for (const [name, value] of Object.entries(headers)) terminal.print(`${name}: ${value}`);
    });
}

async function readKeyFile(path: string): Promise<IssuedKeyJson> {
  const hint = 'make one: playbill keys issue --front CODE --to CODE.key.json';
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const message = `expected a key as JSON in ${path}, found: ${messageOf(error)}`;
    throw new AppError('key-file-unreadable', message, hint, error);
  }
  const { issuedKeySchema } = await import('../../contract/results.ts');
  const issued = issuedKeySchema.safeParse(parsed);
  if (issued.success) return issued.data;
  const [issue] = issued.error.issues;
  const found = `JSON of another kind (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''})`;
  throw new AppError('key-file-unreadable', `expected what keys issue prints in ${path}, found ${found}`, hint);
}

function clientKeyOf(
  issued: IssuedKeyJson,
  secretEnv: string | undefined,
  environment: CommandContext['environment'],
): ClientKey {
  const { keyid, privateKey, secretRef } = issued;
  if (privateKey !== null) {
    const { y, ...rest } = privateKey;
    return { keyid, privateKey: y === undefined ? rest : { ...rest, y } };
  }
  const name = secretEnv ?? secretRef ?? '';
  const secret = environment(name);
  if (secret === undefined) {
    const hint = `set it: export ${name}='the secret', or name another with --secret-env`;
    throw new AppError('key-invalid', `expected the secret in the environment variable ${name}, found none`, hint);
  }
  return { keyid, secret };
}
