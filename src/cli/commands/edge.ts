// `playbill edge build`: writes the deployable edge rule for a runtime.

import { existsSync, readFileSync } from 'node:fs';
import { Option } from 'commander';
import type { SiblingEncoding } from '../../edge/rule/encoding.ts';
import { AppError, messageOf } from '../../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { PlaybillCommand, SharedFlags } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { bytesText } from '../output/terminal.ts';

type Target = 'nginx' | 'worker';

interface EdgeFlags extends Pick<SharedFlags, 'out' | 'json'> {
  readonly target: Target;
  readonly to?: string;
  readonly publicRoot?: string;
  readonly keyRing?: string;
  readonly listen: string;
  readonly origin: string;
  readonly encodings?: readonly SiblingEncoding[];
  readonly base: string;
  readonly maxAge: number;
  readonly authority: boolean;
}

const HELP = `
Examples:
  playbill edge build --target nginx --to /etc/nginx/playbill --public-root /srv/playbill/public
  playbill edge build --target worker --origin https://origin.example

Exit codes: 0 done, 2 wrong usage or no tree, 6 the folder could not be written.`;

export function addEdgeCommand(program: PlaybillCommand): void {
  const edge = program.command('edge').summary('write the deployable edge rule for a runtime').helpBelow(HELP);
  edge
    .command('build')
    .summary('write the deployable edge rule for a runtime')
    .description(
      'Writes a folder that deploys as it is, with a README of its own. It holds public keys and names of secrets, never a secret.',
    )
    .addOption(
      new Option('--target <runtime>', 'nginx with njs, or any runtime with a fetch handler')
        .choices(['nginx', 'worker'])
        .makeOptionMandatory(),
    )
    .option('--to <folder>', 'the folder to write (default: edge-nginx or edge-worker)')
    .outOption('the tree whose key ring the rule takes along')
    .option('--public-root <folder>', 'where the edge finds the tree’s public folder (default: that of --out)')
    .option(
      '--key-ring <file>',
      'nginx: where it finds the tree’s edge/keyring.json (default: beside the public folder)',
    )
    .option('--listen <address>', 'nginx: the address of the server', '8080')
    .option('--origin <url>', 'worker: the URL of the public folder, or the name of a binding with fetch', 'ASSETS')
    .addOption(
      new Option(
        '--encodings <name...>',
        'worker: the precompressed siblings that the tree has (build --precompress); without, answers are not compressed',
      ).choices(['br', 'gzip']),
    )
    .option('--base <path>', 'the path before /products/', '')
    .durationOption('--max-age', 'the longest max-age of an answer', 60)
    .option('--no-authority', 'do not require @authority to be signed: where a proxy rewrites Host')
    .jsonOption('print what was written for machines')
    .helpBelow(HELP)
    .runs(runEdgeBuild);
}

async function runEdgeBuild(flags: EdgeFlags, { terminal }: CommandContext): Promise<number> {
  const { buildEdge } = await import('../../operations/build-edge.ts');
  const folder = flags.to ?? `edge-${flags.target}`;
  const files = await buildEdge(
    {
      target: flags.target,
      to: folder,
      out: flags.out,
      publicRoot: flags.publicRoot ?? null,
      keyRingPath: flags.keyRing ?? null,
      listen: flags.listen,
      origin: flags.origin,
      encodings: flags.encodings ?? [],
      settings: { base: flags.base, maxAge: flags.maxAge, requiresAuthority: flags.authority },
    },
    await bundleOf(flags.target),
  );
  const sizes = files.map(([name, text]) => ({ path: `${folder}/${name}`, bytes: Buffer.byteLength(text) }));
  if (flags.json === true) terminal.print(JSON.stringify({ target: flags.target, files: sizes }));
  else {
    for (const { path, bytes } of sizes) terminal.print(`${path} (${bytesText(bytes)})`);
    terminal.print(`How to deploy it: ${folder}/README.md`);
  }
  return EXIT.done;
}

/** The bundle that was made when the command was compiled; in a checkout it is made now. */
async function bundleOf(target: Target): Promise<string> {
  const shipped = new URL(`../edge/bundles/${target}.js`, import.meta.url);
  if (existsSync(shipped)) return readFileSync(shipped, 'utf8');
  try {
    const { bundleEdge } = await import('../../edge/deploy/bundle.ts');
    return await bundleEdge(target);
  } catch (error) {
    throw new AppError(
      'edge-bundle-missing',
      `expected the bundle of the edge rule at ${shipped.pathname}, found none: ${messageOf(error)}`,
      'compile again: npm run build',
      error,
    );
  }
}
