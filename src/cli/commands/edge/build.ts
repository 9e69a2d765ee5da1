// `playbill edge build`: writes the deployable edge rule for a runtime.

import { existsSync, readFileSync } from 'node:fs';
import { AppError, messageOf } from '../../../errors.ts';
import { PROXIES } from '../../../edge/deploy/authorizer-proxies.ts';
import {
  type EdgeBundle,
  nginxBundle,
  type OriginOptions,
  workerBundle,
  type WorkerBundle,
} from '../../../edge/deploy/origin.ts';
import { isWorkerTarget, WORKER_TARGETS } from '../../../edge/deploy/worker-deployment.ts';
import { bundleFile } from '../../../edge/deploy/profiles.ts';
import { PROFILE_NAMES, type ProfileName } from '../../../edge/rule/profile.ts';
import type { EdgeBuildOptions } from '../../../operations/edge/build.ts';
import type { PlaybillCommand } from '../../command.ts';
import type { CommandContext } from '../../context.ts';
import { bytesText } from '../../output/terminal.ts';
import { addEdgeCheck } from './check.ts';

const HELP = `
Examples:
  playbill edge build --target nginx --to edge --public-root /srv/public
  playbill edge build --target nginx --origin s3://bucket/prefix
  playbill edge build --target authorizer --proxy caddy
  playbill edge build --target cloudflare --origin r2://bucket/prefix
  playbill edge build --target lambda-edge --origin s3://bucket/prefix
  playbill edge build --target netlify --origin https://origin.example
  playbill edge build --target deno --origin s3://bucket/prefix
  playbill edge build --target worker --profile rfc9421 signed-headers

Exit codes: 0 done, 2 wrong usage or no tree, 6 the folder could not be written.`;

const GROUP_HELP = `
Examples:
  playbill edge build --target nginx --to edge --public-root /srv/public
  playbill edge check https://cdn.example --key moscow.key.json --out out

Exit codes: those of the two; see playbill edge build --help`;

export function addEdgeCommand(program: PlaybillCommand): void {
  const edge = program
    .command('edge')
    .summary('write the edge rule for a runtime; check a deployed one')
    .helpBelow(GROUP_HELP);
  addEdgeBuild(edge);
  addEdgeCheck(edge);
}

