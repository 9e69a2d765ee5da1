// `playbill sign`: prints the headers of a signed request, or a curl command to paste.

import { AppError } from '../../errors.ts';
import type { PlaybillCommand } from '../command.ts';
import { SETTINGS } from '../settings/settings.ts';
import { clientKeyOf, readKeyFile, unusableKey } from '../key-file.ts';

export function addSignCommand(program: PlaybillCommand): void {
  program
    .command('sign')
    .summary('print the headers, or a ready curl command, of a signed request')
    .description(
      'Signs a request by RFC 9421, or under the profile signed-headers. A signature is valid for five minutes, plus one minute for clock skew.',
    )
    .operand('<url>', 'the whole URL of the request')
    .requiredFlag('--key <file>', 'a key file that keys issue wrote or printed')
    .flag(
      '--secret-env <name>',
      'hmac only: the environment variable with the secret (default: the name in the key file)',
    )
    .flag('--front <code>', 'X-Front (default: the front of the key)')
    .presetFlag('--method <name>', 'the method of the request', 'GET', ['GET', 'HEAD'])
    .instantFlag('--created', 'the time of the signature (default: the current time)')
    .setting(SETTINGS.authority, 'leave @authority out, for a deployment whose proxy rewrites Host')
    .profileFlag('the signing profile of the deployment')
    .flag('--curl', 'print a curl command')
    .jsonFlag('print the headers as JSON')
    .helpBelow(`
Examples:
  playbill sign http://127.0.0.1:8080/products/ --key moscow.key.json --curl
  playbill sign https://cdn.example/products/ --key moscow.key.json --json
  playbill sign https://cdn.example/products/ --key ours.key.json \\
    --profile signed-headers

Exit codes: 0 done, 2 wrong usage, or a key file that cannot be read.`)
    .runs(async (url, flags, { terminal, now, environment }) => {
      const issued = await readKeyFile(flags.key, terminal);
      if (!URL.canParse(url) || !/^https?:/.test(url)) {
        const hint = 'type the whole URL: https://cdn.example/products/';
        throw new AppError('usage', `expected an http or https URL, found "${url}"`, hint);
      }
      const { curlCommand, signRequest } = await import('../../client/signature.ts');
      const headers = await signRequest({
        method: flags.method,
        url,
        front: flags.front ?? issued.front,
        key: clientKeyOf(issued, environment, flags.secretEnv),
        created: flags.created ?? now(),
        coversAuthority: flags.authority,
        profile: flags.profile,
      }).catch((error: unknown) => {
        throw unusableKey(error, flags.profile);
      });
      if (flags.curl === true) {
        const command = curlCommand(url, headers);
        // curl sends HEAD requests with -I.
        terminal.print(flags.method === 'HEAD' ? command.replace(/^curl -i/, 'curl -I') : command);
      } else if (flags.json === true) terminal.print(JSON.stringify(headers));
      else for (const [name, value] of Object.entries(headers)) terminal.print(`${name}: ${value}`);
    });
}
