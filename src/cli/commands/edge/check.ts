// `playbill edge check`: whether a deployed edge does what the rule says, asked from outside.

import { edgeUrlArgument } from '../../arguments.ts';
import { PROFILE_NAMES } from '../../../edge/rule/profile.ts';
import type { PlaybillCommand } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { frontKeyFrom } from '../../key-file.ts';
import { edgeCheckText } from '../../output/edge-check.ts';

export function addEdgeCheck(edge: PlaybillCommand): void {
  edge
    .command('check')
    .summary('ask a deployed edge from outside; exit 1 where it differs from the rule')
    .description(
      'Sends some eighty small requests to an edge, as clients and strangers would, and compares each answer with what the rule ' +
        'answers, and with the tree. Changes nothing. One row for each thing that was checked: ok; differs, with what to do about ' +
        'it; or - where it was not checked, with what to give so that it is.',
    )
    .operand('<url>', 'what stands before /products/ at the edge: https://cdn.example or https://cdn.example/api')
    .requiredFlag('--key <file>', 'a valid key, as keys issue wrote it')
    .flag('--other-key <file>', 'a valid key of another front: do caches keep the two apart?')
    .flag('--revoked-key <file>', 'a key that was revoked: is it refused?')
    .optionalOutFlag('the tree that the edge should serve')
    .presetFlag('--profile <name>', 'how the edge wants requests signed', PROFILE_NAMES[0], PROFILE_NAMES)
    .flag('--no-authority', 'leave @authority out of signatures: where the edge was built so')
    .durationFlag('--max-age', 'the longest max-age that the edge was built with', 60)
    .durationFlag('--timeout', 'how long each answer may take', 10)
    .jsonFlag()
    .helpBelow(`
Examples:
  playbill edge check https://cdn.example --key moscow.key.json
  playbill edge check https://cdn.example/api --key moscow.key.json --out out

Run it where clients are, not on the machine of the edge. Secrets of hmac keys are read from environment variables of
their names.

Exit codes: 0 nothing differs, 1 something does, 2 wrong usage, a key file that cannot be read, no tree, or an edge
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
