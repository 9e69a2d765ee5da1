// `playbill edge check`: checks from outside whether a deployed edge follows the rule.

import { edgeUrlArgument } from '../../arguments.ts';
import { PROFILE_NAMES } from '../../../edge/rule/profile.ts';
import type { PlaybillCommand } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { frontKeyFrom } from '../../key-file.ts';
import { edgeCheckText } from '../../output/edge-check.ts';

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
      '<url>',
      'the URL of the edge, everything before /products/, such as https://cdn.example or https://cdn.example/api',
    )
    .requiredFlag('--key <file>', 'a valid key, as written by keys issue')
    .flag('--other-key <file>', 'a valid key of another front, to check that caches keep the fronts apart')
    .flag('--revoked-key <file>', 'a revoked key, to check that it is refused')
    .optionalOutFlag('the tree that the edge should serve')
    .presetFlag('--profile <name>', 'the signing profile that the edge expects', PROFILE_NAMES[0], PROFILE_NAMES)
    .flag('--no-authority', 'leave @authority out of signatures, for an edge built with --no-authority')
    .durationFlag('--max-age', 'the --max-age that the edge was built with', 60)
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
    .runs(async (url, flags, context) => {
      const keyOf = (path: string | undefined) =>
        path === undefined ? null : frontKeyFrom(path, context, flags.profile);
      const [own, other, revoked] = [
        await frontKeyFrom(flags.key, context, flags.profile),
        await keyOf(flags.otherKey),
        await keyOf(flags.revokedKey),
      ];
      const { checkDeployedEdge } = await import('../../../operations/edge/check.ts');
      const address = {
        url: edgeUrlArgument(url, 'url'),
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