function addEdgeBuild(edge: PlaybillCommand): void {
  edge
    .command('build')
    .summary('write the deployable edge rule for a runtime')
    .description(
      'Writes a folder that deploys as it is, with a README of its own. It holds public keys and names of secrets, never a secret.',
    )
    .requiredFlag(
      '--target <runtime>',
      'nginx with njs; a service behind a proxy that has no rule of its own; CloudFront with Lambda@Edge (tested against the events that Amazon documents, not on CloudFront itself); a worker on the host of that name, or on workerd and any other runtime with a fetch handler',
      ['nginx', 'authorizer', 'lambda-edge', ...WORKER_TARGETS],
    )
    .flag('--to <folder>', 'the folder to write (default: edge- and the target)')
    .outFlag('the tree whose key ring the rule takes along')
    .flag('--public-root <folder>', 'where the edge finds the tree’s public folder (default: that of --out)')
    .flag(
      '--key-ring <file|url>',
      'nginx, authorizer: where it finds the tree’s edge/keyring.json (default: beside the public folder); workers: its URL, or the name of a binding, read while the worker runs (default: in the module)',
    )
    .flag('--proxy <name>', 'authorizer: the proxy in front of it', PROXIES)
    .presetFlag('--authorizer <address>', 'authorizer: its own address, for the proxy alone', '127.0.0.1:9180')
    .presetFlag('--listen <address>', 'nginx, authorizer: the address of the server, or of the proxy', '8080')
    .presetFlag(
      '--origin <url>',
      'workers: the URL of the public folder; the name of a binding for a folder, not on netlify and vercel; cloudflare: r2://BUCKET/PREFIX; all: the private bucket of a tree, s3://BUCKET/PREFIX, which the edge reads with secrets of its own, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and lambda-edge with its role',
      'ASSETS',
    )
    .flag(
      '--origin-endpoint <url>',
      's3: the URL of the store (default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, or AWS)',
    )
    .flag('--origin-region <name>', 's3: the region of the bucket (default: AWS_REGION or AWS_DEFAULT_REGION)')
    .flag(
      '--encodings <name...>',
      'workers but vercel, bucket: the precompressed siblings that the tree has (build --precompress); without, answers are not compressed',
      ['br', 'gzip'],
    )
    .presetFlag('--resolver <address>', 'nginx: the name server that it asks for the store of a bucket', '127.0.0.53')
    .presetFlag('--base <path>', 'the path before /products/', '')
    .durationFlag('--max-age', 'the longest max-age of an answer', 60)
    .flag('--no-authority', 'do not require @authority to be signed: where a proxy rewrites Host')
    .flag('--profile <name...>', 'how requests are signed: each adds to the code (default: rfc9421)', PROFILE_NAMES)
    .jsonFlag('print what was written for machines')
    .helpBelow(HELP)
    .runs(async (flags, { terminal, environment }) => {
      const { buildEdge } = await import('../../../operations/edge/build.ts');
      const folder = flags.to ?? `edge-${flags.target}`;
      const name = bundleNameOf(flags.target, flags.origin, flags.keyRing ?? null);
      const profiles = [...new Set(flags.profile ?? [PROFILE_NAMES[0]])];
      const bundle = await bundleOf(name, profiles);
      const { files, refused } = await buildEdge(
        {
          target: flags.target,
          proxy: flags.proxy ?? null,
          authorizer: flags.authorizer,
          to: folder,
          out: flags.out,
          publicRoot: flags.publicRoot ?? null,
          keyRingPath: flags.keyRing ?? null,
          listen: flags.listen,
          origin: originOf(flags.origin, flags.originEndpoint, flags.originRegion, environment),
          resolver: flags.resolver,
          encodings: flags.encodings ?? [],
          settings: { base: flags.base, maxAge: flags.maxAge, requiresAuthority: flags.authority },
          profiles,
        },
        bundle,
      );
      if (refused.length > 0)
        terminal.log(
          `warning secret-missing: ${flags.target} has no secrets and will refuse these keys: ${refused.join(', ')}`,
        );
      const sizes = files.map(([name, text]) => ({ path: `${folder}/${name}`, bytes: Buffer.byteLength(text) }));
      if (flags.json === true) terminal.print(JSON.stringify({ target: flags.target, files: sizes }));
      else {
        for (const { path, bytes } of sizes) terminal.print(`${path} (${bytesText(bytes)})`);
        if (isWorkerTarget(flags.target))
          terminal.print(await bundleText(workerBundle(flags.origin, flags.keyRing ?? null), profiles, bundle));
        if (flags.target === 'lambda-edge')
          terminal.print(
            `The rule in index.mjs: ${bytesText(Buffer.byteLength(bundle))} (Lambda@Edge takes 1 MB, zipped)`,
          );
        terminal.print(`How to deploy it: ${folder}/README.md`);
      }
    });
}

function bundleNameOf(target: EdgeBuildOptions['target'], origin: string, keyRing: string | null): EdgeBundle {
  if (isWorkerTarget(target)) return workerBundle(origin, keyRing);
  return target === 'nginx' ? nginxBundle(origin) : target;
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

/** How large a worker's code is, and what its origin and a second profile add to that. */
async function bundleText(name: WorkerBundle, profiles: readonly ProfileName[], bundle: string): Promise<string> {
  const bytes = Buffer.byteLength(bundle);
  const bytesWithout = async (other: WorkerBundle, ...rest: readonly ProfileName[]): Promise<string> =>
    bytesText(bytes - Buffer.byteLength(await bundleOf(other, rest)));
  return [
    `The rule in worker.js: ${bytesText(bytes)}`,
    ...(name === 'worker'
      ? []
      : [
          `${await bytesWithout('worker', ...profiles)} of it for reading ${name === 'worker-live' ? 'the key ring' : 'the bucket'}`,
        ]),
    ...(profiles.length < 2 ? [] : [`${await bytesWithout(name, 'rfc9421')} of it for the profile signed-headers`]),
  ].join(', ');
}

/** The bundle that was made when the command was compiled; in a checkout it is made now. */
async function bundleOf(name: EdgeBundle, profiles: readonly ProfileName[]): Promise<string> {
  const shipped = new URL(`../edge/bundles/${bundleFile(name, profiles)}`, import.meta.url);
  if (existsSync(shipped)) return readFileSync(shipped, 'utf8');
  try {
    const { bundleEdge } = await import('../../../edge/deploy/bundle.ts');
    return await bundleEdge(name, profiles);
  } catch (error) {
    const message = `expected the bundle of the edge rule at ${shipped.pathname}, found none: ${messageOf(error)}`;
    throw new AppError('edge-bundle-missing', message, 'compile again: npm run build', error);
  }
}
