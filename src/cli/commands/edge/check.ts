// `playbill edge check`: checks from outside whether a deployed edge follows the rule.

import { edgeUrlArgument } from '../../arguments.ts';
import { AppError } from '../../../errors.ts';
import type { PlaybillCommand } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { frontKeyFrom } from '../../key-file.ts';
import { edgeCheckText } from '../../output/edge-check.ts';
import { valueInFile } from '../../settings/in-force.ts';
import { SETTINGS } from '../../settings/settings.ts';

export function addEdgeCheck(edge: PlaybillCommand): void {
  edge
    .command('check')
    .summary('check a deployed edge from outside; exit 1 if it differs from the rule')
    .description(
      'Sends about eighty small requests to an edge, valid and invalid ones, and compares each response with the rule and with ' +
        'the tree. Changes nothing. Prints one row per check: ok; differs, with a hint what to do; or - if it could not be ' +
        'checked, with the reason or the option that it needs.',
    )
    .operand(
      '[url]',
      'the URL of the edge, everything before /products/, such as https://cdn.example or https://cdn.example/api (default: edge.url of the settings)',
    )
    .requiredFlag('--key <file>', 'a valid key, as written by keys issue')
    .flag('--other-key <file>', 'a valid key of another front, to check that caches keep the fronts apart')
    .flag('--revoked-key <file>', 'a revoked key, to check that it is refused')
    .optionalOutFlag('the tree that the edge should serve')
    .profileFlag('the signing profile that the edge expects')
    .setting(SETTINGS.authority, 'leave @authority out of signatures, for an edge built with --no-authority')
    .setting(SETTINGS.maxAge, 'the --max-age that the edge was built with')
    .durationFlag('--timeout', 'the time limit for each response', 10)
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill edge check https://cdn.example --key moscow.key.json
  playbill edge check https://cdn.example/api --key moscow.key.json --out out

Run it from where clients connect, not on the edge's machine. The secret of an hmac key is read from the environment
variable that the key file names.

Exit codes: 0 nothing differs, 1 something differs, 2 wrong usage, a key file that cannot be read, no tree, or an edge
that does not answer at all.`)
    .runs(async (given, flags, context) => {
      const url = given === undefined ? valueInFile(SETTINGS.url, context.settings) : edgeUrlArgument(given, 'url');
      if (url === undefined) {
        const hint = 'for example https://cdn.example, or "url" in "edge" of playbill.json';
        throw new AppError('usage', 'expected the URL of the edge, found none', hint);
      }
      const keyOf = (path: string | undefined) =>
        path === undefined ? null : frontKeyFrom(path, context, flags.profile);
      const [own, other, revoked] = [
        await frontKeyFrom(flags.key, context, flags.profile),
        await keyOf(flags.otherKey),
        await keyOf(flags.revokedKey),
      ];
      const { checkDeployedEdge } = await import('../../../operations/edge/check.ts');
      const address = {
        url,
        profile: flags.profile,
        coversAuthority: flags.authority,
        timeoutSeconds: flags.timeout,
        clock: context.clock,
      };
      const options = { address, own, other, revoked, maxAge: flags.maxAge };
      const result = await checkDeployedEdge(flags.out ?? null, options);
      const { terminal } = context;
      terminal.print(flags.json === true ? JSON.stringify(result) : edgeCheckText(result, terminal));
      return result.differs > 0 ? EXIT.findings : EXIT.done;
    });
}
