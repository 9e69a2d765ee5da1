// `playbill edge build`: writes the deployable edge rule for a runtime.

import { existsSync, readFileSync } from 'node:fs';
import { AppError, messageOf } from '../../errors.ts';
import {
  type EdgeBundle,
  nginxBundle,
  type OriginOptions,
  workerBundle,
  type WorkerBundle,
} from '../../edge/deploy/origin.ts';
import type { PlaybillCommand } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { bytesText } from '../output/terminal.ts';

const HELP = `
Examples:
  playbill edge build --target nginx --to edge --public-root /srv/public
  playbill edge build --target nginx --origin s3://bucket/prefix
  playbill edge build --target worker --origin https://origin.example
  playbill edge build --target worker --origin s3://bucket/prefix
  playbill edge build --target worker --origin r2://bucket/prefix

Exit codes: 0 done, 2 wrong usage or no tree, 6 the folder could not be written.`;

export function addEdgeCommand(program: PlaybillCommand): void {
  const edge = program.command('edge').summary('write the deployable edge rule for a runtime').helpBelow(HELP);
  edge
    .command('build')
    .summary('write the deployable edge rule for a runtime')
    .description(
      'Writes a folder that deploys as it is, with a README of its own. It holds public keys and names of secrets, never a secret.',
    )
    .requiredFlag('--target <runtime>', 'nginx with njs, or any runtime with a fetch handler', ['nginx', 'worker'])
    .flag('--to <folder>', 'the folder to write (default: edge-nginx or edge-worker)')
    .outFlag('the tree whose key ring the rule takes along')
    .flag('--public-root <folder>', 'where the edge finds the tree’s public folder (default: that of --out)')
    .flag(
      '--key-ring <file>',
      'nginx: where it finds the tree’s edge/keyring.json (default: beside the public folder; with a bucket, in the folder that is written)',
    )
    .presetFlag('--listen <address>', 'nginx: the address of the server', '8080')
    .presetFlag(
      '--origin <url>',
      'worker: the URL of the public folder, or the name of a binding with fetch; or r2://BUCKET/PREFIX on Cloudflare; nginx, worker: the private bucket of a tree, s3://BUCKET/PREFIX, which the edge reads with secrets of its own, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      'ASSETS',
    )
    .flag(
      '--origin-endpoint <url>',
      's3: the URL of the store (default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or AWS)',
    )
    .flag('--origin-region <name>', 's3: the region of the bucket (default: AWS_REGION or AWS_DEFAULT_REGION)')
    .flag(
      '--encodings <name...>',
      'worker, bucket: the precompressed siblings that the tree has (build --precompress); without, answers are not compressed',
      ['br', 'gzip'],
    )
    .presetFlag('--resolver <address>', 'nginx: the name server that it asks for the store of a bucket', '127.0.0.53')
    .presetFlag('--base <path>', 'the path before /products/', '')
    .durationFlag('--max-age', 'the longest max-age of an answer', 60)
    .flag('--no-authority', 'do not require @authority to be signed: where a proxy rewrites Host')
    .jsonFlag('print what was written for machines')
    .helpBelow(HELP)
    .runs(async (flags, { terminal, environment }) => {
      const { buildEdge } = await import('../../operations/build-edge.ts');
      const folder = flags.to ?? `edge-${flags.target}`;
      const name = flags.target === 'worker' ? workerBundle(flags.origin) : nginxBundle(flags.origin);
      const bundle = await bundleOf(name);
      const files = await buildEdge(
        {
          target: flags.target,
          to: folder,
          out: flags.out,
          publicRoot: flags.publicRoot ?? null,
          keyRingPath: flags.keyRing ?? null,
          listen: flags.listen,
          origin: originOf(flags.origin, flags.originEndpoint, flags.originRegion, environment),
          resolver: flags.resolver,
          encodings: flags.encodings ?? [],
          settings: { base: flags.base, maxAge: flags.maxAge, requiresAuthority: flags.authority },
        },
        bundle,
      );
      const sizes = files.map(([name, text]) => ({ path: `${folder}/${name}`, bytes: Buffer.byteLength(text) }));
      if (flags.json === true) terminal.print(JSON.stringify({ target: flags.target, files: sizes }));
      else {
        for (const { path, bytes } of sizes) terminal.print(`${path} (${bytesText(bytes)})`);
        if (name !== 'nginx' && name !== 'nginx-s3') terminal.print(await bundleText(name, bundle));
        terminal.print(`How to deploy it: ${folder}/README.md`);
      }
    });
}

/** What is left out about a bucket comes from where tools for S3 look for it. */
function originOf(
  origin: string,
  endpoint: string | undefined,
  region: string | undefined,
  environment: CommandContext['environment'],
): OriginOptions {
  const given = (names: readonly string[]): string | null =>
    (origin.startsWith('s3://') && names.map(environment).find((value) => value)) || null;
  return {
    origin,
    originEndpoint: endpoint ?? given(['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL']),
    originRegion: region ?? given(['AWS_REGION', 'AWS_DEFAULT_REGION']),
  };
}

/** How large a worker's code is, and what its origin adds to that. */
async function bundleText(name: WorkerBundle, bundle: string): Promise<string> {
  const size = `The rule in worker.js: ${bytesText(Buffer.byteLength(bundle))}`;
  if (name === 'worker') return size;
  const more = Buffer.byteLength(bundle) - Buffer.byteLength(await bundleOf('worker'));
  return `${size}, ${bytesText(more)} of it for reading the bucket`;
}

/** The bundle that was made when the command was compiled; in a checkout it is made now. */
async function bundleOf(name: EdgeBundle): Promise<string> {
  const shipped = new URL(`../edge/bundles/${name}.js`, import.meta.url);
  if (existsSync(shipped)) return readFileSync(shipped, 'utf8');
  try {
    const { bundleEdge } = await import('../../edge/deploy/bundle.ts');
    return await bundleEdge(name);
  } catch (error) {
    const message = `expected the bundle of the edge rule at ${shipped.pathname}, found none: ${messageOf(error)}`;
    throw new AppError('edge-bundle-missing', message, 'compile again: npm run build', error);
  }
}
